"""Which words traded places: each stands now in the context that the other left behind."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order.kinds import (
    ADJECTIVE,
    AFTER,
    BEFORE,
    BY_RANK,
    CONJUNCTION,
    CONTENT,
    DETERMINER,
    FIRST,
    KIND,
    LAST,
    LEMMA,
    MARK,
    NAME,
    NOMINAL,
    NUMBER,
    OPENED_BY,
    PARTNER,
    PLACE_OF,
    RANK,
)

NAMES = (
    "traded_words", "traded_names", "traded_nouns", "traded_adjectives", "traded_verbs",
    "traded_numbers", "traded_count", "traded_total", "traded_in_list", "traded_phrases",
    "traded_phrases_count", "traded_phrases_in_list", "traded_context", "traded_mean_context",
)  # fmt: skip

CLEAR = 0.35
"""Gain in context from which two words count as traded."""

_IN_LISTS = NOMINAL | 1 << CONJUNCTION | 1 << ADJECTIVE | 1 << NUMBER | 1 << DETERMINER


@kernel(nogil=True)
def describe(words_a, words_b, offsets_a, offsets_b, all_blocks, counts, found):
    """Fill in the values of :data:`NAMES`."""
    for p in range(len(found)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        _words(a, b, found[p])
        _phrases(a, b, all_blocks[offsets_a[p] : offsets_a[p] + counts[p]], found[p])


@kernel(nogil=True)
def _words(a, b, found):
    m, n = len(a), len(b)
    fits = np.empty((m, n))
    for i in range(m):
        if a[i, KIND] >= CONTENT:
            for j in range(n):
                fits[i, j] = _fit(a, b, i, j) if b[j, KIND] >= CONTENT else 0.0
    aligned = 0
    for i in range(m):
        j, kind = a[i, PARTNER], a[i, KIND]
        aligned += j >= 0
        if j < 0 or kind < CONTENT:
            continue
        best = 0.0
        for l in range(n):  # noqa: E741
            if l != j and b[l, KIND] >= CONTENT and alike(b[l, KIND], b[j, KIND]):
                best = max(best, fits[i, l] - fits[i, j])
        found[12] = max(found[12], best)
        found[13] += best
        for k in range(i):
            l, other = a[k, PARTNER], a[k, KIND]  # noqa: E741
            if l < 0 or not alike(kind, other):
                continue
            gain = 0.5 * (fits[i, l] + fits[k, j] - fits[i, j] - fits[k, l])
            if gain <= 0.02:
                continue
            if listed(a, k, i) and listed(b, min(j, l), max(j, l)):
                found[8] = max(found[8], gain)
                continue
            found[0] = max(found[0], gain)
            slot = 1 if kind == NAME or other == NAME else PLACE_OF[kind]
            if slot > 0:
                found[slot] = max(found[slot], gain)
            found[6] += gain >= CLEAR
            found[7] += gain
    found[13] = found[13] / max(1, aligned)


@kernel(nogil=True)
def alike(one, other):
    """Whether two kinds of words can trade places: nouns with names, else the same kind."""
    return one == other or (NOMINAL >> one & 1 and NOMINAL >> other & 1)


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
    fit += 0.15 * _meet(a, a[i, BEFORE], b[j, BEFORE], len(b))
    fit += 0.15 * _meet(a, a[i, AFTER], b[j, AFTER], len(b))
    p, q = a[i, OPENED_BY], b[j, OPENED_BY]
    if p >= 0 and q >= 0:
        fit += 0.1 * (a[p, LEMMA] == b[q, LEMMA])
    else:
        fit += 0.1 * (p < 0 and q < 0)
    return fit


@kernel(nogil=True)
def _meet(a, i, j, n):
    """Whether two places are aligned or both outside of the sentence."""
    if i < 0 or j < 0:
        return i < 0 and j < 0
    if i >= len(a) or j >= n:
        return i >= len(a) and j >= n
    return a[i, PARTNER] == j


@kernel(nogil=True)
def listed(words, first, last):
    """Whether two places are items of one list: "x and y", "x, y and z"."""
    joined = False
    for k in range(first + 1, last + 1):
        kind = words[k, KIND]
        joined = joined or kind == CONJUNCTION or words[k, MARK] > 0
        if k == last:
            return joined
        if not _IN_LISTS >> kind & 1:
            return False
    return joined


@kernel(nogil=True)
def _phrases(a, b, blocks, found):
    """The same of whole blocks: the blocks around two of them stayed, and they changed places."""
    for x in range(len(blocks)):
        kind = a[blocks[x, LAST], KIND]
        if kind < CONTENT:
            continue
        for y in range(x):
            if not alike(kind, a[blocks[y, LAST], KIND]):
                continue
            fit = (_beside(blocks, x, y) + _beside(blocks, y, x)) / 4
            i, z = blocks[y, LAST], blocks[x, FIRST]
            j, w = a[blocks[x, LAST], PARTNER], a[blocks[y, FIRST], PARTNER]
            if listed(a, i, z) and j < w and listed(b, j, w):
                found[11] = max(found[11], fit)
                continue
            found[9] = max(found[9], fit)
            found[10] += fit >= 0.75


@kernel(nogil=True)
def _beside(blocks, x, y):
    """How many of the blocks beside ``x`` on the left are those beside ``y`` on the right."""
    k, same = len(blocks), 0
    for step in range(-1, 2, 2):
        one, there = x + step, blocks[y, RANK] + step
        other = blocks[there, BY_RANK] if 0 <= there < k else -1
        same += one == other if 0 <= one < k else other < 0
    return same
