"""The order of the words: what was moved, what was traded, what hangs on something else.

Two sentences of the same words can mean the same ("In 1902 he left." / "He left in 1902.") or not
("from Berlin to Amsterdam" / "from Amsterdam to Berlin"). The words are aligned, longest common
blocks first; then it is counted which aligned words changed places, which kept their neighbours
and prepositions, which hang on another noun or verb, and which stand where another stood. What
hangs on what follows from parts of speech alone, without a parse.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.compiling import njit
from features.batch import Batch, Column, once
from features.families.soft_alignment import cosines
from features.measures.word_order import blocks, heads, kept_context, leftovers, trades
from features.measures.word_order.attachment import attach_all
from features.measures.word_order.block_alignment import aligned, similarities
from features.measures.word_order.clear import clear_trades
from features.measures.word_order.kinds import kind, link
from features.registry import columnwise
from features.resources import Resources
from sts.text.analysis import Sentence
from sts.text.tokenizer import is_word

PAWS = "Zhang et al. (2019), PAWS, 3: pairs with the same words in another order"

MOST = 50.0
"""Content words of a sentence are counted up to here; other counts up to 10."""

PARTS = (blocks, kept_context, heads, trades, leftovers)
NAMES = tuple(name for part in PARTS for name in part.NAMES)
_BEGINS = tuple(int(b) for b in np.cumsum([0, *(len(part.NAMES) for part in PARTS)]))


@once
def described(batch: Batch) -> NDArray[np.float64]:
    """(n, columns) everything that the files of ``word_order`` say of each pair."""
    left, right = batch.pairs
    found = np.zeros((len(batch), len(NAMES)))
    seen: tuple[Any, ...] = (*_places(batch), *cosines(batch, "words"))
    _describe(found, left, right, _turned(batch), *seen)
    return found


def _turned(batch: Batch) -> NDArray[np.bool_]:
    """(n,) which pairs are looked at from the right, so that both ways round are the same."""
    sides = zip(batch.left, batch.right, strict=True)
    return np.array([b.text < a.text for a, b in sides], np.bool_)


@once
def _places(batch: Batch) -> tuple[Any, ...]:
    """Of each word of each distinct sentence: word, lemma, kind, mark before, what it hangs on."""
    words, offsets = batch.view("words").sequences
    lemmas = batch.view("all lemmas").sequences.flat
    tagged, tokens = batch.tagged, batch.tagged_tokens
    of_word = tagged.sequences.flat
    kinds = np.array([kind(*word) for word in tagged.words], np.int64)[of_word]
    links = np.array([link(*word) for word in tagged.words], np.int64)[of_word]
    plain = np.array([is_word(token) for token, _ in tokens.words], bool)[tokens.sequences.flat]
    marks = _marks(plain, tokens.sequences.offsets, offsets)
    tree = attach_all(lemmas, offsets, kinds, links, marks)
    return words, offsets, lemmas, kinds, marks, tree


def _marks(
    plain: NDArray[np.bool_], tokens: NDArray[np.int64], offsets: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """(words,) whether a mark stands before each word that is not its sentence's first.

    Args:
        plain: (tokens,) which tokens are words.
        tokens, offsets: (s + 1,) where the tokens, and the words, of each sentence begin.
    """
    counts = np.diff(np.concatenate([[0], np.cumsum(plain)])[tokens])
    lengths = np.diff(offsets)
    same = counts == lengths  # else it is of marks alone, which are its words
    marks = np.zeros(offsets[-1], np.bool_)
    behind = np.concatenate([[False], ~plain[:-1]])
    marks[np.repeat(same, lengths)] = behind[plain][np.repeat(same, counts)]
    marks[offsets[:-1][lengths > 0]] = False
    return marks


@columnwise("traded", "order", PAWS)
def traded_places(batch: Batch) -> Column:
    """How many of the neighbours of two short blocks that traded places stayed; 0 if none did."""
    found = np.zeros(len(batch))
    seen: tuple[Any, ...] = (*_places(batch), *cosines(batch, "words"))
    _clearest(found, *batch.pairs, _turned(batch), *seen)
    return found


def traded(a: Sentence, b: Sentence, resources: Resources | None = None) -> list[tuple[str, str]]:
    """The words of two sentences that traded places, as they are written, e.g. Berlin, Amsterdam.

    Said only of what is clear: names, nouns, adjectives or numbers that stand where the other
    stood, with what is around them left behind. Active and passive, lists, and clauses that
    were moved are none.
    """
    batch = Batch([a], [b], resources or Resources())
    turned = bool(_turned(batch)[0])
    seen: tuple[Any, ...] = (*_places(batch), *cosines(batch, "words"))
    trades = _trades_of(0, *batch.pairs, turned, *seen)
    written = [token for token in (b if turned else a).tokens if is_word(token)]
    return [
        (" ".join(written[i : j + 1]), " ".join(written[k : l + 1]))
        for i, j, k, l in trades[:, :4].astype(int)  # noqa: E741
    ]


@njit(nogil=True)
def _clearest(
    found, left, right, turned, words, offsets, lemmas, kinds, marks, tree, values, begins
):
    for p in range(len(left)):
        trades = _trades_of(
            p, left, right, turned[p], words, offsets, lemmas, kinds, marks, tree, values, begins
        )
        for x in range(len(trades)):
            found[p] = max(found[p], trades[x, 4])


@njit(nogil=True)
def _trades_of(p, left, right, turned, words, offsets, lemmas, kinds, marks, tree, values, begins):
    one, two = (right[p], left[p]) if turned else (left[p], right[p])
    a, b = slice(offsets[one], offsets[one + 1]), slice(offsets[two], offsets[two + 1])
    m, n = offsets[one + 1] - offsets[one], offsets[two + 1] - offsets[two]
    matrix = values[begins[p] : begins[p] + m * n]
    cosine = matrix.reshape(n, m).T if turned else matrix.reshape(m, n)
    similar = similarities(words[a], words[b], lemmas[a], lemmas[b], kinds[a], kinds[b], cosine)
    partner, back = aligned(similar, kinds[a], kinds[b])
    return clear_trades(
        similar, partner, back, kinds[a], kinds[b], marks[a], marks[b], tree[:, a], tree[:, b]
    )


@njit(nogil=True)
def _describe(
    found, left, right, turned, words, offsets, lemmas, kinds, marks, tree, values, begins
):
    for p in range(len(left)):
        one, two = (right[p], left[p]) if turned[p] else (left[p], right[p])
        a, b = slice(offsets[one], offsets[one + 1]), slice(offsets[two], offsets[two + 1])
        m, n = offsets[one + 1] - offsets[one], offsets[two + 1] - offsets[two]
        matrix = values[begins[p] : begins[p] + m * n]
        cosine = matrix.reshape(n, m).T if turned[p] else matrix.reshape(m, n)
        ka, kb, ma, mb = kinds[a], kinds[b], marks[a], marks[b]
        la, lb = lemmas[a], lemmas[b]
        similar = similarities(words[a], words[b], la, lb, ka, kb, cosine)
        partner, back = aligned(similar, ka, kb)
        row = found[p]
        blocks.describe(partner, back, ka, kb, ma, mb, row[_BEGINS[0] : _BEGINS[1]])
        kept_context.describe(partner, back, la, lb, ka, kb, row[_BEGINS[1] : _BEGINS[2]])
        heads.describe(partner, back, ka, kb, tree[:, a], tree[:, b], row[_BEGINS[2] : _BEGINS[3]])
        trades.describe(partner, back, la, lb, ka, kb, ma, mb, row[_BEGINS[3] : _BEGINS[4]])
        leftovers.describe(partner, back, similar, ka, kb, ma, mb, row[_BEGINS[4] : _BEGINS[5]])


def _register(name: str, place: int) -> None:
    @columnwise(name, "order", PAWS, high=MOST)
    def column(batch: Batch) -> Column:
        return described(batch)[:, place]


for _place, _name in enumerate(NAMES):
    _register(_name, _place)
