"""The words of two sentences aligned, longest common blocks first."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import numpy as np

from semaniacs.embeddings.compiled import kernel
from semaniacs.features.measures.word_order import kinds as at

CLOSEST = 0.45  # cosine from which two different words can be aligned

SAME_LEMMA = 0.9  # similarity of two forms of one word

OTHER_WORD = 0.85  # similarity of two words of cosine 1

WINDOW = 3  # neighbours on each side that decide between equals

BY_CONTENT, BY_PLACE = 0.5, 0.4  # worth of a content word in a run, cost of places far apart


@kernel(nogil=True)
def align_words(
    words_a,
    words_b,
    offsets_a,
    offsets_b,
    turned,
    cosines,
    starts,
    similar,
    blocks,
    counts,
    longest,
):
    """Align the words of every pair.

    Args:
        words_a, words_b: what is known of the words of both sides, pair after pair, see
            :mod:`.kinds`; partners and blocks are filled in.
        offsets_a, offsets_b: (n + 1,) where those of each pair begin.
        turned: (n,) whether the cosines of a pair are those of (right words, left words).
        cosines: of all words of each pair, row by row; starts: (n,) where each pair's begin.
        similar: as cosines, (left words, right words), filled in: 1 for equal words, ``SAME_LEMMA``
            for equal lemmas, ``OTHER_WORD`` · the cosine of others if near enough.
        blocks: (words_a, 4) filled in from each pair's first left word on; counts: (n,) how many.
        longest: (n,) words of the longest common run, filled in.
    """
    for p in range(len(starts)):
        a = words_a[offsets_a[p] : offsets_a[p + 1]]
        b = words_b[offsets_b[p] : offsets_b[p + 1]]
        alike = similar[starts[p] : starts[p] + len(a) * len(b)]
        _compare(a, b, turned[p], cosines[starts[p] : starts[p] + len(alike)], alike)
        longest[p] = _align_runs(
            alike >= SAME_LEMMA,
            a[:, at.KIND] >= at.CONTENT,
            a[:, at.PARTNER],
            b[:, at.PARTNER],
        )
        _align_content(a, b, alike)
        _align_small(a, b, alike)
        counts[p] = _find_blocks(a, b, blocks[offsets_a[p] : offsets_a[p + 1]])


@kernel(nogil=True)
def _compare(a, b, turned, cosines, similar):
    m, n = len(a), len(b)
    for i in range(m):
        for j in range(n):
            if a[i, at.WORD] == b[j, at.WORD]:
                similar[i * n + j] = 1.0
            elif a[i, at.LEMMA] == b[j, at.LEMMA]:
                similar[i * n + j] = SAME_LEMMA
            else:
                one, other = a[i, at.KIND], b[j, at.KIND]
                if (
                    one >= at.CONTENT
                    and other >= at.CONTENT
                    and one != at.NUMBER
                    and other != at.NUMBER
                ):
                    cosine = np.float64(cosines[j * m + i if turned else i * n + j])
                    if cosine >= CLOSEST:
                        similar[i * n + j] = OTHER_WORD * cosine


@kernel(nogil=True)
def _align_runs(equal, content, partner, back):
    """Align common runs of two or more words with a content word, the best first.

    A run is worth its length, plus ``BY_CONTENT`` for each content word, less ``BY_PLACE`` times how
    far apart its places are. The length of the longest run is returned.

    Args:
        equal: (m · n,) whether each left word and each right word are equal.
        content: (m,) whether each left word is a content word.
        partner, back: the partners of the left and of the right words, -1 for none; filled in.
    """
    m, n = len(partner), len(back)
    lengths, weights = np.empty(n, np.int64), np.empty(n, np.int64)  # of runs that end at i and j
    longest_of_all = 0
    while True:
        best, longest, end_a, end_b = 0.0, 0, 0, 0
        for j in range(n):
            lengths[j] = weights[j] = 0
        for i in range(m):
            length_before = weight_before = 0  # of the run that ends at i − 1 and j − 1
            for j in range(n):
                length, weight = length_before + 1, weight_before + content[i]
                length_before, weight_before = lengths[j], weights[j]
                if not equal[i * n + j] or partner[i] >= 0 or back[j] >= 0:
                    length = weight = 0
                lengths[j], weights[j] = length, weight
                if length >= 2 and weight > 0:
                    score = length + BY_CONTENT * weight - BY_PLACE * abs(i / m - j / n)
                    if score > best:
                        best, longest, end_a, end_b = score, length, i, j
        if longest < 2:
            return longest_of_all
        longest_of_all = max(longest_of_all, longest)
        for k in range(longest):
            partner[end_a - k], back[end_b - k] = end_b - k, end_a - k


@kernel(nogil=True)
def _align_content(a, b, similar):
    m, n = len(a), len(b)
    places, scores = np.empty(m * n, np.int64), np.empty(m * n)
    count = 0
    for i in range(m):
        if a[i, at.PARTNER] >= 0 or a[i, at.KIND] < at.CONTENT:
            continue
        for j in range(n):
            if b[j, at.PARTNER] >= 0 or b[j, at.KIND] < at.CONTENT or similar[i * n + j] <= 0:
                continue
            near = 0.0
            for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
                if k != i and a[k, at.PARTNER] >= 0 and abs(a[k, at.PARTNER] - j) <= WINDOW:
                    near += 1.0
            places[count] = i * n + j
            scores[count] = similar[i * n + j] + 0.03 * near - 0.02 * abs(i / m - j / n)
            count += 1
    pair_best(places[:count], scores, n, a[:, at.PARTNER], b[:, at.PARTNER])


@kernel(nogil=True)
def pair_best(places, scores, n, partner, back):
    """Pair words that have no partner yet, the highest score first, each word once.

    Args:
        places: i · n + j for each left word i and right word j that may be paired.
        scores: of each of these; only what is above 0 is paired.
        n: how many right words there are.
        partner, back: the partners of the left and of the right words, -1 for none; filled in.
    """
    while True:
        best, place = 0.0, 0
        for x in range(len(places)):
            if scores[x] > best and partner[places[x] // n] < 0 and back[places[x] % n] < 0:
                best, place = scores[x], places[x]
        if best <= 0:
            return
        partner[place // n], back[place % n] = place % n, place // n


@kernel(nogil=True)
def _align_small(a, b, similar):
    """Align equal function words beside what is aligned already, nearest neighbours first."""
    m, n = len(a), len(b)
    alone = True  # function words only: they need no neighbour
    for i in range(m):
        alone = alone and a[i, at.PARTNER] < 0
    for least in range(2, -1 if alone else 0, -1):
        for i in range(m):
            if a[i, at.PARTNER] >= 0 or a[i, at.KIND] >= at.CONTENT:
                continue
            best, choice = -1, -1
            for j in range(n):
                if b[j, at.PARTNER] >= 0 or similar[i * n + j] < SAME_LEMMA:
                    continue
                support = 0
                if i > 0 and j > 0 and a[i - 1, at.PARTNER] == j - 1:
                    support += 2
                if i + 1 < m and j + 1 < n and a[i + 1, at.PARTNER] == j + 1:
                    support += 2
                for k in range(max(0, i - 2), min(m, i + 3)):
                    partner = a[k, at.PARTNER]
                    support += k != i and partner >= 0 and abs(partner - j) <= 2
                if support >= least and support > best:
                    best, choice = support, j
            if choice >= 0:
                a[i, at.PARTNER], b[choice, at.PARTNER] = choice, i


@kernel(nogil=True)
def _find_blocks(a, b, blocks):
    count = 0
    for i in range(len(a)):
        j = a[i, at.PARTNER]
        if j < 0:
            continue
        if i == 0 or j == 0 or a[i - 1, at.PARTNER] != j - 1:
            blocks[count, at.FIRST] = i
            count += 1
        blocks[count - 1, at.LAST] = i
        a[i, at.BLOCK] = count - 1
    rank = 0
    for j in range(len(b)):
        i = b[j, at.PARTNER]
        if i >= 0 and blocks[a[i, at.BLOCK], at.FIRST] == i:
            blocks[a[i, at.BLOCK], at.RANK] = rank
            blocks[rank, at.BY_RANK] = a[i, at.BLOCK]
            rank += 1
    return count
