"""Pairs whose sides write the same alike, before they are compared.

One spelling for each word (:func:`.respell`), and one writing for each amount: beside "$1,000,000",
"1 million dollars" becomes "$1,000,000", beside "two dogs" "2 dogs" becomes "two dogs". So every
feature sees what is the same as the same, where it would else see two unknown words. Texts of more
than ``LONGEST_TEXT`` characters stay as they are: each word is compared with each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from math import isclose

from features.batch import LONGEST_TEXT, Batch
from features.measures.values.amounts import Amount, amounts
from features.measures.values.numerals import may_be_number
from features.measures.values.spelled import respell
from sts.text.analysis import Sentence, analyse

Sides = tuple[Sentence, Sentence]
Texts = tuple[str, str]


def written_alike(batch: Batch) -> Batch:
    """Return the pairs with one spelling and one writing of amounts; the batch itself if all have."""
    sides = list(zip(batch.left, batch.right, strict=True))
    changed = _rewrite(sides, range(len(sides)), _spelled_alike)
    changed += _rewrite(sides, _counting(sides), amounts_alike)
    if not changed:
        return batch
    left, right = zip(*sides, strict=True)
    return Batch(left, right, batch.resources)


def _counting(sides: Sequence[Sides]) -> list[int]:
    """The places of the pairs of which both sides may hold a number."""
    numbers = set(filter(may_be_number, set().union(*(s.tokens for pair in sides for s in pair))))
    return [
        place
        for place, (a, b) in enumerate(sides)
        if not (numbers.isdisjoint(a.tokens) or numbers.isdisjoint(b.tokens))
    ]


def _rewrite(
    sides: list[Sides], places: Iterable[int], rewrite: Callable[[Sentence, Sentence], Texts]
) -> int:
    """Rewrite the pairs in these places, but for long texts; how many were."""
    found = {}
    for place in places:
        a, b = sides[place]
        texts = rewrite(a, b) if max(len(a.text), len(b.text)) <= LONGEST_TEXT else None
        if texts and texts != (a.text, b.text):
            found[place] = texts
    analysed = analyse(text for texts in found.values() for text in texts)
    for place, (one, other) in found.items():
        sides[place] = analysed[one], analysed[other]
    return len(found)


def _spelled_alike(a: Sentence, b: Sentence) -> Texts:
    return respell(a.text, b.text)


def amounts_alike(a: Sentence, b: Sentence) -> Texts:
    """Both sentences, the amounts of the second written as the first writes the same ones."""
    text = b.text
    for theirs in amounts(b):
        same = next((own for own in amounts(a) if _is_exactly(own, theirs)), None)
        if same is not None and _written(same).lower() != _written(theirs).lower():
            text = _replaced(text, _written(theirs), _found(a.text, _written(same)))
    return a.text, text


def _is_exactly(a: Amount, b: Amount) -> bool:
    """Whether two amounts are the same to the last digit, and said to be as exact."""
    if a.key or b.key or (a.of, a.bound, a.about) != (b.of, b.bound, b.about):
        return False
    return any(
        x.dimension == y.dimension and isclose(x.low, y.low) and isclose(x.high, y.high)
        for x in a.readings
        for y in b.readings
    )


def _written(amount: Amount) -> str:
    """The words of an amount, of what is counted the number alone: "two" of "two big dogs"."""
    words = amount.text.split()
    return " ".join(takewhile(may_be_number, words) if amount.of else words)


def _found(text: str, words: str) -> str:
    """Return tokenized words as a text writes them; empty if it does not contain them."""
    match = _pattern(words).search(text) if words else None
    return match[0] if match else ""


def _replaced(text: str, words: str, others: str) -> str:
    return _pattern(words).sub(lambda _: others, text, count=1) if words and others else text


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"\s*".join(map(re.escape, words.split())) + r"(?!\w)")
