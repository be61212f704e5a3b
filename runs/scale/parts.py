"""Files in parts of whole lines, which can be worked on one by one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from sts.errors import DataError
from sts.files import sha256_of_bytes

Check = Callable[[bytes, str, int], object]
"""Raises a :class:`DataError` for a bad line: of whole lines as bytes, the file that they are of,
and the number of their first line."""


@dataclass(frozen=True)
class Part:
    """A stretch of a file.

    Attributes:
        source: the file, as it was named.
        path: the same file, from the root.
        first: number of the first line, or row, of the part, from 1.
        begin: the first byte, or row, of the part, from 0.
        end: where the next part begins.
        digest: sha256 of what is in it.
    """

    source: str
    path: str
    first: int
    begin: int
    end: int
    digest: str

    def read(self) -> bytes:
        """The bytes of the part; a :class:`DataError` if the file is gone or holds others by now."""
        try:
            with Path(self.path).open("rb") as file:
                file.seek(self.begin)
                raw = file.read(self.end - self.begin)
        except OSError as error:
            raise DataError(_unreadable(self.source, error)) from None
        if sha256_of_bytes(raw) != self.digest:
            raise DataError(
                f"{self.source}:{self.first}: changed while it was worked on; start again"
            )
        return raw


def cut(source: str, lines: int, check: Check) -> list[Part]:
    """The parts of a file, of ``lines`` lines each but the last, all of them checked.

    How many workers there are takes no part in it: a part is the same whoever works on it.

    Raises:
        DataError: missing, unreadable, or what ``check`` says (with the line in the file).
    """
    path = Path(source)
    parts: list[Part] = []
    first, begin = 1, 0
    try:
        with path.open("rb") as file:
            while rows := list(islice(file, lines)):
                raw = b"".join(rows)
                check(raw, source, first)
                end, digest = begin + len(raw), sha256_of_bytes(raw)
                parts.append(Part(source, str(path.absolute()), first, begin, end, digest))
                first, begin = first + len(rows), end
    except FileNotFoundError:
        raise DataError(f"{source}: no such file") from None
    except OSError as error:
        raise DataError(_unreadable(source, error)) from None
    if not parts:
        check(b"", source, 1)
    return parts


def _unreadable(source: str, error: OSError) -> str:
    return f"{source}: cannot be read ({error.strerror})"
