"""The public names."""

from __future__ import annotations

import doctest
import subprocess
import sys

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
