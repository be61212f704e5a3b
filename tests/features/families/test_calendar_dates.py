"""Dates and times: the words that say them, and words that only look like them."""

from __future__ import annotations

import pytest

from features.measures.moments import moments
from tests.features.support import cases, sentence_of


@pytest.mark.parametrize(("text", "kind", "readings"), cases("test_what_a_moment_means"))
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
