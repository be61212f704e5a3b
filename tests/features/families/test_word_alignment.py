"""The word aligner by worked examples, with words that are alike only where we say so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from embeddings.encoder import Encoder
from features.families.word_alignment import CLOSEST, align
from features.measures.information import information
from features.resources import Resources
from tests.features.support import make_batch, make_encoder

Align = Callable[[str, str], dict[str, float]]

WORDS = "cat dog ship port big large distant red morning left night came back saw slept".split()


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    """Every word has a dimension of its own; others, stop words too, have no vector.

    The cosine of big and large is 0.8, that of big and distant just below what can be aligned.
    """
    rows = np.vstack([np.eye(len(WORDS)), np.zeros(len(WORDS))])
    big = WORDS.index("big")
    for word, cosine in (("large", 0.8), ("distant", CLOSEST - 0.01)):
        rows[WORDS.index(word)] *= np.sqrt(1 - cosine**2)
        rows[WORDS.index(word), big] = cosine
    return make_encoder(rows, *WORDS)


@pytest.fixture(scope="module")
def aligned(encoder: Encoder) -> Align:
    """What the aligner finds, by name."""

    def find(left: str, right: str) -> dict[str, float]:
        batch = make_batch([left], [right], Resources({"paragram": encoder}))
        return {name: float(column[0]) for name, column in align(batch)._asdict().items()}

    return find


BEST = {
    "content": 1, "words": 1, "weighted": 1, "similar": 1,
    "order": 1, "heaviest": 0, "run": 1, "chunks": 0,
}  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["The cat saw the dog.", "cat dog cat dog cat", "the red cat of the red dog and the red ship",
     "It was not 7 of the 8 😀", "of the and cat in on at by for"],
)  # fmt: skip
def test_an_identical_sentence_is_aligned_as_a_whole(aligned: Align, text: str) -> None:
    assert aligned(text, text) == BEST


def test_clauses_that_change_places(aligned: Align) -> None:
    found = aligned(
        "In the morning he left, and at night he came back",
        "At night he came back, and in the morning he left",
    )
    assert found["content"] == found["words"] == found["similar"] == 1
    # morning left | night came back: 1 + 3 of the 10 pairs of content words keep their order
    assert found["order"] == pytest.approx(4 / 10)
    # "at night he came back" is 5 of 11 words; it, the other clause and "and" are 3 chunks
    assert found["run"] == pytest.approx(5 / 11)
    assert found["chunks"] == pytest.approx(3 / 11)


@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        ("cat dog ship", "cat dog ship", 1.0),
        ("cat dog ship", "ship dog cat", 0.0),
        ("cat dog ship", "dog cat ship", 2 / 3),  # only cat and dog turn round
        ("the cat of it", "it of the cat", 1.0),  # stop words do not count
        ("cat", "dog", 1.0),  # nothing to compare
    ],
)
def test_order(aligned: Align, left: str, right: str, order: float) -> None:
    assert aligned(left, right)["order"] == pytest.approx(order)


# Stop words


@pytest.mark.parametrize(
    ("left", "right", "words"),
    [
        # the: beside cat on both sides
        ("the cat", "the big cat", 2 * 2 / 5),
        # the: three places from cat on the right, which is near enough; four are not
        ("the cat", "cat of and the", 2 * 2 / 6),
        ("the cat", "cat of and by the", 2 * 1 / 7),
        # the, of: nothing is aligned that they could stand beside
        ("the cat of", "the dog of", 0),
        ("of the", "of the", 0),
        # is and was have one lemma
        ("the cat is", "the cat was", 1),
        # a and the do not
        ("a cat", "the cat", 2 * 1 / 4),
    ],
)
def test_stop_words_are_aligned_beside_aligned_words(
    aligned: Align, left: str, right: str, words: float
) -> None:
    assert aligned(left, right)["words"] == pytest.approx(words)


def test_stop_words_are_no_content(aligned: Align) -> None:
    found = aligned("the cat of it", "a cat by him")
    assert found["content"] == found["weighted"] == found["similar"] == 1
    assert found["heaviest"] == 0


# Numbers


@pytest.mark.parametrize(
    ("left", "right", "content"),
    [("7", "7", 1), ("7", "8", 0), ("7", "seven", 0), ("7 cats", "8 cats", 1 / 2), ("a7", "a8", 0)],
)
def test_numbers_are_aligned_with_themselves_alone(
    aligned: Align, left: str, right: str, content: float
) -> None:
    assert aligned(left, right)["content"] == pytest.approx(content)


def test_numbers_of_one_vector_are_no_likeness() -> None:
    resources = Resources({"paragram": make_encoder(np.ones((4, 2)), "7", "8", "cat")})
    batch = make_batch(["7", "cat", "cat"], ["8", "dog", "7"], resources)
    np.testing.assert_array_equal(align(batch).content, [0, 1, 0])


# Each word once, the best partner first


@pytest.mark.parametrize(
    ("left", "right", "content"),
    [
        ("cat", "cat cat cat", (1 + 1) / 4),
        ("cat cat", "cat cat cat", (2 + 2) / 5),
        ("cat cats", "cats", (1 + 1) / 3),
        ("big large", "large", (1 + 1) / 3),
        ("the cat", "the the the cat", 1),
    ],
)
def test_a_word_is_aligned_once(aligned: Align, left: str, right: str, content: float) -> None:
    assert aligned(left, right)["content"] == pytest.approx(content)
    assert aligned(right, left)["content"] == pytest.approx(content)


def test_equal_words_lemmas_and_near_words(aligned: Align) -> None:
    assert aligned("big cat", "big ship")["similar"] == pytest.approx(2 * 1 / 4)
    assert aligned("cats", "cat")["similar"] == 1
    assert aligned("big cat", "large cat")["similar"] == pytest.approx(2 * (0.8 + 1) / 4)
    assert aligned("big cat", "large cat")["content"] == 1
    assert aligned("big", "distant")["content"] == 0  # just too far


def test_the_nearest_word_is_taken(aligned: Align) -> None:
    # big with big, although large comes first
    assert aligned("big", "large big")["similar"] == pytest.approx(2 * 1 / 3)
    assert aligned("large big", "big")["similar"] == pytest.approx(2 * 1 / 3)


def test_neighbours_decide_between_equal_words(aligned: Align) -> None:
    # The second cat on the right stands near a dog, as the one on the left does; the first one
    # does not. Positions 8, 10 and 4 for cat, dog, port: only cat and dog keep their order. With
    # the first cat, 0, 10, 4, port alone would be out of place.
    found = aligned("cat xx dog port", "cat a7 a7 a7 port a7 a7 a7 cat yy dog")
    assert found["order"] == pytest.approx(1 / 3)


# What is left alone


def test_the_heaviest_word_left_alone(aligned: Align) -> None:
    found = aligned("the cat saw a xylophone", "the cat slept")
    weights = {word: information(word) for word in ("cat", "saw", "xylophone", "slept")}
    assert found["heaviest"] == pytest.approx(weights["xylophone"], abs=1e-4)
    expected = 2 * weights["cat"] / (sum(weights.values()) + weights["cat"])
    assert found["weighted"] == pytest.approx(expected, abs=1e-5)
    turned = aligned("the cat slept", "the cat saw a xylophone")
    assert turned["heaviest"] == found["heaviest"]


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("", "", {"content": 1, "words": 1, "weighted": 1, "similar": 1, "order": 1}),
        ("", "cat", {"content": 0, "words": 0, "weighted": 0, "similar": 0, "order": 1}),
        ("cat", "dog", {"content": 0, "words": 0, "weighted": 0, "similar": 0, "order": 1}),
        ("the", "of", {"content": 1, "words": 0, "weighted": 1, "similar": 1, "order": 1}),
    ],
)
def test_nothing_to_align(
    aligned: Align, left: str, right: str, expected: dict[str, float]
) -> None:
    found = aligned(left, right)
    assert {name: found[name] for name in expected} == expected
    assert found["run"] == found["chunks"] == 0


# Runs and chunks


@pytest.mark.parametrize(
    ("left", "right", "run"),
    [
        ("the red cat slept", "a red cat slept here", 3 / 4),
        ("red cat", "the red cat and the red dog", 1.0),
        ("the red cat", "of the red dog", 2 / 3),  # "the red"
        ("of the cat", "of the dog", 0.0),  # a run of stop words alone is none
        ("red cat", "red dog", 0.0),  # nor is one word
        ("red cats", "red cat", 0.0),  # nor are lemmas
    ],
)
def test_the_longest_run(aligned: Align, left: str, right: str, run: float) -> None:
    assert aligned(left, right)["run"] == pytest.approx(run)


@pytest.mark.parametrize(
    ("left", "right", "chunks"),
    [
        ("cat dog ship", "cat dog ship", 0),  # in one piece
        ("cat dog ship port", "ship port cat dog", 2 / 4),
        ("cat dog ship", "ship dog cat", 3 / 3),
        ("cat saw ship", "cat slept ship", 2 / 2),  # interrupted on both sides
        ("cat ship", "cat slept ship", 2 / 2),  # on one
        ("cat", "dog", 0),
    ],
)
def test_chunks(aligned: Align, left: str, right: str, chunks: float) -> None:
    assert aligned(left, right)["chunks"] == pytest.approx(chunks)


def test_a_batch_is_aligned_once(encoder: Encoder) -> None:
    batch = make_batch(["cat"], ["cat"], Resources({"paragram": encoder}))
    assert align(batch) is align(batch)
