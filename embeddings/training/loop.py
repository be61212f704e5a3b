"""The one training loop: epochs, rounds, steps, checkpoints, history.

A round, a part of an epoch, depends on nothing but the data, its number and the parameters, so
that a training that was stopped between two rounds goes on to the very same bytes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, Protocol, TypedDict, TypeVar

import jax
import numpy as np

from embeddings.training.checkpoint import SECONDS, Checkpoint, identity
from embeddings.training.configuration import Schedule
from embeddings.training.history import History, Point
from embeddings.training.trainable import Batch, Trainable
from sts.errors import StsError
from sts.progress import Bar

POINTS = 10
"""Points of the history in an epoch."""

EncodersT = TypeVar("EncodersT")
"""Result of a training: an encoder, or those of several languages."""


ModelT_contra = TypeVar("ModelT_contra", bound=Trainable, contravariant=True)


class TrainingData(Protocol[ModelT_contra]):
    """Training data, and its order."""

    def rounds(self, epoch: int) -> int:
        """Return the number of rounds in an epoch."""

    def batches(self, epoch: int, number: int, model: ModelT_contra) -> Iterator[Batch]:
        """The batches of a round; hard negatives are searched for by the model as it is."""


class Options(TypedDict, Generic[EncodersT], total=False):
    """Options that every training takes beside its data.

    Attributes:
        label: of the progress bar and of errors.
        checkpoint: file that is written every ``seconds`` and resumed from; removed at the
            end unless ``keep``.
        evaluate: a metric of the encoder so far, ten times an epoch, for the curve.
        after_epoch: called with the number of epochs done and the encoder so far.
        curve: where loss and metric are written at the end, as .csv and .png.
    """

    label: str
    checkpoint: Path | None
    seconds: float
    keep: bool
    evaluate: Callable[[EncodersT], float] | None
    after_epoch: Callable[[int, EncodersT], None] | None
    curve: Path | None


def train_encoder(
    model: ModelT_contra,
    data: TrainingData[ModelT_contra],
    schedule: Schedule,
    current: Callable[[], EncodersT],
    parts: dict[str, Any],
    *,
    label: str = "training",
    checkpoint: Path | None = None,
    seconds: float = SECONDS,
    keep: bool = False,
    evaluate: Callable[[EncodersT], float] | None = None,
    after_epoch: Callable[[int, EncodersT], None] | None = None,
    curve: Path | None = None,
) -> EncodersT:
    """Train as :func:`run` does, with :class:`Options`, and return the encoder.

    Args:
        model, data, schedule: see :func:`run`.
        current: makes the encoder of the model as it is.
        parts: by name, what the training starts from and is trained on; a checkpoint of
            other parts is refused.
    """
    kept = None
    if checkpoint:
        kept = Checkpoint(checkpoint, identity(schedule, **parts), seconds, keep)
    run(
        model,
        data,
        schedule,
        label=label,
        checkpoint=kept,
        evaluate=evaluate and (lambda: evaluate(current())),
        after_epoch=after_epoch and (lambda done: after_epoch(done, current())),
        curve=curve,
    )
    return current()


def run(
    model: ModelT_contra,
    data: TrainingData[ModelT_contra],
    schedule: Schedule,
    *,
    label: str,
    checkpoint: Checkpoint | None = None,
    evaluate: Callable[[], float] | None = None,
    after_epoch: Callable[[int], None] | None = None,
    curve: Path | None = None,
) -> History:
    """Train a model, in place, and return loss and metric by step.

    Args:
        model: the parameters.
        data: the batches.
        schedule: epochs and learning rate.
        label, curve: see :class:`Options`.
        checkpoint: written every few minutes and resumed from.
        evaluate: a metric of the model as it is, ten times an epoch, for the history.
        after_epoch: called with the number of epochs done.

    Raises:
        StsError: the loss or a parameter is not finite (the last good checkpoint stays), or
            the checkpoint is damaged or of another training.
    """
    history = History()
    epoch, number = checkpoint.resume(model, history) if checkpoint else (0, 0)
    rounds = data.rounds(epoch) if 0 <= epoch < schedule.epochs else 1
    if not (0 <= epoch <= schedule.epochs and 0 <= number < rounds):
        raise StsError(
            f"{checkpoint and checkpoint.path}: stands before round {number} of epoch {epoch}, "
            "which is none; move it away to start again"
        )
    saved = time.monotonic()
    losses: list[Any] = []
    total = sum(data.rounds(e) for e in range(schedule.epochs))
    done = sum(data.rounds(e) for e in range(epoch)) + number
    with Bar(label, "rounds", total, start=done) as bar:
        while epoch < schedule.epochs:
            rounds = data.rounds(epoch)
            rate = schedule.rate(done / total)
            losses += [model.step(batch, rate) for batch in data.batches(epoch, number, model)]
            number, done = number + 1, done + 1
            ended = number == rounds
            if number * POINTS // rounds > (number - 1) * POINTS // rounds and losses:
                loss = float(np.mean(jax.device_get(losses), dtype=np.float64))
                if not math.isfinite(loss):
                    raise _diverged(label, f"the loss is {loss}", epoch + 1, checkpoint)
                metric = evaluate() if evaluate else None
                history.points.append(Point(epoch + number / rounds, model.steps, loss, metric))
                bar.mention(f"loss {loss:.4f}")
                losses = []
            bar.update()
            if ended:
                epoch, number = epoch + 1, 0
                if after_epoch:
                    after_epoch(epoch)
            if checkpoint and not losses and time.monotonic() - saved >= checkpoint.seconds:
                _check_finite(model, label, epoch + (not ended), checkpoint)
                checkpoint.save(model, history, epoch, number)
                saved = time.monotonic()
    _check_finite(model, label, epoch, checkpoint)
    if checkpoint and checkpoint.keep:
        checkpoint.save(model, history, epoch, number)
    elif checkpoint:
        checkpoint.path.unlink(missing_ok=True)
    if curve:
        history.write(curve)
    return history


def _check_finite(model: Trainable, label: str, epoch: int, checkpoint: Checkpoint | None) -> None:
    """The loss is computed before an update: the last one may still have spoilt a parameter."""
    if not model.is_finite():
        raise _diverged(label, "a parameter is not finite", epoch, checkpoint)


def _diverged(label: str, what: str, epoch: int, checkpoint: Checkpoint | None) -> StsError:
    message = f"{label}: {what} in epoch {epoch}; try a lower learning rate"
    if checkpoint and checkpoint.path.exists():
        message += f" (the last good state is in {checkpoint.path})"
    return StsError(message)
