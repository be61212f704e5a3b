"""System calls that fail, or at which the process is killed: under every writer of the house.

Counted are the calls that change a folder: open for writing, write, fsync, rename, mkdir, chmod,
truncate. Python's own functions for them are replaced, so that files of all libraries that write
by Python are seen.
"""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest import mock

ERRORS = (
    errno.ENOSPC,
    errno.EIO,
    errno.EACCES,
    errno.EROFS,
    errno.EFBIG,
    errno.EMFILE,
    errno.EDQUOT,
)


@dataclass
class Faults:
    """What happens to the calls that change ``folder``.

    Attributes:
        folder: only calls below it count.
        number: of the call that fails, from 1; 0 is none.
        error: its errno; 0 kills the process instead.
        stays: whether all later calls fail as well, as on a disk that stays full.
        calls: what was counted.
    """

    folder: Path
    number: int = 0
    error: int = errno.ENOSPC
    stays: bool = False
    calls: list[str] = field(default_factory=list)

    def step(self, call: str, path: object) -> bool:
        """Count a call; whether it is to fail."""
        if not self._is_below(path):
            return False
        self.calls.append(f"{call} {Path(os.fsdecode(path)).name}")  # type: ignore[arg-type]
        count = len(self.calls)
        return self.number > 0 and (count == self.number or (self.stays and count > self.number))

    def fail(self) -> OSError:
        """The error of the system; a process that is to be killed does not return."""
        if not self.error:
            os.kill(os.getpid(), signal.SIGKILL)
        return OSError(self.error, os.strerror(self.error))

    def _is_below(self, path: object) -> bool:
        if not isinstance(path, str | bytes | os.PathLike):
            return False
        return Path(os.fsdecode(path)).absolute().is_relative_to(self.folder)


class _Raw(io.FileIO):
    """A file whose writes are counted; half of what fails is written."""

    def __init__(self, path: Any, mode: str, faults: Faults) -> None:
        super().__init__(path, mode)
        self._path, self._faults = path, faults

    def write(self, data: Any) -> int:
        """Write."""
        if self._faults.step("write", self._path):
            view = memoryview(data).cast("B")
            super().write(view[: len(view) // 2])
            raise self._faults.fail()
        return super().write(data)


@contextmanager
def failing(faults: Faults) -> Iterator[Faults]:
    """The functions of the system fail as ``faults`` says, until the end of the context."""
    plain = io.open

    def opened(path: Any, mode: str = "r", buffering: int = -1, *args: Any, **kwargs: Any) -> Any:
        if not set(mode) & set("wax+") or not faults._is_below(path):
            return plain(path, mode, buffering, *args, **kwargs)
        if faults.step("open", path):
            raise faults.fail()
        if kwargs.get("opener"):
            return plain(path, mode, buffering, *args, **kwargs)
        raw = _Raw(path, mode.replace("b", "").replace("t", ""), faults)
        if buffering == 0:
            return raw
        whole: Any = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return whole if "b" in mode else io.TextIOWrapper(whole, *args, **kwargs)

    def watched(name: str, place: int = 0) -> Any:
        original = getattr(os, name)

        def call(*args: Any, **kwargs: Any) -> Any:
            path = args[place]
            if isinstance(path, int):
                path = Path(f"/proc/self/fd/{path}").readlink()
            if faults.step(name, path):
                raise faults.fail()
            return original(*args, **kwargs)

        return mock.patch.object(os, name, call)

    names = ("fsync", "rename", "replace", "mkdir", "chmod", "ftruncate", "link", "symlink")
    with (
        mock.patch.object(io, "open", opened),
        mock.patch.object(builtins, "open", opened),
        mock.patch.object(shutil, "_USE_CP_SENDFILE", False),
    ):
        patches = [watched(name) for name in names]
        for patch in patches:
            patch.start()
        try:
            yield faults
        finally:
            for patch in patches:
                patch.stop()
