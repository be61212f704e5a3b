"""Signs of two sentences that change their meaning: told apart, or left alone."""

from __future__ import annotations

import pytest

from semaniacs.features.families.sign_conflicts import sign_conflict, sign_differences
from semaniacs.features.measures.notations import values_alike
from semaniacs.sts.text.analysis import analyse
from semaniacs.sts.text.signs import signs
from tests.features.support import cases


@pytest.mark.parametrize(("left", "right", "expected"), cases("SIGNS"))
def test_signs_that_differ(left: str, right: str, expected: str) -> None:
    analysed = analyse([left, right])
    pair = analysed[left], analysed[right]
    assert " ".join(map(str, sign_differences(*pair))) == expected
    assert sign_conflict(*pair) == sign_conflict(*pair[::-1])
    assert (sign_conflict(*pair) > 0) == bool(expected)


HOSTILE = {
    "digits": "1" * 9000,
    "letters": "a" * 9000,
    "marks": "1," * 4500,
    "blanks": f"- 5{' ' * 9000}x",
    "exponent": f"{'1' * 400}e9",
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_text_is_read_at_once(text: str) -> None:
    assert len(signs(f"{text} # {text}")) < 3
    sides = analyse([text, f"{text} 7"])
    assert values_alike(sides[text], sides[f"{text} 7"])[0]
