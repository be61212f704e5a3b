"""The command line of scale: ``python -m runs.scale``."""

from __future__ import annotations

import argparse
import math
from pathlib import Path

from sts.command_line import command_line, count, run_tool

CLUSTER = """
Without --address or RAY_ADDRESS, the work is done on this machine. On a cluster, the project
with its .venv, the files, OUTPUT and MODEL lie on a file system that all machines share, under
one name; the machines are of one kind, so that no digit differs. RAY_AUTH_TOKEN is the one that
the cluster was started with (docs/scale.md).
A command that was stopped goes on where it was when it is started again.
"""

EXAMPLES = {
    "": f"""\
examples:
  python -m runs.scale score news/*.tsv --output scores
  python -m runs.scale encode news/*.txt --output vectors --model paragram-small
  python -m runs.scale score news/*.tsv --output /shared/scores --address 10.0.0.1:6379
{CLUSTER}""",
    "score": f"""\
examples:
  python -m runs.scale score news/*.tsv --output scores
  python -m runs.scale score a.tsv b.tsv --output scores --run raw --workers 4

A line of a FILE is left<TAB>right; OUTPUT/a.txt holds, byte for byte, what
python run_submission.py --pairs a.tsv writes. OUTPUT needs room for the scores twice.
{CLUSTER}""",
    "encode": f"""\
examples:
  python -m runs.scale encode news/*.txt --output vectors
  python -m runs.scale encode a.txt b.txt.gz --output vectors --model tuned.safetensors

A line of a FILE is a sentence; OUTPUT/a.npy holds, byte for byte, what
python -m embeddings encode a.txt writes. OUTPUT needs room for the vectors twice. A gzipped
FILE is one part, for one worker: many small ones are better than one large one.
{CLUSTER}""",
    "mine": f"""\
examples:
  python -m runs.scale mine es.txt --against en.txt -o pairs.tsv --model MODEL --threshold 1.1
  python -m runs.scale mine es/*.txt --against en/*.txt -o pairs.tsv --model MODEL \\
      --source-language es --target-language en --distinct --texts

Several SOURCES, or TARGETS, count as one file, their lines numbered through; FILE then holds,
byte for byte, what python -m embeddings.mining bitext writes of the two (see its --help). All
lines are compared with all, a block of them at a time on all cores of a machine.
{CLUSTER}""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m runs.scale",
        "Score, encode and mine many files on many cores or machines, by Ray Data.",
        EXAMPLES,
    )
    score = command("score", "score the pairs of many files")
    score.add_argument("--run", default="fusion", help="recipe that ships fitted (default: fusion)")
    encode = command("encode", "write the vectors of the lines of many files")
    encode.add_argument(
        "--model", default="paragram", help="bundled name, file or folder (default: paragram)"
    )
    encode.add_argument("--language", metavar="LANG", help="of the lines, if MODEL knows several")
    for one, line in ((score, "left<TAB>right a line"), (encode, "a sentence a line")):
        one.add_argument("files", metavar="FILE", nargs="+", help=line)
        one.add_argument(
            "--output", type=Path, required=True, help="folder for a file of results for each FILE"
        )
        one.add_argument(
            "--workers",
            type=count,
            metavar="N",
            help="parts worked on at once (default: one a CPU)",
        )
    mine = command("mine", "find translations of each other in two groups of files")
    _add_mine(mine)
    for one in (score, encode, mine):
        one.add_argument(
            "--address",
            help="of a Ray cluster, as HOST:PORT; auto is the one that this machine is in "
            "(also: RAY_ADDRESS)",
        )
    return parser.parse_args(arguments)


def _add_mine(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("files", metavar="SOURCE", nargs="+", help="corpora, may be .gz")
    parser.add_argument(
        "--against", metavar="TARGET", nargs="+", required=True, help="of the other language"
    )
    parser.add_argument(
        "-o", "--output", type=Path, required=True, metavar="FILE", help="pairs that were found"
    )
    parser.add_argument("--model", required=True, help="that knows both languages")
    for side in ("source", "target"):
        parser.add_argument(f"--{side}-language", metavar="LANG", help=f"of {side.upper()}, as es")
    parser.add_argument("-k", type=count, default=4, help="neighbours (default: 4)")
    for name, choices, default, about in (
        ("margin", ("ratio", "distance", "absolute"), "ratio", "the score"),
        ("candidates", ("max", "intersection", "forward", "backward"), "max", "pairs to choose of"),
        ("format", ("bucc", "plain"), None, "of the lines"),
    ):
        told = f"{about} (default: {default or 'bucc if the first line has an id'})"
        parser.add_argument(f"--{name}", choices=choices, default=default, help=told)
    parser.add_argument("--threshold", type=_finite, metavar="SCORE", help="lowest to be written")
    parser.add_argument(
        "--distinct", action="store_true", help="pass over sentences of an earlier line of a side"
    )
    parser.add_argument("--texts", action="store_true", help="add the sentences to each line")
    parser.set_defaults(workers=None)  # each has all cores of its machine


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text}; expected a number")
    return number


def main() -> None:
    """Parse, then hand over to the command."""
    options = parse()
    from runs.scale.cluster import Cluster, check_installed
    from runs.scale.many_files import each_file

    check_installed()
    where = Cluster(options.address, options.workers)
    match options.command:
        case "score":
            from runs.scale.scoring import Scoring

            each_file(Scoring(options.run), options.files, options.output, where)
        case "encode":
            from runs.scale.encoding import Encoding

            work = Encoding.of(options.model, options.language)
            each_file(work, options.files, options.output, where)
        case "mine":
            from runs.scale.mining import mine_files

            mine_files(options, where)


if __name__ == "__main__":
    run_tool(main)
