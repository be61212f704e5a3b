"""The objective against its equation, worked out by hand, and against outside oracles."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from jax.test_util import check_grads

from embeddings.objectives import cosine, paragram_margin, pull_to_start

LEFT = jnp.array([[1.0, 0.0], [2.0, 0.0]])
RIGHT = jnp.array([[0.6, 0.8], [7.0, 0.0]])
NOT_LEFT = jnp.array([[0.0, 5.0], [0.0, 3.0]])
NOT_RIGHT = jnp.array([[2.0, 0.0], [-1.0, 0.0]])


def random_quadruple(*shape: int) -> tuple[jax.Array, ...]:
    return tuple(jnp.asarray(np.random.default_rng(0).standard_normal((4, *shape)), jnp.float32))


def test_arrays_of_unlike_rank_are_not_combined() -> None:
    with pytest.raises(ValueError, match="rank"):
        jnp.ones(3) + jnp.ones((2, 3))


def test_the_margin_by_hand() -> None:
    # Pair 1: cos(x1, x2) = .6, cos(x1, t1) = 0, cos(x2, t2) = .6
    #         max(0, .8 - .6 + 0) + max(0, .8 - .6 + .6) = .2 + .8 = 1
    # Pair 2: cos(x1, x2) = 1, cos(x1, t1) = 0, cos(x2, t2) = -1
    #         max(0, .8 - 1 + 0) + max(0, .8 - 1 - 1) = 0
    loss = paragram_margin(LEFT, RIGHT, NOT_LEFT, NOT_RIGHT, margin=0.8)
    assert loss.shape == ()
    assert float(loss) == pytest.approx(0.5, abs=1e-6)


@pytest.mark.parametrize(
    ("margin", "expected"),
    [
        (0.0, 0.0),  # pair 1: 0 + (0 - .6 + .6); pair 2: 0 + 0
        (0.4, 0.2),  # pair 1: 0 + (.4 - .6 + .6); pair 2: 0 + 0; so .4 / 2
        (2.0, 2.2),  # pair 1: 1.4 + 2; pair 2: (2 - 1 + 0) + (2 - 1 - 1); so 4.4 / 2
    ],
)
def test_the_margin_of_other_sizes_by_hand(margin: float, expected: float) -> None:
    loss = paragram_margin(LEFT, RIGHT, NOT_LEFT, NOT_RIGHT, margin=margin)
    assert float(loss) == pytest.approx(expected, abs=1e-6)


def test_the_lengths_of_vectors_do_not_matter() -> None:
    left, right, not_left, not_right = random_quadruple(6, 5)
    loss = paragram_margin(left, right, not_left, not_right, margin=0.4)
    scaled = paragram_margin(9 * left, right / 3, 2 * not_left, 5 * not_right, margin=0.4)
    assert float(loss) == pytest.approx(float(scaled), abs=1e-6)


def test_cosine_agrees_with_optax() -> None:
    a, b, _, _ = random_quadruple(50, 7)
    np.testing.assert_allclose(cosine(a, b), optax.losses.cosine_similarity(a, b), atol=1e-6)


def test_compiled_and_plain_agree() -> None:
    quadruple = random_quadruple(6, 5)
    plain = paragram_margin(*quadruple, margin=0.8)
    compiled = jax.jit(paragram_margin, static_argnames="margin")(*quadruple, margin=0.8)
    np.testing.assert_allclose(compiled, plain, rtol=1e-6)
    table, start, _, _ = random_quadruple(6, 5)
    np.testing.assert_allclose(
        jax.jit(pull_to_start, static_argnames="weight")(table, start, weight=0.1),
        pull_to_start(table, start, weight=0.1),
        rtol=1e-6,
    )


def test_mapped_over_batches_it_is_each_batch_alone() -> None:
    quadruple = random_quadruple(3, 6, 5)

    def loss(*batch: jax.Array) -> jax.Array:
        return paragram_margin(*batch, margin=0.8)

    alone = [loss(*(side[i] for side in quadruple)) for i in range(3)]
    np.testing.assert_allclose(jax.vmap(loss)(*quadruple), jnp.stack(alone), rtol=1e-6)


@pytest.mark.parametrize("zero", [(0,), (1,), (2,), (3,), (0, 1), (0, 1, 2, 3)])
def test_zero_vectors_have_a_finite_gradient(zero: tuple[int, ...]) -> None:
    sides = list(random_quadruple(4, 5))
    for side in zero:
        sides[side] = sides[side].at[2].set(0.0)

    def loss(*batch: jax.Array) -> jax.Array:
        return paragram_margin(*batch, margin=0.8)

    value, gradients = jax.value_and_grad(loss, argnums=(0, 1, 2, 3))(*sides)
    assert np.isfinite(value)
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_the_gradient_of_two_equal_sentences_is_finite() -> None:
    same = jnp.ones((2, 3))
    gradient = jax.grad(lambda x: paragram_margin(x, x, -x, -x, margin=0.8))(same)
    np.testing.assert_allclose(gradient, 0, atol=1e-6)


def test_the_gradient_agrees_with_finite_differences() -> None:
    sides = random_quadruple(4, 5)

    def loss(*batch: jax.Array) -> jax.Array:
        return paragram_margin(*batch, margin=1.9)  # wide, so that no hinge is near its bend

    check_grads(loss, sides, order=1, modes=("fwd", "rev"), atol=1e-2, rtol=1e-2, eps=1e-2)
    table, start, _, _ = sides
    check_grads(
        lambda t: pull_to_start(t, start, weight=0.1), (table,), order=1, atol=1e-2, rtol=1e-2
    )


def test_a_step_against_the_gradient_lowers_the_loss() -> None:
    sides = random_quadruple(8, 5)

    def loss(left: jax.Array) -> jax.Array:
        return paragram_margin(left, *sides[1:], margin=0.8)

    assert loss(sides[0] - 0.1 * jax.grad(loss)(sides[0])) < loss(sides[0])


def test_the_pull_by_hand() -> None:
    start = jnp.array([[1.0, 2.0], [3.0, 4.0]])
    table = jnp.array([[1.0, 0.0], [6.0, 4.0]])
    # Σ (0² + 2² + 3² + 0²) = 13
    assert float(pull_to_start(table, start, weight=0.1)) == pytest.approx(1.3)
    assert float(pull_to_start(start, start, weight=0.1)) == 0
    # d/dW λ ‖S − W‖² = 2 λ (W − S)
    gradient = jax.grad(lambda t: pull_to_start(t, start, weight=0.1))(table)
    np.testing.assert_allclose(gradient, [[0, -0.4], [0.6, 0]], atol=1e-6)
