"""The one training loop: epochs, rounds, steps, checkpoints, history.

An epoch is cut into rounds. A round depends on nothing but the training data, its number
and the parameters, so that a training that was stopped between two rounds goes on to the
very same bytes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Protocol, TypeVar

import jax
import numpy as np

from embeddings.training.checkpoint import Checkpoint
from embeddings.training.configuration import Schedule
from embeddings.training.history import History, Point
from embeddings.training.trainable import Batch, Trainable
from sts import progress
from sts.errors import StsError

POINTS = 10
"""Points of the history in an epoch."""

ModelT_contra = TypeVar("ModelT_contra", bound=Trainable, contravariant=True)


class TrainingData(Protocol[ModelT_contra]):
    """What is trained on, and in which order."""

    def rounds(self, epoch: int) -> int:
        """How many rounds an epoch has."""
        ...

    def batches(self, epoch: int, number: int, model: ModelT_contra) -> Iterator[Batch]:
        """The batches of a round; hard negatives are searched for by the model as it is."""
        ...


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
    """Train a model on data.

    Args:
        model: the parameters; changed in place.
        data: the batches.
        schedule: epochs and learning rate.
        label: of the progress bar and of errors.
        checkpoint: written every few minutes and resumed from; removed at the end
            unless it is to be kept.
        evaluate: a metric of the model as it is, ten times an epoch, for the history.
        after_epoch: called with the number of epochs done.
        curve: where the history is written at the end, as .csv and .png.

    Returns:
        Loss and metric by step.

    Raises:
        StsError: the loss or a parameter is not finite (the last good checkpoint stays), or
            the checkpoint is damaged or of another training.
    """
    history = History()
    epoch, number = checkpoint.resume(model, history) if checkpoint else (0, 0)
    saved = time.monotonic()
    losses: list[Any] = []
    total = sum(data.rounds(e) for e in range(schedule.epochs))
    done = sum(data.rounds(e) for e in range(epoch)) + number
    with progress.bar(total=total, initial=done, desc=label, unit="round") as bar:
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
                bar.set_postfix(loss=f"{loss:.4f}")
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
    """A loss is that before an update: the last update may still have spoilt a parameter."""
    if not model.is_finite():
        raise _diverged(label, "a parameter is not finite", epoch, checkpoint)


def _diverged(label: str, what: str, epoch: int, checkpoint: Checkpoint | None) -> StsError:
    message = f"{label}: {what} in epoch {epoch}; try a lower learning rate"
    if checkpoint and checkpoint.path.exists():
        message += f" (the last good state is in {checkpoint.path})"
    return StsError(message)
