"""Rows of numbers that take long to compute, one per sentence or pair of sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.sts.cache import Cache, entries_in
from semaniacs.sts.errors import DataError, ValuesError
from semaniacs.sts.progress import note, track
from semaniacs.sts.tensors import FORMAT, check_finite, read_tensors, to_bytes

_KEY = 16  # bytes of the hash of the texts of a row


class RowCache:
    """Rows by the texts that they are computed from; several processes may add some.

    Args:
        cache: holds the entries, each with the rows of one part.
        key: of the code that computes rows; rows of others are ignored.
        width, kind: numbers per row, and their type.
        compute: returns the rows (n, width) of n groups of texts.
        part: number of rows to compute, and to write, at once.
    """

    def __init__(
        self,
        cache: Cache,
        key: str,
        width: int,
        kind: type[np.generic],
        compute: Callable[[Sequence[tuple[str, ...]]], NDArray[Any]],
        part: int,
    ) -> None:
        self.cache, self.prefix = cache, key[:12]
        self.width, self.kind = width, np.dtype(kind)
        self.compute, self.part = compute, part
        self.rows: dict[bytes, NDArray[Any]] = {}
        for entry in entries_in(cache.folder):
            if entry.name.startswith(self.prefix):
                if fault := entry.fault():
                    note(f"{entry.path} {fault}; its rows are computed again")
                    continue
                try:
                    self._read(entry.name)
                except ValuesError as error:
                    note(f"{error}; its rows are computed again")

    def get(
        self, groups: Sequence[tuple[str, ...]], label: str, by_length: bool = False
    ) -> NDArray[Any]:
        """Return the rows (n, width) of groups of texts, in order; new ones are computed.

        ``label`` is for the progress bar. With ``by_length`` groups of similar length are computed
        together.
        """
        keys = [_hash(group) for group in groups]
        new = {k: g for k, g in zip(keys, groups, strict=True) if k not in self.rows}
        todo = list(new.items())
        if by_length:
            todo.sort(key=lambda item: sum(map(len, item[1])))
        for start in track(range(0, len(todo), self.part), label, "parts"):
            some = todo[start : start + self.part]
            self._add([k for k, _ in some], self.compute([group for _, group in some]))
        rows = [self.rows[key] for key in keys]
        return np.stack(rows) if rows else np.empty((0, self.width), self.kind)

    def _add(self, keys: Sequence[bytes], rows: NDArray[Any]) -> None:
        packed = np.frombuffer(b"".join(keys), np.uint8).reshape(-1, _KEY)
        name = f"{self.prefix}-{sha256(packed.tobytes()).hexdigest()[:12]}"
        with np.errstate(over="ignore"):  # too large a number becomes infinite
            rows = rows.astype(self.kind)
        check_finite(rows, "what was computed")
        content = to_bytes({"keys": packed, "vectors": rows}, {"format": FORMAT})
        self.cache.add(name, lambda path: path.write_bytes(content), f"{len(rows)} rows")
        self._read(name)

    def _read(self, name: str) -> None:
        path = self.cache.path(name)
        tensors, _ = read_tensors(path, ("keys", "vectors"))
        keys, rows = tensors["keys"], tensors["vectors"]
        expected = (len(keys), self.width)
        if rows.shape != expected or rows.dtype != self.kind or keys.dtype != np.uint8:
            raise DataError(
                f"{path}: {rows.shape} {rows.dtype}, expected {expected} {self.kind}; delete it"
            )
        check_finite(rows, str(path))
        self.rows |= {key.tobytes(): row for key, row in zip(keys, rows, strict=True)}


def _hash(texts: tuple[str, ...]) -> bytes:
    parts = [text.encode("utf-8", "surrogatepass") for text in texts]
    lengths = b"".join(len(part).to_bytes(8, "little") for part in parts)
    return sha256(lengths + b"".join(parts)).digest()[:_KEY]
