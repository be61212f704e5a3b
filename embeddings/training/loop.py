"""The one training loop: epochs, rounds, steps, checkpoints, the curve.

What is learned from is a :class:`Plan`; what is learned is a
:class:`~embeddings.training.sparse_rows.SparseTable`. An epoch is cut into rounds, and a round
depends on nothing but the plan, its number and the table, so that a training
stopped between two rounds goes on from there to the very same bytes.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import jax
import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load, save

from embeddings.tokenizers.ragged import Ragged
from embeddings.training.history import Curve, Mark
from embeddings.training.sparse_rows import SparseTable
from sts import progress
from sts.errors import StsError
from sts.files import write_bytes

MARKS = 10
"""Points of the curve in an epoch."""

_SECONDS = 180.0
"""Between two checkpoints."""


class Batch(NamedTuple):
    """What one step learns from: groups of sentences, and arrays for the loss."""

    groups: Sequence[Ragged]
    extra: tuple[Any, ...] = ()


class Plan(Protocol):
    """What is learned from, in which order."""

    @property
    def epochs(self) -> int:
        """Passes over the material."""
        ...

    def rounds(self, epoch: int) -> int:
        """How many rounds an epoch has."""
        ...

    def batches(self, epoch: int, number: int, table: SparseTable) -> Iterator[Batch]:
        """The batches of a round; the table may be asked for hard negatives."""
        ...

    def rate(self, done: float) -> float:
        """The learning rate when this fraction of the training, 0 to 1, is done."""
        ...


class Checkpoint(NamedTuple):
    """Where a training is kept, and what it must agree on to be resumed.

    With ``keep`` it stays when the training has ended, as one link of a longer chain.
    """

    path: Path
    fingerprint: str
    seconds: float = _SECONDS
    keep: bool = False


def run(
    plan: Plan,
    table: SparseTable,
    *,
    label: str,
    checkpoint: Checkpoint | None = None,
    evaluate: Callable[[], float] | None = None,
    after_epoch: Callable[[int], None] | None = None,
) -> Curve:
    """Train ``table`` by ``plan``.

    Args:
        plan: what is learned from.
        table: what is learned; changed in place.
        label: of the progress bar and of errors.
        checkpoint: written every few minutes and resumed from; removed at the end
            unless it is to be kept.
        evaluate: a figure of the table as it is, for the curve.
        after_epoch: called with the number of epochs done.

    Returns:
        Loss and figure by step.

    Raises:
        StsError: the loss is not finite (the last good checkpoint stays), or the
            checkpoint is no whole file.
    """
    curve = Curve()
    epoch, number = _resume(checkpoint, table, curve) if checkpoint else (0, 0)
    written = time.monotonic()
    losses: list[Any] = []
    total = sum(plan.rounds(e) for e in range(plan.epochs))
    done = sum(plan.rounds(e) for e in range(epoch)) + number
    with progress.bar(total=total, initial=done, desc=label, unit="round") as bar:
        while epoch < plan.epochs:
            rounds = plan.rounds(epoch)
            rate = plan.rate(done / total)
            for batch in plan.batches(epoch, number, table):
                losses.append(table.step(batch.groups, *batch.extra, rate=rate))
            number, done = number + 1, done + 1
            ended = number == rounds
            if number * MARKS // rounds > (number - 1) * MARKS // rounds and losses:
                loss = float(np.mean(jax.device_get(losses), dtype=np.float64))
                if not math.isfinite(loss):
                    said = f"the loss is {loss}"
                    raise StsError(_not_finite(label, said, epoch + 1, checkpoint))
                figure = evaluate() if evaluate else None
                curve.marks.append(Mark(epoch + number / rounds, table.steps, loss, figure))
                bar.set_postfix(loss=f"{loss:.4f}")
                losses = []
            bar.update()
            if ended:
                epoch, number = epoch + 1, 0
                if after_epoch:
                    after_epoch(epoch)
            if checkpoint and not losses and time.monotonic() - written >= checkpoint.seconds:
                _refuse_what_is_not_finite(label, table, epoch + (not ended), checkpoint)
                _save(checkpoint, table, curve, epoch, number)
                written = time.monotonic()
    _refuse_what_is_not_finite(label, table, epoch, checkpoint)
    if checkpoint and checkpoint.keep:
        _save(checkpoint, table, curve, epoch, number)
    elif checkpoint:
        checkpoint.path.unlink(missing_ok=True)
    return curve


def _refuse_what_is_not_finite(
    label: str, table: SparseTable, epoch: int, checkpoint: Checkpoint | None
) -> None:
    """The loss is that before an update; the last update may have spoilt the table."""
    if not table.is_finite():
        raise StsError(_not_finite(label, "the table is not finite", epoch, checkpoint))


def _not_finite(label: str, said: str, epoch: int, checkpoint: Checkpoint | None) -> str:
    message = f"{label}: {said} in epoch {epoch}; try a lower learning rate"
    if checkpoint and checkpoint.path.exists():
        message += f" (the last good state is in {checkpoint.path})"
    return message


def _save(
    checkpoint: Checkpoint, table: SparseTable, curve: Curve, epoch: int, number: int
) -> None:
    place = {
        "fingerprint": checkpoint.fingerprint,
        "epoch": str(epoch),
        "round": str(number),
        "curve": json.dumps(curve.marks),
    }
    write_bytes(checkpoint.path, save(table.tensors(), place))


def _resume(checkpoint: Checkpoint, table: SparseTable, curve: Curve) -> tuple[int, int]:
    """Epoch and round to go on with: 0, 0 if there is no checkpoint of this very training."""
    if not checkpoint.path.exists():
        return 0, 0
    try:
        raw = checkpoint.path.read_bytes()
        tensors = load(raw)
        place = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])["__metadata__"]
        if place["fingerprint"] != checkpoint.fingerprint:
            return 0, 0
        table.restore(tensors)
        curve.marks.extend(Mark(*mark) for mark in json.loads(place["curve"]))
        return int(place["epoch"]), int(place["round"])
    except (OSError, SafetensorError, ValueError, KeyError, TypeError) as error:
        raise StsError(
            f"{checkpoint.path}: not a whole checkpoint ({error}); move it away to start again"
        ) from None
