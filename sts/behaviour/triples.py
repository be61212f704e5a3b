"""Triples: a sentence, one that means the same in other words, one that only looks like it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from semaniacs.sts.data.readers import wrong_count
from semaniacs.sts.errors import DataError, UnknownNameError
from semaniacs.sts.files import read_lines

HEADER = ("phenomenon", "anchor", "closer", "farther")

HALVES = ("development", "held_out")
"""Triples that ship: those to look at while building, and the held-out ones."""


@dataclass(frozen=True)
class Triple:
    """A sentence and two others, which differ by a phenomenon such as ``negation``.

    Attributes:
        closer: a sentence with nearly the meaning of the anchor, in other words.
        farther: a sentence with another meaning and more of the anchor's words.
    """

    phenomenon: str
    anchor: str
    closer: str
    farther: str


def read_triples(path: Path) -> tuple[Triple, ...]:
    """Return the triples of a tab-separated file whose first line is :data:`HEADER`.

    Quotes are ordinary characters.

    Raises:
        DataError: the file is missing, holds no triple, or a line is malformed.
    """
    lines = read_lines(path)
    if not lines or tuple(lines[0].split("\t")) != HEADER:
        found = repr(lines[0][:80]) if lines else "an empty file"
        raise DataError(f"{path}:1: {found}, expected the header {'<TAB>'.join(HEADER)}")
    if not lines[1:]:
        raise DataError(f"{path}:2: no triple; expected {'<TAB>'.join(HEADER)} on each line")
    return tuple(_triple(line, f"{path}:{n}") for n, line in enumerate(lines[1:], start=2))


def shipped_triples(half: str) -> tuple[Triple, ...]:
    """Return the triples that ship as one of :data:`HALVES`; an UnknownNameError for others."""
    if half not in HALVES:
        raise UnknownNameError("half", half, HALVES)
    return read_triples(Path(__file__).with_name(f"{half}.tsv"))


def _triple(line: str, where: str) -> Triple:
    cells = line.split("\t")
    if len(cells) != len(HEADER):
        raise wrong_count(where, line, len(HEADER))
    for name, cell in zip(HEADER, cells, strict=True):
        if not cell.strip():
            raise DataError(f"{where}: the {name} is empty; a triple needs {', '.join(HEADER)}")
    triple = Triple(*cells)
    if len({triple.anchor, triple.closer, triple.farther}) < 3:
        raise DataError(f"{where}: a sentence twice; expected three different ones: {line[:80]!r}")
    return triple
