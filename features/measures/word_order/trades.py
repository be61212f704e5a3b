"""Which words traded places: each stands now in the context that the other left behind."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order import kinds as at

NAMES = (
    "traded_words", "traded_names", "traded_nouns", "traded_adjectives", "traded_verbs",
    "traded_numbers", "traded_count", "traded_total", "traded_in_list", "traded_phrases",
    "traded_phrases_count", "traded_phrases_in_list", "traded_context", "traded_mean_context",
)  # fmt: skip

(
    TRADED_WORDS, TRADED_NAMES, TRADED_NOUNS, TRADED_ADJECTIVES, TRADED_VERBS, TRADED_NUMBERS,
    TRADED_COUNT, TRADED_TOTAL, TRADED_IN_LIST, TRADED_PHRASES, TRADED_PHRASES_COUNT,
    TRADED_PHRASES_IN_LIST, TRADED_CONTEXT, TRADED_MEAN_CONTEXT,
) = range(len(NAMES))  # fmt: skip

CLEAR = 0.35
"""Gain in context from which two words count as traded."""

_IN_LISTS = (
    at.NOMINAL | 1 << at.CONJUNCTION | 1 << at.ADJECTIVE | 1 << at.NUMBER | 1 << at.DETERMINER
)


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
        found[TRADED_CONTEXT] = max(found[TRADED_CONTEXT], best)
        found[TRADED_MEAN_CONTEXT] += best
        for k in range(i):
            l, other = a[k, at.PARTNER], a[k, at.KIND]  # noqa: E741
            if l < 0 or not alike(kind, other):
                continue
            gain = 0.5 * (fits[i, l] + fits[k, j] - fits[i, j] - fits[k, l])
            if gain <= 0.02:
                continue
            if listed(a, k, i) and listed(b, min(j, l), max(j, l)):
                found[TRADED_IN_LIST] = max(found[TRADED_IN_LIST], gain)
                continue
            found[TRADED_WORDS] = max(found[TRADED_WORDS], gain)
            slot = 1 if kind == at.NAME or other == at.NAME else at.PLACE_OF[kind]
            if slot > 0:
                found[TRADED_WORDS + slot] = max(found[TRADED_WORDS + slot], gain)
            found[TRADED_COUNT] += gain >= CLEAR
            found[TRADED_TOTAL] += gain
    found[TRADED_MEAN_CONTEXT] = found[TRADED_MEAN_CONTEXT] / max(1, aligned)


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
    """Whether two places are aligned or both outside of the sentence."""
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
    """Find whole blocks that changed places while the blocks around them stayed."""
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
                found[TRADED_PHRASES_IN_LIST] = max(found[TRADED_PHRASES_IN_LIST], fit)
                continue
            found[TRADED_PHRASES] = max(found[TRADED_PHRASES], fit)
            found[TRADED_PHRASES_COUNT] += fit >= 0.75


@kernel(nogil=True)
def _beside(blocks, x, y):
    """How many of the blocks beside ``x`` on the left are those beside ``y`` on the right."""
    k, same = len(blocks), 0
    for step in range(-1, 2, 2):
        one, there = x + step, blocks[y, at.RANK] + step
        other = blocks[there, at.BY_RANK] if 0 <= there < k else -1
        same += one == other if 0 <= one < k else other < 0
    return same
