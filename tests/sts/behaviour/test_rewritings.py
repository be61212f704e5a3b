"""Rewritings by rule, by hand."""

from __future__ import annotations

import pytest

from semaniacs.sts.behaviour.rewritings import REWRITINGS


@pytest.mark.parametrize(
    ("name", "sentence", "rewritten"),
    [
        ("typo", "He received the package.", "He recieved the package."),
        ("typo", "Anna saw bees.", None),
        ("typo", "A kaffee cup", None),  # the two letters are the same
        ("upper case", "It's Ana 👍", "IT'S ANA 👍"),
        ("upper case", "101", None),
        ("lower case", "Ana ran.", "ana ran."),
        ("lower case", "rain", None),
        ("no full stop", "Rain.", "Rain"),
        ("no full stop", "Rain...", None),
        ("no full stop", "Rain?", None),
        ("contraction", "I can't and won't; he doesn't.", "I cannot and will not; he does not."),
        ("contraction", "They're late.", "They are late."),
        ("contraction", "We cannot stay.", "We can't stay."),
        ("contraction", "You are late and it will not do.", "You're late and it won't do."),
        ("contraction", "Isn't it late?", None),
        ("contraction", "Ana's dog ran.", None),
    ],
)
def test_rewritings(name: str, sentence: str, rewritten: str | None) -> None:
    assert REWRITINGS[name](sentence) == rewritten
