"""The one training loop: epochs, rounds, steps, checkpoints, history.

A round, a part of an epoch, depends on nothing but the data, its number and the parameters, so
that a training that was stopped between two rounds resumes to the very same bytes.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Generic, Protocol, TypedDict, TypeVar, Unpack

import jax
import numpy as np

from semaniacs.embeddings.configuration import Schedule
from semaniacs.embeddings.training.checkpoint import Checkpoint, History, Point, identity
from semaniacs.embeddings.training.trainable import Batch, Trainable
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar

POINTS = 10  # points of the history per epoch
SECONDS = 180.0  # seconds between two checkpoints
EncodersT = TypeVar("EncodersT")  # result of a training: an encoder, or those of several languages

ModelT_contra = TypeVar("ModelT_contra", bound=Trainable, contravariant=True)


class TrainingData(Protocol[ModelT_contra]):
    """Training data, and its order."""

    def rounds(self, epoch: int) -> int:
        """Return the number of rounds in an epoch."""

    def batches(self, epoch: int, number: int, model: ModelT_contra) -> Iterator[Batch]:
        """Yield the batches of a round; hard negatives are searched for by the model as it is."""


class Options(TypedDict, Generic[EncodersT], total=False):
    """Options that every training takes beside its data.

    Attributes:
        label: of the progress bar and of errors.
        checkpoint: file that is written every ``seconds`` and resumed from; removed at the
            end unless ``keep``.
        evaluate: metric of the encoder so far, computed ten times per epoch, for the curve.
        curve: file where loss and metric are written at the end, as .csv and .png.
    """

    label: str
    checkpoint: Path | None
    seconds: float
    keep: bool
    evaluate: Callable[[EncodersT], float] | None
    curve: Path | None


def train_encoder(
    model: ModelT_contra,
    data: TrainingData[ModelT_contra],
    schedule: Schedule,
    current: Callable[[], EncodersT],
    parts: dict[str, Any],
    **options: Unpack[Options[EncodersT]],
) -> EncodersT:
    """Train as :func:`run` does, and return the encoder.

    ``current`` makes the encoder of the model as it is. ``parts`` are the start and the data of the
    training, by name; a checkpoint of other parts is refused.
    """
    path, evaluate = options.get("checkpoint"), options.get("evaluate")
    seconds, keep = options.get("seconds", SECONDS), options.get("keep", False)
    run(
        model,
        data,
        schedule,
        label=options.get("label", "training"),
        checkpoint=Checkpoint(path, identity(schedule, **parts), seconds, keep) if path else None,
        evaluate=evaluate and (lambda: evaluate(current())),
        curve=options.get("curve"),
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
    curve: Path | None = None,
) -> History:
    """Train a model in place, and return loss and metric by step; see :class:`Options`.

    Raises an StsError if the loss or a parameter is not finite (the last good checkpoint stays), or the
    checkpoint is damaged or of another training.
    """
    history = History()
    epoch, number = checkpoint.resume(model, history) if checkpoint else (0, 0)
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
    # The last update, after the last loss, may have spoilt a parameter.
    if not model.is_finite():
        raise _diverged(label, "a parameter is not finite", epoch, checkpoint)


def _diverged(label: str, reason: str, epoch: int, checkpoint: Checkpoint | None) -> StsError:
    message = f"{label}: {reason} in epoch {epoch}; try a lower learning rate"
    if checkpoint and checkpoint.path.exists():
        message += f" (the last good state is in {checkpoint.path})"
    return StsError(message)
