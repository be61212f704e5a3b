"""Dates: sentences and the dates in them."""

from __future__ import annotations

import pytest

from tests.features.support import Value, dates, sentence_of, wrong_so_far


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("on Monday and Tues", {"monday", "tuesday"}),
        ("in May", {"may"}),
        ("Sept. 26, 2013", {"september", "2013"}),
        ("Nov. 19", {"november"}),
        ("12/25/2013", {"2013"}),
        ("2013-05-06", {"2013"}),
        ("Today's news", {"today"}),
        ("yesterday, TOMORROW or tonight", {"yesterday", "tomorrow", "tonight"}),
        ("Monday's", {"monday"}),
        # words that are no dates
        ("it may march on", set()),
        ("he sat in the sun", set()),
        ("they wed", set()),
        ("1790 or 2100", set()),
        ("the 1990s", set()),
        ("", set()),
        # what the rules get wrong
        ("germany surrendered in april.", {"april"}),
        ("did you see the pm i sent you on friday?", {"friday"}),
        ("on Thurs night", {"thursday"}),
        wrong_so_far("May I go?", set()),
        wrong_so_far("Sun Microsystems", set()),
    ],
)
def test_dates(text: str, expected: set[str]) -> None:
    assert dates(sentence_of(text)) == expected


@pytest.mark.parametrize(
    ("left", "right", "match"),
    [
        ("on Monday", "on Mon", 1),
        ("on Monday", "on Tuesday", 0),
        ("on Monday", "then", 0),
        ("now", "then", 1),
        ("in May 2013", "in June 2013", 1 / 2),
    ],
)
def test_dates_of_a_pair(value: Value, left: str, right: str, match: float) -> None:
    assert value("date_match", left, right) == pytest.approx(match)
