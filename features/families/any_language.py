"""Word order and words in common by what any language shows: no tags, no lemmas, no vectors.

Of a language only its most frequent words are known, which serve as function words. So a scorer
that learned from English pairs can be asked about other languages (``paws-any``).

Equal words may align in several ways. Blocks of equal words are aligned first, the longest first,
as in diff tools (Ratcliff and Metzener, 1988), then single words that are equal or share most of
their beginning, as inflected forms do.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def,no-any-return,assignment"

from __future__ import annotations

from functools import partial
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import (
    LONGEST,
    Batch,
    Column,
    Flags,
    View,
    frequencies,
    frequent,
    once,
    ratio,
)
from semaniacs.features.measures.counts import bags_of, count
from semaniacs.features.measures.word_matching import rounded
from semaniacs.features.measures.word_order import kinds as at
from semaniacs.features.measures.word_order.block_alignment import pair_best
from semaniacs.features.measures.word_order.blocks import increasing
from semaniacs.features.registry import columnwise
from semaniacs.sts.text.tokenizer import is_word

LANGUAGES = ("en", "de", "es", "fr")
"""Languages whose frequent words are known; a sentence in another is read as one of them."""

GERMAN = 1
RAREST = 1e-6  # frequency of words that wordfreq's small lists leave out


class Tokens(NamedTuple):
    """The words of every distinct sentence.

    Attributes:
        light: (t,) whether a token is a function word of the language of its sentence.
        information: (t,) −ln of its frequency there, in nats, from 0 to 13.8.
        names: (t,) whether it looks like a part of a name, or is a number.
        least_information: (v,) the information of each distinct word where it is most frequent.
    """

    words: tuple[str, ...]
    sequences: Ragged
    light: Flags
    information: Column
    names: Flags
    least_information: Column

    @property
    def content(self) -> Ragged:
        """The sentences without their function words."""
        kept = np.concatenate([[0], np.cumsum(~self.light)])
        return Ragged(self.sequences.flat[~self.light], kept[self.sequences.offsets])


@once
def tokens_of(batch: Batch) -> Tokens:
    """The words of a batch; the language of a sentence is that of most of its function words."""
    view = batch.view("words")
    flat, offsets = view.sequences
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    light, weights = _by_language(view)
    counts = np.zeros((len(offsets) - 1, len(LANGUAGES)))
    np.add.at(counts, sentence, light[flat])
    language = counts.argmax(axis=1)[sentence]
    names = _cased(batch, offsets) & (language != GERMAN)
    digits = np.array([word[:1].isdigit() for word in view.words], bool)
    return Tokens(
        view.words,
        view.sequences,
        light[flat, language],
        weights[flat, language],
        (names & ~light[flat, language]) | (digits[flat] if len(digits) else names),
        rounded(weights.min(axis=1), 16),  # sums of them are exact in any order
    )


def _by_language(view: View) -> tuple[Flags, Column]:
    light = np.array([[word in frequent(c) for c in LANGUAGES] for word in view.words], bool)
    weights = [[-log(frequencies(c).get(w, RAREST)) for c in LANGUAGES] for w in view.words]
    shape = (len(view.words), len(LANGUAGES))
    return light.reshape(shape), np.array(weights, np.float64).reshape(shape)


def _cased(batch: Batch, offsets: NDArray[np.int64]) -> Flags:
    view = batch.tokens(_word_as_written)
    flat, written = view.sequences
    upper = np.array([word[:1].isupper() for word in view.words], bool)
    lengths = np.diff(offsets)
    marks_alone = np.diff(written) < lengths  # marks are the words of a sentence that has no other
    found = np.zeros(offsets[-1], bool)
    if len(upper):
        found[~np.repeat(marks_alone, lengths)] = upper[flat]
    found[offsets[:-1][lengths > 0]] = False
    return found


def _word_as_written(token: str) -> str | None:
    return token if is_word(token) else None


NEAR = 2  # words on either side that are a word's neighbours
ALIKE = 0.6  # share of common letters at their beginning from which two words are forms of one
_DIRECTED = len(at.ANY_COLUMNS) - 2


@once
def describe_order(batch: Batch) -> Column:
    """(n, k) the columns called ``ANY_COLUMNS``, each the mean of both directions; all at least 0."""
    tokens = tokens_of(batch)
    points = Ragged.of([[ord(letter) for letter in word] for word in tokens.words])
    directed = _describe(
        *tokens.sequences, tokens.light, tokens.information, tokens.names, *points, *batch.pairs
    )
    mean = directed.mean(axis=1)
    apart = np.abs(directed[:, 0] - directed[:, 1])
    further = [apart[:, place] for place in (at.ANY_UNALIGNED, at.ANY_LARGEST_PIECE)]
    return np.column_stack([mean, *further])


@kernel(nogil=True)
def _describe(flat, offsets, light, information, names, points, spans, left, right):
    found = np.zeros((len(left), 2, _DIRECTED))
    for p in range(len(left)):
        i, j = offsets[left[p]], offsets[left[p] + 1]
        k, l = offsets[right[p]], offsets[right[p] + 1]  # noqa: E741
        a, b = flat[i:j], flat[k:l]
        partner, back = np.full(len(a), -1), np.full(len(b), -1)
        _align(a, b, light[i:j], light[k:l], partner, back, points, spans)
        _one_way(a, b, partner, light[i:j], light[k:l], information[i:j], names[i:j], found[p, 0])
        _one_way(b, a, back, light[k:l], light[i:j], information[k:l], names[k:l], found[p, 1])
    return found


@kernel(nogil=True)
def _align(a, b, light_a, light_b, partner, back, points, spans):
    while _align_block(a, b, light_a, partner, back):
        pass
    _align_single(a, b, light_a, light_b, partner, back, points, spans, False)
    _align_single(a, b, light_a, light_b, partner, back, points, spans, True)


@kernel(nogil=True)
def _align_block(a, b, light, partner, back):
    """Align the longest block of two words or more, not function words alone; False if none is left."""
    m, n = len(a), len(b)
    lengths = np.zeros((m + 1, n + 1), np.int64)
    heavy = np.zeros((m + 1, n + 1), np.bool_)
    longest, nearest, end_a, end_b = 1, 2.0, 0, 0
    for i in range(m):
        for j in range(n):
            if a[i] != b[j] or partner[i] >= 0 or back[j] >= 0:
                continue
            k = lengths[i, j] + 1
            lengths[i + 1, j + 1] = k
            heavy[i + 1, j + 1] = heavy[i, j] or not light[i]
            apart = abs((i - k + 1) / m - (j - k + 1) / n)
            if heavy[i + 1, j + 1] and (k > longest or (k == longest > 1 and apart < nearest)):
                longest, nearest, end_a, end_b = k, apart, i, j
    if longest < 2:
        return False
    for k in range(longest):
        partner[end_a - k], back[end_b - k] = end_b - k, end_a - k
    return True


@kernel(nogil=True)
def _align_single(a, b, light_a, light_b, partner, back, points, spans, function_words):
    m, n = len(a), len(b)
    places, scores = np.empty(m * n, np.int64), np.empty(m * n)
    count = 0
    for i in range(m):
        if partner[i] >= 0 or light_a[i] != function_words:
            continue
        for j in range(n):
            if back[j] >= 0 or light_b[j] != function_words:
                continue
            alike = 1.0 if a[i] == b[j] else 0.0
            if alike == 0.0 and not function_words:
                alike = _alike(a[i], b[j], points, spans)
            if alike == 0.0:
                continue
            support = 0
            for k in range(max(0, i - NEAR), min(m, i + NEAR + 1)):
                support += k != i and partner[k] >= 0 and abs(partner[k] - j) <= NEAR
            if support > 0 or not function_words:  # a function word alone says nothing
                places[count] = i * n + j
                scores[count] = alike + 0.1 * support - 1e-3 * abs(i / m - j / n)
                count += 1
    pair_best(places[:count], scores, n, partner, back)


@kernel(nogil=True)
def _alike(one, other, points, spans):
    """Share of the letters in the common beginning; 0 below ``ALIKE``, for short words and digits."""
    first, second = spans[one], spans[other]
    m, n = spans[one + 1] - first, spans[other + 1] - second
    if min(m, n) < 4 or 48 <= points[first] <= 57 or 48 <= points[second] <= 57:
        return 0.0
    same = 0
    while same < min(m, n) and points[first + same] == points[second + same]:
        same += 1
    share = 2 * same / (m + n)
    return 0.9 * share if share >= ALIKE else 0.0


@kernel(nogil=True)
def _one_way(a, b, partner, light_a, light_b, information, names, found):
    places = np.array([i for i in range(len(a)) if partner[i] >= 0 and not light_a[i]], np.int64)
    order = np.argsort(partner[places])
    ranks = np.empty(len(places), np.int64)
    ranks[order] = np.arange(len(places))
    _order(ranks, information[places], found)
    _neighbours(a, b, partner, places, light_a, light_b, found)
    _names(partner, places, names, found)
    _unaligned(partner, light_a, information, found)
    _pieces(partner, found)


@kernel(nogil=True)
def _order(ranks, information, found):
    n = len(ranks)
    inverted = near = near_of = kept = turned = 0
    for x in range(n):
        for y in range(x):
            inverted += ranks[y] > ranks[x]
            if x - y <= NEAR:
                near_of += 1
                near += ranks[y] > ranks[x]
            if ranks[x] == y and ranks[y] == x:
                found[at.ANY_EXCHANGED_INFORMATION] += min(information[x], information[y]) / 10
        if x > 0:
            kept += ranks[x] == ranks[x - 1] + 1
            turned += ranks[x] == ranks[x - 1] - 1
    found[at.ANY_INVERSIONS] = inverted / max(1, n * (n - 1) // 2)
    found[at.ANY_NEAR_INVERSIONS] = near / max(1, near_of)
    found[at.ANY_BREAKS] = max(0, n - 1 - kept)
    found[at.ANY_KEPT_NEXT] = kept / max(1, n - 1)
    found[at.ANY_REVERSED_NEXT] = turned / max(1, n - 1)
    shift = np.abs(ranks - np.arange(n))
    found[at.ANY_SHIFT] = shift.sum() / max(1, n) ** 2
    found[at.ANY_LARGEST_SHIFT] = shift.max() / n if n > 0 else 0.0
    found[at.ANY_IN_PLACE] = (shift == 0).sum() / n if n > 0 else 1.0
    rising = np.sum(increasing(ranks, np.ones(n)))
    found[at.ANY_OUT_OF_SEQUENCE] = 1 - rising / n if n > 0 else 0.0
    found[at.ANY_OUT_OF_SEQUENCE_COUNT] = n - rising


@kernel(nogil=True)
def _neighbours(a, b, partner, places, light_a, light_b, found):
    same = other = 0
    for i in places:
        j = partner[i]
        left_a, left_b = a[i - 1] if i else -1, b[j - 1] if j else -1
        right_a = a[i + 1] if i + 1 < len(a) else -1
        right_b = b[j + 1] if j + 1 < len(b) else -1
        found[at.ANY_LEFT_KEPT] += left_a == left_b
        found[at.ANY_RIGHT_KEPT] += right_a == right_b
        found[at.ANY_BOTH_KEPT] += left_a == left_b and right_a == right_b
        if (i > 0 and light_a[i - 1]) or (j > 0 and light_b[j - 1]):
            same += left_a == left_b
            other += left_a != left_b
        before_a, before_b = (
            _function_word_before(a, i, light_a),
            _function_word_before(b, j, light_b),
        )
        found[at.ANY_LAST_FUNCTION_WORD_KEPT] += before_a == before_b
    count = max(1, len(places))
    for place in (at.ANY_LEFT_KEPT, at.ANY_RIGHT_KEPT, at.ANY_BOTH_KEPT):
        found[place] /= count
    found[at.ANY_FUNCTION_WORDS_TRADED], found[at.ANY_FUNCTION_WORD_CHANGED] = (
        other,
        other / max(1, same + other),
    )
    found[at.ANY_LAST_FUNCTION_WORD_KEPT] = (
        found[at.ANY_LAST_FUNCTION_WORD_KEPT] / count if len(places) else 1.0
    )


@kernel(nogil=True)
def _function_word_before(words, place, light):
    for k in range(place - 1, max(-1, place - 4), -1):
        if light[k]:
            return words[k]
    return -1


@kernel(nogil=True)
def _names(partner, places, names, found):
    named = [i for i in places if names[i]]
    inverted = 0
    for x in range(len(named)):
        for y in range(x):
            inverted += partner[named[y]] > partner[named[x]]
    found[at.ANY_NAMES] = len(named)
    found[at.ANY_NAME_INVERSIONS] = inverted / max(1, len(named) * (len(named) - 1) // 2)


@kernel(nogil=True)
def _unaligned(partner, light, information, found):
    for i in range(len(partner)):
        if partner[i] < 0:
            found[at.ANY_UNALIGNED] += 1 / len(partner)
            found[at.ANY_UNALIGNED_CONTENT] += (not light[i]) / len(partner)
            found[at.ANY_UNALIGNED_HEAVIEST] = max(found[at.ANY_UNALIGNED_HEAVIEST], information[i])


@kernel(nogil=True)
def _pieces(partner, found):
    aligned = pieces = single = largest = size = 0
    for i in range(len(partner) + 1):
        goes_on = i < len(partner) and i > 0 and partner[i] >= 0 and partner[i - 1] >= 0
        if goes_on and partner[i] == partner[i - 1] + 1:
            size += 1
        else:
            single += size == 1
            largest = max(largest, size)
            size = int(i < len(partner) and partner[i] >= 0)
            pieces += size
        aligned += i < len(partner) and partner[i] >= 0
    found[at.ANY_PIECES], found[at.ANY_PIECES_OF_ALIGNED] = pieces, pieces / max(1, aligned)
    found[at.ANY_SINGLE_PIECES] = single / max(1, pieces)
    found[at.ANY_LARGEST_PIECE] = largest / max(1, len(partner))


MANY = float(LONGEST)
NOTES = "after Zhang et al. (2019), PAWS, 2: words exchanged"
_HIGHEST = {
    "any_breaks": MANY, "any_out_of_sequence_count": MANY, "any_exchanged_information": 700.0,
    "any_function_words_traded": MANY, "any_names": MANY, "any_unaligned_heaviest": 14.0,
    "any_pieces": MANY,
}  # fmt: skip


def _order_column(batch: Batch, place: int) -> Column:
    return describe_order(batch)[:, place]


for _place, _name in enumerate(at.ANY_COLUMNS):
    columnwise(_name, "any_language", NOTES, high=_HIGHEST.get(_name, 1.0))(
        partial(_order_column, place=_place)
    )


def _beginning(token: str) -> str | None:
    return token[:5].lower() if token[:1].isalnum() else None


def _shared_grams(batch: Batch, kind: str, n: int) -> Column:
    if kind == "word":
        bags = bags_of(batch, "words", n)
    else:
        content = kind == "content"
        sequences = tokens_of(batch).content if content else batch.tokens(_beginning).sequences
        bags = count(sequences, n)
    return bags.distinct().dice(batch, neither=1.0)


for _kind, _sizes in {"word": (1, 2, 3, 4), "content": (2, 3, 4), "stem": (1, 2, 3)}.items():
    for _size in _sizes:
        columnwise(f"any_{_kind}_{_size}gram", "any_language", "Dice (1945)")(
            partial(_shared_grams, kind=_kind, n=_size)
        )


@columnwise("any_information", "any_language", "TakeLab f15, by language")
def information_shared(batch: Batch) -> Column:
    """How much of the information of all words both sides have; 1 if there is none."""
    weights = tokens_of(batch).least_information
    bags = bags_of(batch, "words", 1).distinct()
    left, right = batch.sides(bags.totals(weights))
    return ratio(2 * bags.shared(batch, weights), left + right, otherwise=1.0)


@columnwise("any_commas", "any_language", NOTES, high=MANY)
def commas(batch: Batch) -> Column:
    """The commas of the side that has fewer, between which lists and clauses stand."""
    counts = np.array([sentence.text.count(",") for sentence in batch.sentences], np.float64)
    fewer: Column = np.minimum(*batch.sides(np.minimum(counts, MANY)))
    return fewer
