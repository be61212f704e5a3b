"""Surroundings that change no byte, processes that start together, and imports that do nothing."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from random import Random

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[2]
SETTINGS = {
    "PYTHONHASHSEED": ("0", "1", "4294967295", "random"),
    "LC_ALL": ("C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8"),
    "TZ": ("UTC", "Asia/Kathmandu", "America/St_Johns"),
    "OMP_NUM_THREADS": ("1", "2", "7"),
    "NUMBA_NUM_THREADS": ("1", "2"),
    "PYTHONUTF8": ("0", "1"),
    "COLUMNS": ("20", "200"),
    "PYTHONOPTIMIZE": ("", "2"),
}
PAIRS = (
    "A dog runs.\tA dog is running.\nLos niños cantan.\tIstanbul'da İzmir ışık\n1.5 %\tnot one\n"
)
COMMANDS = ("encode pairs.txt --output out.npy", "score pairs.tsv --model raw --output out.tsv")


def run(command: str, folder: Path, variables: Mapping[str, str]) -> bytes:
    """Bytes of the file that a command writes; its name is the last word."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("pairs.tsv", "pairs.txt"):
        (folder / name).write_text(PAIRS, encoding="utf-8")
    environment = {key: value for key, value in os.environ.items() if key not in SETTINGS}
    environment |= {"PYTHONPATH": str(ROOT)} | {k: v for k, v in variables.items() if v}
    typed = [sys.executable, "-m", "semaniacs", *command.split()]
    ended = subprocess.run(typed, cwd=folder, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
    return (folder / command.rsplit(maxsplit=1)[-1]).read_bytes()


@pytest.mark.parametrize("command", COMMANDS)
def test_surroundings_change_no_byte(tmp_path: Path, command: str) -> None:
    plain, random = run(command, tmp_path / "a", {}), Random(command)
    for number in range(max(1, settings().max_examples // 400)):
        variables = {name: random.choice(values) for name, values in SETTINGS.items()}
        assert run(command, tmp_path / f"a folder with ünïcode {number}", variables) == plain


WATCH = """
import sys
seen = []
def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.fork",
                         "os.posix_spawn", "pickle.", "urllib.", "webbrowser.")):
        if event != "socket.gethostname":
            seen.append(f"{event} {arguments}"[:200])
sys.addaudithook(watch)
import run_submission, semaniacs.cli, semaniacs.runs.scorer, semaniacs.embeddings.loading, semaniacs.features.registry
sys.exit("; ".join(seen) or 0)
"""


def test_an_import_starts_fetches_and_unpickles_nothing() -> None:
    environment = os.environ | {"PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    typed = [sys.executable, "-c", WATCH]
    ended = subprocess.run(typed, env=environment, capture_output=True, check=False)
    assert ended.returncode == 0, ended.stderr
