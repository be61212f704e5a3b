"""The word aligner by worked examples, with words that are alike only where we say so."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from embeddings.encoder import Encoder
from features.families.word_alignment import CLOSEST, align
from features.resources import Resources
from tests.features.support import cases, make_batch, make_encoder

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


@pytest.mark.parametrize(("part", "left", "right", "expected"), cases("test_parts_by_hand"))
def test_parts_by_hand(aligned: Align, part: str, left: str, right: str, expected: float) -> None:
    assert aligned(left, right)[part] == pytest.approx(expected)
    assert aligned(right, left)[part] == pytest.approx(expected)
