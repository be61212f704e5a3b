"""Sources of labelled pairs that look alike, and their reader.

A source is a data set, or a part of one: its name is the beginning of the tags of its rows.
``sources.tsv`` has the terms of each; those of other terms than :data:`SHIPPED_TERMS` are left out,
for a shipped model may not learn from them. The monotonicity sets MED, HELP, MoNLI and ScoNe are left out: an entailment of theirs holds in one
direction only, and the same two sentences the other way round are neutral.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from semaniacs.embeddings.formats.lines import columns
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import TARGETS
from semaniacs.sts.data.catalog import DataSet
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import LOWEST
from semaniacs.sts.errors import DataError

SHIPPED_TERMS = ("open", "exception")
"""Terms of the sources that are read. The bundled vectors learned from each ``exception`` too."""

SAME, OTHER = TARGETS["paraphrase"], TARGETS["not_paraphrase"]

HEADER = "sentence1 sentence2 label source"


class Source(NamedTuple):
    """A data set of labelled pairs.

    Attributes:
        name: beginning of the tags of its rows.
        file: name of its file without endings.
        most: pairs that a training takes of it, so that none outweighs the others.
    """

    name: str
    file: str
    most: int


class Labelled(NamedTuple):
    """A pair with a target from 0 to 1, its chance to mean the same, and the tag of its source."""

    left: str
    right: str
    target: float
    tag: str


class Group(NamedTuple):
    """Sentences around one anchor: those that mean the same, and those that look alike and do not."""

    phenomenon: str
    anchor: str
    same: tuple[str, ...]
    different: tuple[str, ...]

    def pairs(self) -> list[Labelled]:
        """Return the anchor beside each other sentence, with a target."""
        tag = f"generated:{self.phenomenon}"
        same = [Labelled(self.anchor, text, SAME, tag) for text in self.same]
        return same + [Labelled(self.anchor, text, OTHER, tag) for text in self.different]


def read_rows(name: str) -> list[list[str]]:
    """Return the rows of a TSV file of this package, without its header."""
    text = Path(__file__).with_name(name).read_text(encoding="utf-8")
    return [line.split("\t") for line in text.rstrip("\n").split("\n")[1:]]


def known_sources() -> list[Source]:
    """Return the sources of :data:`SHIPPED_TERMS`."""
    return [
        Source(name, file, int(most))
        for name, file, _, terms, most in read_rows("sources.tsv")
        if terms in SHIPPED_TERMS
    ]


def labelled_paws(dataset: DataSet, data: Path) -> list[Labelled]:
    """Return the pairs of a part of PAWS-Wiki."""
    pairs = load(dataset, data)
    targets = np.where(pairs.gold > LOWEST, SAME, OTHER).tolist()
    return list(map(Labelled, pairs.left, pairs.right, targets, ["paws"] * len(pairs)))


def read_source(folder: Path, source: Source) -> Iterator[Labelled]:
    """Yield the pairs of a source, from the folder of the data sets.

    Raises:
        DataError: the file is missing, or a line is malformed.
    """
    path = folder / f"{source.file}.tsv.gz"
    rows = columns(str(path), HEADER)
    if (header := next(rows, [])) != HEADER.split():
        raise DataError(f"{path}:1: {header}; expected the header {HEADER}, with tabs")
    for number, (left, right, label, tag) in enumerate(rows, 2):
        if label not in TARGETS:
            raise DataError(
                f"{path}:{number}: label {label!r:.40}; expected one of {', '.join(TARGETS)}"
            )
        if tag == source.name or tag.startswith(source.name + ":"):
            yield Labelled(left, right, TARGETS[label], tag)
