"""A step over the rows of a batch is the step over the whole table; other rows lie still."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from safetensors.numpy import load, save

from embeddings.tokenizers.ragged import Ragged
from embeddings.training import sentence_model
from embeddings.training.configuration import OptimizerName
from embeddings.training.optimizers import make_optimizer
from embeddings.training.sentence_model import SentenceModel
from embeddings.training.sparse import sparse_rows
from embeddings.training.sparse.pooling import Pool, end_to_end
from embeddings.training.trainable import Batch

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


DENSE: dict[OptimizerName, Any] = {
    "adagrad": optax.adagrad(0.1, initial_accumulator_value=0.1, eps=1e-7),
    "adadelta": optax.adadelta(20.0, rho=0.95, eps=1e-6),
    "momentum": optax.sgd(0.1, momentum=0.9),
}


def dense_training(
    optimizer: Any, batches: Sequence[Groups], pull: float
) -> tuple[Any, list[float]]:
    """Table and losses by optax over the whole table, with a mean for each sentence in turn."""
    table, losses = jnp.asarray(START), []
    state = optimizer.init(table)
    for batch in batches:
        used = jnp.array(sorted({row for group in batch for ids in group for row in ids}))

        def loss_of(table: Any, batch: Groups = batch, used: Any = used) -> Any:
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
    rows, tensors = table.rows(), table.tensors()["sparse.rows.table"]
    kept = rows.copy()
    step(table, BATCHES[0])
    assert rows.tobytes() == tensors.tobytes() == kept.tobytes()


def test_sentence_vectors_are_means() -> None:
    sentences = [[1, 2, 2], [], [19], [0, 5, 7, 9, 11]]
    expected = [START[ids].mean(axis=0) if ids else np.zeros(DIM) for ids in sentences]
    found = table_of("adam").encode(Ragged.of(sentences))
    np.testing.assert_allclose(found, expected, atol=1e-6)


# Padding


@pytest.mark.parametrize("name", ["adagrad", "adam"])
def test_padding_never_changes_a_result(
    monkeypatch: pytest.MonkeyPatch, name: OptimizerName
) -> None:
    results = []
    for room in (lambda needed: needed, lambda needed: 2 * needed + 37):
        monkeypatch.setattr(sparse_rows, "bucket_size", room)
        monkeypatch.setattr(sentence_model, "bucket_size", room)
        table = table_of(name, 0.1)
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
    table = table_of(name, 0.1)
    step(table, BATCHES[0], rate=0.2)
    step(table, BATCHES[1], rate=0.15)
    kept = load(save(table.tensors()))
    other = table_of(name, 0.1)
    step(other, BATCHES[1])  # anything: it is forgotten
    other.restore(kept)
    assert other.rows().tobytes() == table.rows().tobytes()
    assert (other.steps, other.rate) == (2, 0.15)
    assert step(other, BATCHES[0]) == step(table, BATCHES[0])
    for key, value in table.tensors().items():
        assert other.tensors()[key].tobytes() == value.tobytes(), key
        assert kept[key].dtype == value.dtype


def test_the_tensors_of_another_table_are_refused() -> None:
    small = SentenceModel(START[:5], make_optimizer("adam"), apart)
    with pytest.raises(ValueError, match=r"rows\.\w+ is \(5,.*\), expected \(20,"):
        table_of("adam").restore(small.tensors())


def test_the_tensors_of_another_optimizer_are_refused() -> None:
    with pytest.raises(KeyError):
        table_of("adam").restore(table_of("momentum").tensors())


# Learned beside the rows


def bent(parameters: Any, rows: Any, owners: Any, lengths: Any) -> Any:
    """A pool with a say of its own: σ(mean W + b)."""
    sums = jax.ops.segment_sum(rows, owners, len(lengths))
    return jax.nn.sigmoid(sums / lengths @ parameters["w"] + parameters["b"])


OUT = 2
LEARNED = {
    "w": np.random.default_rng(1).standard_normal((DIM, OUT)).astype(np.float32),
    "b": np.zeros((1, OUT), np.float32),
}
BENT = Pool(bent, LEARNED, end_to_end)


def bent_table(
    name: OptimizerName = "adagrad", dropout: float = 0.0, seed: int = 0
) -> SentenceModel:
    optimizer = make_optimizer(name)
    return SentenceModel(
        START, optimizer, apart, l2_to_init=0.1, pool=BENT, dropout=dropout, seed=seed
    )


def test_parameters_are_learned_by_the_adam_of_optax() -> None:
    """Oracle: optax over the whole table and over the parameters, a sentence at a time."""
    rows = {"table": jnp.asarray(START)}
    parameters = {name: jnp.asarray(value) for name, value in LEARNED.items()}
    both, adam = DENSE["adagrad"], optax.adam(0.1)
    states = both.init(rows), adam.init(parameters)
    table = bent_table()
    for batch in BATCHES:
        used = jnp.array(sorted({row for group in batch for ids in group for row in ids}))

        def loss_of(rows: Any, parameters: Any, batch: Groups = batch, used: Any = used) -> Any:
            groups = []
            for group in batch:
                means = [
                    rows["table"][jnp.array(ids)].mean(0) if ids else jnp.zeros(DIM)
                    for ids in group
                ]
                weighted = jnp.stack(means) @ parameters["w"] + parameters["b"]
                groups.append(1 / (1 + jnp.exp(-weighted)))
            pull = 0.1 * ((rows["table"][used] - START[used]) ** 2).sum()
            return apart(*groups, WEIGHTS) + pull

        loss, gradients = jax.value_and_grad(loss_of, argnums=(0, 1))(rows, parameters)
        moved, row_state = both.update(gradients[0], states[0])
        learned, state = adam.update(gradients[1], states[1])
        rows, parameters = (
            optax.apply_updates(rows, moved),
            optax.apply_updates(parameters, learned),
        )
        states = row_state, state
        assert step(table, batch) == pytest.approx(float(loss), rel=1e-5)
    np.testing.assert_allclose(table.rows(), rows["table"], rtol=1e-4, atol=1e-5)
    for name, value in parameters.items():
        np.testing.assert_allclose(table.pool_parameters[name], value, rtol=1e-4, atol=1e-5)
        assert (np.asarray(value) != LEARNED[name]).all()


def test_a_pool_encodes_with_what_it_has_learned() -> None:
    table = bent_table()
    step(table, BATCHES[0])
    w, b = (np.asarray(table.pool_parameters[name]) for name in ("w", "b"))
    rows = np.asarray(table.table)
    means = np.stack([rows[[1, 2, 2]].mean(0), np.zeros(DIM), rows[19]])
    found = table.encode(Ragged.of([[1, 2, 2], [], [19]]))
    np.testing.assert_allclose(found, 1 / (1 + np.exp(-(means @ w + b))), rtol=1e-5)


def test_a_pool_lays_out_the_words_of_all_groups() -> None:
    asked: list[Any] = []

    def columns(places: Any, owners: Any, lengths: Any) -> Any:
        """The words backwards, one below the other."""
        asked.append((places.tolist(), owners.tolist(), lengths.tolist()))
        return places[::-1, None], owners[::-1, None]

    def flat(parameters: Any, rows: Any, owners: Any, lengths: Any) -> Any:
        assert rows.shape == (*owners.shape, DIM)
        return bent(parameters, rows.reshape(-1, DIM), owners.reshape(-1), lengths)

    def added(left: Any, right: Any) -> Any:
        return left.sum() + right.sum()

    pool = BENT._replace(vectors=flat, lay_out=columns)
    table = SentenceModel(START, make_optimizer("adam"), added, pool=pool)
    plain = SentenceModel(START, make_optimizer("adam"), added, pool=BENT)
    groups = [Ragged.of([[3, 7], [], [3]]), Ragged.of([[9]])]
    for _ in range(2):
        told, expected = (float(model.step(Batch(groups), 0.1)) for model in (table, plain))
        assert told == pytest.approx(expected, rel=1e-5)
    np.testing.assert_allclose(table.encode(groups[0]), plain.encode(groups[0]), rtol=1e-5)
    of_step, of_encode = (
        ([0, 1, 0, 2], [0, 0, 2, 3], [2, 0, 1, 1]),
        ([3, 7, 3], [0, 0, 2], [2, 0, 1]),
    )
    assert asked == [of_step, of_step, of_encode]


def test_a_row_is_made_another_once_however_often_its_word_occurs() -> None:
    """W before the mean, of each distinct row, and after it are the same."""

    def each_row(parameters: Any, rows: Any) -> Any:
        seen.append(len(rows))
        return rows @ parameters["w"]

    def after(parameters: Any, rows: Any, owners: Any, lengths: Any) -> Any:
        sums = jax.ops.segment_sum(rows, owners, len(lengths))
        return jax.nn.sigmoid(sums / lengths + parameters["b"])

    def added(left: Any, right: Any) -> Any:
        return (left**2).sum() + right.sum()

    seen: list[int] = []
    pool = Pool(after, LEARNED, end_to_end, each_row=each_row)
    early = SentenceModel(START, make_optimizer("adam"), added, pool=pool)
    late = SentenceModel(START, make_optimizer("adam"), added, pool=BENT)
    groups = [Ragged.of([[3, 7, 3, 3, 3, 3], [], [3]]), Ragged.of([[9]])]
    for _ in range(3):
        told, expected = (float(model.step(Batch(groups), 0.1)) for model in (early, late))
        assert told == pytest.approx(expected, rel=1e-5)
    assert seen == [4]  # 3 rows, padded, not 8 words
    np.testing.assert_allclose(early.encode(groups[0]), late.encode(groups[0]), rtol=1e-5)


def test_dropout_is_drawn_once_a_row_where_the_pool_says_so() -> None:
    """Two occurrences of a word lose the same numbers, so their difference is 0."""

    def difference(_: Any, rows: Any, __: Any, ___: Any) -> Any:
        return (rows[0] - rows[1])[None]

    def size(vectors: Any) -> Any:
        return jnp.abs(vectors).sum()

    pool = Pool(difference, LEARNED, end_to_end)
    twice = Batch([Ragged.of([[5, 5]])])
    for each_row, same in ((None, False), (lambda _, rows: rows, True)):
        model = SentenceModel(
            START, make_optimizer("adam"), size, pool=pool._replace(each_row=each_row), dropout=0.5
        )
        assert (float(model.step(twice, 0.0)) == 0) is same


def test_a_pool_that_has_its_own_way_to_encode_is_asked() -> None:
    def encode(parameters: Any, table: Any, sentences: Ragged) -> Any:
        return np.asarray(table)[sentences.flat, :1] + np.asarray(parameters["b"])[0, 0]

    table = SentenceModel(START, make_optimizer("adam"), apart, pool=BENT._replace(encode=encode))
    np.testing.assert_array_equal(table.encode(Ragged.of([[4], [7]])), START[[4, 7], :1])


def test_a_pool_restored_goes_on_to_the_same_bytes() -> None:
    table = bent_table(dropout=0.5)
    step(table, BATCHES[0], rate=0.2)
    kept = load(save(table.tensors()))
    other = bent_table(dropout=0.5)
    step(other, BATCHES[1])
    other.restore(kept)
    for name, value in table.pool_parameters.items():
        assert np.asarray(other.pool_parameters[name]).tobytes() == np.asarray(value).tobytes()
    assert step(other, BATCHES[2]) == step(table, BATCHES[2])
    assert len(kept) == len(table_of("adagrad").tensors()) + 2 + 4  # two moments of both
    for key, value in table.tensors().items():
        assert other.tensors()[key].tobytes() == value.tobytes(), key


def test_the_parameters_of_another_pool_are_refused() -> None:
    wide = BENT._replace(parameters=LEARNED | {"b": np.zeros((1, 3), np.float32)})
    other = SentenceModel(START, make_optimizer("adagrad"), apart, pool=wide)
    with pytest.raises(ValueError, match=r"dense.pool.b is \(1, 3\), expected \(1, 2\)"):
        bent_table().restore(other.tensors())
    with pytest.raises(KeyError):
        bent_table().restore(table_of("adagrad").tensors())


def test_parameters_that_are_not_finite_are_seen() -> None:
    table = bent_table()
    assert table.is_finite()
    table.pool_parameters["b"] = table.pool_parameters["b"].at[0, 1].set(np.inf)
    assert not table.is_finite()


def test_parameters_handed_in_and_out_stay_as_they_were() -> None:
    given = {name: value.copy() for name, value in LEARNED.items()}
    table = bent_table()
    handed = {name: np.asarray(value) for name, value in table.pool_parameters.items()}
    step(table, BATCHES[0])
    for name, value in given.items():
        assert LEARNED[name].tobytes() == handed[name].tobytes() == value.tobytes()
        assert (np.asarray(table.pool_parameters[name]) != value).any()


# Dropout


def total(vectors: jax.Array) -> jax.Array:
    """Its gradient is 1 at every number of a sentence of one word: what was kept shows."""
    return vectors.sum()


WIDE = np.zeros((64, 50), np.float32)
EACH = Ragged.of([[row] for row in range(64)])


def kept_by_a_step(dropout: float, seed: int = 0, steps: int = 1) -> Any:
    """What the last step multiplied each number with: momentum's first step is −η g."""
    table = SentenceModel(WIDE, make_optimizer("momentum"), total, dropout=dropout, seed=seed)
    velocity: Any = np.zeros_like(WIDE)
    for _ in range(steps):
        table.step(Batch([EACH]), 1.0)
        before, velocity = velocity, np.asarray(table.sparse["rows"].stored.state["velocity"])
    return velocity - np.float32(0.9) * before


def test_a_step_leaves_numbers_out_and_scales_up_the_others() -> None:
    kept = kept_by_a_step(0.3)
    n, dropped = kept.size, int((kept == 0).sum())
    assert abs(dropped - 0.3 * n) < 4 * np.sqrt(n * 0.3 * 0.7)
    np.testing.assert_allclose(kept[kept != 0], 1 / 0.7, rtol=1e-4)
    assert kept.mean() == pytest.approx(1, abs=4 * np.sqrt(0.3 / 0.7 / n))


def test_each_number_of_each_word_is_left_out_by_itself() -> None:
    left_out = kept_by_a_step(0.3) == 0
    assert 0 < left_out[0].sum() < 50
    assert 0 < left_out[:, 0].sum() < 64
    again = Ragged.of([[5, 5]] * 200)
    table = SentenceModel(WIDE, make_optimizer("momentum"), total, dropout=0.5)
    table.step(Batch([again]), 1.0)
    kept = -np.asarray(table.table)[5]  # of 400: doubled for dropout, halved by the mean
    assert (abs(kept - 200) < 70).all()
    assert np.ptp(kept) > 10


def test_what_is_left_out_depends_on_seed_and_step_alone() -> None:
    first, second = kept_by_a_step(0.5), kept_by_a_step(0.5, steps=2)
    assert (first == kept_by_a_step(0.5)).all()
    assert (np.isclose(first, 0) != np.isclose(second, 0)).mean() > 0.4
    assert ((first == 0) != (kept_by_a_step(0.5, seed=1) == 0)).mean() > 0.4


def test_encoding_leaves_nothing_out() -> None:
    plain = table_of("adam")
    dropping = SentenceModel(START, make_optimizer("adam"), apart, dropout=0.9)
    sentences = Ragged.of([[1, 2], [3]])
    assert (
        np.asarray(dropping.encode(sentences)).tobytes()
        == np.asarray(plain.encode(sentences)).tobytes()
    )


def test_no_dropout_draws_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sentence_model, "draw", None)  # would fail if called
    assert np.isfinite(step(table_of("adam"), BATCHES[0]))


@pytest.mark.parametrize("dropout", [-0.1, 1.0, float("nan")])
def test_a_dropout_that_is_no_probability_is_refused(dropout: float) -> None:
    with pytest.raises(ValueError, match=f"dropout is {dropout}, expected a number from 0"):
        SentenceModel(START, make_optimizer("adam"), apart, dropout=dropout)
