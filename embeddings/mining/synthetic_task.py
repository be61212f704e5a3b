"""A mining task made from bitext: translated pairs planted among sentences without a translation.

The unrelated sentences come from files of pairs: one half of a file gives its first sides, the
other half its second sides, so that no two of them are translations of each other. The halves
are cut in the order of the file, because neighbouring lines belong to one document and often
say the same. A sentence that occurs in two pairs would break this, so such pairs are left out,
also from those that are planted; case, punctuation and spacing are ignored. Short sentences
("Yes.") have translations everywhere and are left out too.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.sts.errors import StsError
from semaniacs.sts.text.tokenizer import fold, words

Split = Literal["dev", "test"]

SHARE = 0.025
"""Fraction of a side's sentences that have a translation on the other, about as in BUCC."""

SHORTEST = 4  # fewest words of a sentence, on either side


class MiningTask(NamedTuple):
    """The two sides of the task, each in random order, and the places of the gold pairs, sorted."""

    first: list[str]
    second: list[str]
    gold: list[tuple[int, int]]


def make_task(
    pairs: Sequence[SentencePair],
    unrelated: Sequence[Sequence[SentencePair]],
    *,
    share: float = SHARE,
    split: Split | None = None,
    shortest: int = SHORTEST,
    seed: int = 0,
) -> MiningTask:
    """Plant as many pairs as the share allows, drawn at random; an StsError if that is none.

    Args:
        unrelated: files of pairs, to take one side of each pair from.
        share: fraction of planted sentences on a side, in (0, 1).
        split: ``dev`` and ``test`` have nothing in common, neither planted nor unrelated; None
            takes everything.
        shortest: fewest words of a sentence.
    """
    rng = np.random.default_rng(seed)
    files = pairs, *unrelated
    counts = Counter(fold(side) for file in files for pair in file for side in pair)
    planted, *others = (
        _cut([pair for pair in file if _is_usable(pair, counts, shortest)], split) for file in files
    )
    first = [a for file in others for a, _ in _cut(file, "dev")]
    second = [b for file in others for _, b in _cut(file, "test")]
    alone = min(len(first), len(second))
    count = min(len(planted), int(share * alone / (1 - share)))
    if not count:
        raise StsError(
            f"{len(planted):,} usable pairs to plant among {alone:,} usable unrelated sentences of "
            f"each side: none is a share of {share:g}; give more sentences, or another --share"
        )
    alone = min(alone, round(count * (1 - share) / share))
    drawn = [planted[i] for i in rng.permutation(len(planted))[:count]]
    first = [a for a, _ in drawn] + [first[i] for i in rng.permutation(len(first))[:alone]]
    second = [b for _, b in drawn] + [second[i] for i in rng.permutation(len(second))[:alone]]
    orders = rng.permutation(len(first)), rng.permutation(len(second))
    places = [np.argsort(order)[:count].tolist() for order in orders]
    return MiningTask(
        [first[i] for i in orders[0]],
        [second[i] for i in orders[1]],
        sorted(zip(*places, strict=True)),
    )


def _is_usable(pair: SentencePair, counts: Counter[str], shortest: int) -> bool:
    return all(counts[fold(side)] == 1 and len(words(side)) >= shortest for side in pair)


def _cut(pairs: list[SentencePair], split: Split | None) -> list[SentencePair]:
    """Return one half, in the order of the file, or all."""
    middle = len(pairs) // 2
    return pairs if split is None else pairs[:middle] if split == "dev" else pairs[middle:]
