"""What follows the mean of an encoder, as stored: nothing, or a hard tanh."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import numpy as np

from embeddings.encoder import SentenceEncoder
from sts.tensors import to_bytes

_KEY = "limit"

FOLDERS = ("1_Dense", "2_Dense")
"""Two layers of sentence-transformers that cut the numbers of a mean."""

MODULES = [
    {
        "idx": int(folder[0]),
        "name": folder[0],
        "path": folder,
        "type": "sentence_transformers.models.Dense",
    }
    for folder in FOLDERS
]
"""Their entries in ``modules.json``."""


def limit_of(encoder: SentenceEncoder) -> dict[str, str]:
    """Metadata that say where the numbers of a mean are cut; none where they are not."""
    return {} if encoder.limit is None else {_KEY: repr(encoder.limit)}


def read_limit(about: Mapping[str, str]) -> float | None:
    """What :func:`limit_of` wrote.

    Raises:
        ValueError: no number above 0.
    """
    if _KEY not in about:
        return None
    limit = float(about[_KEY])
    if not 0 < limit < math.inf:
        raise ValueError(f"limit {limit}; expected a number above 0")
    return limit


def dense_files(dim: int, limit: float) -> dict[str, bytes]:
    """The files of the two layers: one divides by the limit and cuts to ±1, one multiplies again."""
    cut = _dense(FOLDERS[0], dim, np.float32(1 / limit), "Hardtanh")
    return cut | _dense(FOLDERS[1], dim, np.float32(limit), "Identity")


def _dense(folder: str, dim: int, factor: np.float32, activation: str) -> dict[str, bytes]:
    module = {"Hardtanh": "activation", "Identity": "linear"}[activation]
    config = {
        "in_features": dim,
        "out_features": dim,
        "bias": False,
        "activation_function": f"torch.nn.modules.{module}.{activation}",
    }
    weights = {"linear.weight": np.eye(dim, dtype=np.float32) * factor}
    return {
        f"{folder}/config.json": json.dumps(config, indent=2).encode() + b"\n",
        f"{folder}/model.safetensors": to_bytes(weights, {"format": "pt"}),
    }
