"""Margins and candidates, by hand and against the equations written out."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.mining.candidates import (
    Candidates,
    Floats,
    Margin,
    ScoredPairs,
    margin_score,
    mine,
    mine_paraphrases,
    select_pairs,
)
from semaniacs.embeddings.mining.neighbours import Neighbours
from semaniacs.embeddings.table import Vectors

COSINES = np.array([[0.9, 0.5, 0.1], [0.8, 0.6, 0.2], [0.3, 0.7, 0.4]])
"""With k = 2 the means are 0.7, 0.7, 0.55 of the rows and 0.85, 0.65, 0.3 of the columns."""


def neighbours(cosines: Floats, k: int = 2) -> Neighbours:
    places = np.argsort(-cosines, axis=1, kind="stable")[:, :k]
    return Neighbours(places, np.take_along_axis(cosines, places, axis=1))


def listed(mined: ScoredPairs) -> list[tuple[int, int, float]]:
    return [
        (x, y, round(s, 4)) for x, y, s in zip(*(column.tolist() for column in mined), strict=True)
    ]


@pytest.mark.parametrize(
    ("candidates", "expected"),
    [
        ("forward", [(2, 1, 1.1667), (0, 0, 1.1613), (1, 0, 1.0323)]),
        ("backward", [(2, 1, 1.1667), (0, 0, 1.1613), (2, 2, 0.9412)]),
        ("intersection", [(2, 1, 1.1667), (0, 0, 1.1613)]),
        ("max", [(2, 1, 1.1667), (0, 0, 1.1613)]),
    ],
)
def test_candidates_by_hand(candidates: Candidates, expected: list[tuple[int, int, float]]) -> None:
    found = select_pairs(neighbours(COSINES), neighbours(COSINES.T), "ratio", candidates)
    assert listed(found) == expected


@pytest.mark.parametrize(
    ("margin", "expected"),
    [("absolute", 0.7), ("distance", 0.7 - 0.6), ("ratio", 0.7 / 0.6)],
)
def test_margins_by_hand(margin: Margin, expected: float) -> None:
    assert margin_score(np.array(0.7), np.array(0.55), np.array(0.65), margin) == pytest.approx(
        expected
    )


# against equations 2 to 4 written out


def make_side(count: int, seed: int) -> Vectors:
    """Rows that all lean one way, so that their mean cosines are positive."""
    vectors = np.random.default_rng(seed).standard_normal((count, 6)) + 2
    return unit(vectors.astype(np.float32))


def plain_scores(cosines: Floats, k: int, margin: Margin) -> Floats:
    scores = np.empty_like(cosines)
    for x in range(cosines.shape[0]):
        for y in range(cosines.shape[1]):
            a = cosines[x, y]
            b = sum(sorted(cosines[x], reverse=True)[:k]) / (2 * k)
            b += sum(sorted(cosines[:, y], reverse=True)[:k]) / (2 * k)
            scores[x, y] = {"absolute": a, "distance": a - b, "ratio": a / b}[margin]
    return scores


def plain_best(scores: Floats, cosines: Floats, k: int) -> list[tuple[float, int, int]]:
    best = []
    for x in range(len(scores)):
        near = sorted(range(scores.shape[1]), key=lambda y: -cosines[x, y])[:k]
        y = max(near, key=lambda y: scores[x, y])
        best.append((-scores[x, y], x, y))
    return best


def plain_mine(
    cosines: Floats, k: int, margin: Margin, candidates: Candidates
) -> list[list[float]]:
    scores = plain_scores(cosines, k, margin)
    forward = plain_best(scores, cosines, k)
    backward = [(s, x, y) for s, y, x in plain_best(scores.T, cosines.T, k)]
    if candidates == "forward":
        return [list(pair) for pair in sorted(forward)]
    if candidates == "backward":
        return [list(pair) for pair in sorted(backward)]
    if candidates == "intersection":
        return [list(pair) for pair in sorted(set(forward) & set(backward))]
    kept: list[list[float]] = []
    for s, x, y in sorted(set(forward) | set(backward)):
        if all(x != other[1] and y != other[2] for other in kept):
            kept.append([s, x, y])
    return kept


@pytest.mark.parametrize("candidates", ["max", "intersection", "forward", "backward"])
@pytest.mark.parametrize("margin", ["ratio", "distance", "absolute"])
@pytest.mark.parametrize("k", [1, 4])
def test_mining_is_what_the_equations_say(k: int, margin: Margin, candidates: Candidates) -> None:
    source, target = make_side(40, 0), make_side(30, 1)
    cosines = source.astype(np.float64) @ target.T.astype(np.float64)
    found = mine(source, target, k, margin=margin, candidates=candidates)
    expected = plain_mine(cosines, k, margin, candidates)
    np.testing.assert_array_equal(np.stack(found[:2], axis=1), [pair[1:] for pair in expected])
    np.testing.assert_allclose(found.scores, [-pair[0] for pair in expected], atol=1e-9)


# Paraphrases


def make_rows(count: int, seed: int = 0) -> Vectors:
    vectors = np.random.default_rng(seed).standard_normal((count, 8)) + 0.5
    return unit(vectors.astype(np.float32))


def cosines(a: Vectors, b: Vectors) -> np.ndarray:
    return a.astype(np.float64) @ b.T.astype(np.float64)


def test_between_two_lists_either_may_be_the_neighbour() -> None:
    rows, against = make_rows(20), make_rows(9, seed=1)
    found = mine_paraphrases(rows, against, k=2)
    every = cosines(rows, against)
    expected = {(i, int(j)) for i in range(20) for j in np.argsort(-every[i])[:2]}
    expected |= {(int(i), j) for j in range(9) for i in np.argsort(-every[:, j])[:2]}
    pairs = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == expected
    np.testing.assert_allclose(found.scores, [every[pair] for pair in pairs], atol=1e-9)
    assert (np.diff(found.scores) <= 0).all()
