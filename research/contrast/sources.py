"""Sources of labelled pairs that look alike, with their terms, and their readers.

A source is a data set, or a part of one: its name is the beginning of the tags of its rows. The
monotonicity sets MED, HELP, MoNLI and ScoNe are left out: an entailment of theirs holds in one
direction only, and the same two sentences the other way round are neutral.
"""

from __future__ import annotations

import gzip
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from semaniacs.embeddings.transformer.fine_tuning.own_pairs import TARGETS
from semaniacs.sts.errors import DataError, StsError

TERMS = ("open", "exception", "unstated", "research", "non-commercial")
"""Kinds of licence. An ``exception`` is one that the bundled vectors learned from too."""

SHIPPED_TERMS = ("open", "exception")
"""Terms of the sources that a shipped model may learn from."""

HEADER = ("sentence1", "sentence2", "label", "source")


class Source(NamedTuple):
    """A data set of labelled pairs.

    Attributes:
        name: beginning of the tags of its rows.
        file: name of its file without endings.
        licence: as its authors state it.
        terms: one of :data:`TERMS`.
        most: pairs that a training takes of it, so that none outweighs the others.
    """

    name: str
    file: str
    licence: str
    terms: str
    most: int


class Labelled(NamedTuple):
    """A pair with a target from 0 to 1, its chance to mean the same, and the tag of its source."""

    left: str
    right: str
    target: float
    tag: str


def known_sources(terms: Sequence[str] = SHIPPED_TERMS) -> list[Source]:
    """Return the sources under some terms.

    Raises:
        StsError: no source is under them.
    """
    table = Path(__file__).with_name("sources.tsv").read_text(encoding="utf-8")
    rows = [line.split("\t") for line in table.splitlines()[1:]]
    found = [
        Source(name, file, licence, own, int(most))
        for name, file, licence, own, most in rows
        if own in terms
    ]
    if not found:
        raise StsError(
            f"no source under the terms {', '.join(terms)}; known are {', '.join(TERMS)}"
        )
    return found


def read_source(folder: Path, source: Source) -> Iterator[Labelled]:
    """Yield the pairs of a source, from the folder of the data sets.

    Raises:
        DataError: the file is missing, or a line is malformed.
    """
    path = folder / f"{source.file}.tsv.gz"
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="\n") as file:
            lines = file.read().split("\n")
    except (OSError, EOFError, UnicodeError) as error:
        raise DataError(f"{path}: {error}; expected a gzip file of pairs with labels") from None
    if tuple(lines[0].split("\t")) != HEADER:
        raise DataError(f"{path}:1: {lines[0][:80]!r}, expected {'<TAB>'.join(HEADER)}")
    for number, line in enumerate(filter(None, lines[1:]), 2):
        cells = line.split("\t")
        if len(cells) != len(HEADER) or cells[2] not in TARGETS:
            raise DataError(
                f"{path}:{number}: {line[:80]!r}, expected {'<TAB>'.join(HEADER)} "
                f"with one of the labels {', '.join(TARGETS)}"
            )
        left, right, label, tag = cells
        if tag == source.name or tag.startswith(source.name + ":"):
            yield Labelled(left, right, TARGETS[label], tag)
