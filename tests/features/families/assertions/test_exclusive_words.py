"""Things of one kind that exclude each other, and pairs in which none does."""

from __future__ import annotations

import pytest

from features.families.assertions.exclusive_words import conflicts
from tests.features.support import Value, sentence_of


def pairs(table: str) -> list[tuple[str, str]]:
    return [
        (left, right)
        for left, _, right in (row.partition(" | ") for row in table.strip().splitlines())
    ]


CONFLICTING = """
The car is red. | The car is blue.
A cat sleeps on the sofa. | A dog sleeps on the sofa.
She speaks French fluently. | She speaks German fluently.
They met in summer. | They met in winter.
He plays the piano. | He plays the violin.
My brother lives in Oslo. | My sister lives in Oslo.
We had breakfast together. | We had dinner together.
He ordered tea. | He ordered coffee.
The table is made of wood. | The table is made of glass.
A woman is peeling a potato. | A woman is peeling an onion.
The child drew a circle. | The child drew a square.
He arrived in the morning. | He arrived in the evening.
She won a gold medal. | She won a silver medal.
He broke his arm. | He broke his leg.
"""

AGREEING = """
The car is red. | The red car.
A puppy sleeps on the sofa. | A dog sleeps on the sofa.
She rides a bike. | She rides a bicycle.
A cat chased a dog. | A dog was chased by a cat.
The leaves are green and yellow. | The leaves are yellow and green.
He ate lunch. | He had lunch.
Dinner is ready. | Supper is ready.
He studies French. | He studies the French language.
"""

COLUMNS = ("exclusive_words",)


@pytest.mark.parametrize(("left", "right"), pairs(CONFLICTING))
def test_a_conflict_is_found_and_said(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) > 0
    assert conflicts(sentence_of(left), sentence_of(right))


@pytest.mark.parametrize(("left", "right"), pairs(AGREEING))
def test_no_conflict_where_there_is_none(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) == 0
    assert conflicts(sentence_of(left), sentence_of(right)) == []
