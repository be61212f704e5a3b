"""Which aligned words kept their neighbours, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.compiling import njit
from features.measures.word_order.kinds import (
    ADJECTIVE,
    ADVERB,
    CONTENT,
    DETERMINER,
    NAME,
    NOUN,
    NUMBER,
    OTHER,
    POSSESSIVE,
    PREPOSITION,
    VERB,
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

MOST = 10.0

_NEITHER = ((8, NAME), (9, NOUN), (10, ADJECTIVE), (11, VERB), (12, NUMBER))


@njit(nogil=True)
def describe(partner, back, words_a, words_b, kinds_a, kinds_b, found):
    """Fill in the values of :data:`NAMES`."""
    m, n = len(partner), len(back)
    before_a, after_a = content_around(kinds_a)
    before_b, after_b = content_around(kinds_b)
    prepositions_a = preposition_before(kinds_a)
    prepositions_b = preposition_before(kinds_b)
    count = with_preposition = 0
    least = 1.0
    for i in range(m):
        j = partner[i]
        if j < 0 or kinds_a[i] < CONTENT:
            continue
        count += 1
        left = partner[i - 1] == j - 1 if i > 0 and j > 0 else i == j == 0
        right = partner[i + 1] == j + 1 if i + 1 < m and j + 1 < n else m - i == n - j == 1
        left_content = _kept(partner, before_a[i], before_b[j])
        right_content = _kept(partner, after_a[i], after_b[j])
        found[0] += left
        found[1] += right
        found[2] += left_content
        found[3] += right_content
        if not (left_content or right_content):
            found[4] += 1
            for place, kind in _NEITHER:
                found[place] = min(MOST, found[place] + (kinds_a[i] == kind))
        lost_left = _traded(partner, back, before_a[i], before_b[j])
        lost_right = _traded(partner, back, after_a[i], after_b[j])
        found[13] += lost_left
        found[14] += lost_right
        found[15] += lost_left and lost_right
        p, q = prepositions_a[i], prepositions_b[j]
        if p >= 0 or q >= 0:
            with_preposition += 1
            same = p >= 0 and q >= 0 and words_a[p] == words_b[q]
            found[6] += same
            found[7] += not same
            found[24] += p >= 0 and q >= 0 and not same
        context = 0.25 * (left + right + left_content + right_content)
        least = min(least, context)
        found[23] += context
        v, w = _nearest(kinds_a, i, VERB, -1), _nearest(kinds_b, j, VERB, -1)
        found[26] += _kept(partner, v, w)
        v, w = _nearest(kinds_a, i, VERB, 1), _nearest(kinds_b, j, VERB, 1)
        found[25] += _kept(partner, v, w)
    found[5] = min(MOST, found[4])
    found[22] = least
    found[6] = found[6] / with_preposition if with_preposition > 0 else 1.0
    found[7], found[24] = min(MOST, found[7]), min(MOST, found[24])
    for place in (0, 1, 2, 3, 4, 13, 14, 15, 23, 25, 26):
        found[place] = found[place] / count if count > 0 else 1.0 * (place not in (4, 13, 14, 15))
    _modifiers(partner, kinds_a, kinds_b, found)
    _modifiers(back, kinds_b, kinds_a, found)
    for place in (16, 17, 18, 19, 27):
        found[place] = min(MOST, found[place] / 2)
    found[20] = _skips(partner, kinds_a, kinds_b, 1)
    found[21] = _skips(partner, kinds_a, kinds_b, 3)


@njit(nogil=True)
def _kept(partner, neighbour, other):
    """Whether two neighbours are aligned, or there is none on either side."""
    return other < 0 if neighbour < 0 else partner[neighbour] == other and other >= 0


@njit(nogil=True)
def _traded(partner, back, neighbour, other):
    """Whether both neighbours are aligned, but with other words than each other."""
    if neighbour < 0 or other < 0 or partner[neighbour] < 0 or back[other] < 0:
        return False
    return partner[neighbour] != other


@njit(nogil=True)
def content_around(kinds):
    """(m,) the nearest content word before and after each place; −1 for none."""
    m = len(kinds)
    before, after = np.full(m, -1), np.full(m, -1)
    last = -1
    for i in range(m):
        before[i] = last
        last = i if kinds[i] >= CONTENT else last
    last = -1
    for i in range(m - 1, -1, -1):
        after[i] = last
        last = i if kinds[i] >= CONTENT else last
    return before, after


@njit(nogil=True)
def preposition_before(kinds):
    """(m,) the preposition that opens the phrase of each place; −1 for none."""
    m = len(kinds)
    found = np.full(m, -1)
    current = -1
    for i in range(m):
        kind = kinds[i]
        if kind in (PREPOSITION, POSSESSIVE):
            current = i
        elif kind == DETERMINER:  # behind a content word it begins another phrase
            current = -1 if i > 0 and kinds[i - 1] >= CONTENT else current
        elif kind < CONTENT or kind == VERB:
            current = -1
        found[i] = current
    return found


@njit(nogil=True)
def _nearest(kinds, i, kind, step):
    k = i + step
    while 0 <= k < len(kinds):
        if kinds[k] == kind:
            return k
        k += step
    return -1


@njit(nogil=True)
def _modifiers(partner, kinds, others, found):
    """Count adjectives, nouns and numbers whose next noun is another on the other side."""
    n = len(others)
    for i in range(len(kinds) - 1):
        k, kind = i + 1, kinds[i]
        if kind not in (ADJECTIVE, NOUN, NAME, NUMBER) or partner[i] < 0:
            continue
        while kind == ADJECTIVE and k + 1 < len(kinds) and kinds[k] in (ADJECTIVE, OTHER):
            k += 1
        if kinds[k] not in (NOUN, NAME) or partner[k] < 0:
            continue
        j, expected = partner[i], partner[k]
        near = abs(expected - j) <= max(k - i, 2 + 2 * (kind != ADJECTIVE))
        row = 16 if kind == ADJECTIVE else 19 if kind == NUMBER else 18
        found[row] += not near
        found[27] += kind == ADJECTIVE and near
        if kind == ADJECTIVE and not near:
            z = j + 1
            while z < n and others[z] in (ADJECTIVE, ADVERB, OTHER):
                z += 1
            found[17] += z < n and others[z] in (NOUN, NAME)


@njit(nogil=True)
def _skips(partner, kinds_a, kinds_b, reach):
    """F1 of ordered pairs of content words with fewer than ``reach`` content words between."""
    a = np.array([i for i in range(len(kinds_a)) if kinds_a[i] >= CONTENT])
    b = np.array([j for j in range(len(kinds_b)) if kinds_b[j] >= CONTENT])
    rank = np.full(len(kinds_b), -1)
    for y in range(len(b)):
        rank[b[y]] = y
    shared = total = 0
    for x in range(len(a)):
        for y in range(max(0, x - reach), x):
            total += 1
            p, q = partner[a[y]], partner[a[x]]
            if p >= 0 and q >= 0 and rank[p] >= 0 and rank[q] >= 0:
                shared += 1 <= rank[q] - rank[p] <= reach
    for y in range(len(b)):
        total += min(reach, y)
    return 2 * shared / total if total > 0 else 1.0
