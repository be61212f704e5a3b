"""A person's own pairs to fine-tune on, with gold or without, and the part that is held out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.formats.lines import STDIN, lines
from semaniacs.embeddings.training.corpora import check_sides
from semaniacs.sts.data import pair_table
from semaniacs.sts.data.pairs import Pairs, is_missing, is_number
from semaniacs.sts.data.table_blocks import Block
from semaniacs.sts.data.table_kinds import kind_of
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.scoring.cross_validation import connected

OF_PARAPHRASES = ("margin-scale", "multiple-negatives")
"""Losses of pairs that mean the same, against negatives."""

OF_LABELS = ("contrastive", "online-contrastive", "classification", *OF_PARAPHRASES)
"""Losses of pairs whose gold is 0 or 1."""

TARGETS = {
    "paraphrase": 0.95,
    "entailment": 0.8,
    "neutral": 0.15,
    "not_entailment": 0.1,
    "contradiction": 0.05,
    "not_paraphrase": 0.05,
}
"""Chance, by label, that the two sentences of a pair mean the same."""

NEGATIVE = "negative"  # name of the column of hard negatives

Groups = NDArray[np.int32]


class Range(NamedTuple):
    """Gold of unrelated pairs, and of pairs that mean the same."""

    lowest: float
    highest: float


@dataclass(frozen=True)
class Paraphrases:
    """Pairs of sentences that mean the same, of a file ``name``.

    ``given`` has the hard negative of each pair, a close sentence with another meaning, or None.
    """

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    given: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.left)

    def select(self, mask: NDArray[np.bool_]) -> Paraphrases:
        """Return the pairs where ``mask`` (n,) holds, in order."""
        left, right = (tuple(compress(side, mask)) for side in (self.left, self.right))
        return Paraphrases(self.name, left, right, tuple(compress(self.given, mask)))

    def sentences(self) -> Sequence[str]:
        """Return all distinct sentences, in alphabetical order."""
        return sorted({*self.left, *self.right, *filter(None, self.given)})

    @property
    def meanings(self) -> Groups:
        """Number (n,) of each pair's group: pairs that share a sentence, directly or not."""
        return connected(Pairs(self.name, self.left, self.right, np.ones(len(self))))

    @property
    def groups(self) -> Groups:
        """Groups (n,) as :attr:`meanings`, where a hard negative is a sentence of its pair."""
        negatives = [(a, no) for a, no in zip(self.left, self.given, strict=True) if no]
        left = (*self.left, *(a for a, _ in negatives))
        right = (*self.right, *(no for _, no in negatives))
        return connected(Pairs(self.name, left, right, np.ones(len(left))))[: len(self)]


AnyPairs = TypeVar("AnyPairs", Pairs, Paraphrases)


class GoldReader:
    """Reader of cells of gold that are all numbers, or all ``labels`` of :data:`TARGETS`, as the first
    cell says.
    """

    labels: bool | None = None

    def __call__(self, cell: object, place: str, limits: pair_table.Limits = None) -> float:
        """Return the number, or the target of the label; see :func:`.pair_table.finite`."""
        word = str(cell).strip().lower()
        if self.labels is None:
            self.labels = word in TARGETS
        if self.labels and word in TARGETS:
            return TARGETS[word]
        if not self.labels and (not word or is_missing(cell) or is_number(cell)):
            return pair_table.finite(cell, place, limits)
        expected = "one of the labels" if self.labels else "numbers, or one of the labels"
        raise DataError(f"{place} {cell!r:.80}; expected {expected} {', '.join(TARGETS)}")


def read_own_pairs(
    path: str,
    where: pair_table.PairColumns,
    gold: str | None,
    given: Sequence[float] | None,
    loss: str | None,
) -> tuple[Pairs, Range | None]:
    """Read pairs with gold, scaled to 0 to 1, and the range that it had; None of labels in words.

    Arguments and errors are those of :func:`semaniacs.sts.data.pair_table.read_graded`; ``given`` are the
    lowest and highest gold, 0 to 1 or 0 to 5 by default. Raises an StsError too if gold is outside of
    the range, has one value, or is graded where the ``loss`` learns from labels.
    """
    try:
        pairs = pair_table.read_graded(path, where, gold, read=(read := GoldReader()))
    except pair_table.NoGoldError as error:
        raise DataError(f"{error}; without it, learn with --loss multiple-negatives") from None
    if read.labels:
        _check_classes(pairs)
        return pairs, None
    limits = range_of(pairs.gold, given)
    pairs = scaled(pairs, limits)
    if loss in OF_LABELS and not has_labels(pairs.gold):
        raise StsError(
            f"--loss {loss} learns from gold of two values, and {pairs.name} has grades; "
            "leave it out, or take cosent, correlation or squared-error"
        )
    if len(np.unique(pairs.gold)) < 2:
        raise StsError(
            f"{pairs.name}: all {len(pairs):,} pairs have one gold; expected pairs that mean the "
            "same and pairs that do not"
        )
    return pairs, limits


def range_of(gold: NDArray[np.float64], given: Sequence[float] | None) -> Range:
    """Return the range of gold: as given, or 0 to 1, or 0 to 5; an StsError if it does not hold it."""
    low, high = float(gold.min()), float(gold.max())
    if given is None:
        for highest in (1.0, 5.0):
            if low >= 0 and high <= highest:
                return Range(0.0, highest)
        raise StsError(
            f"gold from {low:g} to {high:g}: say what is unrelated and what is the same, "
            f"with --range, such as --range {low:g} {high:g}"
        )
    found = Range(*given)
    if not found.lowest <= low <= high <= found.highest or found.lowest == found.highest:
        raise StsError(
            f"--range {found.lowest:g} {found.highest:g}, but gold goes from {low:g} to {high:g}"
        )
    return found


def scaled(pairs: Pairs, limits: Range) -> Pairs:
    """Return the pairs with gold from 0 to 1."""
    return replace(pairs, gold=(pairs.gold - limits.lowest) / (limits.highest - limits.lowest))


def classes(pairs: Pairs) -> Pairs:
    """Return the pairs with gold 1 where a target says that they rather mean the same, else 0."""
    return replace(pairs, gold=(pairs.gold > 0.5).astype(np.float64))


def _check_classes(pairs: Pairs) -> None:
    if len(np.unique(classes(pairs).gold)) < 2:
        same = [label for label, target in TARGETS.items() if target > 0.5]
        other = [label for label in TARGETS if label not in same]
        found, missing = (same, other) if pairs.gold[0] > 0.5 else (other, same)
        raise StsError(
            f"{pairs.name}: all {len(pairs):,} labels are {' or '.join(found)}; add pairs with a "
            f"label of the other kind: {' or '.join(missing)}"
        )


def has_labels(gold: NDArray[np.float64]) -> bool:
    """Return whether all gold, from 0 to 1, is 0 or 1."""
    return bool(np.isin(gold, (0.0, 1.0)).all())


def has_gold(source: str, where: pair_table.PairColumns, gold: str | None = None) -> bool:
    """Return whether there is a number beside the two sentences of the first row of a file.

    Raises a DataError if it is missing, empty or not UTF-8, an StsError if it is stdin, which can be
    read once.
    """
    if source == STDIN:
        raise StsError("PAIRS - is stdin; put pairs without gold, or for this loss, in a file")
    block = _first_row(source, where, gold)
    if gold in block.columns or any(name.lower() in pair_table.GOLD for name in block.columns):
        return True
    cells = block.rows[0]
    gold_or_not = [is_number(cell) or str(cell).strip().lower() in TARGETS for cell in cells]
    return block.has_no_names and len(cells) == 3 and (gold_or_not[0] or gold_or_not[2])


def read_paraphrases(source: str, where: pair_table.PairColumns) -> Paraphrases:
    """Read rows of left and right; a third cell that is not empty is a hard negative.

    In lines with tabs a row may have two cells or three; where columns have names, the column of
    hard negatives is called ``negative``. Raises a DataError for a row of more or fewer cells, or with
    an empty side, an StsError if it is unclear which columns are meant.
    """
    named = where.header or where.left or where.right or where.delimiter
    in_lines = not named and kind_of(source) == "tsv"
    in_lines = in_lines and _first_row(source, where).has_no_names
    rows = _lines(source) if in_lines else _rows(source, where)
    left, right, given = zip(*rows, strict=True)
    return Paraphrases(source, left, right, given)


def _first_row(source: str, where: pair_table.PairColumns, gold: str | None = None) -> Block:
    block = next(where.blocks(source, 1, gold), None)
    if block is None:
        raise DataError(f"{source}: a header and no row; expected pairs")
    return block


def _lines(source: str) -> Iterator[tuple[str, str, str | None]]:
    for number, line in enumerate(lines(source), 1):
        cells = line.split("\t")
        if not 2 <= len(cells) <= 3:
            raise DataError(
                f"{source}:{number}: {len(cells)} columns; expected 2 or 3, separated by tabs: "
                "left, right, a hard negative"
            )
        left, right, *given = cells
        check_sides(source, number, left, right)
        yield left, right, given[0] if given and given[0].strip() else None


def _rows(source: str, where: pair_table.PairColumns) -> Iterator[tuple[str, str, str | None]]:
    for rows, left, right in pair_table.pair_blocks(source, where, also=NEGATIVE):
        named = [name for name in rows.columns if name.lower() == NEGATIVE]
        if rows.has_no_names and len(rows.columns) == 3:
            named = [name for name in rows.columns if name not in (where.left, where.right)]
        given: list[str | None] = [None] * len(left)
        if len(named) == 1:
            (texts,) = pair_table.sentences_in(source, rows, named, advice=None)
            given = [text if text.strip() else None for text in texts]
        yield from zip(left, right, given, strict=True)


def of_labels(pairs: Pairs) -> Paraphrases:
    """Return the pairs of gold 1; pairs of gold 0 give their anchors a hard negative.

    A pair takes the first one beside its left sentence, or else beside its right one.
    """
    beside: dict[str, str] = {}
    for a, b, gold in zip(pairs.left, pairs.right, pairs.gold, strict=True):
        if gold == 0:
            beside.setdefault(a, b)
            beside.setdefault(b, a)
    same = pairs.select(pairs.gold == 1)
    given = (beside.get(a, beside.get(b)) for a, b in zip(same.left, same.right, strict=True))
    return Paraphrases(pairs.name, same.left, same.right, tuple(given))


def hold_out(
    pairs: AnyPairs, share: float, seed: int, *, labels: bool = False
) -> tuple[AnyPairs, AnyPairs]:
    """Return the pairs to learn from, and about this share of them without a common sentence.

    Of ``labels`` in words, both parts have both kinds. An StsError if either part has fewer than two
    values of gold, or fewer than two paraphrases.
    """
    groups = connected(pairs) if isinstance(pairs, Pairs) else pairs.groups
    sizes = np.bincount(groups)
    chosen, room = np.zeros(len(sizes), bool), share * len(groups)
    for group in np.random.default_rng(seed).permutation(len(sizes)):
        chosen[group] = sizes[group] <= room  # a group that is too large is learned from
        room -= sizes[group] * chosen[group]
    training, held_out = pairs.select(~chosen[groups]), pairs.select(chosen[groups])
    for part, use in ((training, "to learn from"), (held_out, "held out")):
        gold, expected = "", "two or more"
        enough = len(part) >= 2
        if isinstance(part, Pairs):
            values = np.unique(classes(part).gold if labels else part.gold)
            enough, expected = len(values) >= 2, "several values"
            gold = f", all of gold {values[0]:g}" if len(values) else ""
        if not enough:
            raise StsError(
                f"{pairs.name}: {len(part):,} of {len(pairs):,} pairs {use}{gold}; expected "
                f"{expected}; give more pairs, or others in a file of their own, with --dev"
            )
    return training, held_out


def check_apart(training: AnyPairs, held_out: AnyPairs) -> None:
    """Raise an StsError if a sentence of the training is held out, or too little to compare on."""
    compared = held_out.sentences()
    shared = set(training.sentences()) & set(compared)
    if shared:
        first = next(text for text in compared if text in shared)
        raise StsError(
            f"{held_out.name}: {len(shared):,} of its sentences are in {training.name} too, "
            f"such as {first[:60]!r}; leave them out of one of both"
        )
    if isinstance(held_out, Paraphrases):
        if len(held_out) < 2:
            raise StsError(f"{held_out.name}: 1 pair to compare on; expected two or more")
    elif len(np.unique(held_out.gold)) < 2:
        raise StsError(
            f"{held_out.name}: all {len(held_out)} pairs have the gold {held_out.gold[0]:g}; "
            "expected several values"
        )
