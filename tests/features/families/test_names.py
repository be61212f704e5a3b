"""Names: pairs in which one is replaced, and pairs in which it is said in another way."""

from __future__ import annotations

import pytest

from features.families.names import name_differences
from tests.features.support import sentence_of

APART = """
He flew to Paris | He flew to London
John likes Mary | John likes Susan
John bought a car | Mary bought a car
Paris is nice | London is nice
She works for Google in Berlin | She works for Microsoft in Berlin
John Smith left early | John Brown left early
He lives in New York | He lives in New Jersey
Mr Jones called | Mr Evans called
The president of France spoke | The president of Italy spoke
I met Anna at the station | I met Peter at the station
The train from Madrid was late | The train from Lisbon was late
Iran signed the treaty | Iraq signed the treaty
""".strip().split("\n")

ALIKE = """
Obama spoke | Barack Obama spoke
President Obama spoke | Obama spoke
Mr Smith left | Smith left
J. Smith left | John Smith left
The UN met | The United Nations met
The BoE met in London | The Bank of England met in London
French troops left | Troops of France left
Gaddafi is dead | Qaddafi is dead
He met Bill Clinton | He met William Clinton
The dog ran | The cat ran
The USA won | The United States won
U.S. troops left | US troops left
On Monday he left | On Tuesday he left
He lives in Paris | He lives in the capital
Dr. Watson came | Watson came
Dogs bark | Cats bark
He spoke to this House | He spoke to this Parliament
He saw José | He saw Jose
Paris met London | London met Paris
""".strip().split("\n")


def pairs(rows: list[str]) -> list[tuple[str, ...]]:
    return [tuple(side.strip() for side in row.split("|")) for row in rows]


@pytest.mark.parametrize(("left", "right"), pairs(APART))
def test_a_name_that_is_replaced(left: str, right: str) -> None:
    (there,) = name_differences(sentence_of(left), sentence_of(right))
    (back,) = name_differences(sentence_of(right), sentence_of(left))
    assert (there.left, there.right, there.grade) == (back.right, back.left, back.grade)


@pytest.mark.parametrize(("left", "right"), pairs(ALIKE))
def test_names_that_agree(left: str, right: str) -> None:
    assert name_differences(sentence_of(left), sentence_of(right)) == ()
    assert name_differences(sentence_of(right), sentence_of(left)) == ()
