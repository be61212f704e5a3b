"""The loop alone, on a plan whose losses are known: what comes when, and what is kept."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from safetensors.numpy import load, save

from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training import loop
from semaniacs.embeddings.training.checkpoint import Checkpoint, History, Point
from semaniacs.embeddings.training.sentence_model import SentenceModel
from semaniacs.embeddings.training.sparse_rows import make_optimizer
from semaniacs.embeddings.training.trainable import Batch
from semaniacs.sts.errors import StsError
from tests.embeddings.stopping import StopAfter, StoppedError

START = np.ones((4, 2), np.float32)
WORD = Ragged.of([[0]])


@dataclass
class Recited:
    """A plan that says the loss of each batch: those of round n of an epoch are ``losses[n]``.

    Attributes:
        asked: (epoch, round) in the order they were asked for.
        fractions: what the rate was asked for.
    """

    losses: list[list[float]]
    epochs: int = 1
    asked: list[tuple[int, int]] = field(default_factory=list)
    fractions: list[float] = field(default_factory=list)

    def rounds(self, epoch: int) -> int:
        return len(self.losses)

    def batches(self, epoch: int, number: int, model: SentenceModel) -> Iterator[Batch]:
        self.asked.append((epoch, number))
        for loss in self.losses[number]:
            yield Batch([WORD], (np.float32(loss),))

    def rate(self, done: float) -> float:
        self.fractions.append(done)
        return 0.125 * (1 - done)


def said(vectors: jax.Array, loss: Any) -> jax.Array:
    """The loss is what the plan says; each coordinate of the one row has a gradient of 1."""
    return loss + (vectors - jax.lax.stop_gradient(vectors)).sum()


MOMENTUM = make_optimizer("momentum")


def run(plan: Recited, model: SentenceModel, label: str = "x", **options: Any) -> History:
    """The loop; what is recited is its own schedule."""
    return loop.run(model, plan, plan, label=label, **options)  # type: ignore[arg-type]


def kept_in(path: Path) -> Checkpoint:
    return Checkpoint(path, {"whose": "mine"}, 0.0)


def new_table() -> SentenceModel:
    return SentenceModel(START, MOMENTUM, said)


def test_every_round_of_every_epoch_comes_in_turn() -> None:
    plan, table = Recited([[1.0, 2.0], [3.0], []], epochs=2), new_table()
    run(plan, table)
    assert plan.asked == [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert table.steps == 6
    assert (table.rows()[0] < 1).all()
    assert table.rows()[1:].tobytes() == START[1:].tobytes()


def test_a_mark_is_the_mean_of_all_losses_since_the_one_before() -> None:
    history = run(Recited([[1.0, 2.0], [6.0], []], epochs=2), new_table())
    marks = [(round(m.epochs, 3), m.steps, m.loss, m.metric) for m in history.points]
    assert marks == [
        (0.333, 2, 1.5, None),
        (0.667, 3, 6.0, None),
        (1.333, 5, 1.5, None),
        (1.667, 6, 6.0, None),
    ]


LOSSES = [[4.0], [3.0, 2.0], [1.0]]


def interrupted(path: Path, call: int) -> None:
    plan, stop = Recited(LOSSES, epochs=2), StopAfter(call - 1)
    with pytest.raises(StoppedError):
        run(plan, new_table(), checkpoint=kept_in(path), evaluate=stop)


@pytest.mark.parametrize("call", [2, 6])
def test_a_training_goes_on_from_the_last_mark(tmp_path: Path, call: int) -> None:
    path, table, whole = tmp_path / "new" / "checkpoint", new_table(), new_table()
    expected = run(Recited(LOSSES, epochs=2), whole, evaluate=lambda: 0.5)
    interrupted(path, call)
    plan = Recited(LOSSES, epochs=2)
    history = run(plan, table, checkpoint=kept_in(path), evaluate=lambda: 0.5)
    order = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]
    assert plan.asked == order[call - 1 :]
    assert plan.fractions == [n / 6 for n in range(call - 1, 6)]
    assert table.rows().tobytes() == whole.rows().tobytes()
    assert [m[:3] for m in history.points] == [m[:3] for m in expected.points]
    assert [m.metric for m in history.points[: call - 1]] == [n / 10 for n in range(1, call)]
    assert not path.exists()


PLACE = {"identity": '{"whose": "mine"}', "epoch": "0", "round": "1"}


def of_a_smaller_table(raw: bytes) -> bytes:
    return save({**load(raw), "sparse.rows.table": START[:2]}, PLACE | {"history": "[]"})


def without_a_tensor(raw: bytes) -> bytes:
    tensors = load(raw)
    del tensors["sparse.rows.state.velocity"]
    return save(tensors, PLACE | {"history": "[]"})


@pytest.mark.parametrize(
    "damage",
    [lambda raw: b"", lambda raw: raw[:-9], without_a_tensor, of_a_smaller_table],
    ids=["empty", "cut short", "a tensor short", "a smaller table"],
)
def test_a_damaged_checkpoint_is_named_and_left_alone(
    tmp_path: Path, damage: Callable[[bytes], bytes]
) -> None:
    path = tmp_path / "checkpoint"
    interrupted(path, call=2)
    raw = damage(path.read_bytes())
    assert raw != path.read_bytes()
    path.write_bytes(raw)
    with pytest.raises(StsError, match=r"checkpoint: not a whole checkpoint \(.*\); move it away"):
        run(Recited(LOSSES, epochs=2), new_table(), checkpoint=kept_in(path))
    assert path.read_bytes() == raw


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_a_loss_that_is_not_finite_stops_the_training(bad: float, tmp_path: Path) -> None:
    path, table = tmp_path / "checkpoint", new_table()
    kept = kept_in(path)
    found = rf"tuning: the loss is {bad} in epoch 1; try a lower .* good state is in .*checkpoint\)"
    with pytest.raises(StsError, match=found):
        run(Recited([[1.0], [2.0], [2.0, bad]]), new_table(), label="tuning", checkpoint=kept)
    plan = Recited([[1.0], [2.0], [3.0]])  # the same training, the reason mended
    history = run(plan, table, checkpoint=kept)
    assert plan.asked == [(0, 2)]
    assert [mark.loss for mark in history.points] == [1, 2, 3]
    assert np.isfinite(table.rows()).all()


POINTS = [Point(0.1, 3, 1.25, None), Point(1 / 3, 6, 0.12345678, 0.5), Point(2, 60, 1e-9, -0.04567)]


def test_the_lines_of_a_history_by_hand() -> None:
    assert History(POINTS).to_csv() == (
        "epochs,steps,loss,metric\n"
        "0.100,3,1.250000,\n"
        "0.333,6,0.123457,0.5000\n"
        "2.000,60,0.000000,-0.0457\n"
    )
