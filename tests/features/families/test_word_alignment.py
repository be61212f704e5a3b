"""The word aligner by worked examples, and every word with every word against a twin that loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import Encoder
from semaniacs.features.batch import Batch
from semaniacs.features.families.soft_matching import covered
from semaniacs.features.families.word_alignment import align
from semaniacs.features.measures.word_matching import LEAST
from semaniacs.features.measures.word_order.block_alignment import CLOSEST
from semaniacs.features.registry import get_feature
from semaniacs.features.resources import Resources
from semaniacs.sts.text.analysis import information
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
    """Values that the aligner finds, by name."""

    def find(left: str, right: str) -> dict[str, float]:
        batch = make_batch([left], [right], Resources({"paragram": encoder}))
        return {name: float(column[0]) for name, column in align(batch)._asdict().items()}

    return find


BEST = {
    "content": 1, "words": 1, "weighted": 1, "similar": 1,
    "order": 1, "heaviest": 0, "run": 1,
}  # fmt: skip


@pytest.mark.parametrize(
    "text", ["cat dog cat dog cat", "It was not 7 of the 8 😀", "of the and cat in on at by for"]
)
def test_an_identical_sentence_is_aligned_as_a_whole(aligned: Align, text: str) -> None:
    assert aligned(text, text) == BEST


def test_clauses_that_change_places(aligned: Align) -> None:
    found = aligned(
        "In the morning he left, and at night he came back",
        "At night he came back, and in the morning he left",
    )
    assert found["content"] == found["similar"] == 1
    assert found["words"] == pytest.approx(10 / 11)  # "and" has no neighbour that is aligned
    # morning left | night came back: 1 + 3 of the 10 pairs of content words keep their order
    assert found["order"] == pytest.approx(4 / 10)
    # "at night he came back" is 5 of 11 words
    assert found["run"] == pytest.approx(5 / 11)


@pytest.mark.parametrize(("part", "left", "right", "expected"), cases("test_parts_by_hand"))
def test_parts_by_hand(aligned: Align, part: str, left: str, right: str, expected: float) -> None:
    assert aligned(left, right)[part] == pytest.approx(expected)
    assert aligned(right, left)[part] == pytest.approx(expected)


Vectors = dict[str, NDArray[np.float64]]

DRAWN_WORDS = "cat cats dog ship port seven 7 the of saw xylophone 汉字 unfriended".split()


@pytest.fixture(scope="module")
def drawn() -> Batch:
    """Forty pairs of up to seven words, with the bundled vectors; some sides are empty."""
    rng = np.random.default_rng(0)
    texts = [" ".join(rng.choice(DRAWN_WORDS, rng.integers(0, 8))) for _ in range(80)]
    return make_batch(texts[:40], texts[40:], Resources())


@pytest.fixture(scope="module")
def vectors(drawn: Batch) -> Vectors:
    """The encoder's own vector of each word: that of the sentence of this one word, not cut."""
    encoder = drawn.resources.encoder("paragram")
    rows = Encoder(encoder.tokenizer, encoder.rows).encode(DRAWN_WORDS).astype(np.float64)
    return dict(zip(DRAWN_WORDS, rows, strict=True))


def cosine(a: str, b: str, vectors: Vectors) -> float:
    if a == b:
        return 1.0
    norm = float(np.linalg.norm(vectors[a]) * np.linalg.norm(vectors[b]))
    return float(vectors[a] @ vectors[b]) / norm if norm else 0.0


def best(a: Sequence[str], b: Sequence[str], vectors: Vectors) -> list[float]:
    """The best cosine of each word of a with a word of b."""
    return [max(cosine(x, y, vectors) for y in b) for x in a]


# Coverage


def test_coverage_is_the_mean_of_the_best_cosines(drawn: Batch, vectors: Vectors) -> None:
    for view in ("words", "content"):
        found = covered(drawn, view)
        weight = information if view == "words" else (lambda word: 1.0)
        for i, pair in enumerate(zip(drawn.left, drawn.right, strict=True)):
            a, b = (getattr(sentence, view) for sentence in pair)
            if not a or not b:
                assert (found.left[i], found.right[i], found.gap[i], found.logarithm[i]) == (0,) * 4
                continue
            of_left, of_right = best(a, b, vectors), best(b, a, vectors)
            left, right = ([weight(word) for word in side] for side in (a, b))
            assert found.left[i] == pytest.approx(np.average(of_left, weights=left), abs=1e-5)
            assert found.right[i] == pytest.approx(np.average(of_right, weights=right), abs=1e-5)
            gaps = [w * (1 - c) for w, c in zip(left + right, of_left + of_right, strict=True)]
            assert found.gap[i] == pytest.approx(max(gaps), abs=1e-4)
            logarithms = [math.log(max(c, LEAST)) for c in of_left + of_right]
            assert found.logarithm[i] == pytest.approx(np.mean(logarithms), abs=1e-5)


# DynaMax


def test_dynamax_is_that_of_the_paper(drawn: Batch, vectors: Vectors) -> None:
    """Fuzzy bags of words over the universe of both sides' words, Jaccard (ibid., algorithm 1)."""
    column = get_feature("dynamax").compute(drawn)
    for a, b, value in zip(drawn.left, drawn.right, column, strict=True):
        if not a.words or not b.words:
            continue
        x, y = (np.array([vectors[word] for word in side.words]) for side in (a, b))
        universe = np.vstack([x, y])
        left, right = (np.maximum(0, (rows @ universe.T).max(axis=0)) for rows in (x, y))
        expected = np.minimum(left, right).sum() / np.maximum(left, right).sum()
        assert value == pytest.approx(expected, abs=1e-5)
