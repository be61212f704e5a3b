"""Words and phrases of a sentence that may trade places: names, dates, and words by tag."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from semaniacs.sts.text.analysis import tag
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word, tokenize

_MONTHS = (
    "January|February|March|April|May|June|July|August|September|October|November|December"
    "|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
)
_BARE = "January|February|April|June|July|August|September|October|November|December"
"""Months without a day or a year; the others are common words or names of people too."""

_YEAR = r"(?:1\d{3}|20\d\d)"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"

_DATE = re.compile(
    rf"""\b(?:
      (?:{_DAY}\ (?:of\ )?)(?:{_MONTHS})\b\.?(?:\ ?,?\ {_YEAR})?   # 23 October 1806
    | (?:{_MONTHS})\b\.?\ {_DAY}(?:\ ?,\ {_YEAR})?(?!\d)          # October 23, 1806
    | (?:{_MONTHS})\b\.?\ ?,?\ {_YEAR}                            # October 1806
    | {_BARE}
    | {_YEAR}s?
    )\b""",
    re.VERBOSE,
)

_OF_TAG = {"NN": "NOUN", "VB": "VERB", "JJ": "ADJ", "RB": "ADV", "CD": "NUM"}

TO_BE = frozenset("be am is are was were been being 's 'm 're".split())
"""Forms that are left out: both sides of them may often trade places."""

_LEFT_OUT = TO_BE | frozenset("not n't 've 'll 'd".split())

_CONJUNCTIONS = frozenset("and or nor &".split())
_BETWEEN = _CONJUNCTIONS | frozenset(", / the a an".split())
"""Words between the members of a coordination."""


class Unit(NamedTuple):
    """A word or phrase that may trade places.

    Attributes:
        start, end: its place among the characters of the sentence.
        kind: DATE, NAME, NOUN, VERB, ADJ, ADV or NUM.
    """

    start: int
    end: int
    kind: str
    text: str


class _Token(NamedTuple):
    start: int
    end: int
    text: str
    tag: str


def units_of(text: str) -> list[Unit]:
    """Return the words and phrases of a sentence that may trade places, in order.

    Dates are months and years with what belongs to them. Names are runs of capitalised words
    that do not begin the sentence; a function word ends a run. Other words go by their
    part-of-speech tag, where all tags of nouns are one kind and all of verbs; to be, not and
    clitics are left out. The sentence is tidied, see :func:`.tidy`.
    """
    dates = [Unit(*found.span(), "DATE", found[0]) for found in _DATE.finditer(text)]
    dated = {place for unit in dates for place in range(unit.start, unit.end)}
    tokens = [token for token in _tokens(text) if is_word(token.text) or token.text in ",/&"]
    free = [token for token in tokens if token.start not in dated]
    names = list(_names(free, text))
    named = {place for unit in names for place in range(unit.start, unit.end)}
    words = [
        Unit(token.start, token.end, _OF_TAG[token.tag[:2]], token.text)
        for token in free
        if token.start not in named
        and is_word(token.text)
        and token.tag[:2] in _OF_TAG
        and token.text.lower() not in _LEFT_OUT
    ]
    return sorted(dates + names + words)


def like_groups(units: Sequence[Unit]) -> dict[str, list[int]]:
    """Return the places in ``units`` of each kind with two different texts, the first of each text.

    Upper and lower case are one text, so that no exchange leaves the sentence as it was.
    """
    groups: dict[str, dict[str, int]] = {}
    for place, unit in enumerate(units):
        groups.setdefault(unit.kind, {}).setdefault(unit.text.lower(), place)
    return {kind: [*texts.values()] for kind, texts in sorted(groups.items()) if len(texts) > 1}


def coordinations(text: str, units: Sequence[Unit]) -> list[range]:
    """Return the runs of ``units`` that one coordination joins: *x and y*, *x, y or z*.

    Its members are of one kind, with nothing but commas, conjunctions and articles between
    them. Two that a comma alone joins, such as a town and its country, are none. Exchanging two
    members of a coordination leaves its meaning as it was.
    """
    runs = []
    first, joined = 0, False
    for place in range(1, len(units) + 1):
        between = _between(text, units, place) if place < len(units) else None
        if between is None:
            if joined or place - first > 2:
                runs.append(range(first, place))
            first, joined = place, False
        else:
            joined |= bool(between & _CONJUNCTIONS)
    return [run for run in runs if len(run) > 1]


def _between(text: str, units: Sequence[Unit], place: int) -> set[str] | None:
    """Return the words between a unit and the one before, if the two may be coordinated."""
    before, after = units[place - 1], units[place]
    words = {word.lower() for word in tokenize(text[before.end : after.start])}
    alike = before.kind == after.kind and words <= _BETWEEN
    return words if alike and words & (_CONJUNCTIONS | {",", "/"}) else None


def _tokens(text: str) -> Iterator[_Token]:
    """Tokens with their places."""
    words = tokenize(text)
    end = 0
    for word, its_tag in zip(words, tag(words), strict=True):
        start = text.index(word, end)
        end = start + len(word)
        yield _Token(start, end, word, its_tag)


def _names(tokens: Sequence[_Token], text: str) -> Iterator[Unit]:
    """Runs of capitalised words with a space alone between them."""
    run: list[_Token] = []
    for token in tokens:
        gap = text[run[-1].end : token.start] if run else ""
        if run and not (_is_capital(token) and gap == " "):
            yield from _name(run, text)
            run = []
        if _is_capital(token):
            run.append(token)
    yield from _name(run, text)


def _name(run: Sequence[_Token], text: str) -> Iterator[Unit]:
    """Yield the name that a run is, unless it begins the sentence, as any word has a capital there."""
    if run and any(map(str.isalnum, text[: run[0].start])):
        start, end = run[0].start, run[-1].end
        yield Unit(start, end, "NAME", text[start:end])


def _is_capital(token: _Token) -> bool:
    return token.text[0].isupper() and token.text.lower() not in STOP_WORDS
