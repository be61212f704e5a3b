"""Options, input and output that the commands of mining share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, get_args

import numpy as np

from embeddings.formats.lines import write_out
from embeddings.mining.bucc import LineFormat, SentenceFile, open_sentences
from embeddings.mining.candidates import Margin, block_kept_in
from embeddings.mining.commands.memory_bound import block_within, memory_size
from embeddings.mining.corpus_vectors import CorpusVectors
from embeddings.mining.indexes import BLOCK, Ivf
from sts.command_line import count
from sts.errors import DataError, StsError
from sts.files import check_distinct, check_writable
from sts.progress import counted, note

_NEARLY = 1.05
"""By how much a block may be larger than that of the same ``--memory`` a moment later."""

Parser = argparse.ArgumentParser
Options = argparse.Namespace


def add_threshold(parser: argparse._ActionsContainer) -> None:
    """Add ``--threshold``."""
    parser.add_argument(
        "--threshold", type=finite_number, metavar="SCORE", help="lowest to be written"
    )


def add_mining(parser: Parser, margin: Margin) -> None:
    """Add the options of every search of neighbours.

    Args:
        parser: of the command.
        margin: the default.
    """
    add = parser.add_argument
    add("-o", "--output", type=Path, help="file (default: stdout)")
    found = "of the lines (default: bucc if the first line has an id)"
    add("--format", choices=get_args(LineFormat), help=found)
    add(
        "--margin",
        choices=get_args(Margin),
        default=margin,
        help="the score: absolute is the cosine, ratio and distance compare it with those of the "
        f"neighbours (default: {margin})",
    )
    add("-k", type=count, default=4, help="neighbours (default: 4)")
    add(
        "--search",
        choices=["exact", "ivf"],
        default="exact",
        help="exact, or faster by clusters (default: exact)",
    )
    add("--clusters", type=count, help="of ivf (default: 2 √sentences)")
    add("--probe", type=count, help="clusters looked into (default: 32)")
    held = parser.add_mutually_exclusive_group()
    rows = f"vectors of each side in memory (default: {BLOCK})"
    held.add_argument("--block", type=count, default=BLOCK, metavar="ROWS", help=rows)
    bound = (
        "most memory of the process, as 4GB; as many vectors as that allows are compared at once"
    )
    held.add_argument("--memory", type=memory_size, metavar="SIZE", help=bound)
    kept = "keep there what is found so far; the same command goes on from it after a stop"
    add("--work", type=Path, metavar="FOLDER", help=kept)


def how_to_mine(options: Options) -> dict[str, Any]:
    """The options of both kinds of mining, for their functions; the output is checked too."""
    ivf = options.search == "ivf"
    if not ivf and (options.clusters or options.probe):
        raise StsError(
            "--clusters and --probe have no meaning without --search ivf; leave them out"
        )
    if options.output:
        check_output(options.output)
        for name in ("file", "against", "source", "target", "gold"):
            check_distinct(getattr(options, name, None), options.output)
    if options.work:
        check_writable(options.work)
    return {
        "k": options.k,
        "margin": options.margin,
        "search": Ivf(options.clusters, options.probe) if ivf else None,
        "block": options.block,
        "work": options.work,
    }


def keep_within(options: Options, how: dict[str, Any], sides: Sequence[CorpusVectors]) -> None:
    """Choose ``how["block"]`` by ``--memory``, if it was given; both sides are encoded.

    A search that goes on keeps the block that it began with: what the process holds before the
    search, and so the block, is never quite the same.

    Raises:
        StsError: it is too little.
    """
    if options.memory is None:
        return
    sizes = len(sides[0].rows), len(sides[-1].rows)
    dim = sides[0].rows[:1].shape[1]
    block = block_within(options.memory, sizes, dim, how["k"], how["search"])
    before = block_kept_in(options.work) if options.work else None
    how["block"] = before if before and before <= _NEARLY * block else block
    note(f"--memory: {counted(min(how['block'], max(sizes)), 'vector')} of a side at once")


def check_output(output: Path) -> None:
    """Fail before the work rather than after it."""
    check_writable(output.absolute().parent)
    if output.exists() and not output.is_file():
        raise StsError(f"{output}: not a regular file; give --output another")


def open_corpus(file: str, options: Options, *, fewest: int) -> SentenceFile:
    """The corpus in a file.

    Args:
        file: its name.
        options: of the command, which say its format.
        fewest: sentences that are not blank.

    Raises:
        DataError: fewer sentences, or a file that cannot be read.
    """
    corpus = open_sentences(file, options.format)
    if corpus.filled < fewest:
        raise DataError(
            f"{file}: {corpus.filled} sentences that are not blank are too few for {options.k} "
            "neighbours; give a smaller -k"
        )
    return corpus


def write_pairs(out: list[str], output: Path | None) -> None:
    """Write the lines of pairs, and say how many on stderr if they went to a file."""
    write_out(out, output)
    if output:
        print(f"{counted(len(out), 'pair')} written to {output}", file=sys.stderr)


def finite_number(text: str) -> float:
    """The type of an option: a finite number."""
    number = float(text)
    if not np.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text}; expected a number")
    return number
