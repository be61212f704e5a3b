"""A sample of every checker; `python -m tests.attacks` makes all of their cases."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.promises import Checker, failures, find_checkers
from tests.attacks.recomputed import QUICK, RESULTS, made_again

CHECKERS = find_checkers()


@pytest.mark.parametrize(
    "checker", [c for c in CHECKERS.values() if c.sample], ids=lambda c: c.name
)
def test_a_sample_holds(checker: Checker, tmp_path: Path) -> None:
    assert failures(checker.check, tmp_path / "attack", checker.sample) == []


@pytest.mark.parametrize("name", QUICK[:2])
def test_a_published_result_is_made_again(name: str, sts_data: Path) -> None:
    assert made_again(RESULTS / f"{name}.json", sts_data) is None
