"""Optimizers that touch only the rows of a batch.

Every row has its own state, which is brought up to date when the row is next in a batch. Until
then its gradient is zero, and what a dense optimizer would do to it has a closed form: adagrad
leaves it, the averages of adadelta decay, momentum moves it along a geometric series (while the
rate stays the same). Adam has no such form: moments and step count stay as they are while the row
is in no batch ("lazy Adam"), which is the dense optimizer if every row is in every batch.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.configuration import OptimizerName

State = dict[str, jax.Array]  # arrays whose first axis is the row
Rate = jax.Array | float  # η, the learning rate of a step

Changed = tuple[jax.Array, State]


class Optimizer(NamedTuple):
    """Pure functions over some rows (r, dim) and their state.

    Attributes:
        init: state of rows that were never used.
        catch_up: rows and state after so many steps (r, 1) with a zero gradient, at this rate.
        update: rows and state after a step with a gradient (r, dim), at this rate.
    """

    init: Callable[[jax.Array], State]
    catch_up: Callable[[jax.Array, State, jax.Array, Rate], Changed]
    update: Callable[[jax.Array, State, jax.Array, Rate], Changed]


@cache
def make_optimizer(name: OptimizerName) -> Optimizer:
    """Return the optimizer of that name, always the same object: it is compiled once."""
    makers: dict[OptimizerName, Callable[[], Optimizer]]
    makers = {"adadelta": adadelta, "adam": adam, "adagrad": adagrad, "momentum": momentum}
    return makers[name]()


def at_own_pace(optimizer: Optimizer, pace: NDArray[np.float32]) -> Optimizer:
    """Return the optimizer with the rate of each row multiplied by its ``pace`` (rows, 1)."""

    def init(rows: jax.Array) -> State:
        return {**optimizer.init(rows), "pace": jnp.asarray(pace)}

    def catch_up(rows: jax.Array, state: State, missed: jax.Array, rate: Rate) -> Changed:
        rows, changed = optimizer.catch_up(rows, state, missed, rate * state["pace"])
        return rows, {**changed, "pace": state["pace"]}

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        rows, changed = optimizer.update(rows, state, gradient, rate * state["pace"])
        return rows, {**changed, "pace": state["pace"]}

    return Optimizer(init, catch_up, update)


def _stand_still(rows: jax.Array, state: State, _: jax.Array, __: Rate) -> Changed:
    return rows, state


def adagrad(epsilon: float = 1e-7, start: float = 0.1) -> Optimizer:
    """G ← G + g²;  W ← W − η g / √(G + ε)    (Duchi et al., 2011)."""

    def init(rows: jax.Array) -> State:
        return {"squares": jnp.full_like(rows, start)}

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        squares = state["squares"] + gradient**2
        return rows - rate * gradient * jax.lax.rsqrt(squares + epsilon), {"squares": squares}

    return Optimizer(init, _stand_still, update)


def adadelta(decay: float = 0.95, epsilon: float = 1e-6) -> Optimizer:
    """Zeiler (2012), algorithm 1: steps in the unit of the steps before."""

    def init(rows: jax.Array) -> State:
        return {"squares": jnp.zeros_like(rows), "steps": jnp.zeros_like(rows)}

    def catch_up(rows: jax.Array, state: State, missed: jax.Array, _: Rate) -> Changed:
        faded = decay**missed
        return rows, {name: value * faded for name, value in state.items()}

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        squares = decay * state["squares"] + (1 - decay) * gradient**2
        step = jnp.sqrt(state["steps"] + epsilon) / jnp.sqrt(squares + epsilon) * gradient
        steps = decay * state["steps"] + (1 - decay) * step**2
        return rows - rate * step, {"squares": squares, "steps": steps}

    return Optimizer(init, catch_up, update)


def momentum(decay: float = 0.9) -> Optimizer:
    """v ← μ v + g;  W ← W − η v    (Polyak, 1964)."""

    def init(rows: jax.Array) -> State:
        return {"velocity": jnp.zeros_like(rows)}

    def catch_up(rows: jax.Array, state: State, missed: jax.Array, rate: Rate) -> Changed:
        faded = decay**missed
        drift = decay * (1 - faded) / (1 - decay)  # μ + μ² + … + μ^missed
        velocity = state["velocity"]
        return rows - rate * drift * velocity, {"velocity": velocity * faded}

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        velocity = decay * state["velocity"] + gradient
        return rows - rate * velocity, {"velocity": velocity}

    return Optimizer(init, catch_up, update)


def adam(first: float = 0.9, second: float = 0.999, epsilon: float = 1e-8) -> Optimizer:
    """Kingma and Ba (2015), algorithm 1, with the step count t of each row."""

    def init(rows: jax.Array) -> State:
        return {
            "mean": jnp.zeros_like(rows),
            "squares": jnp.zeros_like(rows),
            "count": jnp.zeros((len(rows), 1), jnp.float32),
        }

    def update(rows: jax.Array, state: State, gradient: jax.Array, rate: Rate) -> Changed:
        count = state["count"] + 1
        mean = first * state["mean"] + (1 - first) * gradient
        squares = second * state["squares"] + (1 - second) * gradient**2
        step = (mean / (1 - first**count)) / (jnp.sqrt(squares / (1 - second**count)) + epsilon)
        return rows - rate * step, {"mean": mean, "squares": squares, "count": count}

    return Optimizer(init, _stand_still, update)
