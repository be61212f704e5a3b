"""A person's own folder or file with the name of one of our packages is found out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def python(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Python in a person's own folder, with our packages further back on the path."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


@pytest.mark.parametrize("own", ["features/__init__.py", "runs.py", "embeddings/__init__.py"])
def test_what_hides_ours_is_named(own: str, tmp_path: Path) -> None:
    path = tmp_path / own
    path.parent.mkdir(exist_ok=True)
    path.touch()
    hides = path.parent if path.name == "__init__.py" else path
    ended = python(tmp_path, "-c", "import semaniacs")
    said = ended.stderr.splitlines()[-1]
    assert said.startswith(f"ImportError: {hides} hides semaniacs' own package {hides.stem!r}; ")


@pytest.mark.parametrize("program", ["run_submission", "semaniacs"])
def test_the_command_line_says_it_in_one_line(program: str, tmp_path: Path) -> None:
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "__init__.py").touch()
    ended = python(tmp_path, "-m", program, "--version")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"error: {tmp_path / 'features'} hides semaniacs' own package")
    assert ended.stderr.count("\n") == 1


def test_a_folder_that_is_no_package_hides_nothing(tmp_path: Path) -> None:
    (tmp_path / "features").mkdir()
    ended = python(tmp_path, "-c", "import semaniacs; print(semaniacs.__version__)")
    assert (ended.returncode, ended.stderr) == (0, "")
