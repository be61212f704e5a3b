"""How a command line ends when its ends are closed, full, or of another encoding."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHOUT = "from sts.command_line import run_tool; run_tool(lambda: print('ñ × 😀'))"
LISTEN = (
    "from sts.command_line import run_tool, stdin; run_tool(lambda: print(len(stdin().read())))"
)


def shell(script: str, ends: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A Python script whose stdin or stdout the shell redirects."""
    return subprocess.run(
        ["bash", "-c", f'"$0" -c "$1" {ends}', sys.executable, script],
        cwd=ROOT, env={"PATH": "/usr/bin:/bin", **environment}, capture_output=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("script", "ends", "said"),
    [
        (LISTEN, "<&-", b"error: stdin is closed; name a FILE"),
        (SHOUT, ">&-", b"error: stdout is closed; send it to a file"),
        (SHOUT, "> /dev/full", b"error: stdout cannot be written (No space left on device)"),
    ],
)
def test_closed_and_full_ends_are_one_line(script: str, ends: str, said: bytes) -> None:
    ended = shell(script, ends)
    assert ended.returncode == 2
    assert ended.stderr.startswith(said)
    assert ended.stderr.count(b"\n") == 1


def test_what_is_printed_is_utf_8() -> None:
    ended = shell(SHOUT, "", PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stdout) == (0, "ñ × 😀\n".encode())


def test_an_open_stdin_is_read() -> None:
    assert shell(LISTEN, "<<< four").stdout == b"5\n"
