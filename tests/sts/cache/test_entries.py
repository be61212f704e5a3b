"""Entries on disk, and the command that lists, checks and clears them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner

from semaniacs.sts.cache import Cache, cache_folder
from semaniacs.sts.cache.cache_commands import cache as command
from semaniacs.sts.errors import DataError, StsError

KEY = "0123456789abcdef" * 4


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("STS_MEMORY", raising=False)
    return tmp_path / "cache"


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
    write, cache = Counting(), Cache("toys", "a.module")
    for _ in range(2):
        assert cache.get(KEY, Path.read_bytes, write) == b"value"
        assert Cache("toys", "a.module").get(KEY, Path.read_bytes, write) == b"value"
    assert write.count == 1
    assert cache.get(KEY[::-1], Path.read_bytes, write) == b"value"
    assert write.count == 2


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"other"),
        lambda path: path.with_suffix(".entry").unlink(),
        lambda path: path.with_suffix(".entry").write_text("{"),
    ],
)
def test_a_damaged_value_is_computed_again(
    damage: Callable[[Path], object], capsys: pytest.CaptureFixture[str]
) -> None:
    write, cache = Counting(), Cache("toys", "a.module")
    cache.get(KEY, Path.read_bytes, write)
    damage(cache.path(KEY))
    assert cache.get(KEY, Path.read_bytes, write) == b"value"
    assert write.count == 2
    assert "computing it again" in capsys.readouterr().err
    assert cache.find(KEY) == cache.path(KEY)


def test_a_value_that_cannot_be_read_is_computed_again() -> None:
    write, cache = Counting(), Cache("toys", "a.module")
    cache.get(KEY, Path.read_bytes, write)
    errors = [DataError("of another version")]

    def read(path: Path) -> bytes:
        if errors:
            raise errors.pop()
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


# The command


def run(*arguments: str) -> str:
    return CliRunner().invoke(command, arguments, catch_exceptions=False).output


def test_entries_are_listed_with_what_made_them(folder: Path) -> None:
    Cache("toys", "a.module:make").get(KEY, Path.read_bytes, Counting(), "a toy")
    (folder / "translations").mkdir()
    (folder / "translations" / "translations.jsonl").write_text("{}\n")
    (folder / "old.safetensors").write_bytes(b"of an earlier version")
    listed = run("list")
    assert f"{KEY[:32]}  a toy, by a.module:make" in listed
    assert "translations.jsonl  translators" in listed
    assert "old  unknown" in listed
    assert "3 entries, 29 bytes" in listed
    assert len(run("list", "--kind", "toys").splitlines()) == 2


def test_check_finds_what_has_changed_and_clear_deletes_it() -> None:
    cache = Cache("toys", "a.module")
    for name in (KEY, KEY[::-1]):
        cache.get(name, Path.read_bytes, Counting())
    assert run("check") == "2 entries, all as they were written\n"
    cache.path(KEY).write_bytes(b"other")
    with pytest.raises(StsError, match="1 of 2 entries are damaged; .* clear --damaged"):
        run("check")
    assert run("clear", "--damaged") == "1 entry deleted\n"
    assert cache.find(KEY) is None
    assert cache.find(KEY[::-1]) is not None


def test_clear_takes_a_kind() -> None:
    old, new = Cache("old", "m"), Cache("new", "m")
    for cache in (old, new):
        cache.get(KEY, Path.read_bytes, Counting())
    assert run("clear", "--kind", "new") == "1 entry deleted\n"
    assert (old.find(KEY), new.find(KEY)) == (old.path(KEY), None)
    with pytest.raises(StsError, match="unknown kind 'nothing'"):
        run("clear", "--kind", "nothing")


def test_the_translation_memory_is_cleared_only_when_it_is_named(folder: Path) -> None:
    memory = folder / "translations" / "translations.jsonl"
    memory.parent.mkdir(parents=True)
    memory.write_text("{}\n")
    run("clear")
    assert memory.exists()
    run("clear", "--kind", "translations")
    assert not memory.exists()
