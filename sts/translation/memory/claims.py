"""Locks on texts, so that two processes do not have the same text translated."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from sts.errors import StsError
from sts.files import check_link
from sts.translation.memory.store import cannot_be_written

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]


class Claims:
    """Locks on single texts, which every process that opens the same file respects.

    A text is locked as one byte of the file, at an offset computed from its hash; the file stays
    empty. The kernel releases the locks of a process that ends, even by ``kill -9``. Two texts
    with the same offset only wait for each other. The threads of one process share its locks.
    Windows has no such locks: there, two processes may have the same text translated.

    A context manager: leaving it, or :meth:`release`, releases every lock.

    Raises:
        StsError: the file cannot be made, or its file system knows no locks.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        check_link(path)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: IO[bytes] = path.open("ab")
        except OSError as error:
            raise self._no_lock(error) from None

    def __enter__(self) -> Claims:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def take(self, names: Sequence[str]) -> list[bool]:
        """For each name whether this process has it now; False if another process has it."""
        return [self._lock(name, wait=False) for name in names]

    def release(self) -> None:
        """Release every lock."""
        if fcntl is not None:
            self._change(fcntl.LOCK_UN, 0, 0)  # from the first byte to the last there can be

    def wait_for(self, names: Sequence[str]) -> None:
        """Return when no other process has any of the names; call it without holding a lock.

        A process that holds nothing while it waits cannot be part of a deadlock.
        """
        for name in names:
            self._lock(name, wait=True)
            self.release()

    def _lock(self, name: str, *, wait: bool) -> bool:
        if fcntl is None:
            return True
        digest = hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest()
        kind = fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB)
        return self._change(kind, 1, int.from_bytes(digest) >> 2)  # an offset has 63 bits

    def _change(self, kind: int, length: int, offset: int) -> bool:
        try:
            fcntl.lockf(self._file, kind, length, offset, os.SEEK_SET)
        except (BlockingIOError, PermissionError):  # either may mean: locked by another
            return False
        except OSError as error:
            raise self._no_lock(error) from None
        return True

    def _no_lock(self, error: OSError) -> StsError:
        return cannot_be_written(self.path, f"no lock: {error.strerror}")
