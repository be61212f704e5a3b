"""Whole-process time to score 1,000 pairs with the shipped fusion, next to cosine alone.

    python -m runs.benchmarks.score

Both commands start afresh each time and take turns, so that the ratio holds
when the machine's speed drifts.
"""

from __future__ import annotations

import tempfile
from functools import partial
from pathlib import Path

from runs.benchmarks.timing import run_python, take_turns
from runs.benchmarks.versions import sample_pairs
from runs.options import new_parser
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.files import write_lines

PAIRS = 1000
ROUNDS = 3
RUNS = ("fusion", "raw")


def main() -> None:
    """Time both runs in turn and print medians and their ratio."""
    new_parser("runs.benchmarks.score", __doc__, data=False).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.tsv"
        write_lines(pairs, sample_pairs(PAIRS))
        seconds = take_turns(
            {
                run: partial(run_python, "run_submission.py", "--run", run, "--pairs", str(pairs))
                for run in RUNS
            },
            ROUNDS,
        )
    rows = [
        (run, f"{median:.2f}", f"{PAIRS / median:.0f}", f"{median / seconds[RUNS[-1]]:.2f}")
        for run, median in seconds.items()
    ]
    print(text_table(("run", "seconds", "pairs/s", f"ratio to {RUNS[-1]}"), rows))


if __name__ == "__main__":
    run_tool(main)
