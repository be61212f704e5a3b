"""Rows that two texts put together otherwise: "water: 100 °C" and "ethanol: 100 °C".

Rows are lines, or parts between semicolons, commas and "and"; words of several rows are not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, permutations

from semaniacs.sts.text.analysis import analyse, lemma
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word

_ENDS = tuple(map(re.compile, (r"\n+", r";|(?<=\w)\.\s", r",(?!\d)|\b(?:and|but|while|whereas)\b")))
"""Ends of a row, the clearest first."""

_LONGEST = 6  # content words of a row: a longer one is a sentence
_BEHIND_A_KEY = frozenset(":=|")  # which may be a small word: "No: 35 %"

_SIGNED = re.compile(r"(?<![\w)])[-+−]\d[\d.,]*")
_NUMBER = re.compile(r"^\s*\d{1,2}[.)]\s+(?=\S)", re.MULTILINE)
_VALUE = re.compile(r"(?<=\w): (?=\d)")


def as_prose(left: str, right: str) -> tuple[str, str]:
    """Return texts without the numbers of a list that one alone numbers; "Python: 3.12" is "Python 3.12"."""
    numbered = [len(_NUMBER.findall(text)) > 1 for text in (left, right)]
    if numbered[0] != numbered[1]:
        left, right = (_NUMBER.sub("", text) for text in (left, right))
    return _VALUE.sub(" ", left), _VALUE.sub(" ", right)


def rows_exchanged(left: str, right: str) -> str | None:
    """Return a row of each text, in a sentence, if the words of two rows are mixed in the other text.

    Each of two words of a row must stand apart in the other text, beside a word of another row.
    """
    rows = _rows(left), _rows(right)
    one, other = map(_row_of_words, rows)
    shared = [word for word in one if word in other]
    for number in dict.fromkeys(one[word] for word in shared):
        apart = {other[word] for word in shared if one[word] != number}
        own = [other[word] for word in shared if one[word] == number]
        for row, another in permutations(own, 2):
            if row != another and {row, another} <= apart:
                return f"The rows differ: “{rows[0][number]}” ≠ “{rows[1][row]}”."
    return None


def _row_of_words(rows: Sequence[str]) -> dict[str, int]:
    """Return the number of the row of each word that stands in one row alone."""
    words = [dict.fromkeys(_words(row)) for row in rows]
    count = Counter(chain(*words))
    return {
        word: number
        for number, some in enumerate(words)
        if len(some) <= _LONGEST
        for word in some
        if count[word] == 1
    }


def _rows(text: str) -> list[str]:
    for end in _ENDS:
        parts = (part.strip(" .,|*•-") for part in end.split(text))
        rows = [part for part in parts if any(map(str.isalnum, part))]
        if len(rows) > 1:
            return rows
    return []


def _words(row: str) -> Iterator[str]:
    """Yield the lemma of each noun, verb, adjective, signed number, key and single letter of a row."""
    yield from (found[0] for found in _SIGNED.finditer(row))
    row = _SIGNED.sub(" ", row)
    sentence = analyse([row])[row]
    tagged = zip(sentence.tokens, sentence.tags, (*sentence.tokens[1:], ""), strict=True)
    for at, (token, tag, mark) in enumerate(tagged):
        letter = at > 0 and len(token) == 1 and token.isupper()
        says = token.lower() not in STOP_WORDS and not tag.startswith("RB")
        if is_word(token) and (says or letter or mark in _BEHIND_A_KEY):
            yield lemma(token.lower(), tag)
