"""Every distinct sentence and word once; contradictions put in words."""

from __future__ import annotations

from itertools import pairwise

import pytest

from semaniacs.features.batch import LONGEST, VIEWS, Batch, once
from semaniacs.features.contradictions.differences import difference_sentences, words_apart
from semaniacs.features.measures.amounts import amounts
from semaniacs.features.measures.denial import reworded
from semaniacs.features.measures.numerals import lexemes
from semaniacs.features.measures.spelling import written_alike
from semaniacs.features.resources import Resources
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

    batch = Batch([one], [other], Resources())
    assert written_alike(batch) is batch


@pytest.mark.parametrize(("left", "right", "expected"), cases("test_a_contradiction_is_told"))
def test_a_contradiction_is_told(left: str, right: str, expected: str) -> None:
    assert expected in difference_sentences([left], [right])[0]


@pytest.mark.parametrize(
    ("left", "right"), cases("test_nothing_is_told_of_what_agrees_or_has_nothing_in_common")
)
def test_nothing_is_told_of_what_agrees_or_has_nothing_in_common(left: str, right: str) -> None:
    assert difference_sentences([left], [right]) == [()]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Canberra", "The capital is Canberra.", ("Only the second has: capital.",)),
        ("It is Canberra", "canberra", ()),
        ("Tom sees a dog", "Ann sees a cat", ("Only the first has: Tom, dog.", "Only the second has: Ann, cat.")),
        ("A dog", "the cats", ("They have no word in common.",)),
        ("I can't see a dog", "I can't see a big dog", ("Only the second has: big.",)),
        ("He forgave him since he killed", "He kills him since he killed", ("Only the first has: forgave.", "Only the second has: kills.")),
        ("He sees my friends", "He sees his friends", ("Only the first has: my.", "Only the second has: his.")),
        ("The dog barks at him", "A dog barked at him", ()), ("Call getId()", "Call getid()", ("The letter case differs: getId ≠ getid.",)), ("Dogs bite cats", "Cats bite dogs", ("The same words stand in another order.",)),
        ("A dog runs", "DOGS are running!", ()),
        ("A dog", "a DOG!", ()),
        ("-", "A dog", ()),
    ],
)  # fmt: skip
def test_words_of_one_side_are_told(left: str, right: str, expected: tuple[str, ...]) -> None:
    assert words_apart(left, right) == expected
