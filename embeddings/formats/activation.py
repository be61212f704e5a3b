"""What follows the mean of an encoder, as stored: nothing, or a hard tanh."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

import numpy as np

from embeddings.encoder import SentenceEncoder
from sts.tensors import to_bytes

_KEY = "limit"

FOLDER = "1_Dense"
"""Where the hard tanh of sentence-transformers is."""

MODULE = {"idx": 1, "name": "1", "path": FOLDER, "type": "sentence_transformers.models.Dense"}
"""Its entry in ``modules.json``."""


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
    """A layer of sentence-transformers that divides by the limit, and a hard tanh, which cuts to ±1."""
    config = {
        "in_features": dim,
        "out_features": dim,
        "bias": False,
        "activation_function": "torch.nn.modules.activation.Hardtanh",
    }
    weights = to_bytes(
        {"linear.weight": np.eye(dim, dtype=np.float32) / np.float32(limit)}, {"format": "pt"}
    )
    return {
        f"{FOLDER}/config.json": json.dumps(config, indent=2).encode() + b"\n",
        f"{FOLDER}/model.safetensors": weights,
    }
