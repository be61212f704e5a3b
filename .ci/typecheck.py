"""Check the types with mypy, on a copy in which the rooms are inside the package, as installed."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from setup import copy_package  # noqa: E402

COPY = ROOT / "build" / "types"
OTHERS = (
    "run_submission.py",
    "pytest_semaniacs.py",
    "setup.py",
    "research",
    "docs/site",
    ".ci/release.py",
)


def main() -> int:
    """Copy the sources and return mypy's exit status."""
    shutil.rmtree(COPY, ignore_errors=True)
    copy_package(COPY)
    for other in OTHERS:
        target = COPY / other
        target.parent.mkdir(parents=True, exist_ok=True)
        copy = shutil.copytree if (ROOT / other).is_dir() else shutil.copy
        copy(ROOT / other, target)
    configuration = str(ROOT / "pyproject.toml")
    command = [sys.executable, "-m", "mypy", "--config-file", configuration, "semaniacs", *OTHERS]
    return subprocess.run(command, cwd=COPY, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(main())
