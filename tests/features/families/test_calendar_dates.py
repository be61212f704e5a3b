"""Dates and times: pairs that exclude each other, and pairs that say the same in other words."""

from __future__ import annotations

import pytest

from features.families.numbers import calendar_differences
from features.measures.values.moments import moments
from tests.features.support import sentence_of

APART = """
We meet on Monday | We meet on Tuesday
He left yesterday | He leaves tomorrow
last week we met | next week we meet
It will close next month | It closed last month
He was born on 3 May 2020 | He was born on 4 May 2020
He was born on 3 May 2020 | He was born on 2020-05-04
Born in 1990 | Born in 1991
The train leaves at 5 pm | The train leaves at 6 pm
The train leaves at 5 pm | The train leaves at 5 am
at noon | at midnight
It happened in the 1990s | It happened in the 1980s
It was built in the 19th century | It was built in the 18th century
We run in the morning | We run in the evening
It snows in summer | It snows in winter
He arrives at Christmas | He arrives at Easter
In May it rained | In June it rained
three years ago | three years from now
The shop opens at 9:30 | The shop opens at 10:30
half past six | half past seven
The deal was signed in March 2011 | The deal was signed in March 2012
Her birthday is on April 1st | Her birthday is on April 21st
The war began in 1914 | The war began in the 1930s
The party is on Christmas Day | The party is on 26 December
We met the day before yesterday | We met yesterday
It starts at 14:00 | It starts at 4 pm
""".strip().split("\n")

ALIKE = """
3 May 2020 | May 3, 2020
3 May 2020 | 2020-05-03
3 May 2020 | 03/05/2020
3 May 2020 | 05/03/2020
3 May 2020 | 3.5.2020
May 3rd | the third of May
In May | On 3 May
at 5 pm | at 17:00
at 5 p.m. | at 5 o'clock in the afternoon
at noon | at 12 pm
at noon | at 12:00
at midnight | at 0:00
in the 1990s | in the nineties
in the 1990s | in the '90s
in 1994 | in the 1990s
in the 19th century | in the 1800s
in 1850 | in the nineteenth century
half past five | 5:30
on Christmas Day | on 25 December
quarter to six | 5:45
in May 2020 | on 3 May 2020
at 8 in the morning | at 8 am
in the evening | at night
Sept. 11 | 11 September
Mon, 3 May | Monday, May 3rd
He may march in the sun | She may march on Monday
I saw him last | Next, I saw him
between 21 and 28 January | between January 21 and 28
a 1946 song | a song of 1946
at 17:00 | in the afternoon
2000 people came | 3000 people came
in the fall of 2010 | in autumn 2010
It will fall in the spring | It rises in spring
Halloween | 31 October
""".strip().split("\n")


def pairs(rows: list[str]) -> list[tuple[str, ...]]:
    return [tuple(side.strip() for side in row.split("|")) for row in rows]


@pytest.mark.parametrize(("left", "right"), pairs(APART))
def test_dates_that_exclude_each_other(left: str, right: str) -> None:
    there = calendar_differences(sentence_of(left), sentence_of(right))
    back = calendar_differences(sentence_of(right), sentence_of(left))
    assert there
    assert len(there) == len(back)


@pytest.mark.parametrize(("left", "right"), pairs(ALIKE))
def test_dates_that_agree(left: str, right: str) -> None:
    assert calendar_differences(sentence_of(left), sentence_of(right)) == ()
    assert calendar_differences(sentence_of(right), sentence_of(left)) == ()


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
