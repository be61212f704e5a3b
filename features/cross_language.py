"""Contradictions of numbers and of negation between two sentences, in one language or in two.

Everything that may say the same in another way (a scale, twelve hours, a verb that denies) counts
as no contradiction.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.sts.data.pairs import HIGHEST, Scores

Languages = tuple[Sequence[str], Sequence[str]]
"""Codes of the left and of the right sentences."""

WEIGHT = 0.6
"""Share of a score that a contradiction takes, if the sentences are short and all else agrees."""

_WORDS, _DECAY, _LONGER = 10.0, 2.0, 3
"""Words up to which all of it is taken, how fast it falls then, and how much a word alone counts.

All four numbers were chosen on the Spanish tasks of 2014 and 2015.
"""

_NUMBER = re.compile(
    r"(?<![\w@#/])(\d{1,3}(?:[ \u00a0\u202f'’]\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*)"
)
_LETTERS = re.compile(r"[^\W\d_]+")
_NUMERALS = lexicon.numbers("number in any language")
_NEGATION = {
    code: re.compile(pattern, re.IGNORECASE)
    for code, pattern in lexicon.rows("negation in a language")
}
_MONTHS = {
    re.compile(
        rf"\d(?:st|nd|rd|th|er|\.)?\s+(?:of |de |d['’])?(?P<day>{name})\b|\b(?P<first>{name})\s+\d",
        re.IGNORECASE,
    ): float(number)
    for name, number in lexicon.rows("month in any language")
}
_DATE = re.compile(r"\b(\d{1,2})([./])(\d{1,2})\2(\d{4})\b")
_SCALES = {
    re.compile(rf"\s?(?:{name})(?!\w)", re.IGNORECASE): tuple(map(float, values.split()))
    for name, values in lexicon.rows("scale in any language")
}
_UNITS = {
    unit: re.compile(rf"(?<![\d.,])(\d[\d.,]{{0,20}})(?:\s|-)?(?:{name})(?!\w)", re.IGNORECASE)
    for name, unit in lexicon.rows("unit in any language")
}
_MONEY = re.compile(r"([$€£])\s?(\d[\d.,]{0,20})")
"""Month beside a number, which is one too; dates; words that multiply a number; units beside one."""

_PART, _SCALE, _CLOCK, _DENIES = (
    re.compile(pattern, re.IGNORECASE) for pattern in lexicon.phrases("pattern of any language")
)
"""Words before a part of a number, scales, times of the day, and words that deny without a *not*."""


class Contradictions(NamedTuple):
    """Numbers of both sides without a partner, as written, the side that alone is negated, or "", and
    two units of one number."""

    left: tuple[str, ...] = ()
    right: tuple[str, ...] = ()
    negated: str = ""
    units: tuple[str, ...] = ()

    def __str__(self) -> str:
        numbers = " ↔ ".join(", ".join(side) or "none" for side in (self.left, self.right))
        found = [f"numbers: {numbers}"] if self.left or self.right else []
        found += [f"units: {' ↔ '.join(self.units)}"] if self.units else []
        return "; ".join([*found, *([f"negated: {self.negated} only"] if self.negated else [])])


def contradictions(left: str, right: str, codes: tuple[str, str]) -> Contradictions:
    """Return the contradictions of two sentences in languages with these codes."""
    alone, free = list[_Number](), list(_numbers(right))
    for number in _numbers(left):
        same = next((two for two in free if _agree(number, two, f"{left} {right}")), None)
        if same is None:
            alone.append(number)
        else:
            free.remove(same)
    both_date = any(n.month for n in alone) and any(n.month for n in free)
    one, other = (
        tuple(n.written for n in some if both_date or not n.month) for some in (alone, free)
    )
    negated = ""
    if codes[0] in _NEGATION and codes[1] in _NEGATION:
        not_left, not_right = (
            _NEGATION[c].search(t) for c, t in zip(codes, (left, right), strict=True)
        )
        if bool(not_left) != bool(not_right) and not _DENIES.search(right if not_left else left):
            negated = "left" if not_left else "right"
    return Contradictions(one, other, negated, _other_units(left, right))


def _other_units(left: str, right: str) -> tuple[str, ...]:
    """Return the units of a number that each side has once, if they differ; else nothing."""
    one, other = _units(left), _units(right)
    for number, unit in one.items():
        once = all(text.count(number) == 1 for text in (left, right))
        if once and other.get(number, unit) != unit:
            return unit, other[number]
    return ()


@lru_cache(4096)
def _units(text: str) -> dict[str, str]:
    """Return the unit of each number in digits that has one."""
    text = _MONEY.sub(r"\2 \1", text)
    return {
        number[1].strip(".,"): unit
        for unit, pattern in (_UNITS if any(map(str.isdigit, text)) else {}).items()
        for number in pattern.finditer(text)
    }


def lowered(scores: Scores, left: Sequence[str], right: Sequence[str], codes: Languages) -> Scores:
    """Return (n,) scores in [0, 5], lower for each kind of contradiction.

    Numbers contradict each other if equally many on both sides are without a partner. Pairs in
    English stay: there are runs that read their grammar.
    """
    found = scores.copy()
    for row, (one, other, *both) in enumerate(zip(left, right, *codes, strict=True)):
        if both == ["en", "en"]:
            continue
        said = contradictions(one, other, (both[0], both[1]))
        if count := (0 < len(said.left) == len(said.right)) + bool(said.negated) + bool(said.units):
            shorter, longer = sorted((len(one.split()), len(other.split())))
            size = max(_WORDS, shorter, _LONGER * (longer - shorter))
            share = (_WORDS / size) ** _DECAY * scores[row] / HIGHEST
            found[row] *= (1 - WEIGHT * share) ** count
    return found


class _Number(NamedTuple):
    """A number as it is written, its possible values, whether a word multiplies it, or is it a month."""

    written: str
    values: frozenset[float]
    scaled: bool = False
    month: bool = False


@lru_cache(4096)
def _numbers(text: str) -> tuple[_Number, ...]:
    """Return each number of a text."""
    text = _DATE.sub(r"\1 / \3 / \4", text)
    found = [_with_scale(text, match) for match in _NUMBER.finditer(text)]
    for pattern, number in _MONTHS.items():
        found += [
            _Number(m["day"] or m["first"], frozenset({number}), month=True)
            for m in pattern.finditer(text)
        ]
    words = ["", *_LETTERS.findall(text.lower()), ""]
    for place, word in enumerate(words):
        if word in _NUMERALS:
            before, after = words[place - 1], words[place + 1]
            joint = {before, after} & _NUMERALS.keys() or _SCALE.match(after)
            if not joint and not _PART.search(before):  # a part of a longer number is not read
                found.append(_Number(word, frozenset({_NUMERALS[word]})))
    return tuple(found)


def _with_scale(text: str, number: re.Match[str]) -> _Number:
    """Return a number of digits, multiplied by the word after it."""
    values = _values(number[0])
    for scale, times in _SCALES.items():
        if scale.match(text, number.end()):
            several = frozenset(value * one for value in values for one in times)
            return _Number(number[0], several, scaled=True)
    return _Number(number[0], values)


def _values(written: str) -> frozenset[float]:
    """Return the values of digits whose points and commas may separate thousands or decimals."""
    whole, *groups = re.split(r"[.,]", re.sub(r"[^\d.,]", "", written))
    values = {float(whole + "".join(groups))} if all(len(g) == 3 for g in groups) else set()
    if groups and all(len(group) == 3 for group in groups[:-1]):
        values.add(float(f"{whole}{''.join(groups[:-1])}.{groups[-1]}"))
    return frozenset(values or {float("".join([whole, *groups]))})


def _agree(one: _Number, other: _Number, texts: str) -> bool:
    """Return whether two numbers may be the same; a scale or twelve hours may be between them."""
    either, both = one.scaled or other.scaled, one.scaled and other.scaled
    may_scale = either or _SCALE.search(texts)
    return bool(one.values & other.values) or any(
        (low and not both and may_scale and high / low in (100, 1e3, 1e6, 1e9, 1e12))
        or (high - low == 12 and _CLOCK.search(texts))
        for low, high in map(sorted, product(one.values, other.values))
    )
