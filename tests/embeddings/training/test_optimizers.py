"""Row-wise optimizers against the dense ones of optax, and against numpy where there is none."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import numpy as np
import optax
import pytest
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import OptimizerName
from semaniacs.embeddings.training.optimizers import Optimizer, at_own_pace, make_optimizer

ROWS, DIM, STEPS, CHOSEN = 9, 3, 25, 4
Dense = Callable[[Any], Any]

DENSE: dict[OptimizerName, Dense] = {
    "adagrad": lambda rate: optax.adagrad(rate, initial_accumulator_value=0.1, eps=1e-7),
    "adadelta": lambda rate: optax.adadelta(rate, rho=0.95, eps=1e-6),
    "momentum": lambda rate: optax.sgd(rate, momentum=0.9),
    "adam": lambda rate: optax.adam(rate, b1=0.9, b2=0.999, eps=1e-8),
}
RATE = {"adagrad": 0.05, "adadelta": 20.0, "momentum": 0.05, "adam": 0.05}
"""Such that all move about as far: the first steps of Adadelta are tiny."""

rng = np.random.default_rng(0)
START = rng.standard_normal((ROWS, DIM)).astype(np.float32)
GRADIENTS = rng.standard_normal((STEPS, ROWS, DIM)).astype(np.float32)
SUBSETS = np.array([rng.permutation(ROWS - 1)[:CHOSEN] for _ in range(STEPS)])  # never the last
EVERYTHING = np.tile(np.arange(ROWS), (STEPS, 1))


def densely(dense: Dense, rate: Any, gradients: NDArray[np.float32]) -> NDArray[np.float32]:
    """The table after all steps by optax."""
    optimizer, table = dense(rate), jnp.asarray(START)
    state = optimizer.init(table)
    for gradient in gradients:
        updates, state = optimizer.update(jnp.asarray(gradient), state, table)
        table = optax.apply_updates(table, updates)
    return np.asarray(table)


def by_rows(
    optimizer: Optimizer,
    rate: Callable[[int], float],
    subsets: NDArray[np.int64],
    gradients: NDArray[np.float32] = GRADIENTS,
) -> NDArray[np.float32]:
    """The table after steps of which each touches a subset of the rows alone."""
    table = START.copy()
    state = {name: np.array(value) for name, value in optimizer.init(jnp.asarray(START)).items()}
    seen = np.zeros(ROWS, int)
    for step, (chosen, gradient) in enumerate(zip(subsets, gradients, strict=True)):
        rows, used = (
            jnp.asarray(table[chosen]),
            {k: jnp.asarray(v[chosen]) for k, v in state.items()},
        )
        missed = jnp.asarray((step - seen[chosen])[:, None], jnp.float32)
        rows, used = optimizer.catch_up(rows, used, missed, rate(step))
        rows, used = optimizer.update(rows, used, jnp.asarray(gradient[chosen]), rate(step))
        table[chosen] = rows
        for name, value in used.items():
            state[name][chosen] = value
        seen[chosen] = step + 1
    missed = jnp.asarray((len(subsets) - seen)[:, None], jnp.float32)
    final = {name: jnp.asarray(value) for name, value in state.items()}
    return np.asarray(optimizer.catch_up(jnp.asarray(table), final, missed, rate(len(subsets)))[0])


def gradients_of_subsets() -> NDArray[np.float32]:
    """The gradients as a dense optimizer sees them: zero for all rows that are not chosen."""
    dense = np.zeros_like(GRADIENTS)
    for step, chosen in enumerate(SUBSETS):
        dense[step, chosen] = GRADIENTS[step, chosen]
    return dense


@pytest.mark.parametrize("name", DENSE)
def test_with_every_row_in_every_step_it_is_the_dense_optimizer(name: OptimizerName) -> None:
    found = by_rows(make_optimizer(name), lambda _: RATE[name], EVERYTHING)
    expected = densely(DENSE[name], RATE[name], GRADIENTS)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    assert np.abs(found - START).max() > 0.1


@pytest.mark.parametrize("name", ["adagrad", "adadelta", "momentum"])
def test_rows_that_come_and_go_end_where_the_dense_optimizer_takes_them(
    name: OptimizerName,
) -> None:
    found = by_rows(make_optimizer(name), lambda _: RATE[name], SUBSETS)
    expected = densely(DENSE[name], RATE[name], gradients_of_subsets())
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    np.testing.assert_array_equal(found[-1], START[-1])


def test_momentum_that_is_caught_up_is_as_many_steps_with_a_zero_gradient() -> None:
    """By hand: v = 2, μ = .9, η = .1; drift .1 · (1.8 + 1.62 + 1.458) = .4878."""
    optimizer = make_optimizer("momentum")
    rows, state = optimizer.catch_up(
        jnp.array([[1.0]]), {"velocity": jnp.array([[2.0]])}, jnp.array([[3.0]]), 0.1
    )
    assert float(rows[0, 0]) == pytest.approx(1 - 0.4878)
    assert float(state["velocity"][0, 0]) == pytest.approx(1.458)


def test_lazy_adam_counts_the_steps_of_each_row_alone() -> None:
    expected = START.astype(np.float64)
    for row in range(ROWS):
        mean = squares = np.zeros(DIM)
        own_steps = [s for s in range(STEPS) if row in SUBSETS[s]]
        for t, step in enumerate(own_steps, start=1):
            g = GRADIENTS[step, row].astype(np.float64)
            mean = 0.9 * mean + 0.1 * g
            squares = 0.999 * squares + 0.001 * g * g
            corrected, spread = mean / (1 - 0.9**t), np.sqrt(squares / (1 - 0.999**t))
            expected[row] -= 0.05 * corrected / (spread + 1e-8)
    found = by_rows(make_optimizer("adam"), lambda _: 0.05, SUBSETS)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found[-1], START[-1])


# Rows at their own pace

PACE = np.linspace(0, 1.5, ROWS, dtype=np.float32)[:, None]


def densely_at_own_pace(
    dense: Dense, rate: Callable[[Any], Any], gradients: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Each row out of a table of its own, which optax trains at its rate."""
    tables = [densely(dense, lambda step, p=p: p * rate(step), gradients) for p in PACE[:, 0]]
    return np.stack([table[row] for row, table in enumerate(tables)])


@pytest.mark.parametrize("name", DENSE)
def test_every_row_goes_as_the_dense_optimizer_at_its_own_rate(name: OptimizerName) -> None:
    paced = at_own_pace(make_optimizer(name), PACE)
    found = by_rows(paced, lambda _: RATE[name], EVERYTHING)
    expected = densely_at_own_pace(DENSE[name], lambda _: RATE[name], GRADIENTS)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    np.testing.assert_array_equal(found[0], START[0])  # at a pace of 0
    assert np.abs(found - START)[1:].max(axis=1).min() > 1e-3
