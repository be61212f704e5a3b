"""Pairs that mean the same, from a file of a person's own, with hard negatives if there are any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from embeddings.formats.lines import STDIN, lines
from embeddings.transformer.fine_tuning.tuning_command.graded_pairs import (
    check_shared,
    chosen_groups,
)
from sts.data.pairs import Pairs
from sts.data.tables.pair_table import GOLD, PairColumns, pair_blocks
from sts.data.tables.table_cells import sentences_in
from sts.data.tables.table_kinds import kind_of
from sts.data.tables.table_reader import Block
from sts.data.texts import is_number
from sts.errors import DataError, StsError
from sts.scoring.cross_validation import connected

Groups = NDArray[np.int32]

NEGATIVE = "negative"
"""Name of the column of hard negatives."""


@dataclass(frozen=True)
class Paraphrases:
    """Pairs of sentences that mean the same.

    Attributes:
        name: of the file.
        left, right: the n sentences of each side.
        given: of each pair, a sentence that is close to both and means something else, or None.
    """

    name: str
    left: tuple[str, ...]
    right: tuple[str, ...]
    given: tuple[str | None, ...]

    def __len__(self) -> int:
        return len(self.left)

    def select(self, mask: NDArray[np.bool_]) -> Paraphrases:
        """The pairs where ``mask`` (n,) holds, in order."""
        kept = np.flatnonzero(mask).tolist()
        columns = ([side[i] for i in kept] for side in (self.left, self.right, self.given))
        return Paraphrases(self.name, *map(tuple, columns))  # type: ignore[arg-type]

    def sentences(self) -> set[str]:
        """All distinct ones."""
        return {*self.left, *self.right, *filter(None, self.given)}

    @property
    def meanings(self) -> Groups:
        """(n,) equal for pairs that share a sentence, directly or through others."""
        return connected(self._as_pairs([]))

    @property
    def groups(self) -> Groups:
        """(n,) the same, where a hard negative is a sentence of its pair."""
        negatives = [(a, no) for a, no in zip(self.left, self.given, strict=True) if no]
        return connected(self._as_pairs(negatives))[: len(self)]

    def _as_pairs(self, more: list[tuple[str, str]]) -> Pairs:
        left = (*self.left, *(a for a, _ in more))
        right = (*self.right, *(b for _, b in more))
        return Pairs(self.name, left, right, np.ones(len(left)))


def has_gold(source: str, where: PairColumns, gold: str | None = None) -> bool:
    """Whether there is a number beside the two sentences of the first row of a file of pairs.

    Raises:
        DataError: missing, empty or not UTF-8.
        StsError: it is stdin, which can be read once.
    """
    if source == STDIN:
        raise StsError("PAIRS - is stdin; put pairs without gold, or for this loss, in a file")
    block = _first_row(source, where, gold)
    if gold in block.columns or any(name.lower() in GOLD for name in block.columns):
        return True
    cells = block.rows[0]
    return block.has_no_names and len(cells) == 3 and (is_number(cells[0]) or is_number(cells[2]))


def read_paraphrases(source: str, where: PairColumns) -> Paraphrases:
    """Pairs from rows of left and right; a third cell that is not empty is a hard negative.

    In lines with tabs a row may have two cells or three; where columns have names, that of hard
    negatives is called ``negative``.

    Raises:
        DataError: missing, empty, not UTF-8; a row of more or fewer cells, or with an empty side.
        StsError: a column is not there, or it is not plain which ones are meant.
    """
    rows = _lines(source) if _is_plain(source, where) else _rows(source, where)
    left, right, given = zip(*rows, strict=True)
    return Paraphrases(source, left, right, given)


def _first_row(source: str, where: PairColumns, gold: str | None = None) -> Block:
    block = next(where.blocks(source, 1, None, gold), None)
    if block is None:
        raise DataError(f"{source}: names of columns and no row; expected pairs")
    return block


def _is_plain(source: str, where: PairColumns) -> bool:
    """Whether a file holds lines with tabs, and no names of columns."""
    named = where.header or where.left or where.right or where.delimiter
    if named or kind_of(source, None) != "tsv":
        return False
    return _first_row(source, where).has_no_names


def _lines(source: str) -> Iterator[tuple[str, str, str | None]]:
    for number, line in enumerate(lines(source), 1):
        cells = line.split("\t")
        if not 2 <= len(cells) <= 3:
            raise DataError(
                f"{source}:{number}: {len(cells)} columns; expected 2 or 3, separated by tabs: "
                "left, right, a hard negative"
            )
        a, b = cells[:2]
        if not (a.strip() and b.strip()):
            side = "right" if a.strip() else "left"
            raise DataError(f"{source}:{number}: the {side} side is empty; expected two sentences")
        yield a, b, cells[2] if cells[2:] and cells[2].strip() else None


def _rows(source: str, where: PairColumns) -> Iterator[tuple[str, str, str | None]]:
    for rows, left, right in pair_blocks(source, where, option=None, also=NEGATIVE):
        named = [name for name in rows.columns if name.lower() == NEGATIVE]
        if rows.has_no_names and len(rows.columns) == 3:
            named = [name for name in rows.columns if name not in (where.left, where.right)]
        given: list[str | None] = [None] * len(left)
        if len(named) == 1:
            texts, _ = sentences_in(source, rows, (named[0], named[0]), advice=None)
            given = [text if text.strip() else None for text in texts]
        yield from zip(left, right, given, strict=True)


def of_labels(pairs: Pairs) -> Paraphrases:
    """The pairs of gold 1; those of gold 0 give their anchors a hard negative.

    Of several that stand beside the left sentence of a pair, or else beside its right one, it is
    the first.
    """
    beside: dict[str, str] = {}
    for a, b, gold in zip(pairs.left, pairs.right, pairs.gold, strict=True):
        if gold == 0:
            beside.setdefault(a, b)
            beside.setdefault(b, a)
    same = pairs.select(pairs.gold == 1)
    given = (beside.get(a, beside.get(b)) for a, b in zip(same.left, same.right, strict=True))
    return Paraphrases(pairs.name, same.left, same.right, tuple(given))


def hold_out_paraphrases(
    pairs: Paraphrases, share: float, seed: int
) -> tuple[Paraphrases, Paraphrases]:
    """The pairs to learn from, and about this share of them, which have no sentence in common.

    Raises:
        StsError: either part would have fewer than two pairs.
    """
    groups = pairs.groups
    chosen = chosen_groups(groups, share, seed)[groups]
    training, held_out = pairs.select(~chosen), pairs.select(chosen)
    for part, what in ((training, "to learn from"), (held_out, "held out")):
        if len(part) < 2:
            raise StsError(
                f"{pairs.name}: {len(part)} of {len(pairs):,} pairs {what}; expected two or more: "
                "give more pairs, or others in a file of their own, with --dev"
            )
    return training, held_out


def check_paraphrases_apart(training: Paraphrases, held_out: Paraphrases) -> None:
    """Check that no sentence that is trained on is held out, and that there are two pairs or more.

    Raises:
        StsError: one is, or there are not.
    """
    check_shared(training.name, training.sentences(), held_out.name, sorted(held_out.sentences()))
    if len(held_out) < 2:
        raise StsError(f"{held_out.name}: 1 pair to compare on; expected two or more")
