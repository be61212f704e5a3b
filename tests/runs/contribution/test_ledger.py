"""The ledger keeps finished work, and work on several processes gives the same results."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from semaniacs.runs.contribution.ledger import Ledger, each_once

ROOT = Path(__file__).parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a" / "ledger.jsonl"


def filled(path: Path) -> Ledger:
    ledger = Ledger(path)
    ledger["one"] = {"score": 0.1 + 0.2, "name": "día"}
    ledger["two"] = {"score": []}
    return ledger


def contents(ledger: Ledger) -> dict[str, Any]:
    return {key: ledger[key] for key in ("one", "two", "three") if key in ledger}


def test_a_torn_line_is_dropped_wherever_it_broke(path: Path) -> None:
    filled(path)
    raw = path.read_bytes()
    start = raw.index(b"\n") + 1
    for end in range(start, len(raw)):
        path.write_bytes(raw[:end])
        ledger = Ledger(path)
        assert list(contents(ledger)) == ["one"]
        assert path.read_bytes() == raw[:start]
        ledger["two"] = {"score": []}  # what is added next begins a line of its own
        assert path.read_bytes() == raw


@pytest.mark.parametrize("line", [b"", b"[1]", b'{"key": "x"}', b"\xff\xfe"])
def test_a_line_that_is_none_is_dropped(line: bytes, path: Path) -> None:
    filled(path)
    raw = path.read_bytes()
    first, second = raw.splitlines(keepends=True)
    path.write_bytes(first + line + b"\n" + second)
    assert list(contents(Ledger(path))) == ["one", "two"]
    assert path.read_bytes() == raw


def test_each_item_is_computed_once(path: Path) -> None:
    done: list[int] = []

    def square(item: int) -> dict[str, Any]:
        done.append(item)
        return {"square": item**2}

    def ask(*items: int) -> dict[int, dict[str, Any]]:
        return each_once(
            square, items, Ledger(path), lambda i: f"square of {i}", jobs=1, label="s", unit="i"
        )

    assert ask(3, 1, 3) == {3: {"square": 9}, 1: {"square": 1}}
    assert done == [3, 1]
    assert list(ask(1, 2, 3)) == [1, 2, 3]
    assert done == [3, 1, 2]
    assert ask() == {}


def test_what_was_done_before_an_error_is_kept(path: Path) -> None:
    def half(item: int) -> dict[str, Any]:
        return {"half": 1 / item}

    with pytest.raises(ZeroDivisionError):
        each_once(half, [2, 0, 4], Ledger(path), str, jobs=1, label="halves", unit="number")
    assert Ledger(path)["2"] == {"half": 0.5}
    assert len(Ledger(path)) == 1


def stay(_: int) -> int:
    time.sleep(0.2)
    return os.getpid()


def running(process: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_processes_leave_with_the_one_that_was_killed() -> None:
    script = (
        "import sys\nfrom semaniacs.runs.contribution.ledger import each\nfrom tests.runs.contribution.test_ledger import stay\n"
        "for _, process in each(stay, range(99), 2, label='', unit=''):\n"
        "    print(process, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as main:
        assert main.stdout is not None
        processes: set[int] = set()
        while len(processes) < 2:
            processes.add(int(main.stdout.readline()))
        assert all(map(running, processes))
        main.kill()
    give_up = time.monotonic() + 60
    while any(map(running, processes)):
        assert time.monotonic() < give_up
        time.sleep(0.1)
