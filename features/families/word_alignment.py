"""Which word of one sentence is aligned with which word of the other.

A monolingual word aligner after Sultan, Bethard and Sumner (2014): identical
runs first, then content words by their own similarity and that of their
neighbours, then stop words beside what is aligned already. It was the base of
DLS@CU, first in 2014 and 2015 (Sultan et al., 2015). What differs: words are
similar by the cosine of our vectors rather than by the paraphrase database,
and neighbours stand in the text, not in a parse. Each word is aligned once.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.compiling import njit
from features.batch import Batch, Column, once
from features.families.soft_alignment import cosines
from features.registry import columnwise
from sts.text.tokenizer import STOP_WORDS

SULTAN = "Sultan et al. (2014), 3; Sultan et al. (2015), eq. 1"

CLOSEST = 0.45
"""Cosine from which two different words can be aligned."""

OWN = 0.9
"""Weight of a word's own similarity against that of its neighbours (Sultan et al., 2014, 3.4)."""

WINDOW = 3
"""Neighbours on each side that are looked at (ibid., 3.3)."""

_STOP, _DIGITS = 1, 2


class Aligned(NamedTuple):
    """(n,) each, what the aligner found in a pair.

    Attributes:
        content, words: share of the content words, of all words, that are aligned; 1 if there
            is none.
        weighted: the same of content words, by information.
        similar: like ``content``, each aligned word counting by its similarity.
        order: share of the pairs of aligned content words that keep their order; 1 if there is
            none.
        heaviest: information of the heaviest content word that is not aligned, in nats.
        run: the longest identical run of words, as a share of the shorter side.
        chunks: pieces in which all aligned words are adjacent on both sides, by aligned words.
    """

    content: Column
    words: Column
    weighted: Column
    similar: Column
    order: Column
    heaviest: Column
    run: Column
    chunks: Column


@once
def align(batch: Batch) -> Aligned:
    """Every pair, aligned."""
    return Aligned(*_align(batch.information("words"), *_words(batch)).T)


def partners(batch: Batch, pair: int) -> NDArray[np.int64]:
    """The place of the right word that each left word of a pair is aligned with; -1 for none."""
    found: NDArray[np.int64] = _align_pair(pair, *_words(batch))[0]
    return found


def _words(batch: Batch) -> tuple[Any, ...]:
    """What the aligner looks at: words, lemmas, kinds of words, pairs, cosines."""
    view = batch.view("words")
    return (
        *view.sequences,
        batch.view("all lemmas").sequences.flat,
        np.fromiter(map(_kind, view.words), np.uint8, len(view.words)),
        *batch.pairs,
        *cosines(batch, "words"),
    )


def _kind(word: str) -> int:
    """Stop words are aligned last; numbers only with themselves."""
    digits = not word.isalpha() and any(map(str.isdigit, word))
    return _STOP * (word in STOP_WORDS) | _DIGITS * digits


@njit(nogil=True)
def _align(informations, flat, offsets, lemmas, kinds, left, right, values, begins):
    found = np.zeros((len(left), 8))
    for p in range(len(left)):
        partner, taken, similar, longest = _align_pair(
            p, flat, offsets, lemmas, kinds, left, right, values, begins
        )
        a = flat[offsets[left[p]] : offsets[left[p] + 1]]
        b = flat[offsets[right[p]] : offsets[right[p] + 1]]
        _describe(a, b, kinds, informations, similar, partner, taken, found[p])
        found[p, 6] = longest / max(1, min(len(a), len(b)))
        found[p, 7] = _chunks(partner)
    return found


@njit(nogil=True)
def _align_pair(p, flat, offsets, lemmas, kinds, left, right, values, begins):
    """The partner of each left word, which right words are taken, similarities, longest run."""
    first, second = offsets[left[p]], offsets[right[p]]
    a, b = flat[first : offsets[left[p] + 1]], flat[second : offsets[right[p] + 1]]
    m, n = len(a), len(b)
    similar = np.zeros((m, n))
    for i in range(m):
        for j in range(n):
            if a[i] == b[j] or lemmas[first + i] == lemmas[second + j]:
                similar[i, j] = 1.0
            elif (kinds[a[i]] | kinds[b[j]]) == 0 and values[begins[p] + i * n + j] >= CLOSEST:
                similar[i, j] = values[begins[p] + i * n + j]
    partner = np.full(m, -1)
    taken = np.zeros(n, np.bool_)
    longest = _align_runs(a, b, kinds, partner, taken)
    _align_content(a, b, kinds, similar, partner, taken)
    _align_stop_words(a, b, kinds, similar, partner, taken)
    return partner, taken, similar, longest


@njit(nogil=True)
def _align_runs(a, b, kinds, partner, taken):
    """Align identical runs of two or more words with a content word, longest first."""
    m, n = len(a), len(b)
    longest_of_all = 0
    while True:
        longest, end_a, end_b = 1, 0, 0
        lengths = np.zeros((m + 1, n + 1), np.int64)
        heavy = np.zeros((m + 1, n + 1), np.int64)
        for i in range(m):
            for j in range(n):
                if a[i] == b[j] and partner[i] < 0 and not taken[j]:
                    lengths[i + 1, j + 1] = lengths[i, j] + 1
                    heavy[i + 1, j + 1] = heavy[i, j] + 1 - (kinds[a[i]] & _STOP)
                    if lengths[i + 1, j + 1] > longest and heavy[i + 1, j + 1] > 0:
                        longest, end_a, end_b = lengths[i + 1, j + 1], i, j
        if longest < 2:
            return longest_of_all
        longest_of_all = max(longest_of_all, longest)
        for k in range(longest):
            partner[end_a - k] = end_b - k
            taken[end_b - k] = True


@njit(nogil=True)
def _align_content(a, b, kinds, similar, partner, taken):
    """Align content words, the best own and neighbours' similarity first."""
    m, n = similar.shape
    score = np.zeros((m, n))
    for i in range(m):
        for j in range(n):
            free = partner[i] < 0 and not taken[j]
            if free and similar[i, j] > 0 and not (kinds[a[i]] | kinds[b[j]]) & _STOP:
                context = _context(a, b, kinds, similar, i, j)
                apart = abs(i / m - j / n)  # decides between equals
                score[i, j] = OWN * similar[i, j] + (1 - OWN) * context - 1e-6 * apart
    while True:
        place = np.argmax(score) if score.size else 0
        if score.size == 0 or score[place // n, place % n] <= 0:
            return
        i, j = place // n, place % n
        partner[i], taken[j] = j, True
        score[i, :] = 0.0
        score[:, j] = 0.0


@njit(nogil=True)
def _context(a, b, kinds, similar, i, j):
    """Σ similarity over the content words near both words."""
    m, n = similar.shape
    total = 0.0
    for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
        for l in range(max(0, j - WINDOW), min(n, j + WINDOW + 1)):  # noqa: E741
            if k != i and l != j and not (kinds[a[k]] | kinds[b[l]]) & _STOP:
                total += similar[k, l]
    return total


@njit(nogil=True)
def _align_stop_words(a, b, kinds, similar, partner, taken):
    """Align equal stop words that have a neighbour aligned with a neighbour, from left to right."""
    m, n = similar.shape
    for i in range(m):
        if partner[i] >= 0 or not kinds[a[i]] & _STOP:
            continue
        best, choice = 0, -1
        for j in range(n):
            if taken[j] or not kinds[b[j]] & _STOP or similar[i, j] <= 0:
                continue
            support = 0
            for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
                support += k != i and partner[k] >= 0 and abs(partner[k] - j) <= WINDOW
            if support > best:
                best, choice = support, j
        if choice >= 0:
            partner[i], taken[choice] = choice, True


@njit(nogil=True)
def _chunks(partner):
    """Pieces of the alignment by aligned words; 0 if it is all in one piece or empty."""
    aligned = chunks = 0
    expected = -1
    for i in range(len(partner)):
        if partner[i] >= 0:
            aligned += 1
            chunks += partner[i] != expected
            expected = partner[i] + 1
        else:
            expected = -1
    return chunks / aligned if chunks > 1 else 0.0


@njit(nogil=True)
def _describe(a, b, kinds, informations, similar, partner, taken, found):
    """Fill in the columns of :class:`Aligned` up to ``heaviest``."""
    content = content_aligned = 0.0
    weight = weight_aligned = 0.0
    for words, aligned in ((a, partner >= 0), (b, taken)):
        for word, is_aligned in zip(words, aligned):  # noqa: B905 (strict is not compiled)
            if kinds[word] & _STOP:
                continue
            content += 1
            weight += informations[word]
            if is_aligned:
                content_aligned += 1
                weight_aligned += informations[word]
            else:
                found[5] = max(found[5], informations[word])
    similarity = concordant = compared = 0.0
    for i in range(len(a)):
        if partner[i] < 0 or kinds[a[i]] & _STOP:
            continue
        similarity += similar[i, partner[i]]
        for k in range(i):
            if partner[k] >= 0 and not kinds[a[k]] & _STOP:
                compared += 1
                concordant += partner[k] < partner[i]
    everything = len(a) + len(b)
    found[0] = content_aligned / content if content > 0 else 1.0
    found[1] = 2 * np.sum(partner >= 0) / everything if everything > 0 else 1.0
    found[2] = weight_aligned / weight if weight > 0 else 1.0
    found[3] = 2 * similarity / content if content > 0 else 1.0
    found[4] = concordant / compared if compared > 0 else 1.0


def _register(name: str, column_of: Callable[[Aligned], Column], high: float = 1.0) -> None:
    @columnwise(name, "alignment", SULTAN, high=high)
    def column(batch: Batch) -> Column:
        return column_of(align(batch))


_register("aligned_content", attrgetter("content"))
_register("aligned_words", attrgetter("words"))
_register("aligned_weighted", attrgetter("weighted"))
_register("aligned_similarity", attrgetter("similar"))
_register("aligned_order", attrgetter("order"))
_register("unaligned_information", attrgetter("heaviest"), high=18.5)
_register("longest_run", attrgetter("run"))
