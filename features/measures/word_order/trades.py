"""Which words traded places: each stands now in the context that the other left behind."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.compiling import njit
from features.measures.word_order.blocks import blocks_of
from features.measures.word_order.kept_context import content_around, preposition_before
from features.measures.word_order.kinds import (
    ADJECTIVE,
    CONJUNCTION,
    CONTENT,
    DETERMINER,
    NAME,
    NOUN,
    NUMBER,
    VERB,
)

NAMES = (
    "traded_words", "traded_names", "traded_nouns", "traded_adjectives", "traded_verbs",
    "traded_numbers", "traded_count", "traded_total", "traded_in_list", "traded_phrases",
    "traded_phrases_count", "traded_phrases_in_list", "traded_context", "traded_mean_context",
)  # fmt: skip

MOST = 10.0

CLEAR = 0.35
"""Gain in context from which two words count as traded."""


@njit(nogil=True)
def describe(partner, back, words_a, words_b, kinds_a, kinds_b, marks_a, marks_b, found):
    """Fill in the values of :data:`NAMES`."""
    m, n = len(partner), len(back)
    fits = _fits(partner, back, words_a, words_b, kinds_a, kinds_b)
    for i in range(m):
        if partner[i] < 0 or kinds_a[i] < CONTENT:
            continue
        j = partner[i]
        best = 0.0
        for l in range(n):  # noqa: E741
            if l != j and kinds_b[l] >= CONTENT and _alike(kinds_b[l], kinds_b[j]):
                best = max(best, fits[i, l] - fits[i, j])
        found[12] = max(found[12], best)
        found[13] += best
        for k in range(i):
            if partner[k] < 0 or not _alike(kinds_a[i], kinds_a[k]):
                continue
            l = partner[k]  # noqa: E741
            gain = 0.5 * (fits[i, l] + fits[k, j] - fits[i, j] - fits[k, l])
            if gain <= 0.02:
                continue
            if listed(kinds_a, k, i, marks_a) and listed(kinds_b, min(j, l), max(j, l), marks_b):
                found[8] = max(found[8], gain)
                continue
            found[0] = max(found[0], gain)
            kind = kinds_a[i]
            slot = (
                1 if NAME in (kind, kinds_a[k]) else 2 if kind == NOUN
                else 3 if kind == ADJECTIVE else 4 if kind == VERB else 5 if kind == NUMBER else 0
            )  # fmt: skip
            if slot > 0:
                found[slot] = max(found[slot], gain)
            found[6] = min(MOST, found[6] + (gain >= CLEAR))
            found[7] = min(MOST, found[7] + gain)
    found[13] = found[13] / max(1, (partner >= 0).sum())
    _phrases(partner, kinds_a, kinds_b, marks_a, marks_b, found)


@njit(nogil=True)
def _alike(one, other):
    """Whether two kinds of words can trade places: nouns with names, else the same kind."""
    return one == other or (one in (NOUN, NAME) and other in (NOUN, NAME))


@njit(nogil=True)
def _fits(partner, back, words_a, words_b, kinds_a, kinds_b):
    """(m, n) in [0, 1]: how well the surroundings of a left place are those of a right place.

    What stands next to the places, the content words around them and the preposition before are
    compared, by the alignment; the words at the places themselves are not.
    """
    m, n = len(partner), len(back)
    before_a, after_a = content_around(kinds_a)
    before_b, after_b = content_around(kinds_b)
    prepositions_a, prepositions_b = preposition_before(kinds_a), preposition_before(kinds_b)
    fits = np.zeros((m, n))
    for i in range(m):
        if kinds_a[i] < CONTENT:
            continue
        for j in range(n):
            if kinds_b[j] < CONTENT:
                continue
            fit = 0.0
            fit += 0.2 * _meet(partner, i - 1, j - 1, m, n)
            fit += 0.2 * _meet(partner, i + 1, j + 1, m, n)
            fit += 0.1 * _meet(partner, i - 2, j - 2, m, n)
            fit += 0.1 * _meet(partner, i + 2, j + 2, m, n)
            fit += 0.15 * _meet(partner, before_a[i], before_b[j], m, n)
            fit += 0.15 * _meet(partner, after_a[i], after_b[j], m, n)
            p, q = prepositions_a[i], prepositions_b[j]
            if p >= 0 and q >= 0:
                fit += 0.1 * (words_a[p] == words_b[q])
            else:
                fit += 0.1 * (p < 0 and q < 0)
            fits[i, j] = fit
    return fits


@njit(nogil=True)
def _meet(partner, i, j, m, n):
    """Whether two places are aligned or both outside of the sentence."""
    if i < 0 or j < 0:
        return i < 0 and j < 0
    if i >= m or j >= n:
        return i >= m and j >= n
    return partner[i] == j


@njit(nogil=True)
def listed(kinds, first, last, marks):
    """Whether two places are items of one list: "x and y", "x, y and z"."""
    joined = False
    for k in range(first + 1, last + 1):
        joined = joined or kinds[k] == CONJUNCTION or marks[k]
        if k == last:
            return joined
        if kinds[k] in (CONJUNCTION, NAME, NOUN, ADJECTIVE, NUMBER, DETERMINER):
            continue
        return False
    return joined


@njit(nogil=True)
def _phrases(partner, kinds_a, kinds_b, marks_a, marks_b, found):
    """The same of whole blocks: the blocks around two of them stayed, and they changed places."""
    blocks = blocks_of(partner)
    k = len(blocks)
    if k < 2:
        return
    rank = np.argsort(np.argsort(partner[blocks[:, 0]]))
    place = np.argsort(partner[blocks[:, 0]])
    for x in range(k):
        for y in range(x):
            if not _alike(kinds_a[blocks[x, 1]], kinds_a[blocks[y, 1]]):
                continue
            if kinds_a[blocks[x, 1]] < CONTENT:
                continue
            left = _beside(place, rank, x, y, -1, k) + _beside(place, rank, y, x, -1, k)
            right = _beside(place, rank, x, y, 1, k) + _beside(place, rank, y, x, 1, k)
            fit = (left + right) / 4
            i, z = blocks[y, 1], blocks[x, 0]
            j, w = partner[blocks[x, 1]], partner[blocks[y, 0]]
            if listed(kinds_a, i, z, marks_a) and j < w and listed(kinds_b, j, w, marks_b):
                found[11] = max(found[11], fit)
                continue
            found[9] = max(found[9], fit)
            found[10] = min(MOST, found[10] + (fit >= 0.75))


@njit(nogil=True)
def _beside(place, rank, x, y, step, k):
    """Whether the block beside ``x`` on the left is the one beside ``y`` on the right."""
    one, there = x + step, rank[y] + step
    other = place[there] if 0 <= there < k else -1
    if not 0 <= one < k:
        return other < 0
    return one == other
