"""Paraphrases in one list and between two, against all pairs compared."""

from __future__ import annotations

import numpy as np
import pytest

from embeddings.encoder import unit
from embeddings.mining.candidates import Margin, mine_paraphrases
from embeddings.table import Vectors


def make_rows(count: int, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, 8)) + 0.5
    return unit(vectors.astype(np.float32))


def cosines(a: Vectors, b: Vectors) -> np.ndarray:
    return a.astype(np.float64) @ b.T.astype(np.float64)


def test_with_all_neighbours_the_best_of_all_pairs_are_found() -> None:
    rows = make_rows(30)
    found = mine_paraphrases(rows, k=29, top=50)
    every = cosines(rows, rows)
    expected = sorted((-every[i, j], i, j) for i in range(30) for j in range(i + 1, 30))[:50]
    np.testing.assert_array_equal(np.stack(found[:2], axis=1), [pair[1:] for pair in expected])
    np.testing.assert_allclose(found.scores, [-pair[0] for pair in expected], atol=1e-9)


def test_between_two_lists_either_may_be_the_neighbour() -> None:
    rows, against = make_rows(20), make_rows(9, seed=1)
    found = mine_paraphrases(rows, against, k=2, top=1000)
    every = cosines(rows, against)
    expected = {(i, int(j)) for i in range(20) for j in np.argsort(-every[i])[:2]}
    expected |= {(int(i), j) for j in range(9) for i in np.argsort(-every[:, j])[:2]}
    pairs = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == expected
    np.testing.assert_allclose(found.scores, [every[pair] for pair in pairs], atol=1e-9)
    assert (np.diff(found.scores) <= 0).all()


@pytest.mark.parametrize("margin", ["ratio", "distance"])
def test_a_margin_weighs_the_neighbours(margin: Margin) -> None:
    rows = make_rows(25)
    found = mine_paraphrases(rows, k=3, top=10, margin=margin)
    every = cosines(rows, rows)
    np.fill_diagonal(every, -2)
    mean = np.sort(every, axis=1)[:, -3:].mean(axis=1)
    a = every[found.source, found.target]
    b = (mean[found.source] + mean[found.target]) / 2
    np.testing.assert_allclose(found.scores, a / b if margin == "ratio" else a - b, atol=1e-9)
    assert (found.source < found.target).all()
    assert len(found.scores) == 10
