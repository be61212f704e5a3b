"""Which aligned words kept their neighbours, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order import kinds as at

NAMES = (
    "kept_left", "kept_right", "kept_left_content", "kept_right_content", "kept_neither",
    "kept_neither_count", "kept_preposition", "kept_preposition_count", "kept_neither_names",
    "kept_neither_nouns", "kept_neither_adjectives", "kept_neither_verbs",
    "kept_neither_numbers", "traded_left", "traded_right", "traded_both",
    "adjective_noun_lost", "adjective_noun_traded", "noun_noun_lost", "number_noun_lost",
    "content_pairs_kept", "content_skips_kept", "kept_least_context", "kept_mean_context",
    "preposition_traded", "kept_verb_after", "kept_verb_before", "adjective_noun_kept",
)  # fmt: skip

(
    KEPT_LEFT, KEPT_RIGHT, KEPT_LEFT_CONTENT, KEPT_RIGHT_CONTENT, KEPT_NEITHER,
    KEPT_NEITHER_COUNT, KEPT_PREPOSITION, KEPT_PREPOSITION_COUNT, KEPT_NEITHER_NAMES,
    KEPT_NEITHER_NOUNS, KEPT_NEITHER_ADJECTIVES, KEPT_NEITHER_VERBS, KEPT_NEITHER_NUMBERS,
    TRADED_LEFT, TRADED_RIGHT, TRADED_BOTH, ADJECTIVE_NOUN_LOST, ADJECTIVE_NOUN_TRADED,
    NOUN_NOUN_LOST, NUMBER_NOUN_LOST, CONTENT_PAIRS_KEPT, CONTENT_SKIPS_KEPT, KEPT_LEAST_CONTEXT,
    KEPT_MEAN_CONTEXT, PREPOSITION_TRADED, KEPT_VERB_AFTER, KEPT_VERB_BEFORE, ADJECTIVE_NOUN_KEPT,
) = range(len(NAMES))  # fmt: skip

_MODIFIERS = at.NOMINAL | 1 << at.ADJECTIVE | 1 << at.NUMBER
_BETWEEN = 1 << at.ADJECTIVE | 1 << at.ADVERB | 1 << at.OTHER


@kernel(nogil=True)
def describe(words_a, words_b, offsets_a, offsets_b, found):
    """Fill in the values of :data:`NAMES`."""
    for p in range(len(found)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        _neighbours(a, b, found[p])
        _modifiers(a, b, found[p])
        _modifiers(b, a, found[p])
        for place in range(ADJECTIVE_NOUN_LOST, NUMBER_NOUN_LOST + 1):
            found[p, place] /= 2
        found[p, ADJECTIVE_NOUN_KEPT] /= 2
        _skips(a, b, found[p])


@kernel(nogil=True)
def _neighbours(a, b, found):
    m, n = len(a), len(b)
    count = with_preposition = 0
    least = 1.0
    for i in range(m):
        j = a[i, at.PARTNER]
        if j < 0 or a[i, at.KIND] < at.CONTENT:
            continue
        count += 1
        left = a[i - 1, at.PARTNER] == j - 1 if i > 0 and j > 0 else i == j == 0
        right = a[i + 1, at.PARTNER] == j + 1 if i + 1 < m and j + 1 < n else m - i == n - j == 1
        left_content = _kept(a, a[i, at.BEFORE], b[j, at.BEFORE])
        right_content = _kept(a, a[i, at.AFTER], b[j, at.AFTER])
        found[KEPT_LEFT] += left
        found[KEPT_RIGHT] += right
        found[KEPT_LEFT_CONTENT] += left_content
        found[KEPT_RIGHT_CONTENT] += right_content
        if not (left_content or right_content):
            found[KEPT_NEITHER] += 1
            if at.PLACE_OF[a[i, at.KIND]] > 0:
                found[KEPT_NEITHER_NAMES - 1 + at.PLACE_OF[a[i, at.KIND]]] += 1
        lost_left = _traded(a, b, a[i, at.BEFORE], b[j, at.BEFORE])
        lost_right = _traded(a, b, a[i, at.AFTER], b[j, at.AFTER])
        found[TRADED_LEFT] += lost_left
        found[TRADED_RIGHT] += lost_right
        found[TRADED_BOTH] += lost_left and lost_right
        p, q = a[i, at.OPENED_BY], b[j, at.OPENED_BY]
        if p >= 0 or q >= 0:
            with_preposition += 1
            same = p >= 0 and q >= 0 and a[p, at.LEMMA] == b[q, at.LEMMA]
            found[KEPT_PREPOSITION] += same
            found[KEPT_PREPOSITION_COUNT] += not same
            found[PREPOSITION_TRADED] += p >= 0 and q >= 0 and not same
        context = 0.25 * (int(left) + int(right) + int(left_content) + int(right_content))
        least = min(least, context)
        found[KEPT_MEAN_CONTEXT] += context
        found[KEPT_VERB_BEFORE] += _kept(a, a[i, at.VERB_BEFORE], b[j, at.VERB_BEFORE])
        found[KEPT_VERB_AFTER] += _kept(a, a[i, at.VERB_AFTER], b[j, at.VERB_AFTER])
    found[KEPT_NEITHER_COUNT], found[KEPT_LEAST_CONTEXT] = found[KEPT_NEITHER], least
    found[KEPT_PREPOSITION] = (
        found[KEPT_PREPOSITION] / with_preposition if with_preposition > 0 else 1.0
    )
    for place in (
        KEPT_LEFT,
        KEPT_RIGHT,
        KEPT_LEFT_CONTENT,
        KEPT_RIGHT_CONTENT,
        KEPT_NEITHER,
        TRADED_LEFT,
        TRADED_RIGHT,
        TRADED_BOTH,
        KEPT_MEAN_CONTEXT,
        KEPT_VERB_AFTER,
        KEPT_VERB_BEFORE,
    ):
        lost = KEPT_NEITHER <= place < ADJECTIVE_NOUN_LOST
        found[place] = found[place] / count if count > 0 else 1.0 * (not lost)


@kernel(nogil=True)
def _kept(a, neighbour, other):
    """Whether two neighbours are aligned, or there is none on either side."""
    return other < 0 if neighbour < 0 else a[neighbour, at.PARTNER] == other and other >= 0


@kernel(nogil=True)
def _traded(a, b, neighbour, other):
    """Whether both neighbours are aligned, but with other words than each other."""
    if neighbour < 0 or other < 0 or a[neighbour, at.PARTNER] < 0 or b[other, at.PARTNER] < 0:
        return False
    return a[neighbour, at.PARTNER] != other


@kernel(nogil=True)
def _modifiers(words, others, found):
    """Count adjectives, nouns and numbers whose next noun is another on the other side."""
    m, n = len(words), len(others)
    for i in range(m - 1):
        k, kind, j = i + 1, words[i, at.KIND], words[i, at.PARTNER]
        if not _MODIFIERS >> kind & 1 or j < 0:
            continue
        if kind == at.ADJECTIVE:
            while k + 1 < m and (
                words[k, at.KIND] == at.ADJECTIVE or words[k, at.KIND] == at.OTHER
            ):
                k += 1
        expected = words[k, at.PARTNER]
        if not at.NOMINAL >> words[k, at.KIND] & 1 or expected < 0:
            continue
        near = abs(expected - j) <= max(k - i, 2 + 2 * (kind != at.ADJECTIVE))
        if kind != at.ADJECTIVE:
            found[NUMBER_NOUN_LOST if kind == at.NUMBER else NOUN_NOUN_LOST] += not near
            continue
        found[ADJECTIVE_NOUN_LOST] += not near
        found[ADJECTIVE_NOUN_KEPT] += near
        if not near:
            z = j + 1
            while z < n and _BETWEEN >> others[z, at.KIND] & 1:
                z += 1
            found[ADJECTIVE_NOUN_TRADED] += z < n and at.NOMINAL >> others[z, at.KIND] & 1


@kernel(nogil=True)
def _skips(a, b, found):
    """F1 of ordered pairs of content words that are next to each other, and of those that have fewer
    than three content words between.
    """
    places, ranks = np.empty(len(a), np.int64), np.empty(len(b), np.int64)
    mine = others = 0
    for i in range(len(a)):
        if a[i, at.KIND] >= at.CONTENT:
            places[mine] = i
            mine += 1
    for j in range(len(b)):
        ranks[j] = -1
        if b[j, at.KIND] >= at.CONTENT:
            ranks[j] = others
            others += 1
    for reach in range(1, 4, 2):
        shared = total = 0
        for x in range(mine):
            for y in range(max(0, x - reach), x):
                total += 1
                p, q = a[places[y], at.PARTNER], a[places[x], at.PARTNER]
                if p >= 0 and q >= 0 and ranks[p] >= 0 and ranks[q] >= 0:
                    shared += 1 <= ranks[q] - ranks[p] <= reach
        for y in range(others):
            total += min(reach, y)
        found[CONTENT_PAIRS_KEPT if reach == 1 else CONTENT_SKIPS_KEPT] = (
            2 * shared / total if total > 0 else 1.0
        )
