"""Signs of two sentences that change their meaning: told apart, or left alone."""

from __future__ import annotations

import pytest

from semaniacs.features.families.sign_conflicts import sign_conflict, sign_differences
from semaniacs.sts.text.analysis import analyse
from tests.features.support import cases


@pytest.mark.parametrize(("left", "right", "expected"), cases("SIGNS"))
def test_signs_that_differ(left: str, right: str, expected: str) -> None:
    analysed = analyse([left, right])
    pair = analysed[left], analysed[right]
    assert " ".join(map(str, sign_differences(*pair))) == expected
    assert sign_conflict(*pair) == sign_conflict(*pair[::-1])
    assert (sign_conflict(*pair) > 0) == bool(expected)
