"""Sentence pairs with scores, made of whatever holds columns of them: lists, arrays, tables."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import countOf
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.errors import StsError, UnknownNameError, warn_caller
from semaniacs.sts.text.normalisation import INVISIBLE, normalise_all
from semaniacs.sts.text.tokenizer import same_texts

LOWEST, HIGHEST = 0.0, 5.0
"""The similarity scale of the task: 0 is unrelated, 5 is the same meaning."""

Scores = NDArray[np.float64]

HIGHEST_OF_OTHERS = 4.99  # highest score of two different texts; 5 is for the same text


@dataclass(frozen=True, eq=False)
class Pairs:
    """Sentence pairs in file order; equal if names, sentences and gold scores are, NaN included.

    Attributes:
        name: the data set's name, such as ``headlines``.
        left, right: the n sentences of each side.
        gold: (n,) float64 in [0, 5], NaN without a score; a read-only copy.
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
        return replace(self, left=tuple(left), right=tuple(right))

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
        languages: n languages of each side, if known; a word in two languages is two texts.
    """
    same = same_texts(left, right)
    if languages is not None:
        same &= np.array([a == b for a, b in zip(*languages, strict=True)], bool)
    return np.where(same, HIGHEST, np.minimum(scores, HIGHEST_OF_OTHERS))


# Columns of sentences

Empty = Literal["error", "nan", "zero"]
"""Score of a pair with a side that is missing or blank."""

_WITHOUT = "Pass empty='nan' or empty='zero' to go on without it"

_NO_TEXT = frozenset(
    "#N/A #NA -1.#IND -1.#QNAN -NaN -nan 1.#IND 1.#QNAN <NA> N/A NA NULL NaN None n/a nan null".split()
) | {"#N/A N/A"}
"""Cells of a file that mean nothing, as in pandas; in Python and in JSON bodies they are texts."""

PLACEHOLDERS = frozenset("- -- – — ?".split())
"""Texts that people write for none; equal ones are not duplicates."""

_UNSEEN = re.compile(
    rf"[\s\x00-\x1f\x7f-\x9f\u0600-\u0605\u06dd\u070f\u115f\u1160\u2800\u3164\uffa0{INVISIBLE}]*"
)
"""A string that shows nothing."""


def texts_of(values: Iterable[Any], column: str) -> tuple[list[str], NDArray[np.bool_]]:
    """Return the sentences of a column, and which of them are there.

    Args:
        values: a list, a generator, a NumPy array, or a column of pandas, polars or Arrow.
        column: its name, for errors.

    Returns:
        The n sentences, normalised, "" where one is missing, and (n,) whether each is there.

    Raises:
        StsError: a value that is no string, or one string instead of a column; the message
            names the row, counted from 0.
    """
    texts = cells_of(values, column)
    for row, value in enumerate(texts):
        if is_blank(value):
            texts[row] = ""
        elif not isinstance(value, str):
            raise StsError(f"{column}[{row}] is {value!r:.80}; expected a string")
    texts = [*normalise_all(texts)]
    return texts, np.fromiter((bool(text.strip()) for text in texts), np.bool_, len(texts))


def sentences_of(
    values: Iterable[Any], column: str = "sentences", *, first: int = 0
) -> Sequence[str]:
    """Return the sentences of a column, none of which may be missing; blank ones may.

    Arguments are those of :func:`texts_of`, and the number of the first row, for errors; a list or a
    tuple of strings is returned as it is.

    Raises:
        StsError: a value that is missing or no string, named by its row.
    """
    if isinstance(values, list | tuple) and countOf(map(type, values), str) == len(values):
        return values
    texts = cells_of(values, column)
    for row, value in enumerate(texts, first):
        if not isinstance(value, str):
            found = f"missing ({value!r})" if is_missing(value) else f"{value!r:.80}"
            raise StsError(f"{column}[{row}] is {found}; expected a string")
    return texts


def sentences_or_vectors(values: Any, name: str) -> Sequence[str] | NDArray[np.float32]:
    """Return the sentences or the vectors (n, dim) float32 that a caller passes.

    Args:
        values: a string or a column of strings (:func:`sentences_of`); or vectors as an array, a
            tensor, or a list of these or of numbers. One string or one vector makes a list.
        name: of the argument, for errors.

    Raises:
        StsError: neither, or a number that is not finite (with its row).
    """
    if isinstance(values, str):
        return [values]
    first = next(iter(values), "") if isinstance(values, list | tuple) else None
    if isinstance(first, str) or (first is None and not hasattr(values, "__array__")):
        return sentences_of(values, name)
    try:
        array = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    except ValueError:
        raise StsError(f"{name} holds vectors of several lengths; expected (n, dim)") from None
    if array.dtype.kind not in "fiu":
        return sentences_of(values, name)
    if array.ndim not in (1, 2):
        raise StsError(f"{name} has the shape {array.shape}; expected (n, dim), one vector per row")
    vectors = np.atleast_2d(array).astype(np.float32, copy=False)
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise StsError(f"{name}[{int(np.argmin(finite))}] holds a number that is not finite")
    return vectors


def cells_of(values: Iterable[Any], column: str) -> list[Any]:
    """Return the cells of a column, whatever they hold.

    One string, a table, a set or a mapping, or no column at all is a StsError.
    """
    kind = type(values).__name__
    if isinstance(values, str | bytes):
        raise StsError(f"{column} is one {kind}; expected a list of sentences")
    cells = _listed(values, column)
    if len(getattr(values, "shape", (0,))) != 1 or cells is None:
        raise StsError(f"{column} is a {kind}; expected a column of strings")
    return cells


def _listed(values: Any, column: str) -> list[Any] | None:
    """Return a list of the cells, by the method of Arrow, of pandas and polars, or of NumPy."""
    if isinstance(values, set | frozenset | Mapping):
        kind = type(values).__name__
        raise StsError(f"{column} is a {kind}; expected a column in an order, such as a list")
    for name in ("to_pylist", "to_list", "tolist"):
        if hasattr(values, name):
            cells: list[Any] = getattr(values, name)()
            return cells
    return list(values) if isinstance(values, Iterable) else None


def is_number(cell: object) -> bool:
    """Return whether a cell holds a number, which may be NaN or infinite."""
    try:
        float(str(cell))
    except ValueError:
        return False
    return True


def finite_or_nan(cell: object) -> float:
    """Return the finite number in a cell, NaN if there is none."""
    found = float(str(cell)) if is_number(cell) else math.nan
    return found if math.isfinite(found) else math.nan


ABSENT = float("nan")  # cell of a row of JSON without this name: only this object, not any NaN


def is_missing(value: Any) -> bool:
    """Return whether a cell holds nothing: None, NaN, or NA of pandas."""
    nan = isinstance(value, float) and math.isnan(value)
    return value is None or nan or type(value).__name__ in ("NAType", "NaTType")


def is_one(side: Any) -> bool:
    """Return whether a side of pairs is one sentence, which may be missing, not a column of them."""
    return isinstance(side, str) or is_missing(side)


def is_blank(value: Any) -> bool:
    """Return whether a value holds nothing that is read: it is missing, or an invisible string."""
    return bool(_UNSEEN.fullmatch(value)) if isinstance(value, str) else is_missing(value)


def has_no_text(cell: Any) -> bool:
    """Return whether a cell of a file has no text: it is blank, or says so, such as ``NULL``."""
    return is_blank(cell) or (isinstance(cell, str) and cell.strip() in _NO_TEXT)


def gold_of(values: Iterable[Any], *, labels: bool = False) -> NDArray[Any]:
    """Return (n,) float64 gold scores from a column, NaN where one is missing.

    A set is a StsError, and so is a value that is no number from 0 to 5 or, with ``labels``,
    boolean.
    """
    cells = _listed(values, "gold") or []
    numbers = [math.nan if is_missing(value) else value for value in cells]
    for row, value in enumerate(numbers):
        real = isinstance(value, int | float) and (labels or not isinstance(value, bool))
        if not real or value < LOWEST or value > HIGHEST:
            raise StsError(f"gold[{row}] is {value!r:.80}; expected a number from 0 to 5")
    return np.array(numbers, np.float64)


def pairs_of(
    left: Any, right: Any, empty: Empty, advice: str = _WITHOUT
) -> tuple[Pairs, NDArray[np.bool_]]:
    """Return the pairs without gold, and (n,) whether both sentences of each are there.

    Args:
        left, right: a column of n sentences each, as :func:`texts_of` takes them; or one string,
            which is compared with each sentence of the other side.
        empty: refuse a pair with a missing sentence, unless it is ``nan`` or ``zero``.
        advice: the end of that error.

    Raises:
        StsError: a sentence is missing or no string, or the sides differ in length.
    """
    if empty not in get_args(Empty):
        raise UnknownNameError("value of empty", str(empty), get_args(Empty))
    if is_one(left) and not is_one(right):
        right = cells_of(right, "right")
        left = [left] * len(right)
    elif is_one(right) and not is_one(left):
        left = cells_of(left, "left")
        right = [right] * len(left)
    lefts, left_here = texts_of(left, "left")
    rights, right_here = texts_of(right, "right")
    if len(lefts) != len(rights):
        raise StsError(f"{len(lefts)} left and {len(rights)} right sentences; pairs need as many")
    for side, here in (("left", left_here), ("right", right_here)):
        if empty == "error" and not here.all():
            row = int(np.argmin(here))
            raise StsError(f"{side}[{row}] is empty or NaN; a pair needs two sentences. {advice}")
    pairs = Pairs("pairs", tuple(lefts), tuple(rights), np.full(len(lefts), np.nan))
    return pairs, left_here & right_here


def labelled_pairs(left: Any, right: Any, gold: Iterable[Any], *, labels: bool = False) -> Pairs:
    """Return a user's own pairs with their gold, from 0 to 5; a warning counts those without gold.

    Errors are those of :func:`pairs_of` and :func:`gold_of`; another number of gold scores is one
    too.
    """
    pairs, _ = pairs_of(left, right, "error", "Leave the pair out")
    scores = gold_of(gold, labels=labels)
    if len(scores) != len(pairs):
        raise StsError(f"{len(scores)} gold scores for {len(pairs)} pairs")
    pairs = replace(pairs, name="your pairs", gold=scores)
    if count := int((~pairs.scored).sum()):
        warn_caller(f"{count:,} of {len(pairs):,} pairs without gold, left out")
    return pairs.select(pairs.scored)
