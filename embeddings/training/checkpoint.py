"""State of a training in a file: parameters, history, and a description of the training."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from semaniacs.embeddings.configuration import Schedule
from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import sha256_of_bytes, write_bytes, write_text
from semaniacs.sts.tensors import is_sealed, seal, to_bytes

if TYPE_CHECKING:
    from semaniacs.embeddings.training.trainable import Trainable

Identity = dict[str, str]


class Point(NamedTuple):
    """Passes and updates done, mean loss since the point before, and the metric."""

    epochs: float
    steps: int
    loss: float
    metric: float | None


@dataclass
class History:
    """Loss and metric of a training by step, as CSV and as a picture."""

    points: list[Point] = field(default_factory=list)

    def write(self, path: Path) -> None:
        """Write ``path`` with the suffixes .csv and .png."""
        write_text(path.with_suffix(".csv"), self.to_csv())
        write_bytes(path.with_suffix(".png"), self.to_png())

    def to_csv(self) -> str:
        """Return one line per point; a missing metric is empty."""
        lines = [",".join(Point._fields)]
        for p in self.points:
            metric = "" if p.metric is None else f"{p.metric:.4f}"
            lines.append(f"{p.epochs:.3f},{p.steps},{p.loss:.6f},{metric}")
        return "\n".join([*lines, ""])

    def to_png(self) -> bytes:
        """Return a plot with the loss on the left axis and the metric on the right one."""
        from matplotlib.figure import Figure

        picture = Figure(figsize=(7, 4), layout="constrained")
        left = picture.add_subplot()
        epochs, losses = [p.epochs for p in self.points], [p.loss for p in self.points]
        left.plot(epochs, losses, color="tab:blue", marker=".")
        left.set_xlabel("epochs")
        left.set_ylabel("loss", color="tab:blue")
        evaluated = [(p.epochs, p.metric) for p in self.points if p.metric is not None]
        if evaluated:
            right = left.twinx()
            right.plot(*zip(*evaluated, strict=True), color="tab:orange", marker=".")
            right.set_ylabel("metric", color="tab:orange")
        data = io.BytesIO()
        picture.savefig(data, format="png", dpi=120, metadata={"Software": None})
        return data.getvalue()


def identity(configuration: Schedule, **parts: Any) -> Identity:
    """Return, by name, the settings and hashes of data on which a checkpoint must agree."""
    found = {"kind": type(configuration).__name__}
    found |= {name: str(value) for name, value in configuration.as_dict().items()}
    return found | {name: digest(part) for name, part in parts.items()}


def digest(part: Any) -> str:
    """sha256 of an encoder, an array, or of what JSON can hold, such as a list of them."""
    if isinstance(part, SentenceEncoder):
        return part.digest
    if isinstance(part, np.ndarray):
        head = f"{part.dtype} {part.shape} ".encode()
        return sha256_of_bytes(head + np.ascontiguousarray(part).tobytes())
    return sha256_of_bytes(json.dumps(part, default=digest).encode())


@dataclass(frozen=True)
class Checkpoint:
    """File that a training is saved to every ``seconds``, resumed from, and kept at its end if ``keep``."""

    path: Path
    identity: Identity
    seconds: float
    keep: bool = False

    def save(self, model: Trainable, history: History, epoch: int, number: int) -> None:
        """Write the state of a training before a round of an epoch."""
        tensors = model.tensors()
        metadata = {
            "identity": json.dumps(self.identity),
            "epoch": str(epoch),
            "round": str(number),
            "history": json.dumps(history.points),
        }
        write_bytes(self.path, to_bytes(tensors, seal(tensors, metadata)))

    def resume(self, model: Trainable, history: History) -> tuple[int, int]:
        """Restore a model and its history; returns the epoch and round to resume at, 0 and 0 without a file.

        A file that is damaged, or of another training, is left as it is: an StsError.
        """
        if not self.path.exists():
            return 0, 0
        try:
            raw = self.path.read_bytes()
            tensors = load(raw)
            head = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
            metadata = head["__metadata__"]
            if not is_sealed(tensors, metadata):
                raise ValueError("its sha256 differs")
            differences = self._differences(json.loads(metadata["identity"]))
            if not differences:
                model.restore(tensors)
                history.points.extend(Point(*point) for point in json.loads(metadata["history"]))
                return int(metadata["epoch"]), int(metadata["round"])
        except (OSError, SafetensorError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise StsError(
                f"{self.path}: not a whole checkpoint ({error}); move it away to start again"
            ) from None
        raise StsError(
            f"{self.path}: the checkpoint of another training ({'; '.join(differences)}); "
            "move it away, or name another file, to start from the beginning"
        )

    def _differences(self, other: Identity) -> list[str]:
        names = [n for n in {**self.identity, **other} if self.identity.get(n) != other.get(n)]
        return [
            f"another {name.replace('_', ' ')}"
            if len(self.identity.get(name, "")) == 64
            else f"{name} {other.get(name)}, here {self.identity.get(name)}"
            for name in names
        ]
