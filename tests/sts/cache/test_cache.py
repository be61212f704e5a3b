"""Keys of the cache, its entries on disk, and the command that lists them."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, make_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from semaniacs.sts.cache import Cache, cache_folder, digest, key
from semaniacs.sts.cache.cache_commands import cache as command
from semaniacs.sts.errors import StsError
from semaniacs.sts.tensors import canonical


@dataclass(frozen=True)
class Inner:
    rate: float = 0.1
    stop: int | None = None


@dataclass(frozen=True)
class Recipe:
    name: str
    about: str = field(default="", metadata={"identity": False})
    inner: Inner = Inner()
    columns: tuple[str, ...] = ()


RECIPE = Recipe("a", "what it is", Inner(0.5), ("x", "y"))


def test_a_record_is_its_fields_by_name() -> None:
    assert canonical(RECIPE) == {"name": "a", "inner": {"rate": 0.5}, "columns": ["x", "y"]}


def test_a_new_field_with_a_neutral_default_changes_no_digest() -> None:
    new = [("rate", float, 0.1), ("stop", Any, None), ("anchor", Any, None), ("weight", float, 0.0)]
    later = make_dataclass("Later", new)
    assert digest(later(0.5)) == digest(Inner(0.5))
    assert digest(later(0.5, weight=0.1)) != digest(Inner(0.5))


def test_a_default_that_means_something_is_part_of_the_digest() -> None:
    assert canonical(Inner()) == {"rate": 0.1}


def test_arrays_count_by_shape_type_and_numbers() -> None:
    one = np.arange(6.0)
    assert digest(one) == digest(np.arange(12.0)[:6])
    assert len({digest(a) for a in (one, one.reshape(2, 3), one.astype("f4"), one + 1)}) == 4


@pytest.mark.parametrize("value", [{1, 2}, Path("x")])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no canonical form"):
        digest(value)


def test_a_key_depends_on_inputs_configuration_version_and_libraries() -> None:
    base = key(1, ("numpy",), inputs=["a"], configuration=RECIPE)
    assert base == key(1, ("numpy",), inputs=("a",), configuration=RECIPE)
    others = [
        key(1, ("numpy",), inputs=["b"], configuration=RECIPE),
        key(1, ("numpy",), inputs=["a"]),
        key(2, ("numpy",), inputs=["a"], configuration=RECIPE),
        key(1, ("numpy", "click"), inputs=["a"], configuration=RECIPE),
        key(1, ("not-installed",), inputs=["a"], configuration=RECIPE),
    ]
    assert len({base, *others}) == 6


# Entries on disk, and the command that lists, checks and clears them


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


def test_the_translation_memory_is_cleared_only_when_it_is_named(folder: Path) -> None:
    memory = folder / "translations" / "translations.jsonl"
    memory.parent.mkdir(parents=True)
    memory.write_text("{}\n")
    run("clear")
    assert memory.exists()
    run("clear", "--kind", "translations")
    assert not memory.exists()
