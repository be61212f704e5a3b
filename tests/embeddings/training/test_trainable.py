"""Dense and sparse parameters through the same loop, beside optax; a model is restored."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from safetensors.numpy import load, save

from semaniacs.embeddings.configuration import OptimizerName, Schedule
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training import loop
from semaniacs.embeddings.training.sentence_model import (
    Pool,
    SentenceModel,
    end_to_end,
    limited_mean,
)
from semaniacs.embeddings.training.sparse_rows import make_optimizer
from semaniacs.embeddings.training.trainable import Batch, Trainable

SCHEDULE = Schedule(epochs=3, batch=8, learning_rate=0.01, final_rate=0.5, seed=4)
X = np.random.default_rng(0).standard_normal((40, 5)).astype(np.float32)
Y = np.tanh(X[:, :1] * X[:, 1:2] + X[:, 2:3])
INITIAL = {"layers": ({"w": np.ones((5, 1), np.float32), "b": np.zeros((1, 1), np.float32)},)}


def squared_error(parameters: Any, x: Any, y: Any) -> Any:
    (layer,) = parameters["layers"]
    return jnp.mean((jnp.tanh(x @ layer["w"] + layer["b"]) - y) ** 2)


@dataclass(frozen=True)
class Vectors:
    schedule: Schedule

    def rounds(self, epoch: int) -> int:
        return -(-len(X) // self.schedule.batch)

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        order = np.random.default_rng([self.schedule.seed, epoch]).permutation(len(X))
        chosen = order[number * self.schedule.batch :][: self.schedule.batch]
        yield Batch(extra=(X[chosen], Y[chosen]))


def test_it_is_the_training_of_optax() -> None:
    """Oracle: the same batches in a plain loop; the rate is injected as optax does it."""
    made = optax.inject_hyperparams(lambda rate: optax.adamw(rate, weight_decay=0.1))
    transformation = made(rate=0.0)
    parameters = jax.tree.map(jnp.asarray, INITIAL)
    state, data, total = transformation.init(parameters), Vectors(SCHEDULE), 15
    for step in range(total):
        (batch,) = data.batches(step // 5, step % 5, None)  # type: ignore[arg-type]
        gradient = jax.grad(squared_error)(parameters, *batch.extra)
        state.hyperparams["rate"] = jnp.float32(0.01 * (1 - 0.5 * step / total))
        updates, state = transformation.update(gradient, state, parameters)
        parameters = optax.apply_updates(parameters, updates)
    model = Trainable(INITIAL, squared_error, optax.adamw(1.0, weight_decay=0.1))
    history = loop.run(model, data, SCHEDULE, label="x")
    jax.tree.map(
        lambda found, expected: np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-6),
        model.dense,
        parameters,
    )
    assert model.steps == total
    assert history.points[-1].loss < history.points[0].loss


ROWS, DIM = 20, 3
START = np.random.default_rng(0).standard_normal((ROWS, DIM)).astype(np.float32)
Groups = tuple[list[list[int]], list[list[int]]]

# Sentences of two groups: with words that recur, blank ones, and rows that come back later.
BATCHES: list[Groups] = [
    ([[1, 2], [3]], [[2, 2, 2], [4]]),
    ([[5, 6], [7, 1, 8]], [[], [9]]),
    ([[9, 9], [2]], [[1], [10, 11]]),
    ([[1, 2], [3]], [[2, 2, 2], [4]]),
    ([[12], [12]], [[13], [3]]),
]
UNUSED = [0, *range(14, ROWS)]
WEIGHTS = np.array([1.0, 3.0], np.float32)


def apart(left: jax.Array, right: jax.Array, weights: Any) -> jax.Array:
    """A loss that is no cosine: weighted squared distances, and a bend."""
    return jnp.sum(weights * ((left - right) ** 2).sum(1)) + jnp.abs(left).sum()


def table_of(name: OptimizerName) -> SentenceModel:
    return SentenceModel(START, make_optimizer(name), apart)


def step(table: SentenceModel, batch: Groups, rate: float = 0.1) -> float:
    return float(table.step(Batch([Ragged.of(group) for group in batch], (WEIGHTS,)), rate))


def means_of(table: Any, group: list[list[int]]) -> Any:
    return jnp.stack([table[jnp.array(ids)].mean(0) if ids else jnp.zeros(DIM) for ids in group])


def test_sentence_vectors_are_means() -> None:
    sentences = [[1, 2, 2], [], [19], [0, 5, 7, 9, 11]]
    expected = [START[ids].mean(axis=0) if ids else np.zeros(DIM) for ids in sentences]
    found = table_of("adam").encode(Ragged.of(sentences))
    np.testing.assert_allclose(found, expected, atol=1e-6)
    limited = limited_mean(1.5)
    rows = np.array([[3, 0.5, -9], [1, 0.3, 1]], np.float32)
    owners, lengths = np.zeros(2, np.int32), np.full((1, 1), 2, np.float32)
    found = limited.vectors({}, rows, owners, lengths)
    assert found.tolist() == [[1.5, pytest.approx(0.4), -1.5]]
    gradient = jax.grad(lambda rows: limited.vectors({}, rows, owners, lengths).sum())(rows)
    assert gradient.tolist() == [[0, 0.5, 0], [0, 0.5, 0]]


def bent(parameters: Any, rows: Any, owners: Any, lengths: Any) -> Any:
    """Pool with parameters of its own: σ(mean W + b)."""
    sums = jax.ops.segment_sum(rows, owners, len(lengths))
    return jax.nn.sigmoid(sums / lengths @ parameters["w"] + parameters["b"])


LEARNED = {
    "w": np.random.default_rng(1).standard_normal((DIM, 2)).astype(np.float32),
    "b": np.zeros((1, 2), np.float32),
}


def bent_table(name: OptimizerName, dropout: float = 0.0) -> SentenceModel:
    optimizer, pool = make_optimizer(name), Pool(bent, LEARNED, end_to_end)
    return SentenceModel(START, optimizer, apart, l2_to_init=0.1, pool=pool, dropout=dropout)


@pytest.mark.parametrize("name", ["adagrad", "adam"])
def test_a_model_restored_goes_on_to_the_same_bytes(name: OptimizerName) -> None:
    table = bent_table(name, dropout=0.5)
    step(table, BATCHES[0], rate=0.2)
    step(table, BATCHES[1], rate=0.15)
    kept = load(save(table.tensors()))
    other = bent_table(name, dropout=0.5)
    step(other, BATCHES[1])  # anything: it is forgotten
    other.restore(kept)
    assert other.rows().tobytes() == table.rows().tobytes()
    assert (other.steps, other.rate) == (2, 0.15)
    assert step(other, BATCHES[0]) == step(table, BATCHES[0])
    for key, value in table.tensors().items():
        assert other.tensors()[key].tobytes() == value.tobytes(), key
        assert kept[key].dtype == value.dtype
    small = SentenceModel(START[:5], make_optimizer("adam"), apart)
    with pytest.raises(ValueError, match=r"rows\.\w+ is \(5,.*\), expected \(20,"):
        table_of("adam").restore(small.tensors())


def test_parameters_are_learned_by_the_adam_of_optax() -> None:
    """Oracle: optax over the whole table and over the parameters, a sentence at a time."""
    rows = {"table": jnp.asarray(START)}
    parameters = {name: jnp.asarray(value) for name, value in LEARNED.items()}
    both = optax.adagrad(0.1, initial_accumulator_value=0.1, eps=1e-7)
    adam = optax.adam(0.1)
    states = both.init(rows), adam.init(parameters)
    table = bent_table("adagrad")
    for batch in BATCHES:
        used = jnp.array(sorted({row for group in batch for ids in group for row in ids}))

        def loss_of(rows: Any, parameters: Any, batch: Groups = batch, used: Any = used) -> Any:
            groups = []
            for group in batch:
                weighted = means_of(rows["table"], group) @ parameters["w"] + parameters["b"]
                groups.append(1 / (1 + jnp.exp(-weighted)))
            pull = 0.1 * ((rows["table"][used] - START[used]) ** 2).sum()
            return apart(*groups, WEIGHTS) + pull

        loss, gradients = jax.value_and_grad(loss_of, argnums=(0, 1))(rows, parameters)
        moved, row_state = both.update(gradients[0], states[0])
        learned, state = adam.update(gradients[1], states[1])
        rows = optax.apply_updates(rows, moved)
        parameters = optax.apply_updates(parameters, learned)
        states = row_state, state
        assert step(table, batch) == pytest.approx(float(loss), rel=1e-5)
    np.testing.assert_allclose(table.rows(), rows["table"], rtol=1e-4, atol=1e-5)
    assert table.rows()[UNUSED].tobytes() == START[UNUSED].tobytes()
    for name, value in parameters.items():
        np.testing.assert_allclose(table.pool_parameters[name], value, rtol=1e-4, atol=1e-5)
        assert (np.asarray(value) != LEARNED[name]).all()


def test_a_step_drops_numbers_and_scales_up_the_others() -> None:
    wide, each = np.zeros((64, 50), np.float32), Ragged.of([[row] for row in range(64)])

    def kept_by_a_step(seed: int, steps: int = 1) -> Any:
        """Return the factor of each number in the last step: momentum's first step is −η g."""
        optimizer = make_optimizer("momentum")
        table = SentenceModel(wide, optimizer, lambda v: v.sum(), dropout=0.3, seed=seed)
        velocity: Any = np.zeros_like(wide)
        for _ in range(steps):
            table.step(Batch([each]), 1.0)
            before, velocity = velocity, np.asarray(table.sparse["rows"].stored.state["velocity"])
        return velocity - np.float32(0.9) * before

    kept = kept_by_a_step(0)
    assert abs((kept == 0).mean() - 0.3) < 0.05
    np.testing.assert_allclose(kept[kept != 0], 1 / 0.7, rtol=1e-4)
    assert (kept == kept_by_a_step(0)).all()
    for other in (kept_by_a_step(0, steps=2), kept_by_a_step(1)):
        assert (np.isclose(kept, 0) != np.isclose(other, 0)).mean() > 0.3
