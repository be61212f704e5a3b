"""Each call of each writer fails once, or the process is killed at it: the old file or the new one."""

from __future__ import annotations

import builtins
import errno
import io
import os
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from embeddings.formats.folder import save_folder
from embeddings.formats.single_file import save_encoder
from semaniacs.cli import semaniacs
from sts.cache import Cache
from sts.data.tables.table_writer import writer
from sts.errors import StsError
from sts.files import write_text
from sts.scoring.submission import write_zip
from sts.translation.memory import Entry, read_memory
from sts.translation.translator import Translation
from tests.embeddings.toy import make_encoder, make_tuned

KILL = 0
ERRORS = (KILL, errno.ENOSPC, errno.EIO, errno.EACCES, errno.EROFS, errno.EMFILE, errno.EDQUOT)
CALLS = ("fsync", "rename", "replace", "mkdir", "chmod", "ftruncate", "link", "symlink")
Content = dict[str, bytes]


class Faults:
    """Fails the calls that change a folder, from a number on: once, or always after that."""

    def __init__(self, folder: Path, number: int = 0, error: int = 0, stays: bool = False) -> None:
        self.folder, self.number, self.error, self.stays = folder, number, error, stays
        self.count = 0

    def step(self, path: Any) -> bool:
        """Count a call below the folder; whether it fails."""
        if isinstance(path, int):
            path = Path(f"/proc/self/fd/{path}").readlink()
        if not Path(os.fsdecode(path)).absolute().is_relative_to(self.folder):
            return False
        self.count += 1
        return self.count == self.number or (self.stays and 0 < self.number < self.count)

    def fail(self) -> OSError:
        if self.error == KILL:
            os.kill(os.getpid(), signal.SIGKILL)
        return OSError(self.error, os.strerror(self.error))


class HalfWritten(io.FileIO):
    """A file whose writes are counted; half of a write that fails is written."""

    def __init__(self, path: Any, mode: str, faults: Faults) -> None:
        super().__init__(path, mode)
        self.path, self.faults = path, faults

    def write(self, data: Any) -> int:
        if self.faults.step(self.path):
            view = memoryview(data).cast("B")
            super().write(view[: len(view) // 2])
            raise self.faults.fail()
        return super().write(data)


@contextmanager
def failing(faults: Faults) -> Iterator[None]:
    """Replace the functions of the system that change files."""
    plain = io.open

    def opened(path: Any, mode: str = "r", buffering: int = -1, *args: Any, **kw: Any) -> Any:
        ours = isinstance(path, str | os.PathLike) and set(mode) & set("wax+")
        if not ours or not Path(path).absolute().is_relative_to(faults.folder):
            return plain(path, mode, buffering, *args, **kw)
        if faults.step(path):
            raise faults.fail()
        if kw.get("opener"):
            return plain(path, mode, buffering, *args, **kw)
        raw = HalfWritten(path, mode.replace("b", "").replace("t", ""), faults)
        if buffering == 0:
            return raw
        whole: Any = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return whole if "b" in mode else io.TextIOWrapper(whole, *args, **kw)

    def watched(name: str) -> Any:
        original = getattr(os, name)

        def call(path: Any, *args: Any, **kw: Any) -> Any:
            if faults.step(path):
                raise faults.fail()
            return original(path, *args, **kw)

        return mock.patch.object(os, name, call)

    patches = [mock.patch.object(io, "open", opened), mock.patch.object(builtins, "open", opened)]
    patches += [watched(name) for name in CALLS]
    try:
        for patch in patches:
            patch.start()
        yield
    finally:
        for patch in reversed(patches):
            patch.stop()


# Writers: version 0 makes what was there before, version 1 what is to be there


def table(folder: Path, version: int) -> None:
    with writer(str(folder / "table.csv.gz"), "csv", sys.stdout) as out:
        out.write(("text",), [[f"{version} {row}"] for row in range(2000)])


def scored(folder: Path, version: int) -> None:
    pairs = folder.parent / "pairs.tsv"
    pairs.write_text(f"A dog runs {version}.\tA dog ran.\n" * 50, encoding="utf-8")
    command = ["score", str(pairs), "--model", "raw", "--output", str(folder / "scores.csv")]
    CliRunner().invoke(semaniacs, command, catch_exceptions=False)


def cached(folder: Path, version: int) -> None:
    cache = Cache("kind", "code", folder / "cache")
    write = mock.Mock(side_effect=lambda path: path.write_bytes(b"%d" % version * 900))
    cache.get(f"{version}123456789ab", Path.read_bytes, write)


def remembered(folder: Path, version: int) -> None:
    memory = read_memory(folder / "memory.jsonl")
    for text in (f"text {version} {number} {'x' * 300}" for number in range(3)):
        if memory.get("p", "es", "en", text) is None:
            memory.add_entries([Entry("p", "1", "es", "en", text, Translation(text.upper()))])


def read_cache(folder: Path) -> Content:
    cache = Cache("kind", "code", folder / "cache")
    found = {name: cache.find(name) for name in ("0123456789ab", "1123456789ab")}
    return {name: path.read_bytes() for name, path in found.items() if path}


def read_translations(folder: Path) -> Content:
    return {
        e.text: e.translation.text.encode() for e in read_memory(folder / "memory.jsonl").entries()
    }


def read_files(folder: Path) -> Content:
    """Visible files; a folder that was moved away to be replaced counts as that folder."""
    found = {}
    for path in sorted(file for file in folder.rglob("*") if file.is_file()):
        first, *rest = path.relative_to(folder).parts
        place = first.removeprefix(".").removesuffix(".replaced")
        if first.endswith(".replaced") and not (folder / place).exists():
            first = place
        if not any(part.startswith(".") for part in (first, *rest)):
            found["/".join((first, *rest))] = path.read_bytes()
    return found


def encoder(version: int) -> Any:
    return make_tuned(make_encoder()) if version else make_encoder()


SCORES = np.random.default_rng(0).uniform(0, 2, 500)
WRITERS: dict[str, tuple[Callable[[Path, int], object], Callable[[Path], Content]]] = {
    "scores of a table": (scored, read_files),
    "a file": (lambda folder, v: write_text(folder / "file", f"{v}\n" * 9000), read_files),
    "a packed table": (table, read_files),
    "a zip of scores": (lambda folder, v: write_zip(folder / "a.zip", {"a.txt": SCORES + v}), read_files),
    "a model in a file": (lambda folder, v: save_encoder(folder / "m", encoder(v)), read_files),
    "a model in a folder": (lambda folder, v: save_folder(folder / "m", encoder(v)), read_files),
    "a cached value": (cached, read_cache),
    "a translation memory": (remembered, read_translations),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
@settings(
    max_examples=settings().max_examples // 8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(share=st.floats(0, 1), error=st.sampled_from(ERRORS), stays=st.booleans())
def test_a_file_is_the_old_one_or_the_new_one(
    tmp_path_factory: pytest.TempPathFactory, name: str, share: float, error: int, stays: bool
) -> None:
    write, read = WRITERS[name]
    folder = tmp_path_factory.mktemp("writer") / "work"
    folder.mkdir()
    with warnings.catch_warnings(), mock.patch.object(sys, "stderr", None):
        warnings.simplefilter("ignore")
        write(folder, 0)
        old = read(folder)
        shutil.copytree(folder, folder.with_name("new"))
        counted = Faults(folder.with_name("new"))
        with failing(counted):
            write(counted.folder, 1)
        new = read(counted.folder)
        attack(Faults(folder, 1 + int(share * (counted.count - 1)), error, stays), write)
        found = read(folder)
        assert all(content in (old.get(key), new.get(key)) for key, content in found.items())
        assert old.keys() & new.keys() <= found.keys()
        if name == "a model in a folder":
            assert found in (old, new)
        for path in folder.rglob(".*"):  # a month later
            os.utime(path, (time.time() - 30 * 24 * 3600,) * 2, follow_symlinks=False)
        write(folder, 1)
        assert read(folder) == new
    shutil.rmtree(folder.parent)


def attack(faults: Faults, write: Callable[[Path, int], object]) -> None:
    """Write with faults: an StsError is the only error; a kill happens in another process."""
    if faults.error != KILL:
        with failing(faults), suppress(StsError):
            write(faults.folder, 1)
        return
    child = os.fork()
    if child == 0:
        with suppress(BaseException), failing(faults):
            write(faults.folder, 1)
        os._exit(0)
    os.waitpid(child, 0)
