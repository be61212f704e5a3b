"""The objective against its equation, worked out by hand, and against outside oracles."""

from __future__ import annotations

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.test_util import check_grads
from scipy.special import log_softmax, softmax
from sklearn.metrics.pairwise import cosine_similarity

from embeddings.training.losses import (
    cosine,
    cosine_agreement,
    cosines,
    l2_to_init,
)
from embeddings.training.objectives import OBJECTIVES, HingeLoss, NeighbourAgreement, RankingLoss

Loss = Callable[[jax.Array, jax.Array], jax.Array]

LEFT = jnp.array([[1.0, 0.0], [2.0, 0.0]])
RIGHT = jnp.array([[0.6, 0.8], [7.0, 0.0]])
NOT_LEFT = jnp.array([[0.0, 5.0], [0.0, 3.0]])
NOT_RIGHT = jnp.array([[2.0, 0.0], [-1.0, 0.0]])


def random_quadruple(*shape: int) -> tuple[jax.Array, ...]:
    return tuple(jnp.asarray(np.random.default_rng(0).standard_normal((4, *shape)), jnp.float32))


def test_the_margin_by_hand() -> None:
    # Pair 1: cos(x1, x2) = .6, cos(x1, t1) = 0, cos(x2, t2) = .6
    #         max(0, .8 - .6 + 0) + max(0, .8 - .6 + .6) = .2 + .8 = 1
    # Pair 2: cos(x1, x2) = 1, cos(x1, t1) = 0, cos(x2, t2) = -1
    #         max(0, .8 - 1 + 0) + max(0, .8 - 1 - 1) = 0
    loss = HingeLoss(0.8)(LEFT, RIGHT, NOT_LEFT, NOT_RIGHT)
    assert loss.shape == ()
    assert float(loss) == pytest.approx(0.5, abs=1e-6)


def test_cosine_agrees_with_optax() -> None:
    a, b, _, _ = random_quadruple(50, 7)
    np.testing.assert_allclose(cosine(a, b), optax.losses.cosine_similarity(a, b), atol=1e-6)


@pytest.mark.parametrize("zero", [(0,), (1,), (2,), (3,), (0, 1), (0, 1, 2, 3)])
def test_zero_vectors_have_a_finite_gradient(zero: tuple[int, ...]) -> None:
    sides = list(random_quadruple(4, 5))
    for side in zero:
        sides[side] = sides[side].at[2].set(0.0)

    def loss(*batch: jax.Array) -> jax.Array:
        return HingeLoss(0.8)(*batch)

    value, gradients = jax.value_and_grad(loss, argnums=(0, 1, 2, 3))(*sides)
    assert np.isfinite(value)
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_the_gradient_agrees_with_finite_differences() -> None:
    sides = random_quadruple(4, 5)

    def loss(*batch: jax.Array) -> jax.Array:
        return HingeLoss(1.9)(*batch)  # wide, so that no hinge is near its bend

    check_grads(loss, sides, order=1, modes=("fwd", "rev"), atol=1e-2, rtol=1e-2, eps=1e-2)
    table, start, _, _ = sides
    check_grads(lambda t: l2_to_init(t, start, weight=0.1), (table,), order=1, atol=1e-2, rtol=1e-2)


def test_the_pull_by_hand() -> None:
    start = jnp.array([[1.0, 2.0], [3.0, 4.0]])
    table = jnp.array([[1.0, 0.0], [6.0, 4.0]])
    # Σ (0² + 2² + 3² + 0²) = 13
    assert float(l2_to_init(table, start, weight=0.1)) == pytest.approx(1.3)
    assert float(l2_to_init(start, start, weight=0.1)) == 0
    # d/dW λ ‖S − W‖² = 2 λ (W − S)
    gradient = jax.grad(lambda t: l2_to_init(t, start, weight=0.1))(table)
    np.testing.assert_allclose(gradient, [[0, -0.4], [0.6, 0]], atol=1e-6)


# All cosines at once


def test_all_cosines_agree_with_scikit_learn() -> None:
    a, b = random_quadruple(7, 5)[:2]
    a = a.at[2].set(0.0)
    np.testing.assert_allclose(cosines(a, b[:4]), cosine_similarity(a, b[:4]), atol=1e-6)
    np.testing.assert_allclose(jnp.diag(cosines(a, b)), cosine(a, b), atol=1e-6)


# The first hinge alone


def test_one_side_is_the_first_hinge() -> None:
    # Pair 1: max(0, .8 - .6 + 0) = .2; pair 2: max(0, .8 - 1 + 0) = 0
    assert float(HingeLoss(0.8, 1)(LEFT, RIGHT, NOT_LEFT)) == pytest.approx(0.1)


def test_the_objectives_of_the_command_line() -> None:
    made = {name: objective(0.7) for name, objective in OBJECTIVES.items()}
    assert made == {
        "paragram": HingeLoss(0.7, negatives=2),
        "one-sided": HingeLoss(0.7, negatives=1),
        "ranking": RankingLoss(20.0, 0.0),
        "additive": RankingLoss(20.0, 0.7),
    }
    assert [made[name].negatives for name in OBJECTIVES] == [2, 1, 0, 0]


# Multiple negatives


@pytest.mark.parametrize("margin", [0.0, 0.3])
@pytest.mark.parametrize("scale", [1.0, 20.0])
def test_multiple_negatives_agree_with_the_softmax_of_scipy(scale: float, margin: float) -> None:
    left, right = random_quadruple(9, 5)[:2]
    similar = cosine_similarity(left, right).astype(np.float64)
    similar[np.diag_indices(9)] -= margin
    to_right = log_softmax(scale * similar, axis=1).diagonal()
    to_left = log_softmax(scale * similar, axis=0).diagonal()
    expected = (-to_right.mean() - to_left.mean()) / 2
    found = RankingLoss(scale, margin)(left, right)
    assert float(found) == pytest.approx(expected, rel=1e-5)
    swapped = RankingLoss(scale, margin)(right, left)
    assert float(swapped) == pytest.approx(expected, rel=1e-5)


def test_the_ranking_by_hand() -> None:
    # cos = [[1, 0], [.6, .8]]; to the right: log(1 + e^-s), log(1 + e^-.2s);
    # to the left: log(1 + e^-.4s), log(1 + e^-.8s); with s = 5
    left, right = jnp.array([[2.0, 0.0], [0.6, 0.8]]), jnp.array([[1.0, 0.0], [0.0, 3.0]])
    expected = np.mean([np.log1p(np.exp(-5 * gap)) for gap in (1.0, 0.2, 0.4, 0.8)])
    assert float(RankingLoss(5.0)(left, right)) == pytest.approx(expected, rel=1e-5)


def test_a_margin_is_what_a_pair_must_be_ahead_by() -> None:
    # cos = [[1, 0], [0, 1]]: ahead by 1; by 1 - m with a margin
    left = jnp.eye(2)
    for margin in (0.0, 0.25, 1.0):
        expected = np.log1p(np.exp(-4 * (1 - margin)))
        found = RankingLoss(4.0, margin)(left, left)
        assert float(found) == pytest.approx(expected, rel=1e-5)


# Agreement with a teacher


def test_agreement_by_hand() -> None:
    # cosines between the three: student .6, 0, .8; teacher 0, 1, 0
    student = jnp.array([[1.0, 0.0], [0.6, 0.8], [0.0, 5.0]])
    teacher = jnp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [7.0, 0.0, 0.0]])
    expected = (0.6**2 + 1.0**2 + 0.8**2) / 3
    assert float(cosine_agreement(student, teacher)) == pytest.approx(expected, rel=1e-5)


def test_agreement_agrees_with_numpy() -> None:
    student, teacher = random_quadruple(8, 5)[:2]
    teacher = jnp.concatenate([teacher, student], axis=1)
    gaps = cosine_similarity(student) - cosine_similarity(teacher)
    expected = np.mean([gaps[i, j] ** 2 for i in range(8) for j in range(8) if i != j])
    assert float(cosine_agreement(student, teacher)) == pytest.approx(expected, rel=1e-4)
    assert float(cosine_agreement(student, 3 * student)) == pytest.approx(0, abs=1e-10)


def test_neighbours_by_hand() -> None:
    # cosines with the others: student .6 and 0, .6 and .8, 0 and .8; teacher 0 and 1, 0 and 0, 1 and 0
    student = jnp.array([[1.0, 0.0], [0.6, 0.8], [0.0, 5.0]])
    teacher = jnp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [7.0, 0.0, 0.0]])

    def cross_entropy(wanted: list[float], found: list[float]) -> float:
        p, q = softmax(np.array(wanted) / 0.5), softmax(np.array(found) / 0.5)
        return float(-(p * np.log(q)).sum())

    each = [
        cross_entropy([0, 1], [0.6, 0]),
        cross_entropy([0, 0], [0.6, 0.8]),
        cross_entropy([1, 0], [0, 0.8]),
    ]
    found = float(NeighbourAgreement(0.5)(student, teacher))
    assert found == pytest.approx(np.mean(each), rel=1e-5)


# Gradients of these


LOSSES = {
    "one-sided": lambda a, b: HingeLoss(1.9, 1)(a, b, b[::-1]),
    "ranking": RankingLoss(5.0),
    "additive": RankingLoss(5.0, 0.2),
    "agreement": cosine_agreement,
    "neighbours": NeighbourAgreement(0.5),
}


@pytest.mark.parametrize("loss", LOSSES.values(), ids=LOSSES)
def test_gradients_agree_with_finite_differences(loss: Loss) -> None:
    a, b = random_quadruple(4, 5)[:2]
    check_grads(loss, (a, b), order=1, modes=("rev",), atol=1e-2, rtol=1e-2, eps=1e-2)
