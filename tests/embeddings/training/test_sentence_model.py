"""A step over the rows of a batch is the step over the whole table; other rows do not change."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from hypothesis import given
from hypothesis import strategies as st
from safetensors.numpy import load, save
from scipy import stats

from semaniacs.embeddings.configuration import OptimizerName
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.optimizers import make_optimizer
from semaniacs.embeddings.training.sentence_model import (
    Pool,
    SentenceModel,
    divisors,
    draw,
    drop,
    end_to_end,
    limited_mean,
    pack,
)
from semaniacs.embeddings.training.sparse_rows import bucket_size
from semaniacs.embeddings.training.trainable import Batch

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


def table_of(name: OptimizerName, l2: float = 0.0) -> SentenceModel:
    return SentenceModel(START, make_optimizer(name), apart, l2_to_init=l2)


def step(table: SentenceModel, batch: Groups, rate: float = 0.1) -> float:
    return float(table.step(Batch([Ragged.of(group) for group in batch], (WEIGHTS,)), rate))


def means_of(table: Any, group: list[list[int]]) -> Any:
    return jnp.stack([table[jnp.array(ids)].mean(0) if ids else jnp.zeros(DIM) for ids in group])


@pytest.mark.parametrize("name", ["adagrad", "adadelta", "momentum", "adam"])
def test_a_step_touches_no_other_row(name: OptimizerName) -> None:
    table = table_of(name, 0.1)
    step(table, BATCHES[0])
    before = {key: value.copy() for key, value in table.tensors().items()}
    step(table, BATCHES[2])
    after = table.tensors()
    used = [1, 2, 9, 10, 11]
    others = np.setdiff1d(np.arange(ROWS), used)
    for key in (key for key in before if key.startswith("sparse")):
        assert after[key][others].tobytes() == before[key][others].tobytes()
    assert (after["sparse.rows.table"][used] != before["sparse.rows.table"][used]).any(axis=1).all()


def test_a_pull_is_towards_the_start_and_of_the_rows_in_the_batch() -> None:
    """By hand: in a step of momentum, W ← W − η (g + 2 λ (W − S))."""
    table = SentenceModel(
        START, make_optimizer("momentum"), lambda v: v.sum() * 0.0, l2_to_init=0.25
    )
    rows = table.sparse["rows"]
    rows.stored = rows.stored._replace(table=rows.stored.table + 1.0)  # as if trained
    loss = float(table.step(Batch([Ragged.of([[3, 3], [4]])]), 0.5))
    assert loss == pytest.approx(0.25 * 2 * DIM, rel=1e-5)
    moved = table.rows() - START
    np.testing.assert_allclose(moved[[3, 4]], 1 - 0.5 * 2 * 0.25, atol=1e-6)
    np.testing.assert_allclose(np.delete(moved, [3, 4], axis=0), 1, atol=1e-6)


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


def test_the_words_of_all_groups_are_laid_end_to_end() -> None:
    words, owners, lengths = pack([Ragged.of([[5, 6], []]), Ragged.of([[7], [8, 9]])])
    assert words.tolist() == [5, 6, 7, 8, 9]
    assert owners.tolist() == [0, 0, 2, 3, 3]
    assert divisors(lengths).tolist() == [[2], [1], [1], [2]]


@given(st.integers(0, 10**9))
def test_a_padded_size_is_large_enough_and_not_much_larger(needed: int) -> None:
    found = bucket_size(needed)
    assert needed <= found <= max(64, 1.25 * needed)
    assert bucket_size(found) == found
    assert bucket_size(needed + 1) >= found


# A pool with parameters, stopping and going on


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


@pytest.mark.parametrize("name", ["adagrad", "adadelta", "momentum", "adam"])
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


# Dropout


def test_drawn_numbers_are_uniform_and_follow_seed_and_step() -> None:
    drawn = draw(0, 1, (500, 301)).astype(float)
    assert stats.kstest(drawn.ravel(), stats.uniform(0, 65536).cdf).pvalue > 0.01
    assert abs(stats.pearsonr(drawn[:, :-1].ravel(), drawn[:, 1:].ravel())[0]) < 0.01
    assert (draw(0, 1, (400, 301)) == drawn[:400]).all()
    for seed, number in ((0, 2), (1, 1)):
        assert (draw(seed, number, (500, 301)) != drawn).mean() > 0.99


@pytest.mark.parametrize("rate", [0.001, 0.3, 0.999])
def test_as_many_numbers_are_dropped_as_asked_for(rate: float) -> None:
    left = np.asarray(drop(np.ones((1000, 300), np.float32), draw(0, 1, (1000, 300)), rate))
    n, dropped = left.size, int((left == 0).sum())
    assert stats.binomtest(dropped, n, rate).pvalue > 0.001
    assert left.mean() == pytest.approx(1, abs=4 * np.sqrt(rate / (1 - rate) / n))
    drawn = np.array([[0, 16383, 16384, 65535]], np.uint16)
    rows = np.array([[3.0, 3.0, 3.0, -6.0]], np.float32)
    assert np.asarray(drop(rows, drawn, 0.25)).tolist() == [[0, 0, 4, -8]]


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


@pytest.mark.parametrize("dropout", [-0.1, 1.0, float("nan")])
def test_a_dropout_that_is_no_probability_is_refused(dropout: float) -> None:
    with pytest.raises(ValueError, match=f"dropout is {dropout}, expected a number from 0"):
        SentenceModel(START, make_optimizer("adam"), apart, dropout=dropout)
