"""A dense model through the same loop: a small network, trained by optax, stopped and resumed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from semaniacs.embeddings.configuration import Schedule
from semaniacs.embeddings.training import loop
from semaniacs.embeddings.training.checkpoint import Checkpoint, History, identity
from semaniacs.embeddings.training.optimizers import make_optimizer
from semaniacs.embeddings.training.sparse_rows import SparseRows
from semaniacs.embeddings.training.trainable import Batch, Inputs, Trainable
from semaniacs.sts.errors import StsError
from tests.embeddings.stopping import StopAfter, StoppedError

SCHEDULE = Schedule(epochs=3, batch=8, learning_rate=0.01, final_rate=0.5, seed=4)
X = np.random.default_rng(0).standard_normal((40, 5)).astype(np.float32)
Y = np.tanh(X[:, :1] * X[:, 1:2] + X[:, 2:3])


def mlp(parameters: Any, x: Any) -> Any:
    """Two layers; the parameters are a tuple of dictionaries."""
    first, second = parameters["layers"]
    return jax.nn.gelu(x @ first["w"] + first["b"]) @ second["w"] + second["b"]


def squared_error(parameters: Any, x: Any, y: Any) -> Any:
    return jnp.mean((mlp(parameters, x) - y) ** 2)


def initial() -> dict[str, Any]:
    rng = np.random.default_rng(1)
    shapes = ((5, 16), (16, 1))
    return {
        "layers": tuple(
            {
                "w": (rng.standard_normal(shape) / shape[0] ** 0.5).astype(np.float32),
                "b": np.zeros((1, shape[1]), np.float32),
            }
            for shape in shapes
        )
    }


@dataclass(frozen=True)
class Vectors:
    """The rows of X and Y in random order, one batch per round."""

    schedule: Schedule

    def rounds(self, epoch: int) -> int:
        return -(-len(X) // self.schedule.batch)

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        order = np.random.default_rng([self.schedule.seed, epoch]).permutation(len(X))
        chosen = order[number * self.schedule.batch :][: self.schedule.batch]
        yield Batch(extra=(X[chosen], Y[chosen]))


ADAMW = optax.adamw(1.0, weight_decay=0.1)


def trained(
    checkpoint: Checkpoint | None = None,
    evaluate: Callable[[], float] | None = None,
) -> tuple[Trainable, History]:
    model = Trainable(initial(), squared_error, ADAMW)
    history = loop.run(
        model, Vectors(SCHEDULE), SCHEDULE, label="x", checkpoint=checkpoint, evaluate=evaluate
    )
    return model, history


def raw(model: Trainable) -> dict[str, bytes]:
    return {name: value.tobytes() for name, value in model.tensors().items()}


def test_it_is_the_training_of_optax() -> None:
    """Oracle: the same batches in a plain loop; the rate is injected as optax does it."""
    made = optax.inject_hyperparams(lambda rate: optax.adamw(rate, weight_decay=0.1))
    transformation = made(rate=0.0)
    parameters = jax.tree.map(jnp.asarray, initial())
    state, data, total = transformation.init(parameters), Vectors(SCHEDULE), 15
    for step in range(total):
        (batch,) = data.batches(step // 5, step % 5, None)  # type: ignore[arg-type]
        gradient = jax.grad(squared_error)(parameters, *batch.extra)
        state.hyperparams["rate"] = jnp.float32(0.01 * (1 - 0.5 * step / total))
        updates, state = transformation.update(gradient, state, parameters)
        parameters = optax.apply_updates(parameters, updates)
    model, history = trained()
    jax.tree.map(
        lambda found, expected: np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6),
        model.dense,
        parameters,
    )
    assert model.steps == total
    assert history.points[-1].loss < history.points[0].loss


def test_a_training_that_was_stopped_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    path = tmp_path / "checkpoint"
    checkpoint = Checkpoint(path, identity(SCHEDULE, start="mlp"), seconds=0)
    with pytest.raises(StoppedError):
        trained(checkpoint, StopAfter(7))
    assert path.exists()
    resumed, _ = trained(checkpoint)
    assert raw(resumed) == raw(trained()[0])
    assert not path.exists()


def test_a_network_that_diverges_is_reported() -> None:
    model = Trainable(initial(), squared_error, optax.sgd(1.0, momentum=0.9))
    schedule = Schedule(epochs=2, batch=8, learning_rate=1e30)
    with pytest.raises(StsError, match=r"x: .* in epoch 1; try a lower learning rate"):
        loop.run(model, Vectors(schedule), schedule, label="x")


class Mixed(Trainable):
    """Word rows and a dense weight: x is the number of a row."""

    def inputs(self, batch: Batch) -> Inputs:
        rows, places = np.unique(batch.extra[0], return_inverse=True)
        return Inputs({"rows": rows}, (places, batch.extra[1]))


def weighted(parameters: Any, places: Any, y: Any) -> Any:
    return jnp.mean((parameters["rows"][places] @ parameters["w"] - y) ** 2)


def test_only_rows_that_changed_are_checked_for_being_finite() -> None:
    table = X[:10].copy()
    table[4] = np.nan  # was never trained: not the fault of this training
    model = Mixed(
        {"rows": SparseRows(table, make_optimizer("adagrad")), "w": np.ones((5, 1))}, weighted
    )
    model.step(Batch(extra=(np.array([1, 2]), Y[:2])), 0.1)
    assert model.is_finite()
    model.step(Batch(extra=(np.array([4, 2]), Y[:2])), 0.1)
    assert not model.is_finite()
