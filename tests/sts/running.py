"""A fresh Python process in the project."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]


def python(
    *arguments: str | Path, stdin: str = "", environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """``python ARGUMENTS`` to its end, with every warning an error."""
    return subprocess.run(
        [sys.executable, "-W", "error", *map(str, arguments)],
        cwd=ROOT,
        env=os.environ | dict(environment or {}),
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
