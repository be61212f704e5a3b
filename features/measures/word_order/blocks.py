"""Which aligned words and blocks of words changed places, in numbers."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from math import log1p

import numpy as np

from embeddings.compiled.kernel import kernel
from features.measures.word_order import kinds as at

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

(
    INVERSIONS, TURNS, TURN_COUNT, MOVED_WORDS, MOVED_COUNT, INVERTED_NAMES, INVERTED_NOUNS,
    INVERTED_ADJECTIVES, INVERTED_VERBS, INVERTED_NUMBERS, CHANGED_SIDES, BLOCKS, BLOCK_COUNT,
    MOVED_BLOCKS, MOVED_SINGLE, MOVED_CLAUSES, LARGEST_MOVED, SMALLEST_MOVED, LARGEST_BLOCK,
    FURTHEST, MEAN_DISTANCE, MOVED_AT_MARK, MOVED_ADVERBS, MOVED_NAMES, MOVED_NOUNS,
    MOVED_ADJECTIVES, MOVED_VERBS, MOVED_NUMBERS, FIRST_KEPT, LAST_KEPT, FIRST_NAME_KEPT,
    INVERTED_NEAR, INVERTED_FAR,
) = range(len(NAMES))  # fmt: skip

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
        if a[i, at.PARTNER] >= 0 and a[i, at.KIND] >= at.CONTENT:
            places[k], weights[k] = i, 1.0
            k += 1
    if k == 0:
        found[FIRST_KEPT] = found[LAST_KEPT] = found[FIRST_NAME_KEPT] = (
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
            found[MOVED_ADVERBS] += 1
        elif at.PLACE_OF[kind] > 0:
            found[MOVED_NAMES - 1 + at.PLACE_OF[kind]] += 1
        apart = abs(places[x] / m - target / n)
        found[FURTHEST] = max(found[FURTHEST], apart)
        found[MEAN_DISTANCE] += apart / k
    found[MOVED_WORDS], found[MOVED_COUNT] = moved / k, moved
    found[FIRST_KEPT] = targets[0] == least
    found[LAST_KEPT] = targets[k - 1] == furthest
    found[FIRST_NAME_KEPT] = first < 0 or first == first_name


@kernel(nogil=True)
def _inversions(a, places, targets, found):
    k = len(targets)
    verbs = verbs_inverted = 0
    for x in range(k):
        if x > 0 and targets[x] < targets[x - 1]:
            found[TURNS] += 1 / k
            found[TURN_COUNT] += 1
        kind = a[places[x], at.KIND]
        for y in range(x):
            other = a[places[y], at.KIND]
            inverted = targets[y] > targets[x]
            if (kind == at.VERB) != (other == at.VERB):
                verbs += 1
                verbs_inverted += inverted
            if inverted:
                found[INVERSIONS] += 2 / max(1, k * (k - 1))
                found[INVERTED_NEAR if places[x] - places[y] <= 4 else INVERTED_FAR] += 1
                if kind == other and at.PLACE_OF[kind] > 0:
                    found[INVERTED_NAMES - 1 + at.PLACE_OF[kind]] += 1
    found[CHANGED_SIDES] = verbs_inverted / max(1, verbs)
    for place in range(INVERTED_NAMES, INVERTED_NUMBERS + 1):
        found[place] = log1p(found[place])
    found[INVERTED_NEAR], found[INVERTED_FAR] = (
        log1p(found[INVERTED_NEAR]),
        log1p(found[INVERTED_FAR]),
    )


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
        found[LARGEST_BLOCK] = 1.0
        return
    targets, weights = np.empty(k, np.int64), np.empty(k)
    words = 0
    for x in range(k):
        targets[x], weights[x] = a[blocks[x, at.FIRST], at.PARTNER], 0.0
        for i in range(blocks[x, at.FIRST], blocks[x, at.LAST] + 1):
            weights[x] += 1.0 if a[i, at.KIND] >= at.CONTENT else 0.1
            words += 1
    kept = increasing(targets, weights)
    found[BLOCKS], found[BLOCK_COUNT] = k / words, k
    for x in range(k):
        size = int(weights[x] + 1e-9)
        i, j = blocks[x, at.FIRST], targets[x]
        found[LARGEST_BLOCK] = max(found[LARGEST_BLOCK], (blocks[x, at.LAST] - i + 1) / words)
        if kept[x] or size == 0:
            continue
        found[MOVED_BLOCKS] += 1
        found[MOVED_SINGLE] += size == 1
        found[MOVED_CLAUSES] += size >= 3
        found[LARGEST_MOVED] = max(found[LARGEST_MOVED], size)
        found[SMALLEST_MOVED] = (
            min(found[SMALLEST_MOVED], size) if found[SMALLEST_MOVED] > 0 else size
        )
        opens_a = i == 0 or a[i, at.MARK] or a[i, at.KIND] == at.PREPOSITION
        opens_b = j == 0 or b[j, at.MARK] or b[j, at.KIND] == at.PREPOSITION
        found[MOVED_AT_MARK] += opens_a and opens_b
