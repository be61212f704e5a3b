"""Aligned words and blocks that changed places, and words that kept their neighbours."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from math import log1p

import numpy as np

from semaniacs.embeddings.compiled import kernel
from semaniacs.features.measures.word_order import kinds as at


@kernel(nogil=True)
def describe_moves(a, b, blocks, found):
    """Fill in which aligned words and blocks of words changed places."""
    _words(a, len(b), found)
    _blocks(a, b, blocks, found)


@kernel(nogil=True)
def _words(a, n, found):
    m = len(a)
    places, weights = np.empty(m, np.int64), np.empty(m)
    k = 0
    for i in range(m):
        if a[i, at.PARTNER] >= 0 and a[i, at.KIND] >= at.CONTENT:
            places[k], weights[k] = i, 1.0
            k += 1
    if k == 0:
        found[at.ORDER_FIRST_KEPT] = found[at.ORDER_LAST_KEPT] = found[at.ORDER_FIRST_NAME_KEPT] = (
            1.0  # nothing to be elsewhere
        )
        return
    targets = np.empty(k, np.int64)
    for x in range(k):
        targets[x] = a[places[x], at.PARTNER]
    _inversions(a, places, targets, found)
    kept = increasing(targets, weights)
    moved, least, furthest, first, first_name = k, targets[0], targets[0], -1, n
    for x in range(k):
        kind, target = a[places[x], at.KIND], targets[x]
        least, furthest = min(least, target), max(furthest, target)
        if at.NOMINAL >> kind & 1:  # whether the first name or noun is the first on both sides
            first = target if first < 0 else first
            first_name = min(first_name, target)
        if kept[x]:
            moved -= 1
            continue
        if kind == at.ADVERB:
            found[at.ORDER_MOVED_ADVERBS] += 1
        elif at.PLACE_OF[kind] > 0:
            found[at.ORDER_MOVED_NAMES - 1 + at.PLACE_OF[kind]] += 1
        apart = abs(places[x] / m - target / n)
        found[at.ORDER_FURTHEST] = max(found[at.ORDER_FURTHEST], apart)
        found[at.ORDER_MEAN_DISTANCE] += apart / k
    found[at.ORDER_MOVED_WORDS], found[at.ORDER_MOVED_COUNT] = moved / k, moved
    found[at.ORDER_FIRST_KEPT] = targets[0] == least
    found[at.ORDER_LAST_KEPT] = targets[k - 1] == furthest
    found[at.ORDER_FIRST_NAME_KEPT] = first < 0 or first == first_name


@kernel(nogil=True)
def _inversions(a, places, targets, found):
    k = len(targets)
    verbs = verbs_inverted = 0
    for x in range(k):
        if x > 0 and targets[x] < targets[x - 1]:
            found[at.ORDER_TURNS] += 1 / k
            found[at.ORDER_TURN_COUNT] += 1
        kind = a[places[x], at.KIND]
        for y in range(x):
            other = a[places[y], at.KIND]
            inverted = targets[y] > targets[x]
            if (kind == at.VERB) != (other == at.VERB):
                verbs += 1
                verbs_inverted += inverted
            if inverted:
                found[at.ORDER_INVERSIONS] += 2 / max(1, k * (k - 1))
                found[
                    at.ORDER_INVERTED_NEAR if places[x] - places[y] <= 4 else at.ORDER_INVERTED_FAR
                ] += 1
                if kind == other and at.PLACE_OF[kind] > 0:
                    found[at.ORDER_INVERTED_NAMES - 1 + at.PLACE_OF[kind]] += 1
    found[at.ORDER_CHANGED_SIDES] = verbs_inverted / max(1, verbs)
    for place in range(at.ORDER_INVERTED_NAMES, at.ORDER_INVERTED_FAR + 1):
        found[place] = log1p(found[place])


@kernel(nogil=True)
def increasing(targets, weights):
    """Which values belong to the heaviest increasing subsequence."""
    k = len(targets)
    best, previous, kept = np.empty(k), np.empty(k, np.int64), np.empty(k, np.bool_)
    last = -1
    for x in range(k):
        best[x], previous[x], kept[x] = weights[x], -1, False
        for y in range(x):
            if targets[y] < targets[x] and best[y] + weights[x] > best[x]:
                best[x], previous[x] = best[y] + weights[x], y
        if last < 0 or best[x] > best[last]:
            last = x
    while last >= 0:
        kept[last] = True
        last = previous[last]
    return kept


@kernel(nogil=True)
def _blocks(a, b, blocks, found):
    k = len(blocks)
    if k <= 1:
        found[at.ORDER_LARGEST_BLOCK] = 1.0
        return
    targets, weights = np.empty(k, np.int64), np.empty(k)
    words = 0
    for x in range(k):
        targets[x], weights[x] = a[blocks[x, at.FIRST], at.PARTNER], 0.0
        for i in range(blocks[x, at.FIRST], blocks[x, at.LAST] + 1):
            weights[x] += 1.0 if a[i, at.KIND] >= at.CONTENT else 0.1
            words += 1
    kept = increasing(targets, weights)
    found[at.ORDER_BLOCKS], found[at.ORDER_BLOCK_COUNT] = k / words, k
    for x in range(k):
        size = int(weights[x] + 1e-9)
        i, j = blocks[x, at.FIRST], targets[x]
        found[at.ORDER_LARGEST_BLOCK] = max(
            found[at.ORDER_LARGEST_BLOCK], (blocks[x, at.LAST] - i + 1) / words
        )
        if kept[x] or size == 0:
            continue
        found[at.ORDER_MOVED_BLOCKS] += 1
        found[at.ORDER_MOVED_SINGLE] += size == 1
        found[at.ORDER_MOVED_CLAUSES] += size >= 3
        found[at.ORDER_LARGEST_MOVED] = max(found[at.ORDER_LARGEST_MOVED], size)
        found[at.ORDER_SMALLEST_MOVED] = (
            min(found[at.ORDER_SMALLEST_MOVED], size)
            if found[at.ORDER_SMALLEST_MOVED] > 0
            else size
        )
        opens_a = i == 0 or a[i, at.MARK] or a[i, at.KIND] == at.PREPOSITION
        opens_b = j == 0 or b[j, at.MARK] or b[j, at.KIND] == at.PREPOSITION
        found[at.ORDER_MOVED_AT_MARK] += opens_a and opens_b


_MODIFIERS = at.NOMINAL | 1 << at.ADJECTIVE | 1 << at.NUMBER
_KEPT = (
    at.KEPT_LEFT, at.KEPT_RIGHT, at.KEPT_LEFT_CONTENT, at.KEPT_RIGHT_CONTENT,
    at.KEPT_MEAN_CONTEXT, at.KEPT_VERB_AFTER, at.KEPT_VERB_BEFORE,
)  # fmt: skip
_LOST = at.KEPT_NEITHER, at.TRADED_LEFT, at.TRADED_RIGHT, at.TRADED_BOTH
_BETWEEN = 1 << at.ADJECTIVE | 1 << at.ADVERB | 1 << at.OTHER


@kernel(nogil=True)
def describe_context(a, b, found):
    """Fill in which aligned words kept their neighbours."""
    _neighbours(a, b, found)
    _modifiers(a, b, found)
    _modifiers(b, a, found)
    for place in range(at.ADJECTIVE_NOUN_LOST, at.NUMBER_NOUN_LOST + 1):
        found[place] /= 2
    found[at.ADJECTIVE_NOUN_KEPT] /= 2
    _skips(a, b, found)


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
        found[at.KEPT_LEFT] += left
        found[at.KEPT_RIGHT] += right
        found[at.KEPT_LEFT_CONTENT] += left_content
        found[at.KEPT_RIGHT_CONTENT] += right_content
        if not (left_content or right_content):
            found[at.KEPT_NEITHER] += 1
            if at.PLACE_OF[a[i, at.KIND]] > 0:
                found[at.KEPT_NEITHER_NAMES - 1 + at.PLACE_OF[a[i, at.KIND]]] += 1
        lost_left = _traded(a, b, a[i, at.BEFORE], b[j, at.BEFORE])
        lost_right = _traded(a, b, a[i, at.AFTER], b[j, at.AFTER])
        found[at.TRADED_LEFT] += lost_left
        found[at.TRADED_RIGHT] += lost_right
        found[at.TRADED_BOTH] += lost_left and lost_right
        p, q = a[i, at.OPENED_BY], b[j, at.OPENED_BY]
        if p >= 0 or q >= 0:
            with_preposition += 1
            same = p >= 0 and q >= 0 and a[p, at.LEMMA] == b[q, at.LEMMA]
            found[at.KEPT_PREPOSITION] += same
            found[at.KEPT_PREPOSITION_COUNT] += not same
            found[at.PREPOSITION_TRADED] += p >= 0 and q >= 0 and not same
        context = 0.25 * (int(left) + int(right) + int(left_content) + int(right_content))
        least = min(least, context)
        found[at.KEPT_MEAN_CONTEXT] += context
        found[at.KEPT_VERB_BEFORE] += _kept(a, a[i, at.VERB_BEFORE], b[j, at.VERB_BEFORE])
        found[at.KEPT_VERB_AFTER] += _kept(a, a[i, at.VERB_AFTER], b[j, at.VERB_AFTER])
    found[at.KEPT_LEAST_CONTEXT] = least
    found[at.KEPT_PREPOSITION] = (
        found[at.KEPT_PREPOSITION] / with_preposition if with_preposition > 0 else 1.0
    )
    for place in _KEPT:
        found[place] = found[place] / count if count > 0 else 1.0
    for place in _LOST:
        found[place] /= max(1, count)


@kernel(nogil=True)
def _kept(a, neighbour, other):
    return other < 0 if neighbour < 0 else a[neighbour, at.PARTNER] == other and other >= 0


@kernel(nogil=True)
def _traded(a, b, neighbour, other):
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
            found[at.NUMBER_NOUN_LOST if kind == at.NUMBER else at.NOUN_NOUN_LOST] += not near
            continue
        found[at.ADJECTIVE_NOUN_LOST] += not near
        found[at.ADJECTIVE_NOUN_KEPT] += near
        if not near:
            z = j + 1
            while z < n and _BETWEEN >> others[z, at.KIND] & 1:
                z += 1
            found[at.ADJECTIVE_NOUN_TRADED] += z < n and at.NOMINAL >> others[z, at.KIND] & 1


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
        found[at.CONTENT_PAIRS_KEPT if reach == 1 else at.CONTENT_SKIPS_KEPT] = (
            2 * shared / total if total > 0 else 1.0
        )
