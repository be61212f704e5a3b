"""What people type, and where they stand, that once ended in a traceback."""

from __future__ import annotations

import gc
import os
import pty
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from features.undisturbed import undisturbed
from sts.command_line import count, run_tool, seconds, seed
from sts.progress import visible


def told(main: Callable[[], object], capfd: pytest.CaptureFixture[str]) -> str:
    """The one line on stderr of a command that fails."""
    with pytest.raises(SystemExit) as ended:
        run_tool(lambda: main() and None)
    assert ended.value.code == 2
    (line,) = capfd.readouterr().err.splitlines()
    return line


@pytest.mark.parametrize("name", ["a" * 300, "loop", "folder", "missing/file"])
def test_any_error_of_the_system_is_one_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "folder").mkdir()
    line = told((tmp_path / name).read_bytes, capfd)
    assert line.startswith(f"error: {tmp_path / name}: ")


def test_too_little_memory_is_one_line(capfd: pytest.CaptureFixture[str]) -> None:
    assert "error: not enough memory" in told(lambda: np.empty(2**55, np.uint8), capfd)


@pytest.mark.parametrize(
    ("kind", "text"),
    [(count, "9" * 30), (seed, "9" * 30), (seed, "-1"), (seconds, "1e308"), (seconds, "nan")],
)
def test_absurd_numbers_are_refused(kind: Callable[[str], object], text: str) -> None:
    with pytest.raises(Exception, match="expected"):
        kind(text)


def test_a_terminal_sees_no_command(tmp_path: Path) -> None:
    """The escape of a sentence reaches a file as it is, and a terminal as a backslash and x1b."""
    sentence = "a\x1b]0;owned\x07\x9b2J b\r"
    main = f"print({sentence!r})"
    code = f"from sts.command_line import run_tool; run_tool(lambda: {main})"
    shown = bytearray()

    def read(fd: int) -> bytes:
        data = os.read(fd, 1024)
        shown.extend(data)
        return data

    quiet, saved = os.open(os.devnull, os.O_WRONLY), os.dup(1)
    os.dup2(quiet, 1)
    try:
        assert pty.spawn([sys.executable, "-c", code], read) == 0
    finally:
        os.dup2(saved, 1)
        os.close(quiet)
        os.close(saved)
    assert shown.decode() == visible(sentence) + "\r\n"
    assert visible(sentence) == "a\\x1b]0;owned\\x07\\x9b2J b\\r"


def test_threads_leave_the_interpreter_as_it_was() -> None:
    inside = threading.Barrier(4)

    def work() -> None:
        for _ in range(50):
            with undisturbed():
                inside.wait()

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert gc.isenabled()
