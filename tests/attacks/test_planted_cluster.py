"""The checker of clusters finds commands that hang, fail loudly, or lose lines."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.attacks import cluster
from tests.attacks.cluster import Failure, Machine, Site

COMMAND = """\
import pathlib, sys, time
output = pathlib.Path(sys.argv[sys.argv.index("--output") + 1])
kept = sorted((output / ".parts").glob("*.part"))
"""

BEGINS = """\
if not kept:
    (output / ".parts").mkdir(parents=True)
    for i in range(4):
        (output / ".parts" / f"{i}.part").write_bytes(b"1.0\\n" * 99)
    time.sleep(60)
"""

JOINS = """\
(output / "pairs.txt").write_bytes(b"".join(part.read_bytes() for part in kept))
"""

WRITES = """\
output.mkdir(exist_ok=True)
(output / "pairs.txt").write_bytes(b"1.0\\n" * 396)
"""


class NoCluster(Site):
    """Machines on which nothing runs."""

    def start_head(self) -> None:
        """Do nothing."""

    def start_other(self) -> None:
        """Do nothing."""


def found(name: str, command: str, folder: Path) -> str | None:
    """What a checker finds wrong with a command that a script plays."""
    (folder / "command.py").write_text(COMMAND + command, encoding="utf-8")
    site = NoCluster(Machine("127.0.0.1"), Machine("127.0.0.1"), {})
    score = (sys.executable, str(folder / "command.py"))
    failure = Failure(folder, folder / "pairs.tsv", b"1.0\n" * 396, score)
    told: str | None = getattr(failure, name)(site)
    return told


def test_a_damaged_part_that_is_taken_is_found(tmp_path: Path) -> None:
    assert found("part_damaged", BEGINS + JOINS, tmp_path) == "other bytes than one process writes"


def test_a_traceback_where_the_head_is_lost_is_found(tmp_path: Path) -> None:
    told = found("head_lost", "raise ConnectionError('lost')", tmp_path)
    assert "exit code 1" in str(told) and "ConnectionError" in str(told)


def test_a_command_that_hangs_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "LONGEST", 1.0)
    assert "exit code None" in str(found("head_lost", BEGINS, tmp_path))


def test_a_machine_without_work_is_found(tmp_path: Path) -> None:
    told = found("machine_joins", WRITES, tmp_path)
    assert told == "a machine of the cluster had nothing to do"


def test_what_is_left_behind_is_found(tmp_path: Path) -> None:
    assert found("machine_lost", WRITES, tmp_path) is None
    (tmp_path / "scores" / ".left.sts-unfinished").touch()
    told = found("machine_lost", WRITES, tmp_path)
    assert str(told).startswith("leaves ")


def test_who_is_let_in_without_the_token_is_found(tmp_path: Path) -> None:
    assert "without the token: exit code 0" in str(found("recipe", WRITES, tmp_path))
