"""Names: sentences and the names in them."""

from __future__ import annotations

import pytest

from tests.features.support import names, sentence_of, wrong_so_far


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
