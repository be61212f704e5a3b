"""Checkpoints: what a training needs to go on after it was stopped, and whose it is."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from safetensors import SafetensorError
from safetensors.numpy import load

from embeddings.encoder import SentenceEncoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.training.configuration import Schedule
from embeddings.training.history import History, Point
from sts.errors import StsError
from sts.files import sha256_of_bytes, write_bytes
from sts.tensors import is_sealed, seal, to_bytes

if TYPE_CHECKING:
    from embeddings.training.trainable import Trainable

SECONDS = 180.0
"""Between two checkpoints."""

Identity = dict[str, str]


def identity(configuration: Schedule, **parts: Any) -> Identity:
    """Return what a checkpoint must agree on to be resumed, by name.

    These are the fields of the configuration, and hashes of what the training starts from and
    is trained on, see :func:`digest`.
    """
    settings = {name: str(value) for name, value in configuration.as_dict().items()}
    hashes = {name: digest(part) for name, part in parts.items()}
    return {"kind": type(configuration).__name__, **settings, **hashes}


def digest(part: Any) -> str:
    """sha256 of an encoder, an array, or of what JSON can hold, such as a list of them."""
    if isinstance(part, SentenceEncoder):
        return fingerprint(part)
    if isinstance(part, np.ndarray):
        head = f"{part.dtype} {part.shape} ".encode()
        return sha256_of_bytes(head + np.ascontiguousarray(part).tobytes())
    return sha256_of_bytes(json.dumps(part, default=digest).encode())


@dataclass(frozen=True)
class Checkpoint:
    """A file that a training is saved to every ``seconds`` and resumed from.

    It stays when the training has ended if it is to ``keep``.
    """

    path: Path
    identity: Identity
    seconds: float = SECONDS
    keep: bool = False

    def save(self, model: Trainable, history: History, epoch: int, number: int) -> None:
        """Write the file as the training stands before a round of an epoch."""
        tensors = model.tensors()
        metadata = {
            "identity": json.dumps(self.identity),
            "epoch": str(epoch),
            "round": str(number),
            "history": json.dumps(history.points),
        }
        write_bytes(self.path, to_bytes(tensors, seal(tensors, metadata)))

    def resume(self, model: Trainable, history: History) -> tuple[int, int]:
        """Restore a model and its history; returns the epoch and round to go on with.

        They are 0 and 0 if there is no file.

        Raises:
            StsError: the file is damaged, or of another training. It is left as it is.
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
        except (
            OSError,
            RecursionError,
            SafetensorError,
            ValueError,
            KeyError,
            TypeError,
            AttributeError,
        ) as error:
            raise StsError(
                f"{self.path}: not a whole checkpoint ({error}); move it away to start again"
            ) from None
        raise StsError(
            f"{self.path}: the checkpoint of another training ({'; '.join(differences)}); "
            "move it away, or name another file, to start from the beginning"
        )

    def _differences(self, other: Identity) -> list[str]:
        """Return the settings and data in which another training differs, in words."""
        names = [n for n in {**self.identity, **other} if self.identity.get(n) != other.get(n)]
        return [
            f"another {name.replace('_', ' ')}"
            if len(self.identity.get(name, "")) == 64
            else f"{name} {other.get(name)}, here {self.identity.get(name)}"
            for name in names
        ]
