"""Progress: a bar on a terminal, lines in a log, nothing about short work."""

from __future__ import annotations

import io
from contextlib import redirect_stderr

import pytest

from semaniacs.sts.progress import Bar, note, quiet, track
from tests.streams import Terminal
from tests.sts.running import python


def test_a_terminal_gets_a_bar_that_disappears() -> None:
    with redirect_stderr(Terminal()) as terminal, Bar("features", "pairs", 40) as bar:
        bar.update(10)
        bar.mention("loss 0.5")
    drawn = terminal.getvalue()
    assert "features:" in drawn and "/40 " in drawn and "loss 0.5" in drawn
    assert drawn.endswith("\r")


@pytest.mark.usefixtures("often")
def test_a_log_gets_a_line_with_the_work_and_the_share() -> None:
    with redirect_stderr(io.StringIO()) as log, Bar("features", "pairs", 13_592) as bar:
        bar.update(4_000)
    assert log.getvalue() == "features: 4,000 of 13,592 pairs (29 %)\n"


@pytest.mark.parametrize(
    ("seconds", "said"), [(10, ", about 40 s left"), (30 * 60, ", about 2.0 h left"), (0, "")]
)
def test_the_time_left_is_rounded(seconds: float, said: str) -> None:
    with Bar("training", "rounds", 60, start=10, show=False) as bar:
        bar.update(10)
        bar.began -= seconds
        assert str(bar) == f"training: 20 of 60 rounds (33 %){said}"


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize("closed", [True, False])
def test_without_stderr_work_goes_on(closed: bool) -> None:
    stream = io.StringIO()
    stream.close()
    with redirect_stderr(stream if closed else None):
        assert list(track("abc", "letters", "letters")) == ["a", "b", "c"]
        note("lost")


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
    work = "from semaniacs.sts.progress import track; print(sum(track(range(1000), 'features', 'pairs')))"
    ended = python("-c", work)
    assert (ended.stdout, ended.stderr) == ("499500\n", "")
