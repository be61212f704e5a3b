"""Learning from a teacher of a few words: what is learned, in which order, and what is kept."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from sklearn.metrics.pairwise import cosine_similarity

from embeddings.encoder import Encoder
from embeddings.pretraining import distillation
from embeddings.pretraining.distillation import (
    Distillation,
    DistillationData,
    distil,
    nearest_centre,
)
from embeddings.table import Vectors
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import StsError

SIZE = 128
pytestmark = pytest.mark.usefixtures("compile_little")

WORDS = [f"word{i}" for i in range(24)]
UNUSED = ["never", "said"]
HOW = Distillation(
    epochs=2,
    batch=24,
    neighbours=16,
    topics=4,
    learning_rate=0.03,
    final_rate=0.1,
    temperature=0.0,
    rare=12,  # most of the words stand less often in the sentences
    seed=0,
)


def draw_sentences(n: int = 64) -> list[str]:
    rng = np.random.default_rng(0)
    found: dict[str, None] = {}
    while len(found) < n:
        found[" ".join(rng.choice(WORDS, 4))] = None
    return list(found)


def draw_encoder(seed: int, dim: int = 6) -> Encoder:
    vocabulary = WordTokenizer([*WORDS, *UNUSED], buckets=2)
    rows = np.random.default_rng(seed).standard_normal((len(vocabulary), dim))
    return Encoder(vocabulary, rows.astype(np.float32))


def unit(vectors: Vectors) -> NDArray[np.float16]:
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)


SENTENCES = draw_sentences()
START = draw_encoder(seed=1)
TAUGHT = unit(draw_encoder(seed=2, dim=5).encode(SENTENCES))


def cosines_by_numpy(vectors: Any) -> NDArray[np.float64]:
    rows = np.asarray(vectors, np.float64)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray((rows @ rows.T)[np.triu_indices(len(rows), 1)])


def error(encoder: Encoder) -> float:
    """Mean squared difference from the teacher's cosines, over all pairs of sentences."""
    student = cosines_by_numpy(encoder.encode(SENTENCES))
    return float(np.mean((student - cosines_by_numpy(TAUGHT)) ** 2))


# What is learned


def test_the_loss_falls_and_cosines_become_the_teachers(tmp_path: Path) -> None:
    errors: list[float] = []

    def evaluate(encoder: Encoder) -> float:
        errors.append(error(encoder))
        return errors[-1]

    how = replace(HOW, epochs=40, learning_rate=0.1)
    learned = distil(START, SENTENCES, TAUGHT, how, evaluate=evaluate, curve=tmp_path / "curve")
    student, teacher = cosines_by_numpy(learned.encode(SENTENCES)), cosines_by_numpy(TAUGHT)
    assert np.corrcoef(student, teacher)[0, 1] > 0.95
    assert error(learned) < 0.05 * error(START)
    assert errors[-1] == error(learned)
    _, *marks = (tmp_path / "curve.csv").read_text("utf-8").splitlines()
    losses = [float(mark.split(",")[2]) for mark in marks]
    assert len(losses) == len(errors) == 40 * 4
    assert np.mean(losses[-4:]) < 0.1 * np.mean(losses[:4])
    assert (tmp_path / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_teachers_neighbours_become_the_students() -> None:
    wanted = cosine_similarity(TAUGHT.astype(np.float32))
    np.fill_diagonal(wanted, -1.0)

    def regret(encoder: Encoder) -> float:
        """What the teacher thinks less of the student's nearest sentence than of its own."""
        found = cosine_similarity(encoder.encode(SENTENCES))
        np.fill_diagonal(found, -1.0)
        nearest = np.take_along_axis(wanted, found.argmax(axis=1)[:, None], axis=1)
        return float(np.mean(wanted.max(axis=1) - nearest[:, 0]))

    how = replace(HOW, epochs=40, learning_rate=0.1, temperature=0.05)
    learned = distil(START, SENTENCES, TAUGHT, how)
    assert regret(learned) < 0.2 * regret(START)


def test_words_that_no_sentence_holds_do_not_change_at_all() -> None:
    learned = distil(START, SENTENCES, TAUGHT, replace(HOW, epochs=1))
    said = len(WORDS)
    assert (learned.table[:said] != START.table[:said]).any(axis=1).all()
    assert learned.table[said:].tobytes() == START.table[said:].tobytes()
    assert learned.tokenizer is START.tokenizer


def test_the_start_is_left_as_it_is_and_no_epochs_change_nothing() -> None:
    before = START.table.tobytes()
    learned = distil(START, SENTENCES, TAUGHT, replace(HOW, epochs=0))
    distil(START, SENTENCES, TAUGHT, replace(HOW, epochs=1))
    assert learned.table.tobytes() == before == START.table.tobytes()


def test_the_same_training_gives_the_same_bytes_and_another_seed_others() -> None:
    first, again = (distil(START, SENTENCES, TAUGHT, HOW).table for _ in range(2))
    assert first.tobytes() == again.tobytes()
    other = distil(START, SENTENCES, TAUGHT, replace(HOW, seed=1)).table
    assert np.abs(other - first).max() > 1e-3


def test_a_blank_sentence_does_no_harm() -> None:
    learned = distil(START, ["", *SENTENCES[1:]], TAUGHT, replace(HOW, epochs=1))
    assert np.isfinite(learned.table).all()


# Rare words

RARE = 16
OFTEN = {"once": 1, "thrice": 3, "four": 4, "always": 16, "more": 20}
"""Words, and how often each stands in sixteen sentences."""


def sentences_of(often: dict[str, int]) -> list[str]:
    """Sixteen different sentences that hold these words so often."""
    found = [[f"only{i}"] for i in range(16)]
    for word, count in often.items():
        if word == "thrice":
            found[5] += [word] * count  # all of them in one sentence
        else:
            for i in range(count):
                found[i % 16].append(word)
    return [" ".join(sentence) for sentence in found]


def moved_in_one_step(rare: int) -> dict[str, NDArray[np.float32]]:
    """By word, how far its row is moved by the one step of an epoch, which sees all sentences."""
    vocabulary = WordTokenizer([*OFTEN, "never"], buckets=2)
    rows = np.random.default_rng(1).standard_normal((len(vocabulary), 6)).astype(np.float32)
    begun = Encoder(vocabulary, rows)
    how = replace(HOW, epochs=1, rare=rare)
    learned = distil(begun, sentences_of(OFTEN), TAUGHT[:16], how)
    return dict(zip(vocabulary.known, learned.table - begun.table, strict=False))


def test_a_row_moves_by_the_root_of_how_often_it_stands_there() -> None:
    full, moved = moved_in_one_step(1), moved_in_one_step(RARE)
    by_hand = {"once": 0.25, "thrice": 3**0.5 / 4, "four": 0.5, "always": 1.0, "more": 1.0}
    for word, pace in by_hand.items():
        assert np.abs(full[word]).max() > 0.9 * HOW.learning_rate  # the first step of Adam
        np.testing.assert_allclose(moved[word], pace * full[word], rtol=1e-4, atol=1e-7)
    assert not moved["never"].any()


def test_a_word_much_rarer_than_rare_hardly_moves() -> None:
    full, moved = moved_in_one_step(1), moved_in_one_step(10_000)
    np.testing.assert_allclose(moved["once"], full["once"] / 100, rtol=1e-2)
    np.testing.assert_allclose(moved["four"], full["four"] / 50, rtol=1e-2)


def test_where_no_word_is_rare_all_learn_at_the_full_rate(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [distil(START, SENTENCES, TAUGHT, replace(HOW, rare=rare)).table for rare in (0, 1, 2)]
    assert found[0].tobytes() == found[1].tobytes() == found[2].tobytes()
    assert np.abs(found[0] - distil(START, SENTENCES, TAUGHT, HOW).table).max() > 1e-4
    monkeypatch.setattr(distillation, "at_own_pace", lambda optimizer, _: optimizer)
    plain = distil(START, SENTENCES, TAUGHT, HOW).table
    np.testing.assert_allclose(found[0], plain, rtol=1e-5, atol=1e-6)


# The order


def plan_of(how: Distillation, taught: NDArray[np.float16]) -> DistillationData:
    """A plan in which each sentence is one word: its own number."""
    return DistillationData(how, Ragged.of([[i] for i in range(len(taught))]), taught)


def chosen_in(plan: DistillationData, epoch: int) -> list[list[int]]:
    """The sentences of every batch of an epoch."""
    table: Any = None  # no plan of this kind asks it for anything
    batches = [
        batch
        for number in range(plan.rounds(epoch))
        for batch in plan.batches(epoch, number, table)
    ]
    for batch in batches:
        (taught,) = batch.extra
        np.testing.assert_array_equal(taught, plan.teacher[batch.groups[0].flat])
        assert taught.dtype == np.float32
    return [batch.groups[0].flat.tolist() for batch in batches]


NEIGHBOURS_ALONE = replace(HOW, batch=16)


def test_each_sentence_is_once_among_the_neighbours_of_an_epoch() -> None:
    plan = plan_of(NEIGHBOURS_ALONE, TAUGHT)
    for epoch in range(3):
        batches = chosen_in(plan, epoch)
        assert [len(batch) for batch in batches] == [16] * 4
        assert sorted(i for batch in batches for i in batch) == list(range(64))


def test_what_does_not_fill_a_batch_is_left_for_another_epoch() -> None:
    plan = plan_of(replace(NEIGHBOURS_ALONE, topics=8), TAUGHT[:55])
    seen = [{i for batch in chosen_in(plan, epoch) for i in batch} for epoch in range(8)]
    assert {len(of_epoch) for of_epoch in seen} == {48}
    assert set.union(*seen) == set(range(55))


def test_fewer_sentences_than_neighbours_are_repeated() -> None:
    (batch,) = chosen_in(plan_of(NEIGHBOURS_ALONE, TAUGHT[:5]), 0)
    assert {batch.count(i) for i in range(5)} == {3, 4}
    assert len(batch) == 16


def test_the_rest_of_a_batch_comes_from_everywhere() -> None:
    plan = plan_of(replace(HOW, batch=40), TAUGHT)
    runs = chosen_in(plan_of(NEIGHBOURS_ALONE, TAUGHT), 0)
    others = []
    for run, batch in zip(runs, chosen_in(plan, 0), strict=True):
        assert batch == sorted(batch)
        rest = list(batch)
        for sentence in run:  # what is not of the run, or stands twice
            rest.remove(sentence)
        assert len(set(rest)) == 24
        others.append(set(rest))
    assert len(set.union(*others)) > 40
    assert not any(set(run) >= rest for run, rest in zip(runs, others, strict=True))


def clusters() -> NDArray[np.float16]:
    """Four topics with 48 sentences each, in random order."""
    rng = np.random.default_rng(0)
    centre = rng.permutation(np.repeat(np.arange(4), 48))
    return unit((np.eye(8)[centre] + 0.1 * rng.standard_normal((192, 8))).astype(np.float32))


def test_neighbours_are_alike() -> None:
    taught = clusters()
    everywhere = cosines_by_numpy(taught).mean()
    assert everywhere < 0.3
    how = replace(HOW, batch=8, neighbours=8, topics=12)
    for epoch in range(2):
        runs = chosen_in(plan_of(how, taught), epoch)
        within = [cosines_by_numpy(taught[run]).mean() for run in runs]
        assert np.mean(within) > 0.7


def test_every_epoch_has_an_order_of_its_own_that_the_seed_alone_decides() -> None:
    plan = plan_of(HOW, TAUGHT)
    first, second = chosen_in(plan, 0), chosen_in(plan, 1)
    assert sorted(first) != sorted(second)
    assert chosen_in(plan, 0) == first  # whatever was asked for before
    assert chosen_in(plan_of(HOW, TAUGHT), 1) == second
    assert chosen_in(plan_of(replace(HOW, seed=1), TAUGHT), 0) != first


@pytest.mark.parametrize("at_once", [1, 7, 10_000])
def test_the_nearest_are_those_that_brute_force_finds(
    monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    monkeypatch.setattr(distillation, "_AT_ONCE", at_once)
    centres = np.array([3, 50, 17, 40, 8])
    rows = TAUGHT.astype(np.float64)
    expected = [
        max(range(len(centres)), key=lambda place: float(rows[centres[place]] @ row))
        for row in rows
    ]
    found = nearest_centre(TAUGHT, centres)
    assert found.tolist() == expected
    assert found[centres].tolist() == list(range(len(centres)))


# Checkpoints


class InterruptedHereError(Exception):
    pass


class Watch:
    """Counts the marks, and interrupts at one of them; a figure is the number of its mark."""

    def __init__(self, stop: int | None = None) -> None:
        self.seen, self.stop = 0, stop

    def __call__(self, encoder: Encoder) -> float:
        self.seen += 1
        if self.seen == self.stop:
            raise InterruptedHereError
        return error(encoder)


MARKS = 8
"""Two epochs of four rounds."""


def leave_checkpoint(path: Path, stop: int = 6) -> bytes:
    with pytest.raises(InterruptedHereError):
        distil(START, SENTENCES, TAUGHT, HOW, checkpoint=path, seconds=0, evaluate=Watch(stop))
    return path.read_bytes()


@pytest.mark.parametrize("stop", [2, 5, 8])
def test_a_training_that_was_stopped_goes_on_to_the_same_bytes(tmp_path: Path, stop: int) -> None:
    whole, kept = Watch(), tmp_path / "new" / "checkpoint"
    expected = distil(START, SENTENCES, TAUGHT, HOW, evaluate=whole, curve=tmp_path / "whole")
    assert whole.seen == MARKS
    leave_checkpoint(kept, stop)
    rest = Watch()
    resumed = distil(
        START, SENTENCES, TAUGHT, HOW, checkpoint=kept, evaluate=rest, curve=tmp_path / "resumed"
    )
    assert rest.seen == MARKS - (stop - 1)
    assert resumed.table.tobytes() == expected.table.tobytes()
    curves = [(tmp_path / f"{name}.csv").read_bytes() for name in ("whole", "resumed")]
    assert curves[0] == curves[1]
    assert not kept.exists()


START_BACKWARDS = Encoder(WordTokenizer([*WORDS[::-1], *UNUSED], buckets=2), START.table)
"""The same rows for other words."""

OTHERS: dict[str, Callable[[], tuple[Any, ...]]] = {
    "teacher": lambda: (START, SENTENCES, TAUGHT[::-1], HOW),
    "sentences": lambda: (START, SENTENCES[::-1], TAUGHT, HOW),
    "start": lambda: (draw_encoder(seed=3), SENTENCES, TAUGHT, HOW),
    "words": lambda: (START_BACKWARDS, SENTENCES, TAUGHT, HOW),
    "seed": lambda: (START, SENTENCES, TAUGHT, replace(HOW, seed=1)),
    "rate": lambda: (START, SENTENCES, TAUGHT, replace(HOW, learning_rate=0.01)),
    "rare": lambda: (START, SENTENCES, TAUGHT, replace(HOW, rare=1)),
}
DIFFERENCES = {
    "teacher": r"\(another teacher\)",
    "sentences": r"\(another list of sentences\)",
    "start": r"\(another start\)",
    "words": r"\(another start\)",
    "seed": r"\(seed 0, here 1\)",
    "rate": r"\(learning_rate 0.03, here 0.01\)",
    "rare": r"\(rare 12, here 1\)",
}


@pytest.mark.parametrize("other", OTHERS)
def test_the_checkpoint_of_another_training_is_refused_and_stays(
    tmp_path: Path, other: str
) -> None:
    path = tmp_path / "checkpoint"
    raw = leave_checkpoint(path)
    with pytest.raises(
        StsError, match=rf"{path}: the checkpoint of another .*{DIFFERENCES[other]}"
    ):
        distil(*OTHERS[other](), checkpoint=path)
    assert path.read_bytes() == raw


def test_a_checkpoint_that_is_to_be_kept_spares_the_training_when_it_is_asked_for_again(
    tmp_path: Path,
) -> None:
    kept, curve = tmp_path / "new" / "checkpoint", tmp_path / "curve.csv"
    watch, again, last = Watch(), Watch(), Watch()

    def learn(watch: Watch, how: Distillation = HOW, *, keep: bool = True) -> bytes:
        """The bytes of the table; the curve is written anew."""
        curve.unlink(missing_ok=True)
        learned = distil(
            *(START, SENTENCES, TAUGHT, how),
            checkpoint=kept,
            keep=keep,
            evaluate=watch,
            curve=tmp_path / "curve",
        )
        return learned.table.tobytes()

    first, marks = learn(watch), curve.read_bytes()
    assert watch.seen == MARKS
    assert first == distil(START, SENTENCES, TAUGHT, HOW).table.tobytes()
    assert (learn(again), again.seen, curve.read_bytes()) == (first, 0, marks)
    with pytest.raises(StsError, match="seed 0, here 1"):
        learn(last, replace(HOW, seed=1))
    assert kept.exists()
    learn(last, keep=False)
    assert last.seen == 0
    assert not kept.exists()


ONE_STEP_TOO_FAR = (
    *(START, SENTENCES[:16], TAUGHT[:16]),
    replace(HOW, epochs=1, learning_rate=float("inf")),
)


def test_a_table_that_only_the_last_step_has_spoilt_is_refused_and_not_kept(tmp_path: Path) -> None:
    kept = tmp_path / "checkpoint"
    with pytest.raises(StsError, match="toy: a parameter is not finite in epoch 1; try a lower"):
        distil(*ONE_STEP_TOO_FAR, checkpoint=kept, keep=True, label="toy")
    assert not kept.exists()
