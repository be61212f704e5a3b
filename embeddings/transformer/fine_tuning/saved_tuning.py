"""What a training changed of a network, as one file beside the network that it started from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load, save

from embeddings.transformer.transformer_encoder import Transformer
from sts.errors import DataError
from sts.files import write_bytes

Parts = Mapping[str, Mapping[str, Any]]
"""Parameters by the name of the part of a model, and by their own."""


def save_tuning(path: Path, start: Transformer, network: Transformer, own: Parts) -> None:
    """Write the weights of ``network`` that are not those of ``start``, and what is new to it."""
    tensors: dict[str, NDArray[Any]] = {}
    for name, value in network.weights.items():
        if value is not start.weights[name] and not np.array_equal(value, start.weights[name]):
            tensors[f"network/{name}"] = np.asarray(value)
    for part, parameters in own.items():
        tensors |= {f"{part}/{name}": np.asarray(value) for name, value in parameters.items()}
    write_bytes(path, save(tensors, {"start": start.digest}))


def load_tuning(path: Path, start: Transformer) -> tuple[Transformer, dict[str, dict[str, Any]]]:
    """The network that :func:`save_tuning` was given, and what was new to it.

    Raises:
        DataError: the file is damaged, or its network started from another one.
    """
    try:
        tensors = load(path.read_bytes())
    except (OSError, SafetensorError) as error:
        raise DataError(f"{path}: not a tuned transformer ({error}); train it again") from None
    parts: dict[str, dict[str, Any]] = {"network": {}}
    for name, value in tensors.items():
        part, _, own = name.partition("/")
        parts.setdefault(part, {})[own] = value
    changed = parts.pop("network")
    for name, value in changed.items():
        if name not in start.weights or start.weights[name].shape != value.shape:
            raise DataError(f"{path}: {name} {value.shape} does not fit the network it is for")
    return start.with_weights({**start.weights, **changed}), parts
