"""Did, will, may, must, almost, wanted: pairs at odds and pairs that agree."""

from __future__ import annotations

import pytest

from features.families.assertions.factuality import conflicts
from tests.features.support import Value, sentence_of


def pairs(table: str) -> list[tuple[str, str]]:
    return [
        (left, right)
        for left, _, right in (row.partition(" | ") for row in table.strip().splitlines())
    ]


CONFLICTING = """
He may have won the race. | He won the race.
She considered buying a house. | She bought a house.
He tried to open the door. | He opened the door.
They almost won the cup. | They won the cup.
The team will win the match. | The team won the match.
The suspect allegedly stole the car. | The suspect stole the car.
She promised to call him. | She called him.
You may leave now. | You must leave now.
He nearly drowned in the lake. | He drowned in the lake.
Did he sign the contract? | He signed the contract.
He would have passed the exam. | He passed the exam.
She plans to visit Rome. | She visited Rome.
The patient might be dead. | The patient is dead.
He used to smoke. | He smokes.
The company wants to hire her. | The company hired her.
They could have saved the boy. | They saved the boy.
Perhaps the minister resigned. | The minister resigned.
He hopes to finish the book. | He finished the book.
Students can leave early. | Students must leave early.
The bank is going to close the branch. | The bank closed the branch.
He attempted to climb the mountain. | He climbed the mountain.
She was asked to resign. | She resigned.
It might rain tomorrow. | It will rain tomorrow.
They threatened to leave the union. | They left the union.
"""

AGREEING = """
He managed to escape. | He escaped.
She will visit Rome. | She is going to visit Rome.
He won the race. | The race was won by him.
He must leave. | He has to leave.
He may come. | He might come.
He has bought a car. | He bought a car.
Perhaps he won. | He may have won.
She tried to call him. | She attempted to call him.
A man is playing a guitar. | A man plays a guitar.
He is going to marry her. | He will marry her.
He opened the door. | The door was opened by him.
The dog is running. | The dog runs.
It will rain tomorrow. | Tomorrow it is going to rain.
Nearly 200 people died. | Almost 200 people died.
She plans to visit Rome. | She intends to visit Rome.
He allegedly stole it. | He is said to have stolen it.
"""

COLUMNS = ("factuality_conflict",)


@pytest.mark.parametrize(("left", "right"), pairs(CONFLICTING))
def test_a_conflict_is_found_and_said(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) > 0
    assert conflicts(sentence_of(left), sentence_of(right))


@pytest.mark.parametrize(("left", "right"), pairs(AGREEING))
def test_no_conflict_where_there_is_none(value: Value, left: str, right: str) -> None:
    assert max(value(name, left, right) for name in COLUMNS) == 0
    assert conflicts(sentence_of(left), sentence_of(right)) == []
