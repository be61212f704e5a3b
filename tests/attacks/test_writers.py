"""Writing stops in the middle, on a full disk or a kill: there is the old file or the new one."""

from __future__ import annotations

import os
import resource
import shutil
import signal
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from semaniacs.cli import semaniacs
from semaniacs.embeddings.formats.folder import save_folder
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.sts.cache import Cache
from semaniacs.sts.data.table_writers import writer
from semaniacs.sts.errors import StsError
from semaniacs.sts.translation.memory import Entry, read_memory
from semaniacs.sts.translation.translator import Translation
from tests.embeddings.toy import make_encoder, make_tuned

Content = dict[str, bytes]


def stop_in(write: Callable[[Path, int], object], folder: Path, size: int, killed: bool) -> None:
    """Write in another process, in which no file may grow beyond a size.

    A write beyond it fails half-way, as on a full disk, or kills the process.
    """
    child = os.fork()
    if child == 0:
        code = 1
        with suppress(BaseException):
            signal.signal(signal.SIGXFSZ, signal.SIG_DFL if killed else signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            with suppress(StsError):
                write(folder, 1)
            code = 0
        os._exit(code)
    ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert ended in (0, -signal.SIGXFSZ)


# Writers: version 0 makes what was there before, version 1 what is to be there


def table(folder: Path, version: int) -> None:
    with writer(str(folder / "table.csv.gz"), "csv", sys.stdout) as out:
        out.write(("text",), [[f"{version} {row}"] for row in range(2000)])


def scored(folder: Path, version: int) -> None:
    pairs = folder.parent / f"{version}.tsv"
    if not pairs.exists():
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


WRITERS: dict[str, tuple[Callable[[Path, int], object], Callable[[Path], Content]]] = {
    "scores of a table": (scored, read_files),
    "a packed table": (table, read_files),
    "a model in a file": (lambda folder, v: save_encoder(folder / "m", encoder(v)), read_files),
    "a model in a folder": (lambda folder, v: save_folder(folder / "m", encoder(v)), read_files),
    "a cached value": (cached, read_cache),
    "a translation memory": (remembered, read_translations),
}  # fmt: skip


@pytest.mark.parametrize("name", WRITERS)
@settings(
    max_examples=max(2, settings().max_examples // 8),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(share=st.floats(0, 1), killed=st.booleans())
def test_a_file_is_the_old_one_or_the_new_one(
    tmp_path_factory: pytest.TempPathFactory, name: str, share: float, killed: bool
) -> None:
    write, read = WRITERS[name]
    folder = tmp_path_factory.mktemp("writer") / "work"
    folder.mkdir()
    with warnings.catch_warnings(), mock.patch.object(sys, "stderr", None):
        warnings.simplefilter("ignore")
        write(folder, 0)
        old, whole = read(folder), shutil.copytree(folder, folder.with_name("whole"))
        write(whole, 1)
        new = read(whole)
        largest = max(path.stat().st_size for path in whole.rglob("*") if path.is_file())
        stop_in(write, folder, int(share * largest), killed)
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
