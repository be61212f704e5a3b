"""The same input gives the same bytes: whatever the hash seed, locale, time zone, threads, folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from random import Random

from tests.attacks.promises import Trial, checker

ROOT = Path(__file__).parents[2]

SETTINGS = {
    "PYTHONHASHSEED": ("0", "1", "4294967295", "random"),
    "LC_ALL": ("C", "C.UTF-8", "tr_TR.UTF-8", "de_DE.UTF-8"),
    "TZ": ("UTC", "Asia/Kathmandu", "America/St_Johns"),
    "OMP_NUM_THREADS": ("1", "2", "7"),
    "OPENBLAS_NUM_THREADS": ("1", "2"),
    "NUMBA_NUM_THREADS": ("1", "2"),
    "PYTHONUTF8": ("0", "1"),
    "COLUMNS": ("20", "200"),
    "PYTHONOPTIMIZE": ("", "2"),
}
"""What a machine may be set to."""

PAIRS = (
    "A dog runs in the park.\tA dog is running through a park.\n"
    "Los niños cantan.\tIstanbul'da İzmir ışık\n"
    "Stocks fell 1.5 % on Friday.\tShares did not rise.\n"
)

COMMANDS = {
    "encode": ("-m", "embeddings", "encode", "pairs.txt", "--output", "out"),
    "similar": ("-m", "embeddings", "similar", "pairs.tsv", "--output", "out"),
    "score": ("-m", "semaniacs", "score", "pairs.tsv", "-o", "out.tsv"),
    "submit": ("run_submission.py", "--run", "raw", "--output", "out"),
}
"""What is run, in a folder that holds ``pairs.tsv``, and the same as lines of text."""


def drawn(random: Random) -> dict[str, str]:
    """Surroundings by chance."""
    return {name: random.choice(values) for name, values in SETTINGS.items()}


def digest(command: tuple[str, ...], settings: dict[str, str], folder: Path) -> str:
    """sha256 of all that a command writes, to stdout and to files; or how it failed."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in ("pairs.tsv", "pairs.txt"):
        (folder / name).write_text(PAIRS, encoding="utf-8")
    program = [str(ROOT / part) if part == "run_submission.py" else part for part in command]
    ended = subprocess.run(
        [sys.executable, *program],
        cwd=folder,
        env={k: v for k, v in os.environ.items() if k not in SETTINGS}
        | {"PYTHONPATH": str(ROOT)}
        | {name: value for name, value in settings.items() if value},
        capture_output=True,
        check=False,
    )
    if ended.returncode:
        return f"failed: {ended.stderr.decode(errors='replace').strip()[-300:]}"
    found = sha256(ended.stdout)
    for path in sorted(p for p in folder.rglob("*") if p.is_file()):
        found.update(path.relative_to(folder).as_posix().encode() + path.read_bytes())
    return found.hexdigest()


def compare(
    command: tuple[str, ...], random: Random, cases: int, folder: Path
) -> Iterator[str | None]:
    """The bytes in the plainest surroundings against those in others."""
    plain = {name: values[0] for name, values in SETTINGS.items()}
    expected = digest(command, plain, folder / "a")
    if expected.startswith("failed"):
        yield f"{' '.join(command)}: {expected}"
        return
    for number in range(cases):
        settings = drawn(random)
        elsewhere = folder / random.choice(("b", "a folder with ünïcode", "x" * 100)) / str(number)
        found = digest(command, settings, elsewhere)
        shown = " ".join(f"{name}={value}" for name, value in settings.items())
        yield None if found == expected else f"{' '.join(command)} with {shown}: {found}"


def _register(name: str, command: tuple[str, ...]) -> None:
    def check(trial: Trial) -> Iterator[str | None]:
        return compare(command, trial.random, trial.cases, trial.folder)

    check.__name__ = f"same_{name}"
    sample = 1 if name == "encode" else 0
    checker("same bytes", f"{name} in other surroundings", cases=6, sample=sample, seconds=600)(
        check
    )


for _name, _command in COMMANDS.items():
    _register(_name, _command)
