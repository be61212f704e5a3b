"""The order of the words: what was moved, what was traded, what left its phrase.

Two sentences of the same words can mean the same ("In 1902 he left." / "He left in 1902.") or not
("from Berlin to Amsterdam" / "from Amsterdam to Berlin"). The words are aligned, longest common
blocks first; then it is counted which aligned words changed places, which kept their neighbours
and their noun phrase, and which stand where another stood.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.features.batch import Batch, Column, once
from semaniacs.features.families.word_alignment import aligned_words, turned_round
from semaniacs.features.measures.denial import is_content
from semaniacs.features.measures.word_order import kinds as at
from semaniacs.features.measures.word_order.blocks import describe_context, describe_moves
from semaniacs.features.measures.word_order.phrases import describe_phrases, describe_rest
from semaniacs.features.measures.word_order.trades import describe_trades, find_trades
from semaniacs.features.registry import columnwise
from semaniacs.features.resources import Resources
from semaniacs.sts.text.analysis import Sentence, lemma
from semaniacs.sts.text.tokenizer import is_word

PAWS = "Zhang et al. (2019), PAWS, 3: pairs with the same words in another order"

MOST = 50.0  # content words of a sentence are counted up to here; other counts up to 10

_LIMITS = np.array([MOST if name == "content_count" else 10.0 for name in at.ORDER_COLUMNS])


@once
def described(batch: Batch) -> NDArray[np.float64]:
    """(n, columns) the values of ``ORDER_COLUMNS`` for each pair."""
    found = np.zeros((len(batch), len(at.ORDER_COLUMNS)))
    words = aligned_words(batch)
    begins = words.left_begins, words.right_begins
    _describe(words.left, words.right, *begins, words.blocks, words.counts, found)
    return np.minimum(found, _LIMITS)


@kernel(nogil=True)
def _describe(left, right, left_begins, right_begins, all_blocks, counts, found):
    for p in range(len(found)):
        a = left[left_begins[p] : left_begins[p + 1]]
        b = right[right_begins[p] : right_begins[p + 1]]
        blocks = all_blocks[left_begins[p] : left_begins[p] + counts[p]]
        describe_moves(a, b, blocks, found[p])
        describe_context(a, b, found[p])
        describe_phrases(a, b, found[p])
        describe_trades(a, b, blocks, found[p])
        describe_rest(a, b, found[p])


def _find_trades(batch: Batch, room: int) -> tuple[Column, NDArray[np.int64]]:
    found, places = np.zeros(len(batch)), np.zeros((room, 4), np.int64)
    written = find_trades(*aligned_words(batch)[:-1], found, places)
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
    aligned = aligned_words(batch)
    _, places = _find_trades(batch, int(aligned.counts[0]) ** 2)
    one, other = (b, a) if turned_round(batch)[0] else (a, b)
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
