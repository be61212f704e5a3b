"""Progress: a bar on a terminal, lines in a log, nothing about short work."""

from __future__ import annotations

import io
import math
import os
import pty
import subprocess
import sys
import threading
from contextlib import redirect_stderr
from types import SimpleNamespace

import pytest

from sts import progress
from sts.progress import Bar, note, quiet, track
from tests.streams import Log, Terminal
from tests.sts.running import ROOT, python


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines follow each other at once."""
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    monkeypatch.setattr(Bar, "due", 0.0)
    monkeypatch.setattr(Bar, "last_closed", -math.inf)


def test_a_terminal_gets_a_bar_that_disappears() -> None:
    with redirect_stderr(Terminal()) as terminal, Bar("features", "pairs", 40) as bar:
        bar.update(10)
        bar.mention("loss 0.5")
    drawn = terminal.getvalue()
    assert "features:" in drawn and "/40 " in drawn and "loss 0.5" in drawn
    assert drawn.endswith("\r")


def test_a_terminal_that_does_not_tell_its_size_gets_a_bar() -> None:
    ours, theirs = pty.openpty()
    work = "from sts.progress import Bar\nwith Bar('features', 'pairs', 40): pass"
    subprocess.run([sys.executable, "-c", work], cwd=ROOT, stderr=theirs, check=True)
    os.set_blocking(ours, False)
    assert b"features:" in os.read(ours, 2**16)
    os.close(theirs)
    os.close(ours)


@pytest.mark.usefixtures("often")
def test_a_log_gets_lines_with_what_and_how_far() -> None:
    with redirect_stderr(Log()) as log, Bar("features", "pairs", 13_592) as bar:
        assert log.line_with("0 of") == "features: 0 of 13,592 pairs (0 %)"
        bar.update(4_000)
        line = log.line_with("4,000 of")
    assert line.startswith("features: 4,000 of 13,592 pairs (29 %)")
    assert "\r" not in log.getvalue()


@pytest.mark.usefixtures("often")
def test_a_line_describes_the_outermost_and_the_innermost_bar() -> None:
    with redirect_stderr(Log()) as log:
        for fold in track([1, 2], "encoders", "folds"):
            with Bar("stage", "stages"), Bar("tuning", "rounds", 8) as rounds:
                rounds.update(2 * fold)
                rounds.mention("loss 0.5")
                expected = f"tuning: {2 * fold} of 8 rounds ({25 * fold} %), loss 0.5"
                line = log.line_with(f"; {expected}")
                assert line.startswith(f"encoders: {fold - 1} of 2 folds ({50 * fold - 50} %)")


@pytest.mark.parametrize(
    ("seconds", "said"),
    [
        (10, ", about 40 s left"),
        (50, ", about 3 min left"),
        (30 * 60, ", about 2.0 h left"),
        (0.01, ""),
    ],
)
def test_the_time_left_is_rounded(
    seconds: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter([0.0, seconds, seconds])
    monkeypatch.setattr(progress, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    with Bar("training", "rounds", 60, start=10, show=False) as bar:
        bar.update(10)
        assert str(bar) == f"training: 20 of 60 rounds (33 %){said}"


def test_without_a_total_the_count_is_shown() -> None:
    with Bar("reading", "lines", show=False) as bar:
        bar.update(1_200)
        assert str(bar) == "reading: 1,200 lines so far"


FOLLOWING = """
from types import SimpleNamespace
from sts import progress
from tests.streams import Log
import sys
log = sys.stderr = Log()
clock = SimpleNamespace(now=1000.0)
progress.time = SimpleNamespace(monotonic=lambda: clock.now)
with progress.Bar("reading", "lines"):
    clock.now += 20
clock.now += 5
with progress.Bar("scoring", "pairs"):
    clock.now += 4.99
with progress.Bar("search", "pairs"):
    print(log.line_with("search"))
clock.now += 40
with progress.Bar("a new start", "pairs"):
    pass
print("a new start" in log.getvalue())
"""


def test_bars_that_follow_each_other_are_one_piece_of_work() -> None:
    ended = python("-c", FOLLOWING)
    assert ended.stdout.splitlines() == ["search: 0 pairs so far", "False"], ended.stderr


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("closed", [True, False])
def test_without_stderr_work_goes_on(closed: bool) -> None:
    stream = io.StringIO()
    stream.close()
    with redirect_stderr(stream if closed else None):
        assert list(track("abc", "letters", "letters")) == ["a", "b", "c"]
        note("lost")


@pytest.mark.usefixtures("often")
def test_a_stderr_that_is_closed_meanwhile_stops_nothing() -> None:
    with redirect_stderr(Log()) as log, Bar("features", "pairs") as bar:
        log.line_with("features")
        log.close()
        threading.Event().wait(0.1)  # for lines that are lost
        bar.update()


def test_nothing_is_shown_where_silence_is_asked_for() -> None:
    with redirect_stderr(Terminal()) as terminal:
        with quiet():
            list(track("abc", "letters", "letters"))
            with quiet(False):
                list(track("abc", "letters", "letters"))
        with Bar("features", "pairs", show=False):
            pass
        assert terminal.getvalue() == ""
        list(track("abc", "letters", "letters"))
    assert "letters:" in terminal.getvalue()


def test_the_processes_of_a_pool_show_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("multiprocessing.parent_process", object)
    with redirect_stderr(Terminal()) as terminal:
        list(track("abc", "letters", "letters"))
    assert terminal.getvalue() == ""


def test_short_work_prints_nothing_in_a_log() -> None:
    work = "from sts.progress import track; print(sum(track(range(1000), 'features', 'pairs')))"
    ended = python("-c", work)
    assert (ended.stdout, ended.stderr) == ("499500\n", "")
