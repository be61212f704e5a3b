"""The word aligner by worked examples, with words that are alike only where we say so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from embeddings.encoder import Encoder
from features.families.word_alignment import CLOSEST, align
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
    ("part", "left", "right", "expected"),
    [
        ("order", "cat dog ship", "cat dog ship", 1),
        ("order", "cat dog ship", "ship dog cat", 0),
        ("order", "cat dog ship", "dog cat ship", 2 / 3),  # only cat and dog turn round
        ("order", "the cat of it", "it of the cat", 1),  # stop words do not count
        ("order", "cat", "dog", 1),  # nothing to compare
        # Stop words are aligned beside aligned words.
        # the: beside cat on both sides
        ("words", "the cat", "the big cat", 2 * 2 / 5),
        # the: three places from cat on the right, which is near enough; four are not
        ("words", "the cat", "cat of and the", 2 * 2 / 6),
        ("words", "the cat", "cat of and by the", 2 * 1 / 7),
        # the, of: nothing is aligned that they could stand beside
        ("words", "the cat of", "the dog of", 0),
        ("words", "of the", "of the", 0),
        # is and was have one lemma, a and the do not
        ("words", "the cat is", "the cat was", 1),
        ("words", "a cat", "the cat", 2 * 1 / 4),
        # Numbers are aligned with themselves alone.
        ("content", "7", "7", 1),
        ("content", "7", "8", 0),
        ("content", "7", "seven", 0),
        ("content", "7 cats", "8 cats", 1 / 2),
        ("content", "a7", "a8", 0),
        # A word is aligned once.
        ("content", "cat", "cat cat cat", (1 + 1) / 4),
        ("content", "cat cat", "cat cat cat", (2 + 2) / 5),
        ("content", "cat cats", "cats", (1 + 1) / 3),
        ("content", "big large", "large", (1 + 1) / 3),
        ("content", "the cat", "the the the cat", 1),
        # Runs
        ("run", "the red cat slept", "a red cat slept here", 3 / 4),
        ("run", "red cat", "the red cat and the red dog", 1),
        ("run", "the red cat", "of the red dog", 2 / 3),  # "the red"
        ("run", "of the cat", "of the dog", 0),  # a run of stop words alone is none
        ("run", "red cat", "red dog", 0),  # nor is one word
        ("run", "red cats", "red cat", 0),  # nor are lemmas
        # Chunks
        ("chunks", "cat dog ship", "cat dog ship", 0),  # in one piece
        ("chunks", "cat dog ship port", "ship port cat dog", 2 / 4),
        ("chunks", "cat dog ship", "ship dog cat", 3 / 3),
        ("chunks", "cat saw ship", "cat slept ship", 2 / 2),  # interrupted on both sides
        ("chunks", "cat ship", "cat slept ship", 2 / 2),  # on one
        ("chunks", "cat", "dog", 0),
        # The nearest word is taken: big with big, although large comes first.
        ("similar", "big", "large big", 2 * 1 / 3),
        # Equal words, equal lemmas, near words
        ("similar", "big cat", "big ship", 2 * 1 / 4),
        ("similar", "cats", "cat", 1),
        ("similar", "big cat", "large cat", 2 * (0.8 + 1) / 4),
        ("content", "big cat", "large cat", 1),
        ("content", "big", "distant", 0),  # just too far
    ],
)
def test_parts_by_hand(aligned: Align, part: str, left: str, right: str, expected: float) -> None:
    assert aligned(left, right)[part] == pytest.approx(expected)
    assert aligned(right, left)[part] == pytest.approx(expected)
