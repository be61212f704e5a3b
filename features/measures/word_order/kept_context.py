"""Which aligned words kept their neighbours, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order.kinds import (
    ADJECTIVE,
    ADVERB,
    AFTER,
    BEFORE,
    CONTENT,
    KIND,
    LEMMA,
    NOMINAL,
    NUMBER,
    OPENED_BY,
    OTHER,
    PARTNER,
    PLACE_OF,
    VERB_AFTER,
    VERB_BEFORE,
)

NAMES = (
    "kept_left", "kept_right", "kept_left_content", "kept_right_content", "kept_neither",
    "kept_neither_count", "kept_preposition", "kept_preposition_count", "kept_neither_names",
    "kept_neither_nouns", "kept_neither_adjectives", "kept_neither_verbs",
    "kept_neither_numbers", "traded_left", "traded_right", "traded_both",
    "adjective_noun_lost", "adjective_noun_traded", "noun_noun_lost", "number_noun_lost",
    "content_pairs_kept", "content_skips_kept", "kept_least_context", "kept_mean_context",
    "preposition_traded", "kept_verb_after", "kept_verb_before", "adjective_noun_kept",
)  # fmt: skip

_MODIFIERS = NOMINAL | 1 << ADJECTIVE | 1 << NUMBER
_BETWEEN = 1 << ADJECTIVE | 1 << ADVERB | 1 << OTHER


@kernel(nogil=True)
def describe(words_a, words_b, offsets_a, offsets_b, found):
    """Fill in the values of :data:`NAMES`."""
    for p in range(len(found)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        _neighbours(a, b, found[p])
        _modifiers(a, b, found[p])
        _modifiers(b, a, found[p])
        for place in range(16, 20):
            found[p, place] /= 2
        found[p, 27] /= 2
        _skips(a, b, found[p])


@kernel(nogil=True)
def _neighbours(a, b, found):
    m, n = len(a), len(b)
    count = with_preposition = 0
    least = 1.0
    for i in range(m):
        j = a[i, PARTNER]
        if j < 0 or a[i, KIND] < CONTENT:
            continue
        count += 1
        left = a[i - 1, PARTNER] == j - 1 if i > 0 and j > 0 else i == j == 0
        right = a[i + 1, PARTNER] == j + 1 if i + 1 < m and j + 1 < n else m - i == n - j == 1
        left_content = _kept(a, a[i, BEFORE], b[j, BEFORE])
        right_content = _kept(a, a[i, AFTER], b[j, AFTER])
        found[0] += left
        found[1] += right
        found[2] += left_content
        found[3] += right_content
        if not (left_content or right_content):
            found[4] += 1
            if PLACE_OF[a[i, KIND]] > 0:
                found[7 + PLACE_OF[a[i, KIND]]] += 1
        lost_left = _traded(a, b, a[i, BEFORE], b[j, BEFORE])
        lost_right = _traded(a, b, a[i, AFTER], b[j, AFTER])
        found[13] += lost_left
        found[14] += lost_right
        found[15] += lost_left and lost_right
        p, q = a[i, OPENED_BY], b[j, OPENED_BY]
        if p >= 0 or q >= 0:
            with_preposition += 1
            same = p >= 0 and q >= 0 and a[p, LEMMA] == b[q, LEMMA]
            found[6] += same
            found[7] += not same
            found[24] += p >= 0 and q >= 0 and not same
        context = 0.25 * (int(left) + int(right) + int(left_content) + int(right_content))
        least = min(least, context)
        found[23] += context
        found[26] += _kept(a, a[i, VERB_BEFORE], b[j, VERB_BEFORE])
        found[25] += _kept(a, a[i, VERB_AFTER], b[j, VERB_AFTER])
    found[5], found[22] = found[4], least
    found[6] = found[6] / with_preposition if with_preposition > 0 else 1.0
    for place in (0, 1, 2, 3, 4, 13, 14, 15, 23, 25, 26):
        lost = 4 <= place < 16
        found[place] = found[place] / count if count > 0 else 1.0 * (not lost)


@kernel(nogil=True)
def _kept(a, neighbour, other):
    """Whether two neighbours are aligned, or there is none on either side."""
    return other < 0 if neighbour < 0 else a[neighbour, PARTNER] == other and other >= 0


@kernel(nogil=True)
def _traded(a, b, neighbour, other):
    """Whether both neighbours are aligned, but with other words than each other."""
    if neighbour < 0 or other < 0 or a[neighbour, PARTNER] < 0 or b[other, PARTNER] < 0:
        return False
    return a[neighbour, PARTNER] != other


@kernel(nogil=True)
def _modifiers(words, others, found):
    """Count adjectives, nouns and numbers whose next noun is another on the other side."""
    m, n = len(words), len(others)
    for i in range(m - 1):
        k, kind, j = i + 1, words[i, KIND], words[i, PARTNER]
        if not _MODIFIERS >> kind & 1 or j < 0:
            continue
        if kind == ADJECTIVE:
            while k + 1 < m and (words[k, KIND] == ADJECTIVE or words[k, KIND] == OTHER):
                k += 1
        expected = words[k, PARTNER]
        if not NOMINAL >> words[k, KIND] & 1 or expected < 0:
            continue
        near = abs(expected - j) <= max(k - i, 2 + 2 * (kind != ADJECTIVE))
        if kind != ADJECTIVE:
            found[19 if kind == NUMBER else 18] += not near
            continue
        found[16] += not near
        found[27] += near
        if not near:
            z = j + 1
            while z < n and _BETWEEN >> others[z, KIND] & 1:
                z += 1
            found[17] += z < n and NOMINAL >> others[z, KIND] & 1


@kernel(nogil=True)
def _skips(a, b, found):
    """F1 of ordered pairs of content words that are next to each other, and of those that have fewer
    than three content words between.
    """
    places, ranks = np.empty(len(a), np.int64), np.empty(len(b), np.int64)
    mine = others = 0
    for i in range(len(a)):
        if a[i, KIND] >= CONTENT:
            places[mine] = i
            mine += 1
    for j in range(len(b)):
        ranks[j] = -1
        if b[j, KIND] >= CONTENT:
            ranks[j] = others
            others += 1
    for reach in range(1, 4, 2):
        shared = total = 0
        for x in range(mine):
            for y in range(max(0, x - reach), x):
                total += 1
                p, q = a[places[y], PARTNER], a[places[x], PARTNER]
                if p >= 0 and q >= 0 and ranks[p] >= 0 and ranks[q] >= 0:
                    shared += 1 <= ranks[q] - ranks[p] <= reach
        for y in range(others):
            total += min(reach, y)
        found[20 if reach == 1 else 21] = 2 * shared / total if total > 0 else 1.0
