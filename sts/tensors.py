"""Safetensors files, read strictly and written with the same bytes every time."""

from __future__ import annotations

import io
import json
import zlib
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from semaniacs.sts.errors import DataError, ValuesError
from semaniacs.sts.files import sha256_of_bytes
from semaniacs.sts.progress import visible

FORMAT = "1"
"""The version of our own files, in their metadata."""

Tensors = dict[str, NDArray[Any]]

_DEFLATED = ".npy.zlib"
"""End of the name of a tensor that contains the compressed bytes of a ``.npy`` file."""


def to_bytes(tensors: Tensors, metadata: dict[str, str]) -> bytes:
    """Return a safetensors file; the library writes its metadata in random order, this does not."""
    raw = save_tensors(tensors)
    start = 8 + int.from_bytes(raw[:8], "little")
    header = {"__metadata__": dict(sorted(metadata.items())), **json.loads(raw[8:start])}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers that follow are aligned
    return len(text).to_bytes(8, "little") + text + raw[start:]


def open_tensors(path: Path) -> tuple[Tensors, dict[str, str]]:
    """Return the tensors and the metadata of any safetensors file.

    Raises:
        DataError: missing, damaged, or with numbers that numpy does not know.
    """
    with _named(path):
        raw = path.read_bytes()
        try:
            tensors = load_tensors(raw)
        except KeyError as error:
            raise DataError(
                f"{path}: numbers of type {error.args[0]}; expected float32, float16 or int8: "
                "save the model in one of these first"
            ) from None
    return tensors, read_metadata(path)


def read_tensors(
    path: Path, expected: Sequence[str], *, only_these: bool = False
) -> tuple[Tensors, dict[str, str]]:
    """Return the tensors and the metadata of one of our own files.

    Args:
        path: the file.
        expected: names of tensors that must be there.
        only_these: leave all other tensors unread.

    Raises:
        DataError: missing, damaged, another format version, or without ``expected``.
    """
    with _opened(path) as file:
        held, metadata = list(file.keys()), dict(file.metadata() or {})
        missing = [name for name in expected if name not in held]
        if missing or metadata.get("format") != FORMAT:
            raise DataError(
                f"{path}: format {metadata.get('format')!r} without {missing}; "
                f"expected format {FORMAT!r} with {', '.join(expected)}"
            )
        tensors = {name: file.get_tensor(name) for name in (expected if only_these else held)}
    return tensors, metadata


def read_metadata(path: Path) -> dict[str, str]:
    """Return the metadata of a safetensors file."""
    with _opened(path) as file:
        return dict(file.metadata() or {})


def tensor_names(path: Path) -> frozenset[str]:
    """Return the names of the tensors of a safetensors file."""
    with _opened(path) as file:
        return frozenset(file.keys())


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    from safetensors import safe_open

    with _named(path), safe_open(path, "np") as file:
        yield file


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Turn errors of a missing or damaged file into a DataError that names it."""
    try:
        yield
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, SafetensorError, ValueError) as error:
        raise DataError(
            f"{path}: damaged or not a safetensors file ({visible(str(error))})"
        ) from None


_SEAL = "sha256"


def seal(tensors: Tensors, metadata: dict[str, str]) -> dict[str, str]:
    """Return the metadata with a hash of themselves and of the tensors."""
    return metadata | {_SEAL: _digest(tensors, metadata)}


def is_sealed(tensors: Tensors, metadata: dict[str, str]) -> bool:
    """Return whether tensors and metadata are those that :func:`seal` was given."""
    held = {name: text for name, text in metadata.items() if name != _SEAL}
    return metadata.get(_SEAL) == _digest(tensors, held)


def _digest(tensors: Tensors, metadata: dict[str, str]) -> str:
    parts = [json.dumps(metadata, sort_keys=True).encode()]
    for name, tensor in sorted(tensors.items()):
        parts.append(f"{name} {tensor.dtype.str} {tensor.shape} ".encode())
        parts.append(sha256_of_bytes(tensor.tobytes()).encode())
    return sha256_of_bytes(b"".join(parts))


def check_finite(numbers: NDArray[Any], of: str) -> None:
    """Raise a ValuesError that counts the NaN and infinite numbers, if there are any."""
    ends = float(numbers.min(initial=0)), float(numbers.max(initial=0))  # NaN if one is
    if not np.isfinite(ends).all():
        count = int(np.count_nonzero(~np.isfinite(numbers)))
        raise ValuesError(f"{of} holds {count:,} numbers that are NaN or infinite")


def pack(words: Sequence[str]) -> NDArray[np.uint8]:
    """Return words as a tensor: UTF-8, joined by newlines; a lone surrogate is kept."""
    return np.frombuffer("\n".join(words).encode("utf-8", "surrogatepass"), np.uint8)


def unpack(tensor: NDArray[np.uint8]) -> list[str]:
    """Return the words in a tensor of :func:`pack`; a ValueError if it is not UTF-8."""
    text = tensor.tobytes().decode("utf-8", "surrogatepass")
    return text.split("\n") if text else []


def deflate(tensors: Tensors) -> Tensors:
    """Return the tensors compressed without loss, each as a row of bytes under its own name."""
    deflated: Tensors = {}
    for name, tensor in tensors.items():
        file = io.BytesIO()
        np.lib.format.write_array(file, tensor, allow_pickle=False)
        deflated[name + _DEFLATED] = np.frombuffer(zlib.compress(file.getvalue(), 9), np.uint8)
    return deflated


def name_held(name: str, held: Collection[str]) -> str:
    """Return the name of a tensor in a file with the tensors ``held``: compressed, or as it is."""
    return name + _DEFLATED if name + _DEFLATED in held else name


def inflate(tensors: Tensors) -> Tensors:
    """Return the tensors, those of :func:`deflate` unpacked; a ValueError if one is damaged."""
    return {
        name.removesuffix(_DEFLATED): _inflated(tensor) if name.endswith(_DEFLATED) else tensor
        for name, tensor in tensors.items()
    }


def _inflated(tensor: NDArray[Any]) -> NDArray[Any]:
    try:
        file = io.BytesIO(zlib.decompress(tensor.tobytes()))
    except zlib.error as error:
        raise ValueError(f"cannot be decompressed: {error}") from None
    array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array
