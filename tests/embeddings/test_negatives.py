"""Negative examples: never the pair itself, and otherwise as the paper says."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from embeddings.negatives import hardest_in_batch, random_other


@pytest.mark.parametrize("n", [2, 3, 8, 33])
def test_the_hardest_agrees_with_looking_at_all(n: int) -> None:
    rng = np.random.default_rng(n)
    anchors, candidates = rng.standard_normal((2, n, 4)).astype(np.float32)
    expected = []
    for i, anchor in enumerate(anchors):
        others = [j for j in range(n) if j != i]
        cosines = [
            anchor @ candidates[j] / np.linalg.norm(anchor) / np.linalg.norm(candidates[j])
            for j in others
        ]
        expected.append(candidates[others[int(np.argmax(cosines))]])
    np.testing.assert_array_equal(hardest_in_batch(anchors, candidates), expected)
    np.testing.assert_array_equal(jax.jit(hardest_in_batch)(anchors, candidates), expected)


def test_the_pair_itself_is_never_the_hardest() -> None:
    anchors = jnp.eye(4)
    candidates = jnp.eye(4) * 100 + 0.01
    chosen = hardest_in_batch(anchors, candidates)
    assert not (chosen == candidates).all(axis=1).any()
    opposite = hardest_in_batch(jnp.eye(2), jnp.array([[1.0, 0.0], [-1.0, 0.0]]))
    np.testing.assert_array_equal(opposite, [[-1, 0], [1, 0]])


def test_similarity_and_not_length_makes_a_negative_hard() -> None:
    anchors = jnp.array([[1.0, 0.0], [0.0, 1.0], [0.0, 1.0]])
    candidates = jnp.array([[9.0, 9.0], [0.1, 0.0], [50.0, 50.0]])
    np.testing.assert_array_equal(hardest_in_batch(anchors, candidates)[0], candidates[1])


def test_zero_vectors_have_a_negative_and_a_finite_gradient() -> None:
    anchors = jnp.zeros((3, 2)).at[1].set(1.0)
    gradient = jax.grad(lambda c: hardest_in_batch(anchors, c).sum())(jnp.zeros((3, 2)))
    assert np.isfinite(hardest_in_batch(anchors, anchors)).all()
    assert np.isfinite(gradient).all()


@pytest.mark.parametrize("total", [2, 3, 10])
def test_a_random_negative_is_any_other_pair(total: int) -> None:
    draws = 3000
    pairs = np.repeat(np.arange(total), draws)
    others = random_other(np.random.default_rng(0), pairs, total)
    assert others.shape == pairs.shape
    counts = np.zeros((total, total), int)
    np.add.at(counts, (pairs, others), 1)
    assert not counts.diagonal().any()
    off_diagonal = counts[~np.eye(total, dtype=bool)]
    assert scipy.stats.chisquare(off_diagonal).pvalue > 0.01


def test_random_negatives_depend_on_the_generator_alone() -> None:
    first, again, other = (
        random_other(np.random.default_rng(seed), np.arange(50), 50) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


@pytest.mark.parametrize("total", [0, 1])
def test_a_pair_alone_has_no_negative(total: int) -> None:
    with pytest.raises(ValueError, match="at least two pairs"):
        random_other(np.random.default_rng(0), np.arange(total), total)
