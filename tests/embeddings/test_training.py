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
from embeddings.negatives import random_segment
from embeddings.schedule import Training
from embeddings.training import Corpus, SentencePair, train
from embeddings.vocabulary import Vocabulary
from sts.errors import StsError

KNOWN = [f"word{i}" for i in range(40)]
USED = 32
PAIRS = [(f"word{i} word{i + 1}", f"word{i + 2} word{i + 3}") for i in range(0, USED, 4)]
SPARE = [f"word{i}" for i in range(USED, len(KNOWN))]
TOY = [Corpus(PAIRS[:5], ["word0 word31", PAIRS[2][0]]), Corpus(PAIRS[5:])]


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
    return train(START, TOY, how)


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
    assert train(START, TOY, how).table.tobytes() == trained(how).table.tobytes()
    assert START.table.tobytes() == make_start().table.tobytes()


def test_another_seed_gives_other_vectors() -> None:
    assert (trained(replace(ADADELTA, seed=1)).table != trained(ADADELTA).table).any()


def test_each_epoch_sees_every_pair_and_draws_again(monkeypatch: pytest.MonkeyPatch) -> None:
    draws = []

    def spy(rng: np.random.Generator, own: Any, size: Any, first: Any) -> Any:
        drawn = random_segment(rng, own, size, first)
        draws.append(np.column_stack([own, drawn]))
        return drawn

    monkeypatch.setattr(training, "random_segment", spy)
    train(START, TOY, replace(ADADELTA, epochs=2))
    places = np.array(draws).reshape(2, 2, 2, 4, 3)  # epoch, batch, side, place, two and drawn
    seen, drawn = places[:, :, 0, :, :2], places[..., 2]
    for epoch in (0, 1):
        assert len(np.unique(seen[epoch].reshape(-1, 2), axis=0)) == len(PAIRS)
    assert (seen[0] != seen[1]).any()
    assert (drawn[0] != drawn[1]).any()
    assert (drawn[:, :, 0] != drawn[:, :, 1]).any()  # each side has its own


def test_no_epochs_change_nothing() -> None:
    assert trained(replace(ADAM, epochs=0)).table.tobytes() == START.table.tobytes()


@pytest.mark.parametrize("how", [ADADELTA, ADAM], ids=["adadelta", "adam"])
def test_a_pull_keeps_closer_to_the_start(how: Training) -> None:
    pulled = np.linalg.norm(trained(replace(how, pull=1.0)).table - START.table)
    assert pulled < 0.9 * np.linalg.norm(trained(how).table - START.table)


def test_blank_sides_and_a_lone_last_pair_do_no_harm() -> None:
    pairs = [*PAIRS[:3], ("", "word1"), ("word2", " ")]  # the last is alone in its batch
    for how in (replace(ADAM, epochs=1), WAYS["adam hardest"]):
        assert np.isfinite(train(START, [Corpus(pairs, ["", "\u200b"])], how).table).all()


def test_after_each_epoch_the_encoder_so_far_is_shown() -> None:
    shown: list[tuple[int, Encoder]] = []
    final = train(START, TOY, ADAM, after_epoch=lambda *state: shown.append(state))
    assert [done for done, _ in shown] == [1, 2, 3, 4]
    assert len({encoder.table.tobytes() for _, encoder in shown}) == 4
    assert shown[-1][1].table.tobytes() == final.table.tobytes()


# Where random negatives come from


def test_the_segments_of_a_corpus_are_its_distinct_sentences() -> None:
    corpus = Corpus([("b", "a"), ("a", "a"), ("c", "b")], others=["d", "b", "d", "e"])
    assert corpus.segments == ["b", "a", "c", "d", "e"]


def negatives_met(
    monkeypatch: pytest.MonkeyPatch, corpora: list[Corpus]
) -> dict[SentencePair, set[str]]:
    """Which sentences each pair meets in training. All are word0 … wordn, with no gap."""
    met: dict[SentencePair, set[str]] = {}
    calls: list[list[str]] = []

    def spy(sequences: Any) -> Any:
        calls.append([f"word{int(row)}" for (row,) in sequences])
        return pad(sequences)

    monkeypatch.setattr(training, "pad", spy)
    train(START, corpora, replace(ADADELTA, epochs=80, batch=100))
    assert len(calls) == 4 * 80
    for i in range(0, len(calls), 4):
        for left, right, *negatives in zip(*calls[i : i + 4], strict=True):
            met.setdefault((left, right), set()).update(negatives)
    return met


def test_negatives_are_all_other_segments_of_the_corpus_and_no_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corpora = [
        Corpus([("word0", "word1"), ("word2", "word3"), ("word1", "word4")]),
        Corpus([("word5", "word6")], others=["word6", "word7", "word8", "word5"]),
        Corpus([("word9", "word9"), ("word10", "word11")]),
        Corpus([], others=["word12", "word13"]),
    ]
    met = negatives_met(monkeypatch, corpora)
    expected = {
        pair: set(corpus.segments) - set(pair) for corpus in corpora for pair in corpus.pairs
    }
    assert met == expected


def test_a_pair_with_nothing_else_in_its_corpus_meets_all(monkeypatch: pytest.MonkeyPatch) -> None:
    alone = ("word3", "word4")
    corpora = [
        Corpus([("word0", "word1")], others=["word2"]),
        Corpus([alone]),
        Corpus([("word5", "word5")]),
        Corpus([], others=["word6", "word7"]),
    ]
    assert negatives_met(monkeypatch, corpora) == {
        ("word0", "word1"): {"word2"},
        alone: {f"word{i}" for i in (0, 1, 2, 5, 6, 7)},
        ("word5", "word5"): {f"word{i}" for i in (0, 1, 2, 3, 4, 6, 7)},
    }


def test_only_others_of_the_same_corpus_are_learned_from() -> None:
    how = replace(ADADELTA, epochs=10)
    rows = slice(USED, len(KNOWN))
    apart = train(START, [Corpus(PAIRS), Corpus([], SPARE)], how).table
    together = train(START, [Corpus(PAIRS, SPARE)], how).table
    assert apart[rows].tobytes() == START.table[rows].tobytes()
    assert (together[rows] != START.table[rows]).any(axis=1).all()


# The oracle: eq. 2 over the full table, with nothing taken from the project.


def full_table_training(
    encoder: Encoder,
    pairs: list[SentencePair],
    optimizer: Any,
    margin: float,
    pull: float,
    negatives: list[str] | None = None,
) -> Any:
    """Four steps over all pairs at once, each with the hardest negatives of the batch.

    If a negative of each pair is given, it is that of both sides instead.
    """
    start = jnp.asarray(encoder.table)
    texts = [*zip(*pairs, strict=True), *([negatives] if negatives else [])]
    sides = [[encoder.vocabulary.ids(text) for text in side] for side in texts]
    similar = optax.losses.cosine_similarity
    apart = np.eye(len(pairs), dtype=bool)

    def loss_of(table: jax.Array) -> jax.Array:
        means = [jnp.stack([table[jnp.array(ids)].mean(0) for ids in side]) for side in sides]
        left, right, *given = means
        agree = similar(left, right)
        loss = jnp.zeros(())
        for anchors, others in ((left, right), (right, left)):
            cosines = jax.vmap(lambda a, o=others: jax.vmap(lambda b: similar(a, b))(o))(anchors)
            hard = jnp.max(cosines - 9.0 * apart, axis=1)
            worst = similar(anchors, given[0]) if given else hard
            loss += jnp.maximum(0, margin - agree + worst).mean()
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
    # The hardest are looked for in the batch, so it plays no part which corpus they come from.
    corpora = [Corpus(pairs[:4], ["word7 word38"]), Corpus(pairs[4:])]
    np.testing.assert_allclose(train(START, corpora, how).table, expected, atol=1e-5)


def test_random_negatives_train_the_full_table_alike() -> None:
    """Each corpus has one sentence to spare, so nothing is left to chance."""
    pairs, negatives = PAIRS[:4], ["word33 word2", "word3 odd", "word35", PAIRS[0][0]]
    how = replace(ADADELTA, pull=0.01)
    optimizer = optax.adadelta(1.0, rho=0.95, eps=1e-6)
    expected = full_table_training(START, pairs, optimizer, how.margin, how.pull, negatives)
    corpora = [Corpus([pair], [other]) for pair, other in zip(pairs, negatives, strict=True)]
    np.testing.assert_allclose(train(START, corpora, how).table, expected, atol=1e-5)


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
        train(START, TOY, how, checkpoint=path, after_epoch=Watch(stop=2))
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
    resumed = train(START, TOY, WAYS[way], checkpoint=path, after_epoch=watch)
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
    train(START, TOY, how, checkpoint=path, after_epoch=watch)
    assert watch.seen == expected


@pytest.mark.parametrize(
    ("factor", "corpora", "how"),
    [
        (1, [Corpus(PAIRS[4::-1], TOY[0].others), TOY[1]], ADAM),
        (1, [TOY[0], Corpus(PAIRS[5:], ["word1"])], ADAM),
        (1, [Corpus(PAIRS[:4], TOY[0].others), Corpus(PAIRS[4:])], ADAM),
        (2, TOY, ADAM),
        (1, TOY, replace(ADAM, margin=0.5)),
    ],
    ids=["other pairs", "other others", "other sources", "other start", "other margin"],
)
def test_the_checkpoint_of_another_training_is_ignored(
    tmp_path: Path, left_over: bytes, factor: int, corpora: list[Corpus], how: Training
) -> None:
    path, watch = tmp_path / "checkpoint", Watch(stop=1)
    path.write_bytes(left_over)
    start = Encoder(START.vocabulary, START.table * factor)
    with pytest.raises(InterruptedHereError):
        train(start, corpora, how, checkpoint=path, after_epoch=watch)


@pytest.mark.parametrize(
    "damage", [lambda raw: b"", lambda raw: b"a letter to a friend", lambda raw: raw[:-9]]
)
def test_a_file_that_is_no_checkpoint_is_left_alone(
    tmp_path: Path, left_over: bytes, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "checkpoint"
    path.write_bytes(damage(left_over))
    with pytest.raises(StsError, match="not a whole checkpoint .* move it away"):
        train(START, TOY, ADAM, checkpoint=path)
    assert path.read_bytes() == damage(left_over)


# What cannot be trained


@pytest.mark.parametrize(
    "corpora",
    [[], [Corpus([])], [Corpus([], SPARE)], [Corpus(PAIRS[:1], SPARE), Corpus([])]],
    ids=["no corpus", "no pair", "no pair but others", "one pair"],
)
def test_fewer_than_two_pairs_are_refused(corpora: list[Corpus]) -> None:
    pairs = sum(len(corpus.pairs) for corpus in corpora)
    with pytest.raises(StsError, match=rf"tuning: {pairs} training pairs; at least two"):
        train(START, corpora, ADAM, label="tuning")


def test_pairs_without_a_word_are_refused() -> None:
    with pytest.raises(StsError, match="no training pair holds a word"):
        train(START, [Corpus([("", " "), ("\u200b", "")])], ADAM)


@pytest.mark.parametrize("how", [ADADELTA, ADAM], ids=["adadelta", "adam"])
def test_a_loss_that_is_not_finite_is_refused(how: Training) -> None:
    with pytest.raises(StsError, match=r"training: the loss is (nan|inf) in epoch 1"):
        train(START, TOY, replace(how, learning_rate=float("inf")))
