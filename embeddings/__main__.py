"""``python -m embeddings tune``, until tune is a command of ``semaniacs``; all else has moved."""

from __future__ import annotations

import sys

from embeddings.transformer.fine_tuning.tuning_command.tune import EXAMPLES, add_tune
from sts.command_line import command_line, moved, run_tool


def main() -> None:
    """Parse the command line and run the command."""
    if sys.argv[1:2] != ["tune"]:
        moved(f"semaniacs {' '.join(sys.argv[1:2])}".strip())
    parser, command = command_line(
        "python -m embeddings", "Fine-tune a transformer.", {"": "", "tune": EXAMPLES}
    )
    add_tune(command("tune", "train a transformer on pairs with gold"))
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    run_tool(main)
