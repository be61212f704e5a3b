"""What is shared, before and after Ray: parts, names of results, the bench; no Ray is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from features.regressors.saved_ensemble import load_ensemble
from runs.pipeline.run import SHIPPED
from runs.scale import cluster, sharing
from runs.scale.__main__ import main as scale
from runs.scale.encoding import Encoding
from runs.scale.many_files import results_of
from runs.scale.mining import read_corpora
from runs.scale.parts import Part, cut
from runs.scale.scoring import Scoring
from runs.scale.sharing import FOLDER, TRIES, Work, workbench
from sts.errors import DataError, StsError
from sts.files import write_bytes


def unchecked(raw: bytes, source: str, first: int) -> None:
    pass


# --- parts


@given(st.lists(st.text("ab\r\t\u2028 ", max_size=3)), st.booleans(), st.integers(1, 4))
def test_parts_are_the_file(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ended: bool, size: int
) -> None:
    file = tmp_path_factory.mktemp("parts") / "lines"
    file.write_bytes(("\n".join(lines) + "\n" * ended).encode())
    parts = cut(str(file), size, unchecked)
    whole = file.read_bytes()
    assert b"".join(part.read() for part in parts) == whole
    assert all(part.read().count(b"\n") == size for part in parts[:-1])
    assert all(part.read() for part in parts)
    for part in parts:
        assert part.first == 1 + whole[: part.begin].count(b"\n")


@pytest.mark.parametrize(
    ("work", "text", "said"),
    [
        (Scoring("raw"), b"a\tb\n" * 5000 + b"x\n", ":5001: 1 column"),
        (Scoring("raw"), b"a\tb\n" * 5000 + b"a\t \n", ":5001: the right sentence is empty"),
        (Scoring("raw"), b"a\tb\n" * 5000 + b"a\t\xff\n", ":5001: byte 0xff is not UTF-8"),
        (Scoring("raw"), b"", ": the file is empty"),
        (Encoding("paragram"), b"a\n" * 70000 + b"\xff\n", ":70001: byte 0xff is not UTF-8"),
        (Encoding("paragram"), b"", ": empty; expected at least one line"),
        (Encoding("paragram"), None, ": no such file"),
    ],
)
def test_bad_lines_are_told_by_their_number_in_the_file(
    tmp_path: Path, work: Scoring | Encoding, text: bytes | None, said: str
) -> None:
    file = tmp_path / "input"
    if text is not None:
        file.write_bytes(text)
    with pytest.raises(DataError) as caught:
        work.cut(str(file))
    assert str(caught.value).startswith(f"{file}{said}")


def test_a_file_that_changes_is_noticed(tmp_path: Path) -> None:
    file = tmp_path / "lines"
    file.write_text("a\nb\nc\n")
    _, second = cut(str(file), 2, unchecked)
    file.write_text("a\nb\nd\n")
    with pytest.raises(DataError, match=r"lines:3: changed while it was worked on"):
        second.read()
    file.unlink()
    with pytest.raises(DataError, match="cannot be read"):
        second.read()


def test_a_gzipped_file_is_one_part(tmp_path: Path) -> None:
    file = tmp_path / "many.txt.gz"
    file.write_bytes(b"not looked into\n" * 70000)
    assert len(Encoding("paragram").cut(str(file))) == 1


def test_scores_do_not_rest_on_the_number_of_threads() -> None:
    fusion, columns = load_ensemble(SHIPPED / "fusion.safetensors")
    matrix = np.random.default_rng(0).random((300, len(columns)))
    scores = []
    for threads in (1, 2, 5):
        with threadpool_limits(threads), ThreadPoolExecutor(1) as pool:
            scores += [fusion.predict(matrix), pool.submit(fusion.predict, matrix).result()]
    assert all(np.array_equal(scores[0], others) for others in scores[1:])


# --- names of results


def test_results_have_the_names_of_the_files() -> None:
    names = ["x/a.tsv", "b", "c.d.txt", "e.txt.gz"]
    found = results_of(names, Path("out"), ".npy")
    assert found == [Path("out", name) for name in ("a.npy", "b.npy", "c.d.npy", "e.npy")]


@pytest.mark.parametrize(
    ("names", "output", "said"),
    [
        (["a.tsv", "-"], "out", "put stdin into a file"),
        (["x/a.tsv", "y/a.txt"], "out", "x/a.tsv and y/a.txt would both be written to out/a.txt"),
        (["a.tsv", "a.tsv"], "out", "would both be written"),
        (["x/a.txt"], "x", "x/a.txt would be replaced by its results"),
        (["x/a.txt"], "y/../x", "x/a.txt would be replaced by its results"),
    ],
)
def test_results_do_not_meet(names: list[str], output: str, said: str) -> None:
    with pytest.raises(StsError, match=said):
        results_of(names, Path(output), ".txt")


# --- the bench


def test_a_bench_is_for_one_command(tmp_path: Path) -> None:
    refused = pytest.raises(StsError, match="another command is at work")
    with workbench(tmp_path), refused, workbench(tmp_path):
        pass
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("made", [True, False])
def test_a_bench_is_kept_for_what_is_on_it(tmp_path: Path, made: bool) -> None:
    with pytest.raises(ZeroDivisionError), workbench(tmp_path) as folder:
        if made:
            (folder / "a.part").touch()
        (folder / "a.tries").touch()
        _ = 1 / 0
    assert (tmp_path / FOLDER).exists() == made
    with workbench(tmp_path) as folder:
        assert [path.name for path in folder.iterdir() if path.name != "lock"] == ["a.part"] * made
    assert list(tmp_path.iterdir()) == []


@dataclass(frozen=True)
class Upper(Work):
    """A work that is easy to check."""

    code = ("sts.files",)

    def rests_on(self) -> object:
        return "upper"

    def make(self, part: Part, target: Path) -> None:
        write_bytes(target, part.read().upper())


@pytest.fixture
def row(tmp_path: Path) -> dict[str, Any]:
    (tmp_path / "lines").write_text("a\nb\n")
    (part,) = cut(str(tmp_path / "lines"), 2, unchecked)
    return asdict(part) | {"target": str(tmp_path / "a.part")}


def test_a_worker_makes_a_part_once(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    digest = sharing.key_of(Upper())
    assert sharing._make(row, Upper(), digest) == {"error": ""}
    assert Path(row["target"]).read_text() == "A\nB\n"
    monkeypatch.delattr(Upper, "make")
    assert sharing._make(row, Upper(), digest) == {"error": ""}


def test_a_worker_that_is_unlike_refuses(row: dict[str, Any]) -> None:
    said = sharing._make(row, Upper(), "another")["error"]
    assert "differ from those that the command was started with" in said
    assert not Path(row["target"]).exists()


def test_workers_do_not_die_for_ever(row: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    def die(*_: object) -> None:
        raise KeyboardInterrupt

    digest = sharing.key_of(Upper())
    monkeypatch.setattr(Upper, "make", die)
    for _ in range(TRIES):
        with pytest.raises(KeyboardInterrupt):
            sharing._make(row, Upper(), digest)
    said = sharing._make(row, Upper(), digest)["error"]
    assert f"lines:1: {TRIES} workers died over the part" in said


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_workers_cannot_write(row: dict[str, Any], tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    said = sharing._make(row, Upper(), sharing.key_of(Upper()))["error"]
    assert "must be on a file system that all machines share" in said


# --- several files as one


Write = Callable[[str, str], str]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    monkeypatch.chdir(tmp_path)

    def file(name: str, text: str) -> str:
        Path(name).write_text(text)
        return name

    return file


def test_plain_files_are_numbered_through(write: Write) -> None:
    corpora = read_corpora([write("a", "x\n\ny\n"), write("b", "z\n")])
    assert corpora.ids == ["1", "2", "3", "4"]
    assert list(corpora.sentences()) == ["x", "", "y", "z"]
    assert corpora.texts([0, 3]) == {0: "x", 3: "z"}
    assert corpora.filled == 3


def test_files_with_ids_keep_them(write: Write) -> None:
    corpora = read_corpora([write("a", "i-1\tx\n"), write("b", "i-7\ty\n")])
    assert corpora.ids == ["i-1", "i-7"]
    assert list(corpora.sentences()) == ["x", "y"]


@pytest.mark.parametrize(
    ("second", "said"),
    [
        ("i-9\tz\ni-1\ty\n", "b:2: id 'i-1' is in a too"),
        ("plain\n", "a is read as bucc and b as plain"),
    ],
)
def test_files_that_do_not_go_together(write: Write, second: str, said: str) -> None:
    with pytest.raises(DataError, match=said):
        read_corpora([write("a", "i-1\tx\n"), write("b", second)])


def test_too_few_sentences_have_no_neighbours(
    cli: Any, write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "require", lambda *_: None)
    few, more = write("few", "a cat\n\na dog\n"), write("more", "a cat\n" * 4)
    output = tmp_path / "pairs.tsv"
    options = ("-o", output, "--model", "paragram-small", "-k", 3)
    ended = cli("mine", few, "--against", more, *options, main=scale)
    ended.refused("few: -k 3 neighbours among 2 sentences")
    assert not output.exists()
    assert not (tmp_path / FOLDER).exists()


# --- the command line


def test_without_ray_it_says_how_to_get_it(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    ended = cli("score", "a.tsv", "--output", tmp_path, main=scale)
    ended.refused("this needs ray: pip install 'semaniacs[scale]'")


@pytest.mark.parametrize("command", ["score", "encode", "mine"])
def test_help_teaches(cli: Any, command: str) -> None:
    ended = cli(command, "--help", main=scale)
    assert ended.code == 0
    assert f"python -m runs.scale {command} " in ended.out
    assert "a file system that all machines share" in ended.out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["score", "a.tsv", "--run", "nosuch"], "unknown run 'nosuch'"),
        (["encode", "a.txt", "--model", "nosuch"], "unknown encoder or vector file 'nosuch'"),
        (["encode", "-"], "put stdin into a file"),
    ],
)
def test_what_is_refused_before_ray_is_asked(
    cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], said: str
) -> None:
    monkeypatch.setattr(cluster, "require", lambda *_: None)
    ended = cli(*arguments, "--output", tmp_path / "out", main=scale)
    ended.refused(said)
    assert not (tmp_path / "out").exists()
