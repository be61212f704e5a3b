"""``mine plant``: a mining task made from bitext, with gold."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import get_args

from embeddings.formats.lines import columns
from embeddings.mining.commands.mining_options import Options, Parser, check_output
from embeddings.mining.synthetic_task import SHARE, SHORTEST, Split, make_task
from sts.command_line import count, seed
from sts.files import write_lines

EXAMPLES = """\
examples:
  python -m embeddings.mining plant ntrex.en-es.tsv.gz --unrelated news.en-es.tsv.gz \\
      --languages en,es --split dev -o dev

writes dev.en, dev.es and dev.gold as BUCC does. PAIRS are planted; of the pairs in --unrelated
one half gives the sentences of the first language, the other half those of the second, so that
none has its translation. Sentences that stand anywhere twice are left out. The same command
draws the same; dev and test share nothing.
"""


def add_options(parser: Parser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("pairs", metavar="PAIRS", help="first<TAB>second a line, may be .gz")
    add("--unrelated", nargs="+", required=True, metavar="FILE", help="other such pairs")
    add(
        "--languages",
        type=_languages,
        required=True,
        metavar="FIRST,SECOND",
        help="of the columns: names of the files and of the ids",
    )
    add(
        "-o",
        "--output",
        type=Path,
        required=True,
        metavar="PREFIX",
        help="beginning of the names of the files",
    )
    planted = f"of the sentences of a side that are planted (default: {SHARE})"
    add("--share", type=_share, default=SHARE, help=planted)
    add("--split", choices=get_args(Split), help="one half (default: everything)")
    add("--shortest", type=count, default=SHORTEST, help=f"words (default: {SHORTEST})")
    add("--seed", type=seed, default=0, help="of the draws (default: 0)")
    parser.set_defaults(run=plant)


def plant(options: Options) -> None:
    """Write a mining task: PREFIX.first, PREFIX.second and PREFIX.gold."""
    languages = options.languages
    outputs = [Path(f"{options.output}.{end}") for end in (*languages, "gold")]
    for output in outputs:
        check_output(output)
    planted, *unrelated = (
        [(first, second) for first, second in columns(file, "first second")]
        for file in (options.pairs, *options.unrelated)
    )
    task = make_task(
        planted,
        unrelated,
        share=options.share,
        split=options.split,
        shortest=options.shortest,
        seed=options.seed,
    )
    for output, language, side in zip(outputs, languages, (task.first, task.second), strict=False):
        write_lines(output, (f"{_id(language, i)}\t{text}" for i, text in enumerate(side)))
    gold = [(_id(languages[1], y), _id(languages[0], x)) for x, y in task.gold]
    write_lines(outputs[2], ("\t".join(pair) for pair in sorted(gold)))
    pairs, whole = len(task.gold), len(task.first)
    print(
        f"{pairs:,} pairs planted among {whole:,} sentences of each side ({pairs / whole:.2%}): "
        f"{', '.join(map(str, outputs))}",
        file=sys.stderr,
    )


def _id(language: str, place: int) -> str:
    """The id of a sentence, counted from 1 as in BUCC."""
    return f"{language}-{place + 1:09d}"


def _share(text: str) -> float:
    number = float(text)
    if not 0 < number < 1:
        raise argparse.ArgumentTypeError(f"{text}; expected a share between 0 and 1")
    return number


def _languages(text: str) -> tuple[str, str]:
    first, _, second = text.partition(",")
    if not (first.isalnum() and second.isalnum()) or first == second or "gold" in (first, second):
        raise argparse.ArgumentTypeError(f"{text!r}; expected two, as en,es")
    return first, second
