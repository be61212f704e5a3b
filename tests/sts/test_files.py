"""Files: lines end where they should, and nothing is ever half written."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.encodings import decode
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import (
    check_writable,
    read_lines,
    read_text,
    replace_folder,
    split_lines,
    whole,
    working_folder,
    write_bytes,
    write_lines,
    write_text,
)
from tests.sts.running import ROOT


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", []),
        ("a\n", ["a"]),
        ("a\r\nb\r\n", ["a", "b"]),
        ("a\r\nb\r", ["a", "b"]),
        ("a\n\nb\n", ["a", "", "b"]),
        ("a\rb\n", ["a\rb"]),
        ("a\u2028b\u2029c\x85d\x0be\x0cf\x1cg\n", ["a\u2028b\u2029c\x85d\x0be\x0cf\x1cg"]),
    ],
)
def test_lines_end_in_newlines_only(text: str, lines: list[str]) -> None:
    assert split_lines(text) == lines


@given(st.lists(st.text(st.characters(exclude_characters="\r\n"))), st.sampled_from(["\n", "\r\n"]))
def test_any_lines_come_back(lines: list[str], end: str) -> None:
    assert split_lines("".join(line + end for line in lines)) == lines


@pytest.mark.parametrize(
    ("raw", "line", "byte"),
    [
        (b"one\ntwo\ncaf\xe9\n", 3, "0xe9"),
        (b"\n\xed\xa0\x80\n", 2, "0xed"),  # an encoded surrogate
        ("a\n".encode("utf-16"), 1, "0xff"),
    ],
)
def test_the_line_that_is_not_utf8_is_named(
    tmp_path: Path, raw: bytes, line: int, byte: str
) -> None:
    path = tmp_path / "pairs.txt"
    path.write_bytes(raw)
    with pytest.raises(DataError, match=rf"pairs\.txt:{line}: byte {byte} is not UTF-8; .*iconv"):
        read_text(path)
    with pytest.raises(DataError, match=rf"^here:{line}: "):
        decode(raw, "here")


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"gone\.txt: no such file"):
        read_text(tmp_path / "gone.txt")
    with pytest.raises(DataError, match="cannot be read"):
        read_text(tmp_path)


def test_a_replaced_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o755)
    write_text(path, "new")
    assert (path.read_text(), stat.S_IMODE(path.stat().st_mode)) == ("new", 0o755)


def test_lines_are_written_as_they_are_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "folder" / "lines.txt"
    lines = ["ein Stück", "", "😀 \u2028 \r x", " spaces "]
    write_lines(path, lines)
    assert path.read_bytes() == "".join(f"{line}\n" for line in lines).encode()
    assert read_lines(path) == lines


def test_a_folder_is_replaced_as_a_whole(tmp_path: Path) -> None:
    path = tmp_path / "model"
    (tmp_path / ".model.replaced").mkdir()
    (tmp_path / ".model.replaced" / "of a killed process").touch()
    for content in ("first", "second", "third"):
        path.mkdir(exist_ok=True)
        with working_folder(path) as folder:
            write_text(folder / "new" / content, content)
            replace_folder(folder / "new", path)
        assert [file.name for file in path.iterdir()] == [content]
        assert [file.name for file in tmp_path.iterdir()] == ["model"]


def test_a_folder_that_was_moved_away_when_the_process_was_killed_comes_back(
    tmp_path: Path,
) -> None:
    (tmp_path / ".model.replaced").mkdir()
    (tmp_path / ".model.replaced" / "old").touch()
    with working_folder(tmp_path / "model"):
        pass
    assert [file.name for file in (tmp_path / "model").iterdir()] == ["old"]


@pytest.mark.parametrize("failure", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, failure: BaseException
) -> None:
    path = tmp_path / "scores.txt"
    path.write_bytes(b"old")
    with pytest.raises((StsError, KeyboardInterrupt)) as caught, whole(path) as file:
        file.write(b"new")
        raise failure
    if isinstance(failure, OSError):
        assert "scores.txt: cannot be written (No space left on device)" in str(caught.value)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"")
    for path in (file / "scores.txt", file / "deeper" / "scores.txt", tmp_path):
        with pytest.raises(StsError, match="cannot be written .*--output"):
            write_bytes(path, b"data")
    with pytest.raises(StsError, match="cannot be written .*--output"):
        check_writable(file / "deeper")


def test_a_link_is_followed_and_a_device_is_refused(tmp_path: Path) -> None:
    real, link = tmp_path / "real", tmp_path / "link"
    real.write_text("old")
    link.symlink_to(real)
    write_text(link, "new")
    assert link.is_symlink()
    assert real.read_text() == "new"
    with pytest.raises(StsError, match="not a regular file"):
        write_text(Path("/dev/null"), "lost")


PROGRAM = """
import signal, sys; from pathlib import Path; from semaniacs.sts.command_line import run_tool
from semaniacs.sts.files import whole, working_folder
def work():
    with whole(Path("scores.txt")), working_folder(Path("model")):
        print("begun", flush=True) or signal.pause()
run_tool(work)
"""


def test_a_stopped_process_leaves_no_temporary_file(tmp_path: Path) -> None:
    where: Any = {"cwd": tmp_path, "env": os.environ | {"PYTHONPATH": str(ROOT)}}
    command = [sys.executable, "-c", PROGRAM]
    with subprocess.Popen(command, stdout=subprocess.PIPE, **where) as process:
        assert process.stdout and process.stdout.readline() == b"begun\n"
        assert len([*tmp_path.glob(".*")]) == 2
        process.terminate()
    assert (process.returncode, [*tmp_path.iterdir()]) == (143, [])
