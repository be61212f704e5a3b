"""Numbers, capitals, stock symbols, determiners."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from features.families.surface import names, numbers, same_number, stocks
from sts.text.analysis import Sentence
from tests.features.support import cases, sentence_of


@pytest.mark.parametrize(
    ("find", "text", "expected"),
    [
        (numbers, "7 cats, 1,200 dogs and 3.5 %", {"7", "1200", "3.5"}),
        (numbers, "version 1.2.3", {"1.2.3"}),
        (numbers, "the 2nd of B52s", set()),
        (numbers, "7 and 7", {"7"}),
        (numbers, "half past ½", set()),
        (names, "The man from New York", {"New", "York"}),
        (names, "Paris is in France", {"France"}),
        (names, "He left the U.S. in May", {"May"}),
        (names, "in Évora and ÅBO", {"Évora", "ÅBO"}),
        (names, "quiet", set()),
        (stocks, ".DJI and .IXIC", {".DJI", ".IXIC"}),
        (stocks, "(.SPX)", {".SPX"}),
        (stocks, "The end .So it was.", set()),
        (stocks, "DJI fell .5 points", set()),
        *((find, "", set()) for find in (numbers, names, stocks)),
    ],
)
def test_what_is_found(
    find: Callable[[Sentence], frozenset[str]], text: str, expected: set[str]
) -> None:
    assert find(sentence_of(text)) == expected


@pytest.mark.parametrize(("a", "b", "same"), cases("test_same_number"))
def test_same_number(a: str, b: str, same: bool) -> None:
    assert same_number(a, b) == same_number(b, a) == same
