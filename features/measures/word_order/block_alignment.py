"""The words of two sentences aligned for their order: longest common blocks first."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.compiling import njit
from features.measures.word_order.kinds import CONTENT, NUMBER

CLOSEST = 0.45
"""Cosine from which two different words can be aligned."""

WINDOW = 3
"""Neighbours on each side that decide between equals."""


@njit(nogil=True)
def similarities(a, b, lemmas_a, lemmas_b, kinds_a, kinds_b, cosines):
    """(m, n) 1 for equal words, .9 for equal lemmas, the cosine of others if near enough."""
    m, n = len(a), len(b)
    similar = np.zeros((m, n))
    for i in range(m):
        for j in range(n):
            if a[i] == b[j]:
                similar[i, j] = 1.0
            elif lemmas_a[i] == lemmas_b[j]:
                similar[i, j] = 0.9
            elif (
                kinds_a[i] >= CONTENT
                and kinds_b[j] >= CONTENT
                and kinds_a[i] != NUMBER
                and kinds_b[j] != NUMBER
                and cosines[i, j] >= CLOSEST
            ):
                similar[i, j] = 0.85 * cosines[i, j]
    return similar


@njit(nogil=True)
def aligned(similar, kinds_a, kinds_b):
    """(m,) the place of the right word that each left word is aligned with, −1 for none."""
    m, n = similar.shape
    partner, back = np.full(m, -1), np.full(n, -1)
    _align_blocks(similar, kinds_a, partner, back)
    _align_content(similar, kinds_a, kinds_b, partner, back)
    _align_small(similar, kinds_a, partner, back)
    return partner, back


@njit(nogil=True)
def _align_blocks(similar, kinds_a, partner, back):
    """Align common runs of two or more words with a content word, longest first.

    Among runs of one length the one goes first whose places lie at like distances from the ends.
    """
    m, n = similar.shape
    lengths = np.zeros((m + 1, n + 1), np.int64)
    heavy = np.zeros((m + 1, n + 1), np.int64)
    while True:
        best, longest, end_a, end_b = 0.0, 0, 0, 0
        for i in range(m):
            for j in range(n):
                if similar[i, j] < 0.9 or partner[i] >= 0 or back[j] >= 0:
                    lengths[i + 1, j + 1] = heavy[i + 1, j + 1] = 0
                    continue
                length = lengths[i + 1, j + 1] = lengths[i, j] + 1
                heavy[i + 1, j + 1] = heavy[i, j] + (kinds_a[i] >= CONTENT)
                if length < 2 or heavy[i + 1, j + 1] == 0:
                    continue
                score = length + 0.5 * heavy[i + 1, j + 1] - 0.4 * abs(i / m - j / n)
                if score > best:
                    best, longest, end_a, end_b = score, length, i, j
        if longest < 2:
            return
        for k in range(longest):
            partner[end_a - k], back[end_b - k] = end_b - k, end_a - k


@njit(nogil=True)
def _align_content(similar, kinds_a, kinds_b, partner, back):
    """Align the content words that are left, most similar in themselves and around first."""
    m, n = similar.shape
    score = np.zeros((m, n))
    for i in range(m):
        for j in range(n):
            if partner[i] >= 0 or back[j] >= 0 or similar[i, j] <= 0:
                continue
            if kinds_a[i] < CONTENT or kinds_b[j] < CONTENT:
                continue
            near = 0.0
            for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
                if k != i and partner[k] >= 0 and abs(partner[k] - j) <= WINDOW:
                    near += 1.0
            score[i, j] = similar[i, j] + 0.03 * near - 0.02 * abs(i / m - j / n)
    for _ in range(min(m, n)):
        place = np.argmax(score)
        i, j = place // n, place % n
        if score[i, j] <= 0:
            return
        partner[i], back[j] = j, i
        score[i, :] = 0.0
        score[:, j] = 0.0


@njit(nogil=True)
def _align_small(similar, kinds_a, partner, back):
    """Align equal function words beside what is aligned already, nearest neighbours first."""
    m, n = similar.shape
    alone = not (partner >= 0).any()  # function words only: they need no neighbour
    for least in (2, 1, 0):
        if least == 0 and not alone:
            return
        for i in range(m):
            if partner[i] >= 0 or kinds_a[i] >= CONTENT:
                continue
            best, choice = -1, -1
            for j in range(n):
                if back[j] >= 0 or similar[i, j] < 0.9:
                    continue
                support = 0
                if i > 0 and j > 0 and partner[i - 1] == j - 1:
                    support += 2
                if i + 1 < m and j + 1 < n and partner[i + 1] == j + 1:
                    support += 2
                for k in range(max(0, i - 2), min(m, i + 3)):
                    support += k != i and partner[k] >= 0 and abs(partner[k] - j) <= 2
                if support >= least and support > best:
                    best, choice = support, j
            if choice >= 0:
                partner[i], back[choice] = choice, i
