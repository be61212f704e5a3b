"""A cold start says once on the terminal that it compiles; a warm one, a pipe and others do not."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

from semaniacs.embeddings.compiled.compiling import TEXT

ROOT = Path(__file__).parents[3]
OURS = """
import numpy as np
from semaniacs.embeddings.compiled.native import checksum, put
word = np.zeros(4, np.uint8)
print(put(word, 0, 0xE9), checksum(word, 0, 2))
"""


def run(
    script: str, kernels: Path, stderr: int, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    given = os.environ | {"NUMBA_CACHE_DIR": str(kernels)} | environment
    call = [sys.executable, "-c", script]
    return subprocess.run(
        call, cwd=ROOT, env=given, stdout=subprocess.PIPE, stderr=stderr, check=True
    )


def on_terminal(script: str, kernels: Path) -> tuple[bytes, str]:
    """stdout of a script, and what it writes to a terminal as its stderr."""
    reader, writer = pty.openpty()
    os.set_blocking(reader, False)
    try:
        printed = run(script, kernels, writer).stdout
        return printed, os.read(reader, 65536).decode()
    except BlockingIOError:  # nothing was written
        return printed, ""
    finally:
        os.close(writer)
        os.close(reader)


def test_a_cold_start_is_announced_once_and_a_warm_one_is_not(tmp_path: Path) -> None:
    printed, said = on_terminal(OURS, tmp_path)
    assert said.replace("\r\n", "\n") == f"{TEXT}\n"
    assert on_terminal(OURS, tmp_path) == (printed, "")


def test_a_log_is_told_of_long_compiling_alone(tmp_path: Path) -> None:
    at_once = "from semaniacs.sts import progress\nprogress.INTERVAL = 0.0\n"
    long = run(at_once + OURS, tmp_path / "long", subprocess.PIPE)
    assert long.stderr.decode() == f"{TEXT}\n"
    assert run(OURS, tmp_path / "short", subprocess.PIPE).stderr == b""
