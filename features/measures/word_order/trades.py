"""Words and blocks that traded places: each is now in the context that the other left behind."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from semaniacs.embeddings.compiled import kernel
from semaniacs.features.measures.word_order import kinds as at

CLEAR = 0.35  # gain in context from which two words count as traded

FIT = 0.75  # share of the four neighbouring blocks that must have stayed where they were

_IN_LISTS = (
    at.NOMINAL | 1 << at.CONJUNCTION | 1 << at.ADJECTIVE | 1 << at.NUMBER | 1 << at.DETERMINER
)


@kernel(nogil=True)
def describe_trades(a, b, blocks, found):
    """Fill in which words and blocks stand in the context that another one left behind."""
    _words(a, b, found)
    _phrases(a, b, blocks, found)


@kernel(nogil=True)
def _words(a, b, found):
    m, n = len(a), len(b)
    fits = np.empty((m, n))
    for i in range(m):
        if a[i, at.KIND] >= at.CONTENT:
            for j in range(n):
                fits[i, j] = _fit(a, b, i, j) if b[j, at.KIND] >= at.CONTENT else 0.0
    aligned = 0
    for i in range(m):
        j, kind = a[i, at.PARTNER], a[i, at.KIND]
        aligned += j >= 0
        if j < 0 or kind < at.CONTENT:
            continue
        best = 0.0
        for l in range(n):  # noqa: E741
            if l != j and b[l, at.KIND] >= at.CONTENT and alike(b[l, at.KIND], b[j, at.KIND]):
                best = max(best, fits[i, l] - fits[i, j])
        found[at.TRADED_CONTEXT] = max(found[at.TRADED_CONTEXT], best)
        found[at.TRADED_MEAN_CONTEXT] += best
        for k in range(i):
            l, other = a[k, at.PARTNER], a[k, at.KIND]  # noqa: E741
            if l < 0 or not alike(kind, other):
                continue
            gain = 0.5 * (fits[i, l] + fits[k, j] - fits[i, j] - fits[k, l])
            if gain <= 0.02:
                continue
            if listed(a, k, i) and listed(b, min(j, l), max(j, l)):
                found[at.TRADED_IN_LIST] = max(found[at.TRADED_IN_LIST], gain)
                continue
            found[at.TRADED_WORDS] = max(found[at.TRADED_WORDS], gain)
            slot = 1 if kind == at.NAME or other == at.NAME else at.PLACE_OF[kind]
            if slot > 0:
                found[at.TRADED_WORDS + slot] = max(found[at.TRADED_WORDS + slot], gain)
            found[at.TRADED_COUNT] += gain >= CLEAR
            found[at.TRADED_TOTAL] += gain
    found[at.TRADED_MEAN_CONTEXT] = found[at.TRADED_MEAN_CONTEXT] / max(1, aligned)


@kernel(nogil=True)
def alike(one, other):
    """Whether two kinds of words can trade places: nouns with names, else the same kind."""
    return one == other or (at.NOMINAL >> one & 1 and at.NOMINAL >> other & 1)


@kernel(nogil=True)
def _fit(a, b, i, j):
    """In [0, 1]: how well the surroundings of a left place are those of a right place.

    What stands next to the places, the content words around them and the preposition before are
    compared, by the alignment; the words at the places themselves are not.
    """
    fit = 0.0
    fit += 0.2 * _meet(a, i - 1, j - 1, len(b))
    fit += 0.2 * _meet(a, i + 1, j + 1, len(b))
    fit += 0.1 * _meet(a, i - 2, j - 2, len(b))
    fit += 0.1 * _meet(a, i + 2, j + 2, len(b))
    fit += 0.15 * _meet(a, a[i, at.BEFORE], b[j, at.BEFORE], len(b))
    fit += 0.15 * _meet(a, a[i, at.AFTER], b[j, at.AFTER], len(b))
    p, q = a[i, at.OPENED_BY], b[j, at.OPENED_BY]
    if p >= 0 and q >= 0:
        fit += 0.1 * (a[p, at.LEMMA] == b[q, at.LEMMA])
    else:
        fit += 0.1 * (p < 0 and q < 0)
    return fit


@kernel(nogil=True)
def _meet(a, i, j, n):
    if i < 0 or j < 0:
        return i < 0 and j < 0
    if i >= len(a) or j >= n:
        return i >= len(a) and j >= n
    return a[i, at.PARTNER] == j


@kernel(nogil=True)
def listed(words, first, last):
    """Whether two places are items of one list: "x and y", "x, y and z"."""
    joined = False
    for k in range(first + 1, last + 1):
        kind = words[k, at.KIND]
        joined = joined or kind == at.CONJUNCTION or words[k, at.MARK] > 0
        if k == last:
            return joined
        if not _IN_LISTS >> kind & 1:
            return False
    return joined


@kernel(nogil=True)
def _phrases(a, b, blocks, found):
    for x in range(len(blocks)):
        kind = a[blocks[x, at.LAST], at.KIND]
        if kind < at.CONTENT:
            continue
        for y in range(x):
            if not alike(kind, a[blocks[y, at.LAST], at.KIND]):
                continue
            fit = (_beside(blocks, x, y) + _beside(blocks, y, x)) / 4
            i, z = blocks[y, at.LAST], blocks[x, at.FIRST]
            j, w = a[blocks[x, at.LAST], at.PARTNER], a[blocks[y, at.FIRST], at.PARTNER]
            if listed(a, i, z) and j < w and listed(b, j, w):
                found[at.TRADED_PHRASES_IN_LIST] = max(found[at.TRADED_PHRASES_IN_LIST], fit)
                continue
            found[at.TRADED_PHRASES] = max(found[at.TRADED_PHRASES], fit)
            found[at.TRADED_PHRASES_COUNT] += fit >= FIT


@kernel(nogil=True)
def _beside(blocks, x, y):
    """How many of the blocks beside ``x`` on the left are those beside ``y`` on the right."""
    k, same = len(blocks), 0
    for step in range(-1, 2, 2):
        one, there = x + step, blocks[y, at.RANK] + step
        other = blocks[there, at.BY_RANK] if 0 <= there < k else -1
        same += one == other if 0 <= one < k else other < 0
    return same


LONGEST = 4  # words of a block that can be said to have been traded: longer ones are clauses


@kernel(nogil=True)
def find_trades(
    words_a, words_b, offsets_a, offsets_b, similar, starts, all_blocks, counts, found, trades
):
    """Find blocks that stand each where the other stood.

    They are neither items of a list nor words of one phrase.

    Args:
        found: (n,) how many of their neighbours stayed, at best, filled in.
        trades: (some, 4) first and last place of either left block, filled in as far as it goes.
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
    first, i = blocks[x, at.FIRST], blocks[x, at.LAST]
    second, z = blocks[y, at.FIRST], blocks[y, at.LAST]
    kind, j, w = a[i, at.KIND], a[i, at.PARTNER], a[z, at.PARTNER]
    if max(i - first, z - second) >= LONGEST or kind < at.CONTENT or kind == at.VERB:
        return False
    if not alike(kind, a[z, at.KIND]):
        return False
    if similar[i * len(b) + w] > 0 or similar[z * len(b) + j] > 0:  # they would say the same
        return False
    if at.PREPOSITION in (a[first, at.KIND], a[second, at.KIND]):  # a clause moved
        return False
    if a[i, at.PHRASE] == a[z, at.PHRASE] or b[j, at.PHRASE] == b[w, at.PHRASE]:
        return False
    return not (listed(a, i, second) or listed(b, w, a[first, at.PARTNER]))


@kernel(nogil=True)
def _stayed(blocks, one, other):
    k, stayed = len(blocks), 0
    for step in range(-1, 2, 2):
        neighbour, there = one + step, blocks[other, at.RANK] + step
        now = blocks[there, at.BY_RANK] if 0 <= there < k else -1
        if neighbour == other:  # the two stand side by side
            stayed += now == one
        else:
            stayed += neighbour == now if 0 <= neighbour < k else now < 0
    return stayed
