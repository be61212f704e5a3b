"""Entries on disk, and the command that lists, checks and clears them."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sts.cache.cache_commands import cache as command
from sts.cache.entries import Cache, cache_folder
from sts.command_line import run_tool
from sts.errors import DataError

KEY = "0123456789abcdef" * 4


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("STS_MEMORY", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):  # type: ignore[no-untyped-def]
    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["semaniacs cache", *arguments])
        code = 0
        try:
            run_tool(command)
        except SystemExit as ended:
            code = int(ended.code or 0)
        return (code, *capsys.readouterr())

    return call


class Counting:
    """Writes ``content`` and counts how often."""

    def __init__(self, content: bytes = b"value") -> None:
        self.content, self.count = content, 0

    def __call__(self, path: Path) -> None:
        self.count += 1
        path.write_bytes(self.content)


def test_the_folder_is_the_persons_own_unless_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("STS_CACHE")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder() == tmp_path / ".cache" / "sts"


def test_a_value_is_computed_once() -> None:
    write = Counting()
    cache = Cache("toys", "a.module")
    assert [cache.get(KEY, Path.read_bytes, write) for _ in range(2)] == [b"value"] * 2
    assert Cache("toys", "a.module").get(KEY, Path.read_bytes, write) == b"value"
    assert write.count == 1
    assert cache.get(KEY[::-1], Path.read_bytes, write) == b"value"
    assert write.count == 2


@pytest.mark.parametrize("how", ["changed", "without record", "record damaged"])
def test_a_damaged_value_is_computed_again(how: str, capsys: pytest.CaptureFixture[str]) -> None:
    write, cache = Counting(), Cache("toys", "a.module")
    cache.get(KEY, Path.read_bytes, write)
    path = cache.path(KEY)
    if how == "changed":
        path.write_bytes(b"other")
    elif how == "without record":
        path.with_suffix(".entry").unlink()
    else:
        path.with_suffix(".entry").write_text("{")
    assert cache.get(KEY, Path.read_bytes, write) == b"value"
    assert write.count == 2
    assert "computing it again" in capsys.readouterr().err
    assert cache.find(KEY) == path


def test_a_value_that_cannot_be_read_is_computed_again() -> None:
    write, cache = Counting(), Cache("toys", "a.module")
    cache.get(KEY, Path.read_bytes, write)
    answers = iter([DataError("of another version"), None])

    def read(path: Path) -> bytes:
        error = next(answers)
        if error:
            raise error
        return path.read_bytes()

    assert cache.get(KEY, read, write) == b"value"
    assert write.count == 2


def test_where_nothing_can_be_written_the_value_is_computed_and_not_kept(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder.write_text("in the way")
    write, cache = Counting(), Cache("toys", "a.module")
    assert [cache.get(KEY, Path.read_bytes, write) for _ in range(2)] == [b"value"] * 2
    assert write.count == 2
    assert "set STS_CACHE" in capsys.readouterr().err


def test_many_writers_leave_one_whole_entry() -> None:
    def get(_: int) -> bytes:
        return Cache("toys", "a.module").get(KEY, Path.read_bytes, Counting(b"x" * 10**6))

    with ThreadPoolExecutor(8) as pool:
        assert set(pool.map(get, range(16))) == {b"x" * 10**6}
    (one, two) = sorted((cache_folder() / "toys").iterdir())
    assert (one.suffix, two.suffix) == (".entry", ".safetensors")
    assert Cache("toys", "a.module").find(KEY) == two


# --- the command


def test_entries_are_listed_with_what_made_them(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    Cache("toys", "a.module:make").get(KEY, Path.read_bytes, Counting(), "a toy")
    (folder / "translations").mkdir()
    (folder / "translations" / "translations.jsonl").write_text("{}\n")
    (folder / "old.safetensors").write_bytes(b"of an earlier version")
    code, out, _ = run("list")
    assert code == 0
    assert f"{KEY[:32]}  a toy, by a.module:make" in out
    assert "translations.jsonl  translators" in out
    assert "old  unknown" in out
    assert "3 entries, 29 bytes" in out
    assert len(run("list", "--kind", "toys")[1].splitlines()) == 2


def test_check_finds_what_has_changed_and_clear_deletes_it(run) -> None:  # type: ignore[no-untyped-def]
    cache = Cache("toys", "a.module")
    for name in (KEY, KEY[::-1]):
        cache.get(name, Path.read_bytes, Counting())
    assert run("check")[:2] == (0, "2 entries, all as they were written\n")
    cache.path(KEY).write_bytes(b"other")
    code, out, err = run("check")
    assert (code, out) == (2, f"{cache.path(KEY)} has changed since it was written\n")
    assert "clear --damaged" in err
    assert run("clear", "--damaged")[1] == "1 entries deleted\n"
    assert cache.find(KEY) is None
    assert cache.find(KEY[::-1]) is not None
    assert run("check")[0] == 0


def test_clear_takes_age_and_kind(run) -> None:  # type: ignore[no-untyped-def]
    old, new = Cache("old", "m"), Cache("new", "m")
    for cache in (old, new):
        cache.get(KEY, Path.read_bytes, Counting())
    os.utime(old.path(KEY), (0, 0))
    assert run("clear", "--older", "30")[1] == "1 entries deleted\n"
    assert (old.find(KEY), new.find(KEY)) == (None, new.path(KEY))
    assert run("clear", "--kind", "new")[1] == "1 entries deleted\n"
    assert run("clear", "--kind", "nothing")[0] == 2


def test_the_translation_memory_is_cleared_only_when_it_is_named(run, folder: Path) -> None:  # type: ignore[no-untyped-def]
    memory = folder / "translations" / "translations.jsonl"
    memory.parent.mkdir(parents=True)
    memory.write_text("{}\n")
    run("clear")
    assert memory.exists()
    run("clear", "--kind", "translations")
    assert not memory.exists()
