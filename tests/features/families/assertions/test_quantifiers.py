"""All, some, none, only, except and bounds: pairs at odds and pairs that agree."""

from __future__ import annotations

import pytest

from features.families.assertions.quantifiers import conflicts
from tests.features.support import Value, sentence_of


def pairs(table: str) -> list[tuple[str, str]]:
    return [
        (left, right)
        for left, _, right in (row.partition(" | ") for row in table.strip().splitlines())
    ]


CONFLICTING = """
Only John came. | Everyone except John came.
Nobody but Anna knew the answer. | Everybody but Anna knew the answer.
All students passed the exam. | Some students passed the exam.
All of the students passed. | None of the students passed.
Every guest received a gift. | No guest received a gift.
Not all birds can fly. | All birds can fly.
Most people agreed with him. | Few people agreed with him.
Many voters stayed at home. | Few voters stayed at home.
He always eats breakfast. | He never eats breakfast.
She often visits her mother. | She rarely visits her mother.
At least five people were hurt. | At most five people were hurt.
More than 20 firms applied. | Fewer than 20 firms applied.
Exactly ten books were sold. | At least ten books were sold.
Everyone liked the play. | No one liked the play.
Half of the voters said yes. | All of the voters said yes.
All but the captain survived. | Only the captain survived.
The captain alone survived. | Everyone survived except the captain.
Nobody came except Mary. | Everyone came except Mary.
Only the manager signed the letter. | The manager signed only the letter.
Both brothers speak French. | Neither brother speaks French.
She sometimes works at night. | She never works at night.
All of them were saved. | Only a few of them were saved.
The shop is always open. | The shop is sometimes open.
He sold every painting. | He sold some paintings.
John was the only one who didn't come. | John was the only one who came.
Up to 50 people can sit here. | At least 50 people can sit here.
Hardly any tickets were sold. | Almost all tickets were sold.
No more than three children may enter. | No fewer than three children may enter.
Hardly anyone knows the answer. | Almost everyone knows the answer.
Some of my friends smoke. | All my friends smoke.
Everything in the box was broken. | Nothing in the box was broken.
"""

AGREEING = """
No one but John came. | Only John came.
Everyone but John came. | Everyone except John came.
No fewer than five people came. | At least five people came.
No more than five people came. | At most five people came.
All students passed. | Every student passed.
No student failed the exam. | All students passed the exam.
Not all students passed. | Some students failed.
Few people came. | Not many people came.
Everybody came apart from John. | All but John came.
John alone came. | Only John came.
He never fails to call. | He always calls.
She seldom goes out. | She rarely goes out.
Each of the boys got a prize. | All of the boys got a prize.
Some people like it. | There are people who like it.
Several people were hurt. | Some people were hurt.
Many people like it. | A lot of people like it.
Hardly anyone came. | Few people came.
More than 20 firms applied. | Over 20 firms applied.
Most voters agreed. | The majority of voters agreed.
He usually walks to work. | Most of the time he walks to work.
Nobody except Mary knew. | Only Mary knew.
John was the only one who didn't come. | Everyone except John came.
None of the guests were late. | No guest was late.
She is the most beautiful girl. | She is more beautiful than all other girls.
He was at work all day. | He worked the whole day.
Some 200 people came. | About 200 people came.
Not everyone likes fish. | Some people don't like fish.
Not one student answered. | No student answered.
The boys were both tall. | Both boys were tall.
Almost all seats were taken. | Nearly every seat was taken.
At most ten people can enter. | A maximum of ten people can enter.
"""

COLUMNS = ("quantifier_conflict",)


@pytest.mark.parametrize(("left", "right"), pairs(CONFLICTING))
def test_a_conflict_is_found_and_said(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) > 0
    assert conflicts(sentence_of(left), sentence_of(right))


@pytest.mark.parametrize(("left", "right"), pairs(AGREEING))
def test_no_conflict_where_there_is_none(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) == 0
    assert conflicts(sentence_of(left), sentence_of(right)) == []
