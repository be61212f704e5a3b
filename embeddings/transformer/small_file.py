"""A transformer in one file of a seventh of its size, with four bits a weight.

Each group of weights in a row has a scale. Biases, normalisations and positions stay as they are.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.tokenizers.huggingface import open_tokenizer
from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.embeddings.transformer.sentence_head import Head
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import write_bytes
from semaniacs.sts.tensors import (
    FORMAT,
    deflate,
    inflate,
    is_sealed,
    pack,
    read_tensors,
    seal,
    to_bytes,
    unpack,
)

GROUP = 64  # weights of a row that share a scale
LARGEST = 7  # the largest number that is used of four bits

_SHARES = np.linspace(0.6, 1, 9)
"""Shares of the largest weight of a group that become that number: the best one is taken."""

WORD_ROWS = "embeddings.word_embeddings.weight"

_SCALES = ".scales"


def save_small(
    path: Path, network: Transformer, about: dict[str, str], words: int = LARGEST
) -> None:
    """Write a network whose sentence vectors are means, in four bits a weight; ``about`` is metadata.

    Its matrices are rounded, but for the embeddings of few rows. ``words`` is the largest number for
    the embeddings of words: with fewer numbers an archive of the file is smaller. A ValueError if the
    network has another head, or is given lowercased texts.
    """
    if network.head != Head(normalize=network.head.normalize) or network.lowercase:
        raise ValueError("expected a network whose vectors are means of its last states")
    tensors: dict[str, NDArray[Any]] = {}
    for name, value in network.weights.items():
        if is_rounded(name, value):
            largest = words if name == WORD_ROWS else LARGEST
            numbers, tensors[name + _SCALES] = in_numbers(np, value, largest)
            tensors[name] = (numbers[:, ::2] & 0x0F | numbers[:, 1::2] << 4).astype(np.uint8)
        else:
            tensors[name] = np.asarray(value, np.float32)
    tensors |= deflate({"tokenizer": pack([network.tokenizer.to_str()])})
    settings = [network.shape, network.longest, network.head.normalize]
    metadata = about | {"format": FORMAT, "network": json.dumps(settings)}
    write_bytes(path, to_bytes(tensors, seal(tensors, metadata)))


def load_small(path: Path) -> Transformer:
    """Load a file that :func:`save_small` wrote; a DataError if it is missing or damaged."""
    tensors, metadata = read_tensors(path, ())
    if "network" not in metadata or not is_sealed(tensors, metadata):
        raise DataError(f"{path}: damaged, or not a transformer in one file; install it again")
    shape, longest, normalize = json.loads(metadata["network"])
    held = inflate(tensors)
    (tokenizer,) = unpack(held.pop("tokenizer"))
    weights = {name: value for name, value in held.items() if not name.endswith(_SCALES)}
    for name, value in weights.items():
        if name + _SCALES in held:
            numbers = np.stack([value << 4, value], axis=-1).view(np.int8) >> 4
            weights[name] = from_numbers(numbers.reshape(len(value), -1), held[name + _SCALES])
    made, head = open_tokenizer(tokenizer), Head(normalize=normalize)
    return Transformer(weights, Shape(*shape), made, head, longest, names_signs=True)


def is_rounded(name: str, value: Any) -> bool:
    """Return whether a weight is rounded: a matrix, but for the embeddings of few rows."""
    few = ("position_embeddings", "token_type_embeddings")
    return np.ndim(value) == 2 and not any(part in name for part in few)


def in_numbers(xp: Any, matrix: Any, largest: int = LARGEST) -> tuple[Any, Any]:
    """Return whole numbers (n, dim) and scales (n, groups) with the least squared error.

    The ``matrix`` (n, dim) is of ``xp``, which is ``numpy`` or ``jax.numpy``.
    """
    groups = matrix.reshape(len(matrix), -1, GROUP)
    widest = xp.abs(groups).max(axis=2) / largest
    best, scales = xp.full(widest.shape, np.inf), xp.ones(widest.shape, np.float16)
    for share in _SHARES.tolist():
        tried = xp.maximum(share * widest, 1e-7).astype(np.float16)
        error = xp.square(_rounded(xp, groups, tried, largest) * tried[..., None] - groups)
        total = error.sum(axis=2)
        better = total < best
        best, scales = xp.where(better, total, best), xp.where(better, tried, scales)
    numbers = _rounded(xp, groups, scales, largest).reshape(matrix.shape)
    return numbers.astype(np.int8), scales


def _rounded(xp: Any, groups: Any, scales: Any, largest: int) -> Any:
    steps = groups / scales[..., None].astype(np.float32)
    return xp.clip(xp.rint(steps), -largest, largest)


def from_numbers(numbers: Any, scales: Any) -> Any:
    """Return the matrix (n, dim) that numbers and scales stand for."""
    groups = numbers.reshape(len(numbers), -1, GROUP) * scales[..., None].astype(np.float32)
    return groups.reshape(numbers.shape)
