"""Which aligned words and blocks of words changed places, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from embeddings.compiled.compiling import njit
from features.measures.word_order.kinds import (
    ADJECTIVE,
    ADVERB,
    CONTENT,
    NAME,
    NOUN,
    NUMBER,
    PREPOSITION,
    VERB,
)

NAMES = (
    "order_inversions", "order_turns", "order_turn_count", "order_moved_words",
    "order_moved_count", "order_inverted_names", "order_inverted_nouns",
    "order_inverted_adjectives", "order_inverted_verbs", "order_inverted_numbers",
    "order_changed_sides", "order_blocks", "order_block_count", "order_moved_blocks",
    "order_moved_single", "order_moved_clauses", "order_largest_moved", "order_smallest_moved",
    "order_largest_block", "order_furthest", "order_mean_distance", "order_moved_at_mark",
    "order_moved_adverbs", "order_moved_names", "order_moved_nouns", "order_moved_adjectives",
    "order_moved_verbs", "order_moved_numbers", "order_first_kept", "order_last_kept",
    "order_first_name_kept", "order_inverted_near", "order_inverted_far",
)  # fmt: skip

MOST = 10.0
"""Counts are cut here."""

_SAME = ((5, NAME), (6, NOUN), (7, ADJECTIVE), (8, VERB), (9, NUMBER))
_MOVED = ((22, ADVERB), (23, NAME), (24, NOUN), (25, ADJECTIVE), (26, VERB), (27, NUMBER))


@njit(nogil=True)
def describe(partner, back, kinds_a, kinds_b, marks_a, marks_b, found):
    """Fill in the values of :data:`NAMES`."""
    m, n = len(partner), len(back)
    places = np.array([i for i in range(m) if partner[i] >= 0 and kinds_a[i] >= CONTENT])
    targets = partner[places]
    k = len(places)
    if k > 0:
        _inversions(places, targets, kinds_a, found)
        kept = increasing(targets, np.ones(k))
        moved = k - kept.sum()
        found[3], found[4] = moved / k, min(MOST, moved)
        for place, kind in _MOVED:
            for x in range(k):
                found[place] += not kept[x] and kinds_a[places[x]] == kind
            found[place] = min(MOST, found[place])
        found[28] = targets[0] == targets.min()
        found[29] = targets[k - 1] == targets.max()
        _first_name(places, targets, kinds_a, found)
        for x in range(k):
            if not kept[x]:
                apart = abs(places[x] / m - targets[x] / n)
                found[19] = max(found[19], apart)
                found[20] += apart / k
    else:
        found[28] = found[29] = found[30] = 1.0  # nothing to be elsewhere
    _blocks(partner, kinds_a, kinds_b, marks_a, marks_b, found)


@njit(nogil=True)
def _inversions(places, targets, kinds, found):
    k = len(places)
    verbs = verbs_inverted = 0
    for x in range(k):
        if x > 0 and targets[x] < targets[x - 1]:
            found[1] += 1 / k
            found[2] = min(MOST, found[2] + 1)
        for y in range(x):
            inverted = targets[y] > targets[x]
            kind, other = kinds[places[x]], kinds[places[y]]
            found[0] += inverted * 2 / max(1, k * (k - 1))
            near = places[x] - places[y] <= 4
            found[31] += inverted and near
            found[32] += inverted and not near
            for place, of_kind in _SAME:
                found[place] += inverted and kind == other == of_kind
            if (kind == VERB) != (other == VERB):
                verbs += 1
                verbs_inverted += inverted
    found[10] = verbs_inverted / max(1, verbs)
    for place in (5, 6, 7, 8, 9, 31, 32):
        found[place] = np.log1p(found[place])


@njit(nogil=True)
def _first_name(places, targets, kinds, found):
    """Whether the first aligned name or noun is the first on both sides."""
    least, first = 1 << 30, -1
    for x in range(len(places)):
        if kinds[places[x]] in (NAME, NOUN):
            first = targets[x] if first < 0 else first
            least = min(least, targets[x])
    found[30] = first < 0 or first == least


@njit(nogil=True)
def increasing(targets, weights):
    """Which values belong to the heaviest increasing subsequence."""
    k = len(targets)
    best, previous = weights.copy(), np.full(k, -1)
    for x in range(k):
        for y in range(x):
            if targets[y] < targets[x] and best[y] + weights[x] > best[x]:
                best[x], previous[x] = best[y] + weights[x], y
    kept = np.zeros(k, np.bool_)
    x = int(np.argmax(best)) if k > 0 else -1
    while x >= 0:
        kept[x] = True
        x = previous[x]
    return kept


@njit(nogil=True)
def blocks_of(partner):
    """(blocks, 2) first and last place of each run that is adjacent on both sides."""
    begins, ends = [0 for _ in range(0)], [0 for _ in range(0)]
    for i in range(len(partner)):
        if partner[i] < 0:
            continue
        if i > 0 and partner[i - 1] >= 0 and partner[i] == partner[i - 1] + 1:
            ends[-1] = i
        else:
            begins.append(i)
            ends.append(i)
    found = np.zeros((len(begins), 2), np.int64)
    for x in range(len(begins)):
        found[x, 0], found[x, 1] = begins[x], ends[x]
    return found


@njit(nogil=True)
def _blocks(partner, kinds_a, kinds_b, marks_a, marks_b, found):
    blocks = blocks_of(partner)
    k = len(blocks)
    if k <= 1:
        found[18] = 1.0
        return
    targets = partner[blocks[:, 0]]
    weights = np.zeros(k)
    for x in range(k):
        for i in range(blocks[x, 0], blocks[x, 1] + 1):
            weights[x] += 1.0 if kinds_a[i] >= CONTENT else 0.1
    kept = increasing(targets, weights)
    words = (partner >= 0).sum()
    found[11], found[12] = k / words, min(MOST, k)
    for x in range(k):
        size = np.floor(weights[x] + 1e-9)
        found[18] = max(found[18], (blocks[x, 1] - blocks[x, 0] + 1) / words)
        if kept[x] or size == 0:
            continue
        found[13] = min(MOST, found[13] + 1)
        found[14] = min(MOST, found[14] + (size == 1))
        found[15] = min(MOST, found[15] + (size >= 3))
        found[16] = max(found[16], min(MOST, size))
        found[17] = min(found[17], size) if found[17] > 0 else min(MOST, size)
        i, j = blocks[x, 0], targets[x]
        opens_a = i == 0 or marks_a[i] or kinds_a[i] == PREPOSITION
        opens_b = j == 0 or marks_b[j] or kinds_b[j] == PREPOSITION
        found[21] = min(MOST, found[21] + (opens_a and opens_b))
