"""Negative examples: never the pair's own segments, and otherwise as the paper says."""

from __future__ import annotations

import jax
import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from embeddings.training.negatives import Indices, forbidden, hardest_or_own, random_segment


@pytest.mark.parametrize(("n", "m"), [(2, 2), (3, 8), (33, 20)])
def test_the_hardest_agrees_with_looking_at_all(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    anchors = rng.standard_normal((n, 4)).astype(np.float32)
    candidates = rng.standard_normal((m, 4)).astype(np.float32)
    never = rng.random((n, m)) < 0.4
    never[:, -1] = False
    expected = []
    for i, anchor in enumerate(anchors):
        cosines = {
            j: anchor @ candidates[j] / np.linalg.norm(anchor) / np.linalg.norm(candidates[j])
            for j in range(m)
            if not never[i, j]
        }
        expected.append(max(cosines, key=cosines.__getitem__))
    assert hardest_or_own(anchors, candidates, never).tolist() == expected
    assert jax.jit(hardest_or_own)(anchors, candidates, never).tolist() == expected


@given(st.data())
def test_forbidden_are_the_two_sides_of_a_pair(data: st.DataObject) -> None:
    segments = st.integers(0, 5)
    own = data.draw(st.lists(st.tuples(segments, segments), min_size=1, max_size=5))
    candidates = data.draw(st.lists(segments, min_size=1, max_size=6))
    found = forbidden(np.array(own), np.array(candidates))
    assert found.tolist() == [[candidate in pair for candidate in candidates] for pair in own]


# Random segments

SOURCES = [
    [(0, 1), (2, 0), (1, 1)],  # of three segments; both sides of the last pair are the same
    [(0, 4), (4, 2), (2, 3), (3, 3), (0, 0), (4, 4)],  # of five
    [(0, 0), (1, 1)],  # of two
]
SIZES = (3, 5, 2)
BEGINS = (7, 10, 15)


def own_and_sources() -> tuple[Indices, Indices, Indices]:
    """The pairs of all sources, counted from 7, with the size and the begin of their source."""
    counts = [len(pairs) for pairs in SOURCES]
    first = np.repeat(BEGINS, counts)
    own = np.concatenate([np.array(pairs) for pairs in SOURCES]) + first[:, None]
    return own, np.repeat(SIZES, counts), first


def test_a_random_negative_is_any_segment_of_the_source_but_the_pairs_own() -> None:
    draws = 3000
    own, size, first = own_and_sources()
    drawn = random_segment(
        np.random.default_rng(0),
        np.repeat(own, draws, axis=0),
        np.repeat(size, draws),
        np.repeat(first, draws),
    )
    assert drawn.shape == (len(own) * draws,)
    for pair, length, begin, segments in zip(
        own, size, first, drawn.reshape(-1, draws), strict=True
    ):
        others = [i for i in range(begin, begin + length) if i not in pair]
        seen, counts = np.unique(segments, return_counts=True)
        assert seen.tolist() == others
        assert len(others) == 1 or scipy.stats.chisquare(counts).pvalue > 0.01


@pytest.mark.parametrize(
    ("own", "size"),
    [([(0, 1)], [2]), ([(1, 0)], [2]), ([(0, 0)], [1]), ([(0, 1), (4, 3)], [3, 2])],
    ids=["two sides", "other way round", "one segment", "one source of two"],
)
def test_a_source_without_another_segment_has_no_negative(
    own: list[tuple[int, int]], size: list[int]
) -> None:
    first = np.array([0, 3])[: len(own)]
    with pytest.raises(ValueError, match="a segment outside the pair"):
        random_segment(np.random.default_rng(0), np.array(own), np.array(size), first)
