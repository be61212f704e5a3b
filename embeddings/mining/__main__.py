"""The command line of mining: ``python -m embeddings.mining``."""

from __future__ import annotations

from embeddings.mining.commands import (
    bitext_command,
    duplicates_command,
    paraphrases_command,
    plant_command,
    score_command,
)
from embeddings.mining.commands.mining_options import Options
from sts.command_line import command_line, run_tool

COMMANDS = {
    "bitext": (bitext_command, "find translations of each other in two files"),
    "score": (score_command, "compare mined pairs with gold pairs"),
    "paraphrases": (paraphrases_command, "find paraphrases in one file, or between two"),
    "duplicates": (duplicates_command, "find groups of lines that mean the same"),
    "plant": (plant_command, "make a mining task from bitext, with gold"),
}

EXAMPLES = {
    "": """\
examples:
  python -m embeddings.mining bitext news.es news.en -o pairs.tsv --model MODEL \\
      --source-language es --target-language en --threshold 1.1 --texts
  python -m embeddings.mining paraphrases questions.txt --top 100
  python -m embeddings.mining duplicates questions.txt --kept distinct.txt

a task to try it on, with the threshold chosen on one half and judged on the other:
  python -m embeddings.mining plant ntrex.en-es.tsv.gz --unrelated news.en-es.tsv.gz \\
      --languages en,es --split dev -o dev        # and --split test -o test
  python -m embeddings.mining bitext dev.es dev.en --gold dev.gold -o dev.pairs --model MODEL
  python -m embeddings.mining bitext test.es test.en --threshold T -o test.pairs --model MODEL
  python -m embeddings.mining score test.pairs --gold test.gold
""",
    **{name: module.EXAMPLES for name, (module, _) in COMMANDS.items()},
}


def parse(arguments: list[str] | None = None) -> Options:
    """The command line."""
    parser, command = command_line(
        "python -m embeddings.mining",
        "Find sentences that mean the same, by their vectors.",
        EXAMPLES,
    )
    for name, (module, about) in COMMANDS.items():
        module.add_options(command(name, about))
    return parser.parse_args(arguments)


def main() -> None:
    """Parse the command line and run the command."""
    options = parse()
    options.run(options)


if __name__ == "__main__":
    run_tool(main)
