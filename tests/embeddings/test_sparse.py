"""A step over the rows of a batch is the step over the whole table; other rows lie still."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load, save

from embeddings import sparse
from embeddings.optimizers import make_optimizer
from embeddings.schedule import OptimizerName
from embeddings.sparse import SparseTable
from embeddings.vocabulary import Ragged

ROWS, DIM = 20, 3
START = np.random.default_rng(0).standard_normal((ROWS, DIM)).astype(np.float32)
Batch = tuple[list[list[int]], list[list[int]]]

# Sentences of two groups: with words that recur, blank ones, and rows that come back later.
BATCHES: list[Batch] = [
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


optimizer_of = cache(make_optimizer)


@pytest.fixture(autouse=True, scope="module")
def _compile_little() -> Iterator[None]:
    """What takes time here is compiling: tables that are alike share their step."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sparse, "_compile_step", cache(sparse._compile_step))
        yield


def table_of(name: OptimizerName, pull: float = 0.0) -> SparseTable:
    return SparseTable(START, optimizer_of(name), apart, pull)


def step(table: SparseTable, batch: Batch, rate: float = 0.1) -> float:
    return float(table.step([Ragged.of(group) for group in batch], WEIGHTS, rate=rate))


DENSE: dict[OptimizerName, Any] = {
    "adagrad": optax.adagrad(0.1, initial_accumulator_value=0.1, eps=1e-7),
    "adadelta": optax.adadelta(20.0, rho=0.95, eps=1e-6),
    "momentum": optax.sgd(0.1, momentum=0.9),
}


def dense_training(
    optimizer: Any, batches: Sequence[Batch], pull: float
) -> tuple[Any, list[float]]:
    """Table and losses by optax over the whole table, with a mean for each sentence in turn."""
    table, losses = jnp.asarray(START), []
    state = optimizer.init(table)
    for batch in batches:
        used = jnp.array(sorted({row for group in batch for ids in group for row in ids}))

        def loss_of(table: Any, batch: Batch = batch, used: Any = used) -> Any:
            means = [
                jnp.stack(
                    [table[jnp.array(ids)].mean(0) if ids else jnp.zeros(DIM) for ids in group]
                )
                for group in batch
            ]
            return apart(*means, WEIGHTS) + pull * ((table[used] - START[used]) ** 2).sum()

        loss, gradient = jax.value_and_grad(loss_of)(table)
        updates, state = optimizer.update(gradient, state, table)
        table = optax.apply_updates(table, updates)
        losses.append(float(loss))
    return table, losses


@pytest.mark.parametrize(("name", "pull"), [("adagrad", 0.1), ("adadelta", 0.1), ("momentum", 0.0)])
def test_steps_over_some_rows_are_those_of_optax_over_all(name: OptimizerName, pull: float) -> None:
    expected, losses = dense_training(DENSE[name], BATCHES, pull)
    table = table_of(name, pull)
    rate = 20.0 if name == "adadelta" else 0.1  # the first steps of Adadelta are tiny
    found = [step(table, batch, rate) for batch in BATCHES]
    np.testing.assert_allclose(found, losses, rtol=1e-5)
    np.testing.assert_allclose(table.rows(), expected, rtol=1e-5, atol=1e-6)
    assert table.rows()[UNUSED].tobytes() == START[UNUSED].tobytes()


@pytest.mark.parametrize("name", ["adagrad", "adadelta", "momentum", "adam"])
def test_a_step_touches_no_other_row(name: OptimizerName) -> None:
    table = table_of(name, pull=0.1)
    step(table, BATCHES[0])
    before = {key: value.copy() for key, value in table.tensors().items()}
    step(table, BATCHES[2])
    after = table.tensors()
    used = [1, 2, 9, 10, 11]
    others = np.setdiff1d(np.arange(ROWS), used)
    for key in before.keys() - {"steps", "rate"}:
        assert after[key][others].tobytes() == before[key][others].tobytes()
    assert (after["table"][used] != before["table"][used]).any(axis=1).all()


def test_a_pull_is_towards_the_start_and_of_the_rows_in_the_batch() -> None:
    """By hand: in a step of momentum, W ← W − η (g + 2 λ (W − S))."""
    table = SparseTable(START, make_optimizer("momentum"), lambda v: v.sum() * 0.0, pull=0.25)
    table.table = table.table + 1.0  # as if trained
    loss = float(table.step([Ragged.of([[3, 3], [4]])], rate=0.5))
    assert loss == pytest.approx(0.25 * 2 * DIM, rel=1e-5)
    moved = table.rows() - START
    np.testing.assert_allclose(moved[[3, 4]], 1 - 0.5 * 2 * 0.25, atol=1e-6)
    np.testing.assert_allclose(np.delete(moved, [3, 4], axis=0), 1, atol=1e-6)


def test_blank_sentences_alone_change_nothing() -> None:
    table = table_of("adadelta")
    assert step(table, ([[], []], [[], []])) == 0
    assert table.rows().tobytes() == START.tobytes()


def test_the_table_handed_in_stays_as_it_was() -> None:
    kept = START.copy()
    step(table_of("adagrad"), BATCHES[0])
    assert START.tobytes() == kept.tobytes()


def test_rows_handed_out_stay_as_they_were() -> None:
    """The step gives its buffers away: what was read from them must not change after that."""
    table = table_of("adagrad")
    rows, tensors = table.rows(), table.tensors()["table"]
    kept = rows.copy()
    step(table, BATCHES[0])
    assert rows.tobytes() == tensors.tobytes() == kept.tobytes()


def test_sentence_vectors_are_means() -> None:
    sentences = [[1, 2, 2], [], [19], [0, 5, 7, 9, 11]]
    expected = [START[ids].mean(axis=0) if ids else np.zeros(DIM) for ids in sentences]
    found = table_of("adam").encode(Ragged.of(sentences))
    np.testing.assert_allclose(found, expected, atol=1e-6)


# Padding


def test_rooms_by_hand() -> None:
    rooms = sorted({sparse._room(needed) for needed in range(65)})
    assert rooms == [4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64]


@given(st.integers(0, 10**9))
def test_a_room_is_large_enough_and_not_much_larger(needed: int) -> None:
    room = sparse._room(needed)
    assert needed <= room <= max(4, 1.25 * needed)
    assert sparse._room(room) == room
    assert sparse._room(needed + 1) >= room


@pytest.mark.parametrize("name", ["adagrad", "adam"])
def test_padding_never_changes_a_result(
    monkeypatch: pytest.MonkeyPatch, name: OptimizerName
) -> None:
    results = []
    for room in (lambda needed: needed, lambda needed: 2 * needed + 37):
        monkeypatch.setattr(sparse, "_room", room)
        table = table_of(name, pull=0.1)
        losses = [step(table, batch) for batch in BATCHES[:2]]
        vectors = table.encode(Ragged.of([[1, 2], [], [5]]))
        results.append((losses, table.rows(), np.asarray(vectors), table.tensors()))
    (losses, rows, vectors, tensors), (padded_losses, padded_rows, padded_vectors, padded) = results
    np.testing.assert_allclose(padded_losses, losses, rtol=1e-6)
    np.testing.assert_allclose(padded_rows, rows, rtol=1e-6)
    np.testing.assert_allclose(padded_vectors, vectors, rtol=1e-6)
    for key, value in tensors.items():
        np.testing.assert_allclose(padded[key], value, rtol=1e-5, atol=1e-8)


# Stopping and going on


@pytest.mark.parametrize("name", ["adagrad", "adadelta", "momentum", "adam"])
def test_a_table_restored_goes_on_to_the_same_bytes(name: OptimizerName) -> None:
    table = table_of(name, pull=0.1)
    step(table, BATCHES[0], rate=0.2)
    step(table, BATCHES[1], rate=0.15)
    kept = load(save(table.tensors()))
    other = table_of(name, pull=0.1)
    step(other, BATCHES[1])  # anything: it is forgotten
    other.restore(kept)
    assert other.rows().tobytes() == table.rows().tobytes()
    assert (other.steps, other.rate) == (2, 0.15)
    assert step(other, BATCHES[0]) == step(table, BATCHES[0])
    for key, value in table.tensors().items():
        assert other.tensors()[key].tobytes() == value.tobytes(), key
        assert kept[key].dtype == value.dtype


def test_the_tensors_of_another_table_are_refused() -> None:
    small = SparseTable(START[:5], make_optimizer("adam"), apart)
    with pytest.raises(ValueError, match=r"table is \(5, 3\), expected \(20, 3\)"):
        table_of("adam").restore(small.tensors())


def test_the_tensors_of_another_optimizer_are_refused() -> None:
    with pytest.raises(KeyError):
        table_of("adam").restore(table_of("momentum").tensors())
