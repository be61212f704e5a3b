"""Word alignments by vectors: every word against every word, and each word with one partner.

Two words are as similar as the cosine of their vectors in the bundled encoder, which spells words
that it does not know from pieces. Equal words have cosine 1, whatever their vector.

The partners follow Sultan, Bethard and Sumner (2014): identical runs first, then content words by
their own similarity and that of their neighbours, then stop words beside aligned words. It differs
in two ways: words are similar by our vectors, not by the paraphrase database, and neighbours are
those in the text, not in a parse.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.encoder import unit as unit_rows
from semaniacs.embeddings.tokenizers.row_numbers import Ragged, WordTokenizer
from semaniacs.features.batch import Batch, Column, once, where_empty
from semaniacs.features.families import DCU
from semaniacs.features.measures.word_matching import (
    BERTSCORE,
    HIGHEST_GAP,
    Cosines,
    Covered,
    compare_words,
    cover_words,
    max_pooled_jaccard,
    mean_rows,
)
from semaniacs.features.measures.word_order.block_alignment import (
    CLOSEST,
    WINDOW,
    align_runs,
    pair_best,
)
from semaniacs.features.registry import columnwise
from semaniacs.sts.text.analysis import HIGHEST_INFORMATION
from semaniacs.sts.text.tokenizer import STOP_WORDS

ENCODER = "paragram"  # the encoder whose word vectors are compared


@once
def word_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """(v, dim) the vector of each distinct word of a view: the mean of its rows."""
    encoder = batch.resources.encoder(ENCODER)
    assert isinstance(encoder, Encoder)
    vocabulary = encoder.tokenizer
    assert isinstance(vocabulary, WordTokenizer)  # the bundled encoder's is
    rows = Ragged.of([vocabulary.rows_of(word) for word in batch.view(view).words])
    means: NDArray[np.float32] = mean_rows(encoder.rows.rows(rows.flat), rows.offsets)
    return means


@once
def unit_vectors(batch: Batch, view: str) -> NDArray[np.float32]:
    """(v, dim) the vector of each distinct word of a view, scaled to length 1."""
    return unit_rows(word_vectors(batch, view))


@once
def cosines(batch: Batch, view: str) -> Cosines:
    """The cosines of the words of a view, pair by pair."""
    return compare_words(batch.view(view).sequences, batch.pairs, unit_vectors(batch, view))


@once
def covered(batch: Batch, view: str) -> Covered:
    """How well each word of a view is matched: by information, but content words all the same."""
    looked = batch.view(view)
    weights = np.ones(len(looked.words)) if view == "content" else batch.information(view)
    return cover_words(looked.sequences, batch.pairs, weights, cosines(batch, view))


def _unless_empty(batch: Batch, view: str, column: Column) -> Column:
    lengths = batch.view(view).sequences.lengths
    return where_empty(column, *batch.sides(lengths), neither=1.0)


@columnwise("soft_match", "soft", BERTSCORE, low=-1.0)
def soft_match(batch: Batch) -> Column:
    """Mean of both sides' coverage: the best cosine of each word, weighted by information."""
    return _unless_empty(batch, "words", covered(batch, "words").mean)


@columnwise("soft_least", "soft", BERTSCORE, low=-1.0)
def soft_least(batch: Batch) -> Column:
    """Coverage of the side that is covered less."""
    return _unless_empty(batch, "words", covered(batch, "words").least)


@columnwise("soft_content", "soft", BERTSCORE, low=-1.0)
def soft_content(batch: Batch) -> Column:
    """Mean of both sides' coverage over content words, all with the same weight."""
    return _unless_empty(batch, "content", covered(batch, "content").mean)


@columnwise("soft_gap", "soft", "the word that is matched worst, by information", high=HIGHEST_GAP)
def soft_gap(batch: Batch) -> Column:
    """max over all words of information · (1 − best cosine), in nats; 0 if a side is empty."""
    return covered(batch, "words").gap


@columnwise("product_w2v", "w2v", DCU)
def product_w2v(batch: Batch) -> Column:
    """Geometric mean over all content words of the best cosine with a word of the other side.

    The paper names "product" without a definition. We take the product of the best cosines of
    all words, and its root, so that length does not matter. Unlike a sum, it is low as soon as
    one word has no match.
    """
    return _unless_empty(batch, "content", np.exp(covered(batch, "content").logarithm))


@columnwise("dynamax", "soft", "Zhelezniak et al. (2019), 3, DynaMax-Jaccard")
def dynamax(batch: Batch) -> Column:
    """Fuzzy Jaccard of max-pooled word vectors, over the words of both sides."""
    sequences, vectors = batch.view("words").sequences, word_vectors(batch, "words")
    return _unless_empty(batch, "words", max_pooled_jaccard(sequences, batch.pairs, vectors))


OWN = 0.9
"""Weight of a word's own similarity against that of its neighbours (Sultan et al., 2014, 3.4)."""

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
    return Aligned(*_found(batch)[0].T)


def partners(batch: Batch, pair: int) -> NDArray[np.int64]:
    """The place of the right word that each left word of a pair is aligned with; -1 for none."""
    _, partner, starts = _found(batch)
    return partner[starts[pair] : starts[pair + 1]]


@once
def _found(batch: Batch) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]:
    view = batch.view("words")
    left, right = batch.pairs
    starts = np.concatenate([[0], np.cumsum(view.sequences.lengths[left])])
    partner, found = np.full(starts[-1], -1), np.zeros((len(batch), 8))
    kinds = np.fromiter(map(_kind, view.words), np.uint8, len(view.words))
    lemmas = batch.view("all lemmas").sequences.flat
    words = *view.sequences, lemmas, kinds, batch.information("words")
    _align(*words, left, right, *cosines(batch, "words"), starts, partner, found)
    return found, partner, starts


def _kind(word: str) -> int:
    digits = not word.isalpha() and any(map(str.isdigit, word))
    return _STOP * (word in STOP_WORDS) | _DIGITS * digits


@kernel(nogil=True)
def _align(
    flat, offsets, lemmas, kinds, informations, left, right, values, begins, starts, partners, found
):
    for p in range(len(left)):
        first, second = offsets[left[p]], offsets[right[p]]
        a, b = flat[first : offsets[left[p] + 1]], flat[second : offsets[right[p] + 1]]
        m, n = len(a), len(b)
        similar, equal = np.zeros(m * n), np.zeros(m * n, np.bool_)
        for i in range(m):
            for j in range(n):
                equal[i * n + j] = a[i] == b[j]
                cosine = np.float64(values[begins[p] + i * n + j])
                if a[i] == b[j] or lemmas[first + i] == lemmas[second + j]:
                    similar[i * n + j] = 1.0
                elif (kinds[a[i]] | kinds[b[j]]) == 0 and cosine >= CLOSEST:
                    similar[i * n + j] = cosine
        partner, back = partners[starts[p] : starts[p + 1]], np.empty(n, np.int64)
        for j in range(n):
            back[j] = -1
        longest = align_runs(equal, (kinds[a] & _STOP) == 0, partner, back, 0.0, 0.0)
        _align_content(a, b, kinds, similar, partner, back)
        _align_stop_words(a, b, kinds, similar, partner, back)
        _describe(a, b, kinds, informations, similar, partner, back, found[p])
        found[p, 6] = longest / max(1, min(m, n))
        found[p, 7] = _chunks(partner)


@kernel(nogil=True)
def _align_content(a, b, kinds, similar, partner, back):
    m, n = len(a), len(b)
    places, scores = np.empty(m * n, np.int64), np.empty(m * n)
    count = 0
    for i in range(m):
        if partner[i] >= 0 or kinds[a[i]] & _STOP:
            continue
        for j in range(n):
            if back[j] < 0 and similar[i * n + j] > 0 and not kinds[b[j]] & _STOP:
                context = _context(a, b, kinds, similar, i, j)
                apart = abs(i / m - j / n)  # decides between equals
                places[count] = i * n + j
                scores[count] = OWN * similar[i * n + j] + (1 - OWN) * context - 1e-6 * apart
                count += 1
    pair_best(places[:count], scores, n, partner, back)


@kernel(nogil=True)
def _context(a, b, kinds, similar, i, j):
    m, n = len(a), len(b)
    total = 0.0
    for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
        for l in range(max(0, j - WINDOW), min(n, j + WINDOW + 1)):  # noqa: E741
            if k != i and l != j and not (kinds[a[k]] | kinds[b[l]]) & _STOP:
                total += similar[k * n + l]
    return total


@kernel(nogil=True)
def _align_stop_words(a, b, kinds, similar, partner, back):
    """Align equal stop words that have a neighbour aligned with a neighbour, from left to right."""
    m, n = len(a), len(b)
    for i in range(m):
        if partner[i] >= 0 or not kinds[a[i]] & _STOP:
            continue
        best, choice = 0, -1
        for j in range(n):
            if back[j] >= 0 or not kinds[b[j]] & _STOP or similar[i * n + j] <= 0:
                continue
            support = 0
            for k in range(max(0, i - WINDOW), min(m, i + WINDOW + 1)):
                support += k != i and partner[k] >= 0 and abs(partner[k] - j) <= WINDOW
            if support > best:
                best, choice = support, j
        if choice >= 0:
            partner[i], back[choice] = choice, i


@kernel(nogil=True)
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


@kernel(nogil=True)
def _describe(a, b, kinds, informations, similar, partner, back, found):
    sums = np.zeros(4)  # content words, those that are aligned; their information
    _weigh(a, kinds, informations, partner, sums, found)
    _weigh(b, kinds, informations, back, sums, found)
    similarity = concordant = compared = 0.0
    aligned = 0
    for i in range(len(a)):
        aligned += partner[i] >= 0
        if partner[i] < 0 or kinds[a[i]] & _STOP:
            continue
        similarity += similar[i * len(b) + partner[i]]
        for k in range(i):
            if partner[k] >= 0 and not kinds[a[k]] & _STOP:
                compared += 1
                concordant += partner[k] < partner[i]
    everything = len(a) + len(b)
    found[0] = sums[1] / sums[0] if sums[0] > 0 else 1.0
    found[1] = 2 * aligned / everything if everything > 0 else 1.0
    found[2] = sums[3] / sums[2] if sums[2] > 0 else 1.0
    found[3] = 2 * similarity / sums[0] if sums[0] > 0 else 1.0
    found[4] = concordant / compared if compared > 0 else 1.0


@kernel(nogil=True)
def _weigh(words, kinds, informations, partner, sums, found):
    for i in range(len(words)):
        if kinds[words[i]] & _STOP:
            continue
        information = informations[words[i]]
        sums[0] += 1
        sums[2] += information
        if partner[i] >= 0:
            sums[1] += 1
            sums[3] += information
        else:
            found[5] = max(found[5], information)


def _part_of_alignment(batch: Batch, part: str) -> Column:
    column: Column = getattr(align(batch), part)
    return column


for _name, _part, _high in (
    ("aligned_content", "content", 1.0),
    ("aligned_words", "words", 1.0),
    ("aligned_weighted", "weighted", 1.0),
    ("aligned_similarity", "similar", 1.0),
    ("aligned_order", "order", 1.0),
    ("unaligned_information", "heaviest", HIGHEST_INFORMATION),
    ("longest_run", "run", 1.0),
):
    columnwise(
        _name, "alignment", "Sultan et al. (2014), 3; Sultan et al. (2015), eq. 1", high=_high
    )(partial(_part_of_alignment, part=_part))
