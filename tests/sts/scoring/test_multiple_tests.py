"""Holm's correction, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sts.scoring.shared_task.multiple_tests import holm


def test_by_hand() -> None:
    # In order .005 · 4, .01 · 3, .03 · 2, .04 · 1, and the last is raised to the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.3, 0.7, 0.6]) == pytest.approx([0.9, 1, 1])
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_it_rejects_what_the_step_down_test_rejects(p: list[float], alpha: float) -> None:
    rejected = 0
    for step, value in enumerate(sorted(p)):  # Holm's own description
        if value * (len(p) - step) > alpha:
            break
        rejected += 1
    adjusted = holm(p)
    assert sum(one <= alpha for one in adjusted) == rejected
    assert np.all(np.array(adjusted) >= p)
