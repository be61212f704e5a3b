"""Which blocks of words clearly traded places, so that it can be said in words."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.compiling import njit
from features.measures.word_order.attachment import (
    COMPANION,
    OF_LIKE,
    PART,
    PHRASE,
    RELATION,
    TO_NOUN,
    TO_VERB,
)
from features.measures.word_order.blocks import blocks_of
from features.measures.word_order.heads import state
from features.measures.word_order.kinds import CONTENT, NAME, NOUN, PREPOSITION, VERB
from features.measures.word_order.trades import listed

LONGEST = 4
"""Words of a block that can be said to have been traded: longer ones are clauses."""

FIT = 0.75
"""Share of the four neighbouring blocks that must have stayed where they were."""


@njit(nogil=True)
def clear_trades(similar, partner, back, kinds_a, kinds_b, marks_a, marks_b, tree_a, tree_b):
    """(trades, 5) first and last place of two left blocks, and the fit of their surroundings.

    Each block stands where the other stood, each hangs on something else than before, and they
    are neither items of a list nor words of one phrase.
    """
    blocks = blocks_of(partner)
    k = len(blocks)
    order = np.argsort(partner[blocks[:, 0]])
    rank = np.argsort(order)
    found = np.zeros((k * k, 5))
    count = 0
    for x in range(k):
        for y in range(x + 1, k):
            if rank[x] < rank[y] or _long(blocks[x]) or _long(blocks[y]):
                continue
            i, z = blocks[x, 1], blocks[y, 1]
            alike = kinds_a[i] == kinds_a[z] or (
                kinds_a[i] in (NOUN, NAME) and kinds_a[z] in (NOUN, NAME)
            )
            if not alike or kinds_a[i] < CONTENT or kinds_a[i] == VERB:
                continue
            j, w = partner[i], partner[z]
            if similar[i, w] > 0 or similar[z, j] > 0:  # traded, they would say the same
                continue
            if PREPOSITION in (kinds_a[blocks[x, 0]], kinds_a[blocks[y, 0]]):  # a clause moved
                continue
            if listed(kinds_a, i, blocks[y, 0], marks_a):
                continue
            if listed(kinds_b, w, partner[blocks[x, 0]], marks_b):
                continue
            if tree_a[PHRASE, i] == tree_a[PHRASE, z] or tree_b[PHRASE, j] == tree_b[PHRASE, w]:
                continue
            if not (
                _elsewhere(partner, back, i, j, tree_a, tree_b)
                and _elsewhere(partner, back, z, w, tree_a, tree_b)
            ):
                continue
            fit = 0.0
            for one, other in ((x, y), (y, x)):
                for step in (-1, 1):
                    fit += 0.25 * _stayed(order, rank, one, other, step, k)
            if fit >= FIT:
                found[count, 0], found[count, 1] = blocks[x, 0], blocks[x, 1]
                found[count, 2], found[count, 3] = blocks[y, 0], blocks[y, 1]
                found[count, 4] = fit
                count += 1
    return found[:count]


@njit(nogil=True)
def _long(block):
    return block[1] - block[0] >= LONGEST


@njit(nogil=True)
def _elsewhere(partner, back, i, j, tree_a, tree_b):
    """Whether a word hangs on something else, or otherwise, than its partner."""
    r, q = tree_a[RELATION, i], tree_b[RELATION, j]
    if tree_a[COMPANION, i] >= 0 and tree_b[COMPANION, j] >= 0:
        return False
    same = r == q or (r in (OF_LIKE, PART) and q in (OF_LIKE, PART))
    noun = state(partner, back, tree_a[TO_NOUN, i], tree_b[TO_NOUN, j], tree_a, tree_b)
    verb = state(partner, back, tree_a[TO_VERB, i], tree_b[TO_VERB, j], tree_a, tree_b)
    return not same or noun < 0 or verb < 0


@njit(nogil=True)
def _stayed(order, rank, one, other, step, k):
    """Whether what stood beside one block stands beside the other block's partner's place."""
    neighbour, there = one + step, rank[other] + step
    now = order[there] if 0 <= there < k else -1
    if neighbour == other:  # the two stand side by side
        return now == one
    if not 0 <= neighbour < k:
        return now < 0
    return neighbour == now
