"""Pairs whose sides write the same alike, before they are compared.

One spelling for each word (:func:`.respell`), and one writing for each amount: beside "$1,000,000",
"1 million dollars" becomes "$1,000,000", beside "two dogs" "2 dogs" becomes "two dogs". So every
feature sees what is the same as the same, where it would else see two unknown words. Texts of more
than ``LONGEST_TEXT`` characters stay as they are: each word is compared with each.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from itertools import takewhile
from math import isclose

import numpy as np

from features.batch import LONGEST_TEXT, Batch
from features.measures.values.amounts import Amount, amounts
from features.measures.values.numerals import hopeful
from features.measures.values.spelled import respell
from features.measures.values.spelled_columns import may_differ
from sts.text.analysis import Sentence, analyse


def written_alike(batch: Batch) -> Batch:
    """The same pairs, of which each side is written as the other one is; the batch if all are."""
    spelled = _rewritten(batch, np.flatnonzero(may_differ(batch)).tolist(), _spelled_alike)
    holds = {s.text: any(map(hopeful, s.tokens)) for s in spelled.sentences}
    pairs = enumerate(zip(spelled.left, spelled.right, strict=True))
    counting = [place for place, (a, b) in pairs if holds[a.text] and holds[b.text]]
    return _rewritten(spelled, counting, amounts_alike)


def _rewritten(
    batch: Batch, places: Iterable[int], rewrite: Callable[[Sentence, Sentence], tuple[str, str]]
) -> Batch:
    found = {}
    for place in places:
        pair = batch.left[place], batch.right[place]
        given = pair[0].text, pair[1].text
        texts = rewrite(*pair) if max(map(len, given)) <= LONGEST_TEXT else given
        if texts != given:
            found[place] = texts
    if not found:
        return batch
    analysed = analyse(text for texts in found.values() for text in texts)
    left, right = list(batch.left), list(batch.right)
    for place, (one, other) in found.items():
        left[place], right[place] = analysed[one], analysed[other]
    return Batch(left, right, batch.resources)


def _spelled_alike(a: Sentence, b: Sentence) -> tuple[str, str]:
    return respell(a.text, b.text)


def amounts_alike(a: Sentence, b: Sentence) -> tuple[str, str]:
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
    return " ".join(takewhile(hopeful, words) if amount.of else words)


def _found(text: str, words: str) -> str:
    """What words, with a blank between any two tokens, are in a text; empty if they are not."""
    match = _pattern(words).search(text) if words else None
    return match[0] if match else ""


def _replaced(text: str, words: str, others: str) -> str:
    return _pattern(words).sub(lambda _: others, text, count=1) if words and others else text


def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(r"(?<!\w)" + r"\s*".join(map(re.escape, words.split())) + r"(?!\w)")
