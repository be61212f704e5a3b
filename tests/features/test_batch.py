"""Every distinct sentence and word once; contradictions put in words."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from semaniacs.features.batch import LONGEST, VIEWS, Batch, once
from semaniacs.features.differences import differences
from semaniacs.features.families.any_language import tokens_of
from semaniacs.features.measures.amounts import amounts
from semaniacs.features.measures.denial import reworded
from semaniacs.features.measures.numerals import lexemes
from semaniacs.features.measures.phrases import phrases
from semaniacs.features.measures.spelling import written_alike
from semaniacs.features.registry import FeatureColumns
from semaniacs.features.resources import Resources
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.text.analysis import analyse
from tests.features.support import MakeBatch, cases

LEFT = "The cat sat.", "A dog", "The cat sat."
RIGHT = "A dog", "", "The cats sat"


@pytest.fixture
def batch(batch_of: MakeBatch) -> Batch:
    return batch_of(LEFT, RIGHT)


def words_by(batch: Batch, view: str) -> list[list[str]]:
    """The words of each distinct sentence, spelled out of their numbers."""
    looked = batch.view(view)
    flat, offsets = looked.sequences
    words = [looked.words[number] for number in flat]
    return [words[a:b] for a, b in pairwise(offsets)]


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_spells_what_the_sentence_says(batch_of: MakeBatch, name: str) -> None:
    batch = batch_of([*LEFT, "The .DJI and the U.S. cats weren't 7 😀!"], [*RIGHT, "the of"])
    seen = [
        [VIEWS[name](word, tag) for word, tag in zip(s.words, s.word_tags, strict=True)]
        for s in batch.sentences
    ]
    assert words_by(batch, name) == [[w for w in words if w is not None] for words in seen]
    words = batch.view(name).words
    assert len(set(words)) == len(words)


def test_a_long_text_says_the_same_beside_marks_alone(batch_of: MakeBatch) -> None:
    long = "The cat , and " * LONGEST
    alone, beside = batch_of([long], [long]), batch_of([long, "! ?"], [long, "..."])
    assert words_by(alone, "words")[0] == words_by(beside, "words")[0]
    assert words_by(beside, "words")[1:] == [["!", "?"], [".", ".", "."]]
    for batch in (alone, beside):
        assert len(tokens_of(batch).names) == sum(map(len, words_by(batch, "words")))


def test_views_by_hand(batch_of: MakeBatch) -> None:
    batch = batch_of(["The cats weren't sleeping!"], ["!"])
    expected = {
        "words": ["the", "cats", "were", "n't", "sleeping"],
        "content": ["cats", "sleeping"],
        "lemmas": ["cat", "sleep"],
        "all lemmas": ["the", "cat", "be", "n't", "sleep"],
        "nouns": ["cats"],
        "noun lemmas": ["cat"],
        "verbs": ["were", "sleeping"],
        "determiners": ["the"],
    }
    assert {name: words_by(batch, name)[0] for name in VIEWS} == expected
    # a mark is a word where there is no other, but no noun
    assert [words_by(batch, name)[1] for name in ("words", "content", "nouns")] == [
        ["!"],
        ["!"],
        [],
    ]


def test_a_sentence_that_is_not_looked_at_whole_may_hold_anything(batch_of: MakeBatch) -> None:
    batch = batch_of(["Cat 7", "dog " * (LONGEST + 1)], ["cat", ""])
    found = dict(
        zip([s.text[:5] for s in batch.sentences], batch.may_hold(str.isdigit), strict=True)
    )
    assert found == {"Cat 7": True, "cat": False, "dog d": True, "": False}


def test_what_is_computed_is_remembered(batch: Batch) -> None:
    computed: list[str] = []

    @once
    def shout(batch: Batch, word: str, marks: int = 1) -> str:
        computed.append(word)
        return word.upper() + "!" * marks

    asked = [shout(batch, word) for word in ("cat", "cat", "dog")]
    assert [*asked, shout(batch, "cat", marks=2)] == ["CAT!", "CAT!", "DOG!", "CAT!!"]
    assert computed == ["cat", "dog", "cat"]
    assert batch.view("words") is batch.view("words")


def test_characters_are_lower_case_with_one_blank_between_words(batch_of: MakeBatch) -> None:
    batch = batch_of(["  The\tCAT’s  «ÉTÉ» "], ["\ud800 汉😀"])
    flat, offsets = batch.characters
    texts = ["".join(map(chr, flat[a:b])) for a, b in pairwise(offsets)]
    assert texts == ['the cat\'s "été"', "\ud800 汉😀"]


def test_what_compares_each_with_each_reads_the_beginning_of_a_long_sentence() -> None:
    one, other = (
        analyse([text])[text]
        for text in ("2 dogs " * 2 * LONGEST, "Recieved 2 dogs before May " * 2 * LONGEST)
    )
    assert len(lexemes(one)) == len(reworded(one)) == LONGEST
    assert len(amounts(one)) <= LONGEST
    assert phrases(one)[-1].end <= LONGEST

    batch = Batch([one], [other], Resources())
    assert written_alike(batch) is batch


COLUMNS = (
    "polarity_conflict", "opposite_words", "exclusive_words", "factuality_conflict",
    "quantifier_conflict", "calendar_conflict", "quantity_conflict", "name_conflict",
    "structure_conflict", "traded",
)  # fmt: skip


def told(left: str, right: str) -> tuple[str, ...]:
    pair = Pairs("one", (left,), (right,), np.zeros(1))
    values = FeatureColumns(COLUMNS).compute(pair)[0]
    return differences(left, right, dict(zip(COLUMNS, values.tolist(), strict=True)))


@pytest.mark.parametrize(("left", "right", "expected"), cases("test_a_contradiction_is_told"))
def test_a_contradiction_is_told(left: str, right: str, expected: str) -> None:
    assert expected in told(left, right)


@pytest.mark.parametrize(
    ("left", "right"), cases("test_nothing_is_told_of_what_agrees_or_has_nothing_in_common")
)
def test_nothing_is_told_of_what_agrees_or_has_nothing_in_common(left: str, right: str) -> None:
    assert told(left, right) == ()


def test_what_no_column_speaks_of_is_not_told() -> None:
    assert differences("the dog bit the man", "the man bit the dog", {}) == ()
