"""Exit codes of a command whose standard streams are closed, full, or of another encoding."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.sts.running import python

ROOT = Path(__file__).parents[2]
SHOUT = "from semaniacs.sts.command_line import run_tool; run_tool(lambda: print('ñ × 😀'))"
LISTEN = "from semaniacs.sts.command_line import run_tool; from semaniacs.sts.encodings import stdin; run_tool(lambda: print(len(stdin().read())))"


def shell(script: str, ends: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """A Python script whose stdin or stdout the shell redirects."""
    return subprocess.run(
        ["bash", "-c", f'"$0" -c "$1" {ends}', sys.executable, script],
        cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", **environment},
        capture_output=True,
        check=False,
    )


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


TOLD = "import sys; from semaniacs.sts.command_line import run_tool; from semaniacs.sts.progress import note"
NOTED = f"{TOLD}; run_tool(lambda: (note('a note'), print('told', file=sys.stderr), print('out')))"
REFUSED = f"{TOLD}; from semaniacs.sts.errors import StsError; run_tool(lambda: exec('raise StsError(1)'))"
OPENED = (
    f"{TOLD}; import os, tempfile\n"
    "def main():\n"
    "    with tempfile.TemporaryFile() as file:\n"
    "        os.write(2, b'of a library')\n"
    "        print(os.fstat(file.fileno()).st_size)\n"
    "run_tool(main)"
)


@pytest.mark.parametrize("ends", ["2>&-", "2>/dev/full"])
@pytest.mark.parametrize(
    ("script", "code", "printed"), [(NOTED, 0, b"out\n"), (REFUSED, 2, b""), (OPENED, 0, b"0\n")]
)
def test_a_stderr_that_takes_nothing_disturbs_nothing(
    script: str, ends: str, code: int, printed: bytes
) -> None:
    if script == OPENED and ends == "2>/dev/full":
        script = script.replace("os.write(2, b'of a library')", "")
    ended = shell(script, ends)
    assert (ended.returncode, ended.stdout, ended.stderr) == (code, printed, b"")


@pytest.mark.parametrize("command", ["score", "explain"])
@pytest.mark.parametrize(
    ("typed", "line"),
    [
        (["-5 degrees", "5 degrees"], "-- '-5 degrees' '5 degrees'"),
        (["5°", "-5°", "--model", "raw"], "'5°' --model raw -- '-5°'"),
        (["-m", "raw", "- none", "some"], "-m raw -- '- none' some"),
        (["A dog.", "A cat.", "--modle"], None),
    ],
)
def test_a_text_that_begins_with_a_minus(command: str, typed: list[str], line: str | None) -> None:
    ended = python("-m", "semaniacs", command, *typed)
    assert (ended.returncode, ended.stdout) == (2, "")
    told = re.findall("If it is a text and not an option, type: (.*)", ended.stderr)
    assert told == ([] if line is None else [f"semaniacs {command} {line}"])


def test_what_is_printed_is_utf_8() -> None:
    ended = shell(SHOUT, "", PYTHONIOENCODING="ascii")
    assert (ended.returncode, ended.stdout) == (0, "ñ × 😀\n".encode())


def test_an_open_stdin_is_read() -> None:
    assert shell(LISTEN, "<<< four").stdout == b"5\n"
