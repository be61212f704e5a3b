"""Which blocks of words clearly traded places, so that it can be said in words."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from embeddings.compiled.kernel import kernel
from features.measures.word_order import kinds as at
from features.measures.word_order.heads import like, state
from features.measures.word_order.trades import alike, listed

LONGEST = 4
"""Words of a block that can be said to have been traded: longer ones are clauses."""

FIT = 0.75
"""Share of the four neighbouring blocks that must have stayed where they were."""


@kernel(nogil=True)
def find_trades(
    words_a, words_b, offsets_a, offsets_b, similar, starts, all_blocks, counts, found, trades
):
    """Find blocks that stand each where the other stood.

    Each hangs on something else than before, and they are neither items of a list nor words of one
    phrase.

    Args:
        words_a, words_b, offsets_a, offsets_b, similar, starts, all_blocks, counts: see
            :func:`.block_alignment.align`.
        found: (n,) how many of their neighbours stayed, at best, filled in.
        trades: (some, 4) the first and last place of either left block, filled in as far as they
            go.
    """
    written = 0
    for p in range(len(found)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        likeness = similar[starts[p] : starts[p] + len(a) * len(b)]
        blocks = all_blocks[offsets_a[p] : offsets_a[p] + counts[p]]
        for x in range(len(blocks)):
            for y in range(x + 1, len(blocks)):
                if blocks[x, at.RANK] < blocks[y, at.RANK] or not _may_trade(
                    a, b, likeness, blocks, x, y
                ):
                    continue
                fit = 0.25 * (_stayed(blocks, x, y) + _stayed(blocks, y, x))
                if fit < FIT:
                    continue
                found[p] = max(found[p], fit)
                if written < len(trades):
                    trades[written, 0], trades[written, 1] = blocks[x, at.FIRST], blocks[x, at.LAST]
                    trades[written, 2], trades[written, 3] = blocks[y, at.FIRST], blocks[y, at.LAST]
                    written += 1
    return written


@kernel(nogil=True)
def _may_trade(a, b, similar, blocks, x, y):
    first, i, second, z = (
        blocks[x, at.FIRST],
        blocks[x, at.LAST],
        blocks[y, at.FIRST],
        blocks[y, at.LAST],
    )
    kind, j, w = a[i, at.KIND], a[i, at.PARTNER], a[z, at.PARTNER]
    if max(i - first, z - second) >= LONGEST or kind < at.CONTENT or kind == at.VERB:
        return False
    if not alike(kind, a[z, at.KIND]):
        return False
    if similar[i * len(b) + w] > 0 or similar[z * len(b) + j] > 0:  # they would say the same
        return False
    if (
        a[first, at.KIND] == at.PREPOSITION or a[second, at.KIND] == at.PREPOSITION
    ):  # a clause moved
        return False
    if a[i, at.PHRASE] == a[z, at.PHRASE] or b[j, at.PHRASE] == b[w, at.PHRASE]:
        return False
    same_list = listed(a, i, second) or listed(b, w, a[first, at.PARTNER])
    return not same_list and _elsewhere(a, b, i, j) and _elsewhere(a, b, z, w)


@kernel(nogil=True)
def _elsewhere(a, b, i, j):
    """Whether a word hangs on something else, or otherwise, than its partner."""
    if a[i, at.COMPANION] >= 0 and b[j, at.COMPANION] >= 0:
        return False
    noun = state(a, b, a[i, at.TO_NOUN], b[j, at.TO_NOUN])
    verb = state(a, b, a[i, at.TO_VERB], b[j, at.TO_VERB])
    return noun < 0 or verb < 0 or not like(a[i, at.RELATION], b[j, at.RELATION])


@kernel(nogil=True)
def _stayed(blocks, one, other):
    """How many of the blocks beside one stand beside the other block's partner's place."""
    k, stayed = len(blocks), 0
    for step in range(-1, 2, 2):
        neighbour, there = one + step, blocks[other, at.RANK] + step
        now = blocks[there, at.BY_RANK] if 0 <= there < k else -1
        if neighbour == other:  # the two stand side by side
            stayed += now == one
        else:
            stayed += neighbour == now if 0 <= neighbour < k else now < 0
    return stayed
