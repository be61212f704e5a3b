"""The training loop on a toy corpus: it learns, repeats itself, stops and goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest

from embeddings import training
from embeddings.encoders import Encoder
from embeddings.negatives import random_other
from embeddings.training import SentencePair, Training, train
from embeddings.vocabulary import Vocabulary
from sts.errors import StsError

KNOWN = [f"word{i}" for i in range(40)]
USED = 32
PAIRS = [(f"word{i} word{i + 1}", f"word{i + 2} word{i + 3}") for i in range(0, USED, 4)]


def make_start() -> Encoder:
    rows = np.random.default_rng(0).standard_normal((len(KNOWN) + 4, 8))
    return Encoder(Vocabulary(KNOWN, buckets=4), rows.astype(np.float32))


START = make_start()
ADADELTA = Training(epochs=4, batch=4, pull=0.0)
ADAM = Training(epochs=4, batch=4, pull=0.0, optimizer="adam", learning_rate=0.02)
WAYS = {
    "adadelta random": ADADELTA,
    "adadelta hardest": replace(ADADELTA, negatives="hardest"),
    "adam random": ADAM,
    "adam hardest": replace(ADAM, negatives="hardest"),
}
every_way = pytest.mark.parametrize("how", WAYS.values(), ids=WAYS)


@cache
def trained(how: Training) -> Encoder:
    """Trained on the toy corpus without an interruption."""
    return train(START, PAIRS, how)


def agreement(encoder: Encoder) -> float:
    left, right = zip(*PAIRS, strict=True)
    return float(encoder.similarity_pairwise(left, right).mean())


def hinges(encoder: Encoder, margin: float) -> float:
    """The objective with the left side of the pair that follows as both negatives."""
    left, right = zip(*PAIRS, strict=True)
    other = (*left[1:], left[0])
    agree = encoder.similarity_pairwise(left, right)
    from_left = np.maximum(0, margin - agree + encoder.similarity_pairwise(left, other))
    from_right = np.maximum(0, margin - agree + encoder.similarity_pairwise(right, other))
    return float(np.mean(from_left + from_right))


@every_way
def test_pairs_come_closer_and_the_loss_goes_down(how: Training) -> None:
    assert agreement(trained(how)) > agreement(START) + 0.01
    assert hinges(trained(how), how.margin) < hinges(START, how.margin) - 0.01


@every_way
def test_words_outside_the_pairs_do_not_change_at_all(how: Training) -> None:
    table = trained(how).table
    assert table[USED:].tobytes() == START.table[USED:].tobytes()
    assert (table[:USED] != START.table[:USED]).any(axis=1).all()


@every_way
def test_the_same_training_gives_the_same_bytes(how: Training) -> None:
    assert train(START, PAIRS, how).table.tobytes() == trained(how).table.tobytes()
    assert START.table.tobytes() == make_start().table.tobytes()


def test_another_seed_gives_other_vectors() -> None:
    assert (trained(replace(ADADELTA, seed=1)).table != trained(ADADELTA).table).any()


def test_each_epoch_sees_every_pair_and_draws_again(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = []

    def spy(rng: np.random.Generator, batch: Any, total: int) -> Any:
        others = random_other(rng, batch, total)
        draws.append((batch, others))
        return others

    monkeypatch.setattr(training, "random_other", spy)
    train(START, PAIRS, replace(ADADELTA, epochs=2))
    halves = np.array(draws).reshape(2, 2, 2, 2, 4)  # epoch, batch, side, pair or other, place
    seen, others = halves[:, :, :, 0], halves[:, :, :, 1]
    for epoch in (0, 1):
        assert sorted(seen[epoch, :, 0].ravel()) == list(range(len(PAIRS)))
    assert (seen[0] != seen[1]).any()
    assert (others[0] != others[1]).any()
    assert (others[:, :, 0] != others[:, :, 1]).any()  # each side has its own


def test_no_epochs_change_nothing() -> None:
    assert trained(replace(ADAM, epochs=0)).table.tobytes() == START.table.tobytes()


@pytest.mark.parametrize("how", [ADADELTA, ADAM], ids=["adadelta", "adam"])
def test_a_pull_keeps_closer_to_the_start(how: Training) -> None:
    pulled = np.linalg.norm(trained(replace(how, pull=1.0)).table - START.table)
    assert pulled < 0.9 * np.linalg.norm(trained(how).table - START.table)


def test_blank_sides_and_a_lone_last_pair_do_no_harm() -> None:
    pairs = [*PAIRS[:3], ("", "word1"), ("word2", " ")]  # the last is alone in its batch
    assert np.isfinite(train(START, pairs, WAYS["adam hardest"]).table).all()


def test_after_each_epoch_the_encoder_so_far_is_shown() -> None:
    shown: list[tuple[int, Encoder]] = []
    final = train(START, PAIRS, ADAM, after_epoch=lambda *state: shown.append(state))
    assert [done for done, _ in shown] == [1, 2, 3, 4]
    assert len({encoder.table.tobytes() for _, encoder in shown}) == 4
    assert shown[-1][1].table.tobytes() == final.table.tobytes()


# The oracle: eq. 2 over the full table, with nothing taken from the project.


def full_table_training(
    encoder: Encoder, pairs: list[SentencePair], optimizer: Any, margin: float, pull: float
) -> Any:
    """Four steps over all pairs at once, each with the hardest negatives of the batch."""
    start = jnp.asarray(encoder.table)
    sides = [[encoder.vocabulary.ids(pair[side]) for pair in pairs] for side in (0, 1)]
    similar = optax.losses.cosine_similarity
    apart = np.eye(len(pairs), dtype=bool)

    def loss_of(table: jax.Array) -> jax.Array:
        left, right = (jnp.stack([table[jnp.array(ids)].mean(0) for ids in s]) for s in sides)
        agree = similar(left, right)
        loss = jnp.zeros(())
        for anchors, others in ((left, right), (right, left)):
            cosines = jax.vmap(lambda a, o=others: jax.vmap(lambda b: similar(a, b))(o))(anchors)
            loss += jnp.maximum(0, margin - agree + jnp.max(cosines - 9.0 * apart, axis=1)).mean()
        return loss + pull * ((start - table) ** 2).sum()

    @jax.jit
    def step(table: jax.Array, state: Any) -> Any:
        updates, state = optimizer.update(jax.grad(loss_of)(table), state, table)
        return optax.apply_updates(table, updates), state

    table, state = start, optimizer.init(start)
    for _ in range(4):
        table, state = step(table, state)
    return table


@pytest.mark.parametrize(
    ("name", "optimizer", "pull"),
    [
        ("adadelta hardest", optax.adadelta(1.0, rho=0.95, eps=1e-6), 0.01),
        ("adam hardest", optax.adam(0.02), 0.0),
    ],
    ids=["adadelta", "adam"],
)
def test_training_the_rows_in_use_is_training_the_full_table(
    name: str, optimizer: Any, pull: float
) -> None:
    pairs = [*PAIRS, ("word1 strange word2 word5", "word3"), ("word9", "word1 word9 word20")]
    how = replace(WAYS[name], batch=len(pairs), pull=pull)
    expected = full_table_training(START, pairs, optimizer, how.margin, pull)
    np.testing.assert_allclose(train(START, pairs, how).table, expected, atol=1e-5)


# Checkpoints


class InterruptedHereError(Exception):
    pass


class Watch:
    """Notes the epochs done, and interrupts after one of them."""

    def __init__(self, stop: int | None = None) -> None:
        self.seen: list[int] = []
        self.stop = stop

    def __call__(self, done: int, encoder: Encoder) -> None:
        self.seen.append(done)
        if done == self.stop:
            raise InterruptedHereError


def interrupt(path: Path, how: Training) -> None:
    """Leave the checkpoint of two epochs at ``path``."""
    with pytest.raises(InterruptedHereError):
        train(START, PAIRS, how, checkpoint=path, after_epoch=Watch(stop=2))
    assert path.exists()


@pytest.fixture(scope="module")
def left_over(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The checkpoint of two epochs of ADAM."""
    path = tmp_path_factory.mktemp("left") / "over"
    interrupt(path, ADAM)
    return path.read_bytes()


@pytest.mark.parametrize("way", ["adadelta random", "adam hardest"])
def test_a_stopped_training_goes_on_to_the_same_bytes(tmp_path: Path, way: str) -> None:
    path, watch = tmp_path / "new" / "checkpoint", Watch()
    interrupt(path, WAYS[way])
    resumed = train(START, PAIRS, WAYS[way], checkpoint=path, after_epoch=watch)
    assert watch.seen == [3, 4]
    assert resumed.table.tobytes() == trained(WAYS[way]).table.tobytes()
    assert not path.exists()


@pytest.mark.parametrize(("epochs", "expected"), [(5, [3, 4, 5]), (2, []), (1, [1])])
def test_more_epochs_may_be_asked_for_but_fewer_start_again(
    tmp_path: Path, left_over: bytes, epochs: int, expected: list[int]
) -> None:
    path, watch = tmp_path / "checkpoint", Watch()
    path.write_bytes(left_over)
    how = replace(ADAM, epochs=epochs)
    train(START, PAIRS, how, checkpoint=path, after_epoch=watch)
    assert watch.seen == expected


@pytest.mark.parametrize(
    ("factor", "pairs", "how"),
    [
        (1, PAIRS[::-1], ADAM),
        (2, PAIRS, ADAM),
        (1, PAIRS, replace(ADAM, margin=0.5)),
    ],
    ids=["other pairs", "other start", "other margin"],
)
def test_the_checkpoint_of_another_training_is_ignored(
    tmp_path: Path, left_over: bytes, factor: int, pairs: list[SentencePair], how: Training
) -> None:
    path, watch = tmp_path / "checkpoint", Watch(stop=1)
    path.write_bytes(left_over)
    start = Encoder(START.vocabulary, START.table * factor)
    with pytest.raises(InterruptedHereError):
        train(start, pairs, how, checkpoint=path, after_epoch=watch)


@pytest.mark.parametrize(
    "damage", [lambda raw: b"", lambda raw: b"a letter to a friend", lambda raw: raw[:-9]]
)
def test_a_file_that_is_no_checkpoint_is_left_alone(
    tmp_path: Path, left_over: bytes, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "checkpoint"
    path.write_bytes(damage(left_over))
    with pytest.raises(StsError, match="not a whole checkpoint .* move it away"):
        train(START, PAIRS, ADAM, checkpoint=path)
    assert path.read_bytes() == damage(left_over)


# What cannot be trained


@pytest.mark.parametrize("pairs", [[], PAIRS[:1]])
def test_fewer_than_two_pairs_are_refused(pairs: list[SentencePair]) -> None:
    with pytest.raises(StsError, match=rf"tuning: {len(pairs)} training pairs; at least two"):
        train(START, pairs, ADAM, label="tuning")


def test_pairs_without_a_word_are_refused() -> None:
    with pytest.raises(StsError, match="no training pair holds a word"):
        train(START, [("", " "), ("\u200b", "")], ADAM)


@pytest.mark.parametrize("how", [ADADELTA, ADAM], ids=["adadelta", "adam"])
def test_a_loss_that_is_not_finite_is_refused(how: Training) -> None:
    with pytest.raises(StsError, match=r"training: the loss is (nan|inf) in epoch 1"):
        train(START, PAIRS, replace(how, learning_rate=float("inf")))
