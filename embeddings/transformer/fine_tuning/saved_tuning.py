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


_LARGEST, _SLACK = 127, 1e-3
"""Of int8; and how much a largest difference may exceed it: rounding to single precision may."""


def save_tuning(path: Path, start: Transformer, network: Transformer, own: Parts) -> None:
    """Write how the weights of ``network`` differ from those of ``start``, and what is new to it.

    The differences of a matrix are written in int8. The scale of each row is a power of two, so
    that what was read is written as it was.
    """
    tensors: dict[str, NDArray[Any]] = {}
    for name, value in network.weights.items():
        before = start.weights[name]
        if value is before or np.array_equal(value, before):
            continue
        if np.ndim(value) < 2:
            tensors[f"network/{name}"] = np.asarray(value)
            continue
        moved = np.asarray(value, np.float32) - before
        largest = np.maximum(np.abs(moved).max(axis=-1, keepdims=True), 1e-30) / _LARGEST
        exponent = np.ceil(np.log2(largest) - _SLACK).astype(np.int8)
        tensors[f"exponent/{name}"] = exponent
        tensors[f"moved/{name}"] = np.rint(moved / np.exp2(exponent, dtype=np.float32)).astype(
            np.int8
        )
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
    changed, moved = parts.pop("network"), parts.pop("moved", {})
    exponents = parts.pop("exponent", {})
    for name, value in (changed | moved).items():
        if name not in start.weights or start.weights[name].shape != value.shape:
            raise DataError(
                f"{path}: {name!r:.80} {value.shape} does not fit the network it is for"
            )
    for name, value in moved.items():
        if name not in exponents or exponents[name].shape != (*value.shape[:-1], 1):
            raise DataError(f"{path}: {name!r:.80} has no scale for each row; train it again")
        scale = np.exp2(exponents[name], dtype=np.float32)
        changed[name] = start.weights[name] + value.astype(np.float32) * scale
    return start.with_weights({**start.weights, **changed}), parts
