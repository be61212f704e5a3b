"""Names: sentences and the names in them."""

from __future__ import annotations

import pytest

from tests.features.support import Value, names, sentence_of, wrong_so_far


@pytest.mark.parametrize(
    ("text", "words", "initials"),
    [
        ("It rains in London", "london", ""),
        ("He met Barack Obama in New York", "barack obama new york", "bo ny"),
        ("Barack Obama spoke", "barack obama", "bo"),
        ("Iran says no", "iran", ""),  # tagged as a proper noun
        ("Dogs bark", "", ""),  # the first word alone is none
        ("I think so", "", ""),
        ("the Bank of America", "bank america", ""),
        ("U.S. and US troops", "us", ""),
        ("World Health Organization warns", "world health organization", "who"),
        ("São Paulo is big", "são paulo", "sp"),
        ("quiet", "", ""),
        ("", "", ""),
        # what the rules get wrong
        ("In London it rains", "london", ""),
        ("The White House said so", "white house", "wh"),
        ("But I saw it", "", ""),
        ("He left. The dog ran.", "", ""),
        wrong_so_far("WHO: New virus can pass", "who new", ""),
    ],
)
def test_entities(text: str, words: str, initials: str) -> None:
    assert names(sentence_of(text)) == (set(words.split()), set(initials.split()))


LONG, SHORT = "He left the World Health Organization", "He left WHO"


@pytest.mark.parametrize(
    ("left", "right", "match", "conflict"),
    [
        ("He saw Paris", "She saw Paris", 1, 0),
        ("He saw Paris", "She saw London", 0, 1),
        ("He saw Paris", "She saw it", 0, 0),
        ("He saw it", "She saw it", 1, 0),
        ("He saw the U.S.", "He saw the US", 1, 0),
        (LONG, SHORT, 1, 0),  # an acronym stands for its name
        (LONG, LONG, 1, 0),
        ("He left the UN", SHORT, 0, 1),
        (f"{LONG} in Paris", f"{SHORT} in London", pytest.approx(0.5, abs=0.4), 1),
    ],
)
def test_names_of_a_pair(
    value: Value, left: str, right: str, match: float, conflict: float
) -> None:
    for a, b in ((left, right), (right, left)):
        assert value("entity_match", a, b) == match
        assert value("entity_conflict", a, b) == conflict
