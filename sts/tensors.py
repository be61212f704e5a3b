"""Safetensors files, read strictly and written with the same bytes every time.

Also tables of words in such files, and hashes of arrays and other values.
"""

from __future__ import annotations

import io
import json
import zlib
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from semaniacs.sts.errors import DataError, ValuesError
from semaniacs.sts.files import sha256_of_bytes, write_bytes
from semaniacs.sts.progress import visible

FORMAT = "1"  # the version of our own files, in their metadata

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

    A DataError is raised if it is missing, damaged, or has numbers that numpy does not know.
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
    """Return tensors, all or ``only_these`` that are expected, and metadata of our own file.

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


# Tables of words, which are found by bisection, so that opening one parses nothing

MANY = 5000  # lookups after which a dictionary is made, which takes a tenth of a second


class WordTable:
    """Words in the order of their UTF-8 bytes, and columns of values beside them.

    Args:
        tensors: ``letters`` (uint8), the words end to end, ``ends`` (n + 1,) int32, where each
            begins and ends, and the columns.
    """

    def __init__(self, tensors: Tensors) -> None:
        self.tensors = tensors
        self._letters = tensors["letters"].tobytes()
        self._ends = memoryview(tensors["ends"].tobytes()).cast("i")
        self._rows = range(len(self._ends) - 1)
        self._lookups = 0

    @classmethod
    def open(cls, path: Path) -> WordTable:
        """Open a file that :func:`write_words` wrote; a DataError if it is missing or damaged."""
        return cls(read_tensors(path, ("letters", "ends"))[0])

    def __len__(self) -> int:
        return len(self._rows)

    def row(self, word: str) -> int:
        """Return the row of a word, or -1 if it is not listed."""
        self._lookups += 1
        if self._lookups > MANY:
            return self._index.get(word, -1)
        wanted = word.encode("utf-8", "surrogatepass")
        row = bisect_left(self._rows, wanted, key=self._bytes_in)
        return row if row < len(self) and self._bytes_in(row) == wanted else -1

    @cached_property
    def _index(self) -> dict[str, int]:
        return {self.word(row): row for row in self._rows}

    def word(self, row: int) -> str:
        """Return the word in a row."""
        return self._bytes_in(row).decode("utf-8", "surrogatepass")

    def _bytes_in(self, row: int) -> bytes:
        return self._letters[self._ends[row] : self._ends[row + 1]]


def word_tensors(words: Sequence[str]) -> Tensors:
    """Return the tensors of a :class:`WordTable` for words that are sorted by :func:`byte_order`."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in words]
    ends = np.cumsum([0, *map(len, encoded)]).astype(np.int32)
    return {"letters": np.frombuffer(b"".join(encoded), np.uint8), "ends": ends}


def write_words(path: Path, words: Sequence[str], columns: Mapping[str, np.ndarray]) -> None:
    """Write words, sorted by :func:`byte_order`, and their columns to a file."""
    tensors = word_tensors(words) | dict(columns)
    write_bytes(path, to_bytes(tensors, {"format": FORMAT}))


def byte_order(word: str) -> bytes:
    """Return the key by which the words of a table are sorted."""
    return word.encode("utf-8", "surrogatepass")


# Hashes of values


def digest(value: object) -> str:
    """Return the hexadecimal sha256 of the canonical JSON of a value, see :func:`canonical`."""
    text = json.dumps(canonical(value), sort_keys=True, separators=(",", ":"))
    return sha256(text.encode()).hexdigest()


def canonical(value: object) -> Any:
    """Return a value as JSON holds it; equal values give equal JSON.

    A dataclass becomes its fields by name. Two kinds of fields are left out: those at a neutral
    default (None, False, zero or empty), so that a field that is added later changes no digest,
    and those with ``metadata={"identity": False}``, such as descriptions. Arrays and bytes are
    represented by their hash. A set or an object has no such form: a TypeError.
    """
    found: Any
    match value:
        case None | bool() | int() | float() | str():
            found = value
        case Mapping():
            found = {str(name): canonical(inner) for name, inner in value.items()}
        case list() | tuple():
            found = [canonical(inner) for inner in value]
        case bytes():
            found = {"sha256": sha256(value).hexdigest()}
        case np.generic():
            found = value.item()
        case np.ndarray():
            numbers = sha256(np.ascontiguousarray(value).tobytes()).hexdigest()
            found = {"shape": list(value.shape), "type": value.dtype.str, "sha256": numbers}
        case _ if is_dataclass(value) and not isinstance(value, type):
            read = ((field, getattr(value, field.name)) for field in fields(value))
            found = {field.name: canonical(inner) for field, inner in read if _counts(field, inner)}
        case _:
            raise TypeError(f"{type(value).__name__} has no canonical form")
    return found


def _counts(field: Field[Any], value: object) -> bool:
    if not field.metadata.get("identity", True):
        return False
    default = field.default_factory() if field.default_factory is not MISSING else field.default
    neutral = default is None or (
        isinstance(default, bool | int | float | str | tuple) and not default
    )
    return not (neutral and type(value) is type(default) and value == default)
