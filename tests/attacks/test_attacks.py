"""A sample of every checker; `python -m tests.attacks` makes all of their cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.promises import Checker, failures, find_checkers

CHECKERS = find_checkers()


@pytest.mark.parametrize(
    "checker", [c for c in CHECKERS.values() if c.sample], ids=lambda c: c.name
)
def test_a_sample_holds(checker: Checker, tmp_path: Path) -> None:
    assert failures(checker.check, tmp_path / "attack", checker.sample) == []
