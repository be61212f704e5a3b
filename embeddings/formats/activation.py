"""What follows the mean of an encoder, as stored: nothing, or a hard tanh."""

from __future__ import annotations

import json
from collections.abc import Mapping

import numpy as np

from embeddings.encoder import SentenceEncoder
from sts.tensors import to_bytes

_KEY, _HARD_TANH = "activation", "hard tanh"

FOLDER = "1_Dense"
"""Where the hard tanh of sentence-transformers is."""

MODULE = {"idx": 1, "name": "1", "path": FOLDER, "type": "sentence_transformers.models.Dense"}
"""Its entry in ``modules.json``."""


def activation_of(encoder: SentenceEncoder) -> dict[str, str]:
    """Metadata that say what follows the mean; none where nothing does."""
    return {_KEY: _HARD_TANH} if encoder.hard_tanh else {}


def is_hard_tanh(about: Mapping[str, str]) -> bool:
    """What :func:`activation_of` wrote.

    Raises:
        ValueError: an activation that is not known.
    """
    if about.get(_KEY, _HARD_TANH) != _HARD_TANH:
        raise ValueError(f"activation {about[_KEY]!r}; expected {_HARD_TANH!r} or none")
    return _KEY in about


def dense_files(dim: int) -> dict[str, bytes]:
    """A layer of sentence-transformers that changes nothing, with a hard tanh after it."""
    config = {
        "in_features": dim,
        "out_features": dim,
        "bias": False,
        "activation_function": "torch.nn.modules.activation.Hardtanh",
    }
    weights = to_bytes({"linear.weight": np.eye(dim, dtype=np.float32)}, {"format": "pt"})
    return {
        f"{FOLDER}/config.json": json.dumps(config, indent=2).encode() + b"\n",
        f"{FOLDER}/model.safetensors": weights,
    }
