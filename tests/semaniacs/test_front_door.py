"""The public names, also where a person's own folder or file has the name of one of our rooms."""

from __future__ import annotations

import doctest
import os
import subprocess
import sys
from pathlib import Path

import pytest

import semaniacs


def test_the_example_of_the_package_is_true() -> None:
    found = doctest.testmod(semaniacs)
    assert (found.failed, found.attempted > 3) == (0, True)


def test_every_public_name_is_there() -> None:
    assert {*semaniacs.__all__} < {*dir(semaniacs)}
    for name in {*dir(semaniacs)} - {"__version__"}:
        assert getattr(semaniacs, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'scorer'"):
        semaniacs.scorer  # noqa: B018


def test_importing_takes_nothing_along() -> None:
    code = "import sys, semaniacs; print([n for n in ('numpy', 'click') if n in sys.modules])"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert ended.stdout == b"[]\n"


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
