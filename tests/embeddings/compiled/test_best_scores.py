"""The best scores of each query, against a sort of all."""

from __future__ import annotations

import numpy as np

from embeddings.compiled.best_scores import keep_best


def test_the_best_of_several_matrices_are_the_best_of_all() -> None:
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 30, (20, 90)).astype(np.float32)  # many are equal
    best = np.full((20, 5), -np.inf, np.float32)
    places = np.full((20, 5), -1)
    for part in np.split(np.arange(90), [10, 11, 40]):
        for queries in (np.arange(0, 20, 2), np.arange(1, 20, 2)):
            keep_best(np.ascontiguousarray(scores[queries][:, part]), queries, part, best, places)
    order = np.argsort(-scores, axis=1, kind="stable")[:, :5]
    np.testing.assert_array_equal(places, order)
    np.testing.assert_array_equal(best, np.take_along_axis(scores, order, axis=1))


def test_fewer_scores_than_wanted_leave_places_empty() -> None:
    best, places = np.full((1, 3), -np.inf, np.float32), np.full((1, 3), -1)
    one = np.array([0])
    keep_best(np.ones((1, 1), np.float32), one, np.array([7]), best, places)
    assert places.tolist() == [[7, -1, -1]]
