"""Dates and times: pairs that exclude each other, and pairs that say the same in other words."""

from __future__ import annotations

import pytest

from features.measures.values.moments import moments
from tests.features.support import sentence_of


@pytest.mark.parametrize(
    ("text", "kind", "readings"),
    [
        ("3 May 2020", "date", ((2020, 5, 3),)),
        ("03/05/2020", "date", ((2020, 5, 3), (2020, 3, 5))),
        ("13/05/2020", "date", ((2020, 5, 13),)),
        ("May the 3rd", "date", ((0, 5, 3),)),
        ("5:30 p.m.", "clock", ((1050,),)),
        ("at 5:30", "clock", ((330,), (1050,))),
        ("12 am", "clock", ((0,),)),
        ("the 1990s", "period", ((1990, 1999),)),
        ("the 21st century", "period", ((2000, 2099),)),
        ("the day after tomorrow", "relative", (("day", 2),)),
        ("Valentine's Day", "date", ((0, 2, 14),)),
        ("on Tuesdays", "weekday", (("tuesday",),)),
    ],
)
def test_what_a_moment_means(text: str, kind: str, readings: tuple[tuple[int, ...], ...]) -> None:
    (found,) = moments(sentence_of(text))
    assert (found.kind, found.readings) == (kind, readings)


@pytest.mark.parametrize(
    "text", ["You may go", "They march on", "2000 people", "3.1.2", "the sun and the moon", ""]
)
def test_what_is_no_moment(text: str) -> None:
    assert moments(sentence_of(text)) == ()


@pytest.mark.parametrize(
    "text", ["31 April", "on April 31", "the 30th of February", "Feb 30, 2020", "31/04/2020"]
)
def test_a_day_that_a_month_lacks_is_no_date(text: str) -> None:
    assert all(day == 0 for m in moments(sentence_of(text)) for _, _, day in m.readings)
