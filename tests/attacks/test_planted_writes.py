"""The checkers of writing find a writer that writes in place, and a folder that is removed first."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import pytest

from embeddings.formats import folder
from sts import files
from sts.errors import StsError
from tests.attacks import killed, writes
from tests.attacks.promises import Check, failures


def only(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(writes, "COMMANDS", {name: writes.COMMANDS[name]})


@pytest.mark.parametrize("check", [writes.failing_calls, writes.kills, writes.limits])
def test_a_file_that_is_written_in_place_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, check: Check
) -> None:
    @contextmanager
    def in_place(path: Path, **_: bool) -> Iterator[BinaryIO]:
        try:
            with path.open("wb") as file:
                yield file
        except OSError as error:
            raise StsError(str(error)) from None

    only(monkeypatch, "a file")
    monkeypatch.setattr(files, "whole", in_place)
    assert any("leaves a part: file" in told for told in failures(check, tmp_path / "planted", 8))


def test_a_folder_that_is_removed_before_it_is_replaced_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove_first(new: Path, path: Path) -> None:
        shutil.rmtree(path, ignore_errors=True)
        new.rename(path)

    only(monkeypatch, "a model in a folder")
    monkeypatch.setattr(folder, "replace_folder", remove_first)
    assert any("is gone" in told for told in failures(writes.kills, tmp_path / "planted", 80))


def test_what_is_never_cleared_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "a zip of scores")
    monkeypatch.setattr(files, "_clear", lambda folder: None)
    monkeypatch.setattr(files._clear, "cache_clear", lambda: None, raising=False)
    found = failures(writes.kills, tmp_path / "planted", 12)
    assert any("the next run leaves" in told for told in found)


def test_an_error_that_is_not_told_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = writes.COMMANDS["a file"].run

    def raw(folder: Path, version: int) -> None:
        try:
            run(folder, version)
        except StsError:
            raise OSError(28, "No space left on device") from None

    monkeypatch.setattr(writes, "COMMANDS", {"a file": writes.Command(raw)})
    assert any("ends in OSError" in told for told in failures(
        writes.failing_calls, tmp_path / "planted", 6))  # fmt: skip


IN_PLACE = """
import time
with open("out", "w") as file:
    for _ in range(100):
        print("a line", file=file, flush=True)
        time.sleep(0.01)
"""

TWICE = """
import os, pathlib, time
with open("work", "a") as kept:
    for number in range(100):
        print(number, file=kept, flush=True)
        time.sleep(0.01)
os.replace("work", "out")
"""


@pytest.mark.parametrize(
    ("code", "told"), [(IN_PLACE, "neither old nor new"), (TWICE, "other bytes than in one go")]
)
def test_a_command_that_writes_in_place_or_does_its_work_twice_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, told: str
) -> None:
    def write(folder: Path) -> None:
        folder.mkdir(parents=True)
        (folder / "careless.py").write_text(code)

    monkeypatch.setattr(killed, "LONG", {"careless": "careless out"})
    monkeypatch.setattr(killed, "write_input", write)
    assert any(told in found for found in failures(killed.random_kills, tmp_path / "planted", 6))
