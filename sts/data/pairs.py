"""Sentence pairs of one data set, and the readers of their files."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.errors import DataError
from semaniacs.sts.files import read_lines, split_lines
from semaniacs.sts.progress import counted
from semaniacs.sts.text.tokenizer import same_texts

LOWEST, HIGHEST = 0.0, 5.0
"""The similarity scale of the task: 0 is unrelated, 5 is the same meaning."""

Scores = NDArray[np.float64]

HIGHEST_OF_OTHERS = 4.99
"""Highest score of two different texts; 5 is for the same text."""


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sentence pairs in file order; equal if names, sentences and gold scores are, NaN included.

    Attributes:
        name: the data set's name, such as ``headlines``.
        left, right: the n sentences of each side.
        gold: (n,) float64 in [0, 5], NaN without a score; a read-only copy.

    Raises:
        ValueError: the three columns differ in length.
    """

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    gold: Scores

    def __post_init__(self) -> None:
        if not len(self.left) == len(self.right) == len(self.gold):
            raise ValueError("left, right and gold must have one length")
        gold = np.array(self.gold, dtype=np.float64)
        gold.flags.writeable = False
        object.__setattr__(self, "gold", gold)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pairs):
            return NotImplemented
        mine, theirs = (self.name, self.left, self.right), (other.name, other.left, other.right)
        return mine == theirs and np.array_equal(self.gold, other.gold, equal_nan=True)

    def __hash__(self) -> int:
        return hash((self.name, self.left, self.right))

    def __len__(self) -> int:
        return len(self.left)

    @property
    def scored(self) -> NDArray[np.bool_]:
        """(n,) mask of the pairs that have a gold score."""
        return ~np.isnan(self.gold)

    def select(self, mask: NDArray[np.bool_]) -> Pairs:
        """Return the pairs where ``mask`` (n,) is true, in order."""
        kept = np.flatnonzero(mask)
        return Pairs(
            self.name,
            tuple(self.left[i] for i in kept),
            tuple(self.right[i] for i in kept),
            self.gold[kept],
        )

    def without_gold(self) -> Pairs:
        """Return these sentences with every gold score NaN, as a model gets a test set."""
        return replace(self, gold=np.full(len(self), np.nan))

    def with_sentences(self, left: Sequence[str], right: Sequence[str]) -> Pairs:
        """Return these rows with other sentences, for example translations."""
        return Pairs(self.name, tuple(left), tuple(right), self.gold)

    def sentences(self) -> list[str]:
        """Return every distinct sentence, in order of first appearance."""
        return list(dict.fromkeys((*self.left, *self.right)))


def concatenate(parts: Sequence[Pairs], name: str = "all") -> Pairs:
    """Return the rows of several data sets, one after the other."""
    return Pairs(
        name,
        tuple(s for part in parts for s in part.left),
        tuple(s for part in parts for s in part.right),
        np.concatenate([part.gold for part in parts]) if parts else np.empty(0),
    )


def clip(scores: Scores) -> Scores:
    """Return scores limited to [0, 5]."""
    return np.clip(scores, LOWEST, HIGHEST)


def tell_same_texts(
    left: Sequence[str],
    right: Sequence[str],
    scores: Scores,
    languages: tuple[Sequence[str], Sequence[str]] | None = None,
) -> Scores:
    """Return (n,) scores: exactly 5 where both sides are the same text, elsewhere at most 4.99.

    Args:
        left, right: n sentences, as they were given.
        scores: (n,) in [0, 5].
        languages: n languages of each side, if known. One word in two languages may have two
            meanings, and is not the same text.
    """
    same = same_texts(left, right)
    if languages is not None:
        same &= np.array([a == b for a, b in zip(*languages, strict=True)], bool)
    return np.where(same, HIGHEST, np.minimum(scores, HIGHEST_OF_OTHERS))


def parse_pairs(
    lines: Sequence[str], origin: Path | str, columns: tuple[int, ...] = (2, 4), first: int = 1
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the two sides of tab-separated lines; the source notes in columns 3 and 4 are ignored.

    Quotes are ordinary characters: the official files are not CSV.

    Args:
        lines: the lines of ``origin`` from line ``first`` on.
        origin: a file name, for errors.
        columns: accepted numbers of columns.
        first: number of the first line, for errors.

    Raises:
        DataError: no line at all, a wrong number of columns, or an empty sentence.
    """
    if not lines:
        raise DataError(f"{origin}: the file is empty; expected sentence<TAB>sentence on each line")
    left, right = [], []
    for number, line in enumerate(lines, start=first):
        cells = line.split("\t")
        if len(cells) not in columns:
            raise wrong_count(f"{origin}:{number}", line, " or ".join(map(str, columns)))
        for side, cell in (("left", cells[0]), ("right", cells[1])):
            if not cell.strip():
                raise DataError(
                    f"{origin}:{number}: the {side} sentence is empty; a pair needs two sentences"
                )
        left.append(cells[0])
        right.append(cells[1])
    return tuple(left), tuple(right)


def wrong_count(place: str, line: str, expected: object) -> DataError:
    """Return the error about a line with another number of columns than expected."""
    found = counted(line.count("\t") + 1, "column")
    return DataError(f"{place}: {found}, expected {expected} separated by tabs: {line[:80]!r}")


def parse_gold(lines: Sequence[str], origin: Path | str) -> Scores:
    """Return gold scores, one per line; an empty line is an unscored pair (NaN).

    Raises:
        DataError: a value is not a number from 0 to 5.
    """
    gold = np.full(len(lines), np.nan)
    for index, line in enumerate(lines):
        value = line.strip()
        if not value:
            continue
        try:
            score = float(value)
        except ValueError:
            score = math.nan
        if not LOWEST <= score <= HIGHEST:
            raise DataError(
                f"{origin}:{index + 1}: gold {value[:40]!r}, expected a number from "
                f"{LOWEST:g} to {HIGHEST:g} or an empty line"
            )
        gold[index] = score
    return gold


def read_pairs(name: str, path: Path) -> Pairs:
    """Return the sentences of a file of pairs, every gold score NaN.

    Raises:
        DataError: the file is missing, not UTF-8 or malformed.
    """
    left, right = parse_pairs(read_lines(path), path)
    return Pairs(name, left, right, np.full(len(left), np.nan))


def pairs_from_text(text: str, origin: str, first: int = 1) -> Pairs:
    """Return pairs without gold scores from two tab-separated columns; see :func:`parse_pairs`."""
    left, right = parse_pairs(split_lines(text), origin, columns=(2,), first=first)
    return Pairs(Path(origin).stem, left, right, np.full(len(left), np.nan))
