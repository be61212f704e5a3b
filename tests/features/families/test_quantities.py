"""Amounts: pairs that exclude each other, and pairs that say the same in other words."""

from __future__ import annotations

import math

import pytest

from features.families.numbers import quantity_differences
from features.measures.values.amounts import amounts
from tests.features.support import Value, sentence_of

APART = """
It cost $3 million | It cost $3 billion
Sales rose to 3 million dollars | Sales rose to 3 billion dollars
The firm raised €40m | The firm raised €45m
Two dogs run along the beach | Three dogs run along the beach
two dogs and three cats | three dogs and two cats
A dog is running | Two dogs are running
He sleeps in Room 101 | He sleeps in Room 102
She flew a Boeing 737 | She flew a Boeing 747
Take Route 66 to the coast | Take Route 67 to the coast
version 3.1 is out | version 3.2 is out
flight AA12 has landed | flight AA14 has landed
They won 2-1 | They won 1-2
They won 2-1 | They won 3-1
It is 5 km away | It is 5 miles away
The meeting lasts 90 minutes | The meeting lasts 2 hours
He waited an hour and a half | He waited two hours
prices rose 5% | prices rose 15 percent
half of them left | a third of them left
the first man on the moon | the second man on the moon
more than 50 people died | fewer than 50 people died
at least 5 people came | at most 5 people came
He paid 20 dollars | He paid 20 euros
He weighs 70 kg | He weighs 90 kg
It was 20 degrees Celsius | It was 30 °C
The company has 500 employees | The company has 5,000 employees
a 5-year-old boy | a 7-year-old boy
One in five adults smokes | One in three adults smokes
World War I ended | World War II ended
Chapter 3 is long | Chapter 4 is long
two dozen eggs | a dozen eggs
between 3 and 5 people | between 6 and 8 people
Add 200 ml of milk | Add 2 litres of milk
The disk holds 500 GB | The disk holds 500 MB
The tower is 300 feet tall | The tower is 300 m tall
The limit is 30 mph | The limit is 50 mph
She ran 10 kilometres | She ran 10 miles
He took four pills | He took forty pills
Thirteen people were hurt | Thirty people were hurt
The farm has 12 acres | The farm has 120 acres
It fell to -5 °C | It fell to 5 °C
Flight BA 22 left | Flight BA 23 left
Two thirds of voters agree | Three quarters of voters agree
It took him three days | It took him three weeks
""".strip().split("\n")

ALIKE = """
It is 5 km away | It is 5,000 m away
It is 5 km away | It is 5 kilometres away
It is five kilometers away | It is 5km away
It lasts 90 minutes | It lasts 1.5 hours
It lasts 90 minutes | It lasts an hour and a half
It cost $1,000,000 | It cost 1 million dollars
It cost USD 1m | It cost $1,000,000
It cost US$ 1 million | It cost one million US dollars
It cost £5m | It cost five million pounds
Two dogs | 2 dogs
the 1st man | the first man
a couple of dogs | two dogs
a dozen eggs | 12 eggs
half a dozen eggs | six eggs
half of them | 50 % of them
half of them | 50 percent of them
5 per cent | 5%
about 5 people | nearly 5 people
between 3 and 5 people | 3-5 people
3 to 5 people | 3–5 people
½ cup of sugar | 1/2 cup of sugar
two thirds of voters | 67% of voters
he waited half an hour | he waited 30 minutes
a hundred people | 100 people
twenty-five people | 25 people
two hundred and fifty cows | 250 cows
2.5 million people | 2,500,000 people
three thousand two hundred | 3,200
6 feet 2 inches tall | 1.88 m tall
It was 98.6 °F | It was 37 degrees Celsius
more than 100 people | at least 101 people
over 50 people | 53 people
dozens of people died | 36 people died
a 5-year-old boy | a boy of five years
10 pounds | £10
he weighs 10 pounds | he weighs 10 lbs
one in five adults | 20% of adults
Arsenal beat Chelsea 2-1 | Chelsea lost 1-2 to Arsenal
World War II ended | World War 2 ended
two weeks | 14 days
24 months | two years
The F-16 crashed | The F16 crashed
No. 5 is alive | Number 5 is alive
$3.14 million | $3.1 million
three and a half years | 3.5 years
3 1/2 years | three and a half years
three quarters | 75%
one of the men | a man
No one came | nobody came
Boeing 737 | a Boeing 737
3 people killed, 5 hurt | 5 people hurt, 3 killed
The car does 100 km/h | The car does 100 kilometres per hour
The car does 60 miles an hour | The car does 60 mph
10 dogs | some dogs
a field of 2 hectares | a field of 20,000 square metres
Bring 1 kg of rice | Bring 1,000 grams of rice
Three hundred cats | 300 cats
Add 250 ml | Add a quarter of a litre
""".strip().split("\n")


def pairs(rows: list[str]) -> list[tuple[str, ...]]:
    return [tuple(side.strip() for side in row.split("|")) for row in rows]


@pytest.mark.parametrize(("left", "right"), pairs(APART))
def test_amounts_that_exclude_each_other(left: str, right: str) -> None:
    there = quantity_differences(sentence_of(left), sentence_of(right))
    back = quantity_differences(sentence_of(right), sentence_of(left))
    assert there and all(0 < found.grade <= 1 for found in there)
    assert sorted(found.grade for found in there) == sorted(found.grade for found in back)


@pytest.mark.parametrize(("left", "right"), pairs(ALIKE))
def test_amounts_that_agree(left: str, right: str) -> None:
    assert quantity_differences(sentence_of(left), sentence_of(right)) == ()
    assert quantity_differences(sentence_of(right), sentence_of(left)) == ()


@pytest.mark.parametrize(
    ("text", "dimension", "low", "high"),
    [
        ("5 km", "length", 5000, 5000),
        ("$1.5bn", "usd", 1.5e9, 1.5e9),
        ("75 cents", "usd", 0.75, 0.75),
        ("an hour and a half", "time", 5400, 5400),
        ("two hours and 30 minutes", "time", 9000, 9000),
        ("212 °F", "temperature", 100, 100),
        ("5-10 kg", "mass", 5, 10),
        ("36 km/h", "speed", 10, 10),
        ("three out of four", "share", 0.75, 0.75),
        ("hundreds of cats", "count", 200, 999),
        ("two and a half million", "count", 2.5e6, 2.5e6),
        ("the twenty-first", "ordinal", 21, 21),
        ("3 cubic metres", "volume", 3000, 3000),
    ],
)
def test_what_an_amount_is_worth(text: str, dimension: str, low: float, high: float) -> None:
    (found,) = amounts(sentence_of(text))
    assert found.readings[0].dimension == dimension
    assert found.readings[0].low == pytest.approx(low)
    assert found.readings[0].high == pytest.approx(high)


def test_a_difference_is_said_in_words() -> None:
    (found,) = quantity_differences(
        sentence_of("It cost 3 million dollars"), sentence_of("It cost 3 billion dollars")
    )
    assert str(found) == "3 million dollars ≠ 3 billion dollars"


def test_farther_apart_is_graded_higher(value: Value) -> None:
    near = value("quantity_conflict", "It cost $3", "It cost $4")
    far = value("quantity_conflict", "It cost $3 million", "It cost $3 billion")
    assert near == pytest.approx(0.5 + 0.5 * math.log(4 / 3) / math.log(1000))
    assert far == 1.0


def test_dates_are_no_amounts() -> None:
    assert amounts(sentence_of("On 3 May 2020 at 5 pm, in the 1990s, in 1999")) == ()
