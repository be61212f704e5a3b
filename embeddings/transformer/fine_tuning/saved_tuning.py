"""Changes of a network by a training, as one file beside the network that it started from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.table import pack_int4, unpack_int4
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import write_bytes
from semaniacs.sts.tensors import is_sealed, open_tensors, seal, to_bytes

Parts = Mapping[str, Mapping[str, Any]]
"""Parameters by the name of the part of a model, and by their own."""

_INT4, _INT8 = 7, 127  # the largest numbers that are used of each

_AGAIN = "if it came with the package, install that again; else train it again"
"""Advice about a file that cannot be read."""

_SLACK = 1e-2
"""How far from a whole number a difference may lie: a sum in single precision is rounded."""

_FINER = 4  # scales that are tried for a row, each half of the one before


def save_tuning(
    path: Path,
    start: Transformer,
    network: Transformer,
    own: Parts,
    *,
    rank: int | None = None,
    own_rank: int | None = None,
) -> None:
    """Write how the weights of ``network`` differ from those of ``start``, and its new parts.

    The differences of a matrix are written in int8, or in int4 if that holds them as exactly, as it
    does after :func:`rounded`. The scale of each row is a power of two, so that a network
    that was read is written as it was.

    With a ``rank`` they are instead products of two narrow matrices in int8, the nearest ones (Eckart
    and Young, 1936), and so are with ``own_rank`` the matrices of ``own``.
    """
    tensors: dict[str, NDArray[Any]] = {}
    for name, value in _changed(start, network).items():
        if np.ndim(value) < 2:
            tensors[f"network/{name}"] = np.asarray(value)
            continue
        moved = np.asarray(value, np.float32) - start.weights[name]
        if rank is not None:
            tensors |= _factors(f"added/{name}", moved, rank)
            continue
        exponent, numbers = _in_steps(moved, _INT4)
        if np.abs(numbers - np.rint(numbers)).max() <= _SLACK:
            tensors[f"pairs/{name}"] = pack_int4(np.rint(numbers).astype(np.int8))
        else:
            exponent, numbers = _in_steps(moved, _INT8)
            tensors[f"moved/{name}"] = np.rint(numbers).astype(np.int8)
        tensors[f"exponent/{name}"] = exponent
    for part, parameters in own.items():
        for name, value in parameters.items():
            full, found = f"{part}/{name}", np.array(value, order="C")
            narrow = own_rank is not None and found.ndim == 2 and min(found.shape) > own_rank
            tensors |= _factors(full, found, own_rank or 0) if narrow else {full: found}
    write_bytes(path, to_bytes(tensors, seal(tensors, {"start": start.digest})))


def rounded(start: Transformer, network: Transformer) -> Transformer:
    """Return the network with differences from ``start`` that int4 holds, in half the bytes.

    Of the scales of a row, powers of two, the one with the least squared error is taken. An eighth
    of a difference is lost, at random, and a cosine moves by .0005 on average.
    """
    found = {}
    for name, value in _changed(start, network).items():
        if np.ndim(value) < 2:
            continue
        before = start.weights[name]
        moved = np.asarray(value, np.float32) - before
        widest = np.exp2(_in_steps(moved, _INT4)[0], dtype=np.float32)
        steps = [widest / 2**finer for finer in range(_FINER)]
        tried = [np.clip(np.rint(moved / step), -_INT4, _INT4) * step for step in steps]
        errors = [np.square(near - moved).sum(axis=-1, keepdims=True) for near in tried]
        best = np.argmin(errors, axis=0)
        found[name] = before + np.take_along_axis(np.stack(tried), best[None], axis=0)[0]
    return network.with_weights({**network.weights, **found})


def load_tuning(path: Path, start: Transformer) -> tuple[Transformer, dict[str, dict[str, Any]]]:
    """Return the network that :func:`save_tuning` wrote, and the parts that were new to it.

    Raises a DataError if the file is damaged, or its network started from another one.
    """
    tensors, about = open_tensors(path)
    if "sha256" in about and not is_sealed(tensors, about):  # earlier versions have none
        raise DataError(f"{path}: damaged, not the weights that were written; {_AGAIN}")
    if about.get("start", start.digest) != start.digest:
        raise DataError(f"{path}: it was tuned from other weights than those here; {_AGAIN}")
    parts: dict[str, dict[str, Any]] = {"network": {}}
    for name, value in tensors.items():
        part, _, own = name.partition("/")
        parts.setdefault(part, {})[own] = value
    changed, moved = parts.pop("network"), parts.pop("moved", {})
    parts = {part: _products(own, path) for part, own in parts.items()}
    added = parts.pop("added", {})
    exponents = parts.pop("exponent", {})
    for name, packed in parts.pop("pairs", {}).items():
        moved[name] = _unpacked(packed, start.weights.get(name))
    for name, value in (changed | moved | added).items():
        if name not in start.weights or start.weights[name].shape != value.shape:
            raise DataError(
                f"{path}: {name!r:.80} {value.shape} does not fit the network it is for"
            )
    for name, value in moved.items():
        if name not in exponents or exponents[name].shape != (*value.shape[:-1], 1):
            raise DataError(f"{path}: {name!r:.80} has no scale for each row; train it again")
        scale = np.exp2(exponents[name], dtype=np.float32)
        changed[name] = start.weights[name] + value.astype(np.float32) * scale
    changed |= {name: start.weights[name] + value for name, value in added.items()}
    return start.with_weights({**start.weights, **changed}), parts


def _changed(start: Transformer, network: Transformer) -> dict[str, Any]:
    return {
        name: value
        for name, value in network.weights.items()
        if value is not start.weights[name] and not np.array_equal(value, start.weights[name])
    }


def _in_steps(moved: NDArray[np.float32], largest: int) -> tuple[NDArray[np.int8], Any]:
    """The exponent of each row's scale (n, 1), and its numbers, none above ``largest``, unrounded."""
    step = np.maximum(np.abs(moved).max(axis=-1, keepdims=True), 1e-30) / largest
    exponent = np.ceil(np.log2(step) - _SLACK / largest).astype(np.int8)
    return exponent, moved / np.exp2(exponent, dtype=np.float32)


_FACTORS = ("/left", "/right", "/exponents")


def _factors(name: str, matrix: NDArray[np.float32], rank: int) -> dict[str, NDArray[Any]]:
    """Two int8 matrices whose product, times a power of two for each row, is nearly a matrix."""
    rows, strengths, columns = np.linalg.svd(matrix.astype(np.float32), full_matrices=False)
    one, right = _in_steps(columns[:rank].reshape(1, -1), _INT8)
    each, left = _in_steps(rows[:, :rank] * strengths[:rank], _INT8)
    whole = [np.rint(side).astype(np.int8) for side in (left, right.reshape(-1, matrix.shape[1]))]
    return dict(zip((f"{name}{own}" for own in _FACTORS), (*whole, each + one), strict=True))


def _products(parameters: Mapping[str, Any], path: Path) -> dict[str, Any]:
    """Multiply what :func:`_factors` wrote; the sums are whole numbers, exact in any order."""
    found = {name: value for name, value in parameters.items() if not name.endswith(_FACTORS)}
    for name in dict.fromkeys(n.rpartition("/")[0] for n in parameters if n not in found):
        left, right, exponent = (parameters.get(f"{name}{own}", np.empty(0)) for own in _FACTORS)
        if left.ndim != 2 or left.shape[1:] != right.shape[:1] or len(exponent) != len(left):
            raise DataError(f"{path}: {name!r:.80} is not whole; {_AGAIN}")
        whole = left.astype(np.float32) @ right.astype(np.float32)
        found[name] = whole * np.exp2(exponent, dtype=np.float32)
    return found


def _unpacked(packed: NDArray[np.uint8], like: Any) -> NDArray[Any]:
    """The numbers of a matrix in the shape of ``like``; what does not fit it stays as it is."""
    if like is None or packed.dtype != np.uint8 or packed.ndim != 2 or np.ndim(like) != 2:
        return packed
    rows, width = like.shape
    fits = packed.shape == (rows, (width + 1) // 2)
    return unpack_int4(packed, np.ones(width, np.int8)) if fits else packed
