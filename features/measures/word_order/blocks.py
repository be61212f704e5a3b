"""Which aligned words and blocks of words changed places, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from math import log1p

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order.kinds import (
    ADVERB,
    CONTENT,
    FIRST,
    KIND,
    LAST,
    MARK,
    NOMINAL,
    PARTNER,
    PLACE_OF,
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

UNCUT = (*NAMES[5:10], *NAMES[31:33])
"""Logarithms of counts, which are not cut."""


@kernel(nogil=True)
def describe(words_a, words_b, offsets_a, offsets_b, all_blocks, counts, found):
    """Fill in the values of :data:`NAMES`."""
    for p in range(len(counts)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        blocks = all_blocks[offsets_a[p] : offsets_a[p] + counts[p]]
        _words(a, len(b), found[p])
        _blocks(a, b, blocks, found[p])


@kernel(nogil=True)
def _words(a, n, found):
    """How the aligned content words are permuted."""
    m = len(a)
    places, weights = np.empty(m, np.int64), np.empty(m)
    k = 0
    for i in range(m):
        if a[i, PARTNER] >= 0 and a[i, KIND] >= CONTENT:
            places[k], weights[k] = i, 1.0
            k += 1
    if k == 0:
        found[28] = found[29] = found[30] = 1.0  # nothing to be elsewhere
        return
    targets = np.empty(k, np.int64)
    for x in range(k):
        targets[x] = a[places[x], PARTNER]
    _inversions(a, places, targets, found)
    kept = increasing(targets, weights)
    moved, least, furthest, first, first_name = k, targets[0], targets[0], -1, n
    for x in range(k):
        kind, target = a[places[x], KIND], targets[x]
        least, furthest = min(least, target), max(furthest, target)
        if NOMINAL >> kind & 1:  # whether the first name or noun is the first on both sides
            first = target if first < 0 else first
            first_name = min(first_name, target)
        if kept[x]:
            moved -= 1
            continue
        if kind == ADVERB:
            found[22] += 1
        elif PLACE_OF[kind] > 0:
            found[22 + PLACE_OF[kind]] += 1
        apart = abs(places[x] / m - target / n)
        found[19] = max(found[19], apart)
        found[20] += apart / k
    found[3], found[4] = moved / k, moved
    found[28] = targets[0] == least
    found[29] = targets[k - 1] == furthest
    found[30] = first < 0 or first == first_name


@kernel(nogil=True)
def _inversions(a, places, targets, found):
    k = len(targets)
    verbs = verbs_inverted = 0
    for x in range(k):
        if x > 0 and targets[x] < targets[x - 1]:
            found[1] += 1 / k
            found[2] += 1
        kind = a[places[x], KIND]
        for y in range(x):
            other = a[places[y], KIND]
            inverted = targets[y] > targets[x]
            if (kind == VERB) != (other == VERB):
                verbs += 1
                verbs_inverted += inverted
            if inverted:
                found[0] += 2 / max(1, k * (k - 1))
                found[31 if places[x] - places[y] <= 4 else 32] += 1
                if kind == other and PLACE_OF[kind] > 0:
                    found[4 + PLACE_OF[kind]] += 1
    found[10] = verbs_inverted / max(1, verbs)
    for place in range(5, 10):
        found[place] = log1p(found[place])
    found[31], found[32] = log1p(found[31]), log1p(found[32])


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
        found[18] = 1.0
        return
    targets, weights = np.empty(k, np.int64), np.empty(k)
    words = 0
    for x in range(k):
        targets[x], weights[x] = a[blocks[x, FIRST], PARTNER], 0.0
        for i in range(blocks[x, FIRST], blocks[x, LAST] + 1):
            weights[x] += 1.0 if a[i, KIND] >= CONTENT else 0.1
            words += 1
    kept = increasing(targets, weights)
    found[11], found[12] = k / words, k
    for x in range(k):
        size = int(weights[x] + 1e-9)
        i, j = blocks[x, FIRST], targets[x]
        found[18] = max(found[18], (blocks[x, LAST] - i + 1) / words)
        if kept[x] or size == 0:
            continue
        found[13] += 1
        found[14] += size == 1
        found[15] += size >= 3
        found[16] = max(found[16], size)
        found[17] = min(found[17], size) if found[17] > 0 else size
        opens_a = i == 0 or a[i, MARK] or a[i, KIND] == PREPOSITION
        opens_b = j == 0 or b[j, MARK] or b[j, KIND] == PREPOSITION
        found[21] += opens_a and opens_b
