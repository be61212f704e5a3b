"""The order of the words: what was moved, what was traded, what hangs on something else.

Two sentences of the same words can mean the same ("In 1902 he left." / "He left in 1902.") or not
("from Berlin to Amsterdam" / "from Amsterdam to Berlin"). The words are aligned, longest common
blocks first; then it is counted which aligned words changed places, which kept their neighbours
and prepositions, which hang on another noun or verb, and which stand where another stood. What
hangs on what follows from parts of speech alone, without a parse.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import Batch, Column, Flags, once
from semaniacs.features.families.word_alignment import cosines
from semaniacs.features.measures.denial import is_content
from semaniacs.features.measures.word_order import kinds as at
from semaniacs.features.measures.word_order.attachment import attach, describe_heads, look_around
from semaniacs.features.measures.word_order.block_alignment import align, describe_rest
from semaniacs.features.measures.word_order.blocks import describe_context, describe_moves
from semaniacs.features.measures.word_order.trades import describe_trades, find_trades
from semaniacs.features.registry import columnwise
from semaniacs.features.resources import Resources
from semaniacs.sts.text.analysis import Sentence, lemma
from semaniacs.sts.text.tokenizer import is_word

PAWS = "Zhang et al. (2019), PAWS, 3: pairs with the same words in another order"

MOST = 50.0  # content words of a sentence are counted up to here; other counts up to 10

Words = NDArray[np.int64]

_LIMITS = np.array(
    [
        MOST if name == "content_count" else np.inf if name.startswith("order_inverted_") else 10.0
        for name in at.ORDER_COLUMNS
    ]
)
"""Highest value of each column; logarithms of counts are not cut."""


class Aligned(NamedTuple):
    """The words of n pairs, aligned; see :func:`.block_alignment.align`."""

    left: Words
    right: Words
    left_begins: NDArray[np.int64]
    right_begins: NDArray[np.int64]
    similar: Column
    starts: NDArray[np.int64]
    blocks: Words
    counts: NDArray[np.int64]


@once
def described(batch: Batch) -> NDArray[np.float64]:
    """(n, columns) the values of ``ORDER_COLUMNS`` for each pair."""
    found = np.zeros((len(batch), len(at.ORDER_COLUMNS)))
    _describe(*_aligned(batch), found)
    return np.minimum(found, _LIMITS)


@kernel(nogil=True)
def _describe(left, right, left_begins, right_begins, similar, starts, all_blocks, counts, found):
    for p in range(len(found)):
        a = left[left_begins[p] : left_begins[p + 1]]
        b = right[right_begins[p] : right_begins[p + 1]]
        blocks = all_blocks[left_begins[p] : left_begins[p] + counts[p]]
        describe_moves(a, b, blocks, found[p])
        describe_context(a, b, found[p])
        describe_heads(a, b, found[p])
        describe_trades(a, b, blocks, found[p])
        describe_rest(a, b, similar[starts[p] : starts[p] + len(a) * len(b)], found[p])


@once
def _aligned(batch: Batch) -> Aligned:
    words, offsets = _words(batch)
    cosine, starts = cosines(batch, "words")
    turned, (left, right) = _turned(batch), batch.pairs
    places = Ragged(np.arange(len(words)), offsets)  # type: ignore[arg-type]
    one = places.take(np.where(turned, right, left))
    two = places.take(np.where(turned, left, right))
    a, b = words[one.flat], words[two.flat]
    similar, runs = np.zeros(len(cosine)), np.zeros((len(a), 4), np.int64)
    counts = np.zeros(len(batch), np.int64)
    align(a, b, one.offsets, two.offsets, turned, cosine, starts, similar, runs, counts)
    return Aligned(a, b, one.offsets, two.offsets, similar, starts, runs, counts)


def _turned(batch: Batch) -> Flags:
    """(n,) which pairs are looked at from the right, so that both ways round are the same."""
    sides = zip(batch.left, batch.right, strict=True)
    return np.array([b.text < a.text for a, b in sides], np.bool_)


@once
def _words(batch: Batch) -> tuple[Words, NDArray[np.int64]]:
    flat, offsets = batch.view("words").sequences
    tagged, tokens = batch.tagged, batch.tagged_tokens
    of_word = tagged.sequences.flat
    plain = np.array([is_word(token) for token, _ in tokens.words], bool)[tokens.sequences.flat]
    words = np.full((len(flat), at.COLUMNS), -1)
    words[:, at.WORD], words[:, at.LEMMA] = flat, batch.view("all lemmas").sequences.flat
    words[:, at.KIND] = np.array([at.kind(*word) for word in tagged.words], np.int64)[of_word]
    words[:, at.LINK] = np.array([at.link(*word) for word in tagged.words], np.int64)[of_word]
    words[:, at.MARK] = _marks(plain, tokens.sequences.offsets, offsets)
    _look(words, offsets)
    return words, offsets


@kernel(nogil=True)
def _look(words, offsets):
    for s in range(len(offsets) - 1):
        sentence = words[offsets[s] : offsets[s + 1]]
        attach(sentence)
        look_around(sentence)


def _marks(plain: Flags, tokens: NDArray[np.int64], offsets: NDArray[np.int64]) -> Flags:
    """(words,) whether a mark stands before each word that is not its sentence's first."""
    counts = np.diff(np.concatenate([[0], np.cumsum(plain)])[tokens])
    lengths = np.diff(offsets)
    same = counts == lengths  # else it is of marks alone, which are its words
    marks = np.zeros(offsets[-1], np.bool_)
    behind = np.concatenate([[False], ~plain[:-1]])
    marks[np.repeat(same, lengths)] = behind[plain][np.repeat(same, counts)]
    marks[offsets[:-1][lengths > 0]] = False
    return marks


def _find_trades(batch: Batch, room: int) -> tuple[Column, NDArray[np.int64]]:
    found, places = np.zeros(len(batch)), np.zeros((room, 4), np.int64)
    written = find_trades(*_aligned(batch), found, places)
    return found, places[:written]


@columnwise("traded", "order", PAWS)
def traded_places(batch: Batch) -> Column:
    """How many of the neighbours of two short blocks that traded places stayed; 0 if none did."""
    return _find_trades(batch, 0)[0]


def traded(a: Sentence, b: Sentence, resources: Resources | None = None) -> list[tuple[str, str]]:
    """The words of two sentences that traded places, as they are written, e.g. Berlin, Amsterdam.

    Said only of what is clear: names, nouns, adjectives or numbers that stand where the other
    stood, with what is around them left behind. Active and passive, converses ("led to", "was due
    to"), lists, and clauses that were moved are none.
    """
    if _is_passive(a) != _is_passive(b):
        return []
    batch = Batch([a], [b], resources or Resources())
    aligned = _aligned(batch)
    _, places = _find_trades(batch, int(aligned.counts[0]) ** 2)
    one, other = (b, a) if _turned(batch)[0] else (a, b)
    written, partner = [t for t in one.tokens if is_word(t)], aligned.left[:, at.PARTNER]
    return [
        (" ".join(written[i : j + 1]), " ".join(written[k : l + 1]))
        for i, j, k, l in places.tolist()  # noqa: E741
        if at.VERB not in aligned.right[partner[[j, l]], at.KIND]  # heating a gas, a gas is heated
        and _same_relation(_between(one, j + 1, k), _between(other, partner[l] + 1, partner[i]))
    ]


def _between(sentence: Sentence, begin: int, end: int) -> tuple[set[str], set[str], set[str]]:
    """Return the verbs, the content words and the prepositions of a part of a sentence."""
    tagged = [*zip(sentence.words[begin:end], sentence.word_tags[begin:end], strict=True)]
    said = {lemma(*word): word[1][:2] for word in tagged if is_content(*word)}
    links = {word for word, _ in tagged if at.kind(word, "") == at.PREPOSITION}
    return {word for word, tag in said.items() if tag == "VB"}, {*said}, links


def _same_relation(*sides: tuple[set[str], set[str], set[str]]) -> bool:
    """Whether the words between two things relate them alike: "resulted in" and "from" do not."""
    (verbs, said, links), (other_verbs, other_said, other_links) = sides
    if verbs and verbs.isdisjoint(other_verbs) and other_verbs:
        return False
    if (
        max(len(said), len(other_said)) < 2
        and links != other_links
        and links.isdisjoint(other_links)
    ):
        return False
    return said == other_said or not said.isdisjoint(other_said)


def _is_passive(sentence: Sentence) -> bool:
    """Whether a form of "be" stands up to two words before a verb and "by"."""
    words, tags = sentence.words, sentence.word_tags
    return any(
        word == "by"
        and tags[i - 1][:2] == "VB"
        and not _BE.isdisjoint(words[max(0, i - 3) : i - 1])
        for i, word in enumerate(words)
        if i > 1
    )


_BE = frozenset("am is are was were be been being".split())


def _column(batch: Batch, place: int) -> Column:
    return described(batch)[:, place]


for _place, _name in enumerate(at.ORDER_COLUMNS):
    columnwise(_name, "order", PAWS, high=MOST)(partial(_column, place=_place))
