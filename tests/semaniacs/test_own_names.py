"""A person's own folder or file may have the name of one of our rooms."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = """
import {own}
assert {own}.MINE
import semaniacs
from semaniacs import embeddings
print(semaniacs.score("A dog runs.", "A dog is running.") > 4, embeddings.__name__)
"""


@pytest.mark.parametrize("own", ["runs.py", "embeddings/__init__.py"])
def test_both_are_imported(own: str, tmp_path: Path) -> None:
    path = tmp_path / own
    path.parent.mkdir(exist_ok=True)
    path.write_text("MINE = True\n")
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(own=Path(own).parts[0].removesuffix(".py"))],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ended.stderr, ended.stdout) == ("", "True semaniacs.embeddings\n")
