"""The additive margin scale loss against values by hand, and against the loss that it extends."""

from __future__ import annotations

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from embeddings.training.losses.cosines import cosines
from embeddings.training.losses.margin_scale import MarginScale
from embeddings.training.objectives import RankingLoss

LEFT = jnp.array([[1.0, 0], [0, 1]])
RIGHT = jnp.array([[0.8, 0.6], [0, 2]])  # cosines .8 0 / .6 1
HARD = jnp.array([[3.0, 4]])  # .6 / .8


def by_hand(scale: float, own: list[float], others: list[list[float]], gamma: float) -> float:
    total = 0.0
    for positive, (in_batch, hard) in zip(own, others, strict=True):
        p = math.exp(scale * positive)
        total -= math.log(p / (p + math.exp(scale * in_batch) + gamma * math.exp(scale * hard)))
    return total / 2


@pytest.mark.parametrize("gamma", [1.0, 0.5])
def test_the_margin_is_an_angle_or_is_taken_off(gamma: float) -> None:
    others = [[0, 0.6], [0.6, 0.8]]
    angular = [math.cos(math.acos(0.8) + 0.5), math.cos(0.5)]
    found = MarginScale(2.0, 0.5, gamma)(LEFT, RIGHT, HARD)
    assert found == pytest.approx(by_hand(2, angular, others, gamma), rel=1e-3)
    found = MarginScale(2.0, 0.5, gamma, angular=False)(LEFT, RIGHT, HARD)
    assert found == pytest.approx(by_hand(2, [0.3, 0.5], others, gamma), rel=1e-4)


def test_what_means_the_same_is_no_negative() -> None:
    never = jnp.array([[False, True, False], [False, False, True]])
    expected = -(
        math.log(math.exp(0.8) / (math.exp(0.8) + math.exp(0.6)))
        + math.log(math.exp(1) / (math.exp(1) + math.exp(0.6)))
    )
    found = MarginScale(1.0, angular=False)(LEFT, RIGHT, HARD, never)
    assert found == pytest.approx(expected / 2, rel=1e-5)


def test_without_hard_negatives_it_is_the_ranking_loss() -> None:
    rng = np.random.default_rng(0)
    left, right = jnp.asarray(rng.standard_normal((2, 6, 4)))
    ours = MarginScale(20.0, 0.2, angular=False, both=True)(left, right)
    assert ours == pytest.approx(float(RankingLoss(20.0, 0.2)(left, right)), rel=1e-5)


def test_multiple_negatives_of_torch() -> None:
    torch = pytest.importorskip("torch")
    rng = np.random.default_rng(1)
    left, right, hard = rng.standard_normal((3, 5, 4)).astype(np.float32)
    scores = 20 * np.asarray(cosines(jnp.asarray(left), jnp.concatenate([right, hard])))
    expected = torch.nn.functional.cross_entropy(torch.tensor(scores), torch.arange(5))
    found = MarginScale()(jnp.asarray(left), jnp.asarray(right), jnp.asarray(hard))
    assert found == pytest.approx(float(expected), rel=1e-4)


def test_the_slope_is_finite_where_the_sides_are_equal() -> None:
    slope = jax.grad(MarginScale(margin=0.5))(LEFT, LEFT)
    assert np.isfinite(np.asarray(slope)).all()
    assert MarginScale(1.0, 1.0)(LEFT, -LEFT) == pytest.approx(math.log(1 + math.e), rel=1e-3)
