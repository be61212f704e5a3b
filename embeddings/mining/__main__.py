"""The command line of mining: ``python -m embeddings.mining``."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Literal, get_args

from embeddings.loading import DEFAULT
from embeddings.mining import mining_commands
from embeddings.mining.bucc import LineFormat
from embeddings.mining.candidates import Candidates
from embeddings.mining.margin import Margin
from embeddings.mining.mining_commands import MiningOptions
from embeddings.mining.synthetic_task import SHARE, SHORTEST, Split
from embeddings.search.indexes import BLOCK, Ivf, Search
from sts.command_line import command_line, count, run_tool
from sts.errors import StsError

EXAMPLES = {
    "": """\
examples:
  python -m embeddings.mining bitext news.es news.en -o pairs.tsv --model MODEL \\
      --source-language es --target-language en --threshold 1.1 --texts
  python -m embeddings.mining paraphrases questions.txt --top 100

a task to try it on, with the threshold chosen on one half and judged on the other:
  python -m embeddings.mining plant ntrex.en-es.tsv.gz --unrelated news.en-es.tsv.gz \\
      --languages en,es --split dev -o dev        # and --split test -o test
  python -m embeddings.mining bitext dev.es dev.en --gold dev.gold -o dev.pairs --model MODEL
  python -m embeddings.mining bitext test.es test.en --threshold T -o test.pairs --model MODEL
  python -m embeddings.mining score test.pairs --gold test.gold
""",
    "bitext": """\
examples:
  python -m embeddings.mining bitext es.txt en.txt --model MODEL --threshold 1.1 --texts
  python -m embeddings.mining bitext news.es news.en -o pairs.tsv \\
      --model bitext-teacher+bitext-sp --source-language es --target-language en
  python -m embeddings.mining bitext zh-en.dev.zh zh-en.dev.en -o pairs.tsv --model MODEL \\
      --source-language zh --target-language en --gold zh-en.dev.gold
  python -m embeddings.mining bitext large.es large.en -o pairs.tsv --model MODEL --search ivf

A corpus has lines id<TAB>sentence as in BUCC, or plain sentences, whose ids are then the line
numbers. A line written is source-id<TAB>target-id<TAB>score, the best first, those of one score
by their ids. --gold has lines source-id<TAB>target-id and chooses the threshold with the best
F1 on it, told on stderr: a figure on that gold is flattered, so judge on other files, with
--threshold.

Vectors lie in a temporary file (4 bytes a number; TMPDIR says where) and are read block by
block. exact compares all with all; ivf only those in the nearest clusters, several times
quicker, and misses some.
""",
    "score": """\
examples:
  python -m embeddings.mining score pairs.tsv --gold test.gold
  python -m embeddings.mining score pairs.tsv --gold test.gold --threshold 1.1
  python -m embeddings.mining score pairs.tsv --gold dev.gold --threshold best

A pair is correct if it is in the gold; all others are wrong. best is the threshold with the
highest F1 on this very gold: use it to choose, not to judge.
""",
    "paraphrases": """\
examples:
  python -m embeddings.mining paraphrases questions.txt --top 100
  python -m embeddings.mining paraphrases new.txt --against old.txt -o pairs.tsv --threshold 0.8
  python -m embeddings.mining paraphrases questions.txt --margin ratio -k 8

A line written is sentence<TAB>sentence<TAB>score, the best first: what cut -f 1,2 leaves is
what python -m embeddings train learns from. A sentence that stands in an earlier line of its
file, but for case and punctuation, is passed over.
""",
    "plant": """\
examples:
  python -m embeddings.mining plant ntrex.en-es.tsv.gz --unrelated news.en-es.tsv.gz \\
      --languages en,es --split dev -o dev

writes dev.en, dev.es and dev.gold as BUCC does. PAIRS are planted; of the pairs in --unrelated
one half gives the sentences of the first language, the other half those of the second, so that
none has its translation. Sentences that stand anywhere twice are left out. The same command
draws the same; dev and test share nothing.
""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m embeddings.mining",
        "Find pairs of sentences that mean the same, by their vectors.",
        EXAMPLES,
    )
    _add_bitext(command("bitext", "find translations of each other in two files"))
    _add_score(command("score", "compare mined pairs with gold pairs"))
    _add_paraphrases(command("paraphrases", "find paraphrases in one file, or between two"))
    _add_plant(command("plant", "make a mining task from bitext, with gold"))
    return parser.parse_args(arguments)


def _add_bitext(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("source", metavar="SOURCE", help="a corpus, may be .gz")
    parser.add_argument("target", metavar="TARGET", help="the corpus of the other language")
    parser.add_argument(
        "--model", required=True, metavar="MODEL", help="that knows both; A+B joins two"
    )
    for side in ("source", "target"):
        parser.add_argument(f"--{side}-language", metavar="LANG", help=f"of {side.upper()}, as es")
    parser.add_argument(
        "--candidates",
        choices=get_args(Candidates),
        default="max",
        help="max takes the best of both directions, each sentence once (default); intersection "
        "what both agree on; forward and backward the best of each sentence of one side",
    )
    cut = parser.add_mutually_exclusive_group()
    _add_threshold(cut)
    cut.add_argument("--gold", metavar="FILE", help="choose the threshold on these pairs")
    parser.add_argument(
        "--distinct",
        action="store_true",
        help="pass over sentences that stand in an earlier line of their file, but for case and "
        "punctuation: a translation that is there often is no nearer than its neighbours",
    )
    parser.add_argument("--texts", action="store_true", help="add the sentences to each line")
    _add_mining(parser, "ratio")


def _add_score(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="PAIRS", help="source-id<TAB>target-id<TAB>score a line")
    parser.add_argument("--gold", required=True, metavar="GOLD", help="source-id<TAB>target-id")
    parser.add_argument(
        "--threshold", type=_threshold, metavar="SCORE", help="lowest score to count, or best"
    )


def _add_paraphrases(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="sentences, may be .gz")
    parser.add_argument("--against", metavar="OTHER", help="a second file, to pair with the first")
    parser.add_argument(
        "--model", default=DEFAULT, metavar="MODEL", help=f"(default: {DEFAULT}, for English)"
    )
    parser.add_argument("--language", metavar="LANG", help="of the sentences, as es")
    parser.add_argument("--top", type=count, default=1000, help="pairs at most (default: 1000)")
    _add_threshold(parser)
    _add_mining(parser, "absolute")


def _add_plant(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("pairs", metavar="PAIRS", help="first<TAB>second a line, may be .gz")
    parser.add_argument(
        "--unrelated", nargs="+", required=True, metavar="FILE", help="other such pairs"
    )
    parser.add_argument(
        "--languages",
        type=_languages,
        required=True,
        metavar="FIRST,SECOND",
        help="of the columns: names of the files and of the ids",
    )
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="PREFIX")
    parser.add_argument(
        "--share",
        type=_share,
        default=SHARE,
        help=f"of the sentences of a side that are planted (default: {SHARE})",
    )
    parser.add_argument("--split", choices=get_args(Split), help="one half (default: everything)")
    parser.add_argument(
        "--shortest", type=count, default=SHORTEST, help=f"words (default: {SHORTEST})"
    )
    parser.add_argument("--seed", type=int, default=0, help="(default: 0)")


def _add_threshold(parser: argparse._ActionsContainer) -> None:
    parser.add_argument("--threshold", type=_finite, metavar="SCORE", help="lowest to be written")


def _add_mining(parser: argparse.ArgumentParser, margin: Margin) -> None:
    parser.add_argument("-o", "--output", type=Path, help="file (default: stdout)")
    parser.add_argument(
        "--format", choices=get_args(LineFormat), help="(default: bucc if the first line has an id)"
    )
    parser.add_argument(
        "--margin",
        choices=get_args(Margin),
        default=margin,
        help="the score: absolute is the cosine, ratio and distance compare it with those of the "
        f"neighbours (default: {margin})",
    )
    parser.add_argument("-k", type=count, default=4, help="neighbours (default: 4)")
    parser.add_argument(
        "--search", choices=["exact", "ivf"], default="exact", help="(default: exact)"
    )
    parser.add_argument("--clusters", type=count, help="of ivf (default: 2 √sentences)")
    parser.add_argument("--probe", type=count, help="clusters looked into (default: 32)")
    parser.add_argument(
        "--block",
        type=count,
        default=BLOCK,
        metavar="ROWS",
        help=f"vectors of each side in memory (default: {BLOCK})",
    )


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text}; expected a number")
    return number


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected a share between 0 and 1")
    return number


def _threshold(text: str) -> float | Literal["best"]:
    return "best" if text == "best" else _finite(text)


def _languages(text: str) -> tuple[str, str]:
    first, _, second = text.partition(",")
    if not (first.isalnum() and second.isalnum()) or first == second or "gold" in (first, second):
        raise argparse.ArgumentTypeError(f"{text!r}; expected two, as en,es")
    return first, second


def main() -> None:
    """Parse the command line and run the command."""
    options = parse()
    match options.command:
        case "bitext":
            mining_commands.bitext(
                (options.source, options.target),
                options.output,
                options.model,
                (options.source_language, options.target_language),
                _mining_options(options),
                kind=options.format,
                candidates=options.candidates,
                threshold=options.threshold,
                gold=options.gold,
                distinct=options.distinct,
                texts=options.texts,
            )
        case "score":
            mining_commands.score(options.file, options.gold, options.threshold)
        case "paraphrases":
            mining_commands.paraphrases(
                options.file,
                options.against,
                options.output,
                options.model,
                options.language,
                _mining_options(options),
                kind=options.format,
                top=options.top,
                threshold=options.threshold,
            )
        case "plant":
            mining_commands.plant(
                options.pairs,
                options.unrelated,
                options.output,
                options.languages,
                share=options.share,
                split=options.split,
                shortest=options.shortest,
                seed=options.seed,
            )


def _mining_options(options: argparse.Namespace) -> MiningOptions:
    search: Search | None = None
    if options.search == "ivf":
        search = Ivf(options.clusters, options.probe)
    elif options.clusters or options.probe:
        raise StsError(
            "--clusters and --probe have no meaning without --search ivf; leave them out"
        )
    return MiningOptions(options.k, options.margin, search, options.block)


if __name__ == "__main__":
    run_tool(main)
