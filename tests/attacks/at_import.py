"""Importing the program starts nothing, unpickles nothing and calls nobody."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.attacks.promises import Trial, checker
from tests.layout import ROOMS

ROOT = Path(__file__).parents[2]

WATCH = """
import sys
seen = []
def watch(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.system", "os.exec", "os.fork",
                         "os.posix_spawn", "pickle.", "marshal.", "urllib.", "webbrowser.")):
        if event not in ("socket.gethostname", "marshal.loads"):  # marshal reads .pyc files
            seen.append(f"{event} {arguments}"[:200])
sys.addaudithook(watch)
"""


def at_import_of(module: str, path: Path = ROOT) -> str | None:
    """What a module does at its import that it should not; None if nothing."""
    code = f"{WATCH}\nimport {module}\nsys.exit('; '.join(seen) or 0)"
    ended = subprocess.run(
        [sys.executable, "-c", code],
        env=os.environ | {"PYTHONPATH": str(path), "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return f"{module}: {ended.stderr.strip().splitlines()[-1]}" if ended.returncode else None


@checker(
    "supply", "no module runs, fetches or unpickles anything at its import", cases=80, sample=2
)
def at_import(trial: Trial) -> Iterator[str | None]:
    """Import modules of the house in processes of their own, those of the front door first."""
    files = [f for room in ROOMS[:-1] for f in sorted((ROOT / room).rglob("*.py"))]
    modules = [".".join(f.relative_to(ROOT).with_suffix("").parts) for f in files]
    others = [m for m in modules if not m.endswith("__main__")]
    trial.random.shuffle(others)
    for module in ["run_submission", "semaniacs.cli", *others][: trial.cases]:
        yield at_import_of(module.removesuffix(".__init__"))
