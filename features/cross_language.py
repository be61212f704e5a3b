"""Contradictions of numbers and of negation between two sentences, in one language or in two.

Everything that may say the same in another way (a scale, twelve hours, a verb that denies) counts
as no contradiction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from itertools import product
from math import isclose
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from semaniacs.features import lexicon
from semaniacs.features.measures.number_words import NUMERALS, in_digits, roman_in_digits
from semaniacs.features.measures.numerals import in_plain_digits
from semaniacs.features.measures.sameness import CONVERTED
from semaniacs.sts.data.pairs import HIGHEST, Scores
from semaniacs.sts.text.units import MEASURE, unit_in_words

if TYPE_CHECKING:
    from semaniacs.embeddings.transformer.fine_tuning.reader import Reader

Languages = tuple[Sequence[str], Sequence[str]]
"""Codes of the left and of the right sentences."""

WEIGHT = 0.6
"""Share of a score that a contradiction takes, if the sentences are short and all else agrees."""

READ_FROM = 0.6
"""Similarity from which two sentences are also read together."""

SURENESS, NEARNESS, FEW, STEEPNESS = 2, 4, 8, 8
"""Powers of a doubt and of the similarity, words up to which a doubt counts in full, and how fast that
falls: what a machine translated is doubted too often, and its sentences are longer."""

DIFFERENT, ANOTHER = 0.1, "meaning: read together, they differ"
"""Chance to mean the same below which two sentences are said to differ, and how; three in a hundred human
translations have less."""

_WORDS, _DECAY, _LONGER = 10.0, 2.0, 3
"""Words up to which all of it is taken, how fast it falls then, and how much a word alone counts.

All four numbers were chosen on the Spanish tasks of 2014 and 2015.
"""

_LETTERS = re.compile(r"[^\W\d_]+")
_DECADES = lexicon.whole_numbers("decade")
_NUMERALS, _ROUND_NUMBERS = NUMERALS | _DECADES, ("100", "1000")
_NO_NUMBERS = lexicon.words("no number in a language")
_NEGATION = {c: re.compile(p, re.IGNORECASE) for c, p in lexicon.rows("negation in a language")}


def _patterns(kind: str, before: str = r"(?<!\w)") -> dict[re.Pattern[str], str]:
    """Return the patterns of a kind with their values."""
    return {
        re.compile(rf"{before}(?:{name})(?!\w)", re.IGNORECASE): value
        for name, value in lexicon.rows(kind)
    }


_MONTHS, _WEEKDAYS, _PARTS = (
    _patterns(f"{kind} in any language") for kind in ("month", "weekday", "part")
)
_SCALES = _patterns("scale in any language", r"\s?")
_MONTH = "|".join(name for name, _ in lexicon.rows("month in any language"))
_DATE = re.compile(
    rf"\b(?P<day>\d{{1,2}})(?:st|nd|rd|th|er|\.)?\s+(?:of |de |d['’])?(?P<month>{_MONTH})(?!\w)"
    rf"|\b(?P<first>{_MONTH})\s+(?P<then>\d{{1,2}})(?:st|nd|rd|th)?(?![\w.,]*\d)"
    rf"|\b(?P<alone>{_MONTH})(?=\s+(?:de\s+)?\d{{4}}\b)|\b(?P<number>\d{{1,2}})/(?=\d{{4}}\b)"
    r"|\b(?P<a>\d{1,2})(?P<mark>[./])(?P<b>\d{1,2})(?P=mark)(?=\d{4}\b)"
    r"|\b(?<=\d{4}-)(?P<iso>\d{2})-(?P<of>\d{2})\b",
    re.IGNORECASE,
)
_ROMAN = re.compile(r"\b(?=[XVI])(X{0,2})(IX|IV|V?I{0,3})(?<=[XVI]{2})(?=(?:e|ème|º)?\b)")
_IN_DECADES = re.compile(
    rf"\d0(?:'?s|er)\b|\d0?-[хе]|\b(?:años|années|jahre\w*|{'|'.join(_DECADES)})\b", re.IGNORECASE
)
_MONEY = re.compile(r"([$€£])\s?(\d[\d.,]{0,20})")
"""Months; days of one, in words or numbers; words that multiply a number; centuries; decades; money."""

_EVERY = [re.compile(pattern, re.I) for pattern in lexicon.phrases("pattern of any language")]
_PART, _SCALE, _VAGUE, _CLOCK, _EITHER_WAY, _DENIES, *_OTHERS = _EVERY
_ROUND, _HALF, _DAYTIME, _BELOW, _HOUR, _NUMBER, _EXPLETIVE = _OTHERS
"""Words before a part of a number, scales, numbers in words that are not read, times of the day, verbs
that another language has without a *not* (don't forget), words that deny without one, numbers that
another language says otherwise (quinze jours), halves of a day after a time, parts of a day, signs or
words for one, times with minutes, numbers, and a French *ne* that denies nothing."""

_JOINT = frozenset("one un une uno una ein eins один одна одну одно y et vingts".split())
"""Words that make a longer number of the one beside them."""


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
    written = left, right = [in_plain_digits(text.replace("−", "-")) for text in (left, right)]
    left, right = map(in_digits, written, codes)
    both = f"{left} {right}"
    (numbers, months, vague), (others, more, unsure) = map(_read, (left, right), codes)
    scale, decade = (bool(sign.search(both)) for sign in (_SCALE, _IN_DECADES))
    may = _Notations(scale, _may_be_half_a_day(left, right), decade)
    one, other = _alone(numbers, others, may)
    if (not other and unsure) or (not one and vague):  # it may be in words that were not read
        one, other = (), ()
    if not one or not other:  # "a thousand thanks" may have no number in another language
        both_sides = zip((one, other), written, strict=True)
        one, other = (
            tuple(n for n in some if n not in _ROUND_NUMBERS or n in text)
            for some, text in both_sides
        )
    parts = [
        {part: f[0] for p, part in _PARTS.items() if (f := p.search(t))} for t in (left, right)
    ]
    if len(parts[0]) == len(parts[1]) == 1 and parts[0].keys() != parts[1].keys():
        one, other = (*one, *parts[0].values()), (*other, *parts[1].values())
    of, than = _alone(months, more, _Notations())
    if of and than:
        one, other = one + of, other + than
    negated = ""
    if codes[0] in _NEGATION and codes[1] in _NEGATION:
        not_left, not_right = map(is_negated, (left, right), codes)
        denied = _DENIES.search(right if not_left else left)
        if not_left != not_right and not denied and not _EITHER_WAY.search(both):
            negated = "left" if not_left else "right"
    return Contradictions(one, other, negated, _other_units(left, right))


def is_negated(text: str, code: str) -> bool:
    """Return whether a sentence in a language says *not*."""
    return code in _NEGATION and bool(_NEGATION[code].search(_EXPLETIVE.sub("", text)))


def _alone(
    numbers: Sequence[_Number], others: Sequence[_Number], may: _Notations
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the numbers of both sides, as they are written, that are without a partner."""
    alone, free = list[str](), list(others)
    for number in numbers:
        same = next((other for other in free if _agree(number, other, may)), None)
        if same is None:
            alone.append(number.written)
        else:
            free.remove(same)
    return tuple(alone), tuple(number.written for number in free)


def _other_units(left: str, right: str) -> tuple[str, ...]:
    """Return the units of a number that each side has once, if they differ; else nothing."""
    (counts, one), (others, other) = _units(left), _units(right)
    for number, unit in one.items():
        if counts[number] == others[number] == 1 and other.get(number, unit) != unit:
            return unit, other[number]
    return ()


@lru_cache(4096)
def _units(text: str) -> tuple[Counter[str], dict[str, str]]:
    """Return how often each number is in a text, by its digits, and the unit of each that has one."""
    text = _LETTERS.sub(lambda word: f"{_NUMERALS.get(word[0].lower(), word[0])}", text)
    text = _MONEY.sub(r"\2 \1", text)
    counts = Counter(_digits(number[0]) for number in _NUMBER.finditer(text))
    found = MEASURE.finditer(text) if counts else ()
    return counts, {_digits(number[1]): unit_in_words(number)[0] for number in found}


def _digits(number: str) -> str:
    """Return the digits of a number, whatever separates them."""
    return re.sub(r"\D", "", number)


def doubts(
    reader: Reader | None,
    related: Scores,
    left: Sequence[str],
    right: Sequence[str],
    codes: Languages,
) -> Scores:
    """Return how much of its score (n,) a reader's doubt takes from a pair, as a share of :data:`WEIGHT`.

    Pairs in English, and those whose similarity, ``related`` (n,), is low, are not read.
    """
    english = np.array([both == ("en", "en") for both in zip(*codes, strict=True)], bool)
    near = np.flatnonzero((related >= READ_FROM) & ~english).tolist()
    found = np.zeros(len(related))
    if reader is None or not near:
        return found
    sides = [[side[place] for place in near] for side in (left, right)]
    sizes = [_size(one, other, FEW) for one, other in zip(*sides, strict=True)]
    doubted = np.maximum(0.0, 1 - 2 * reader.predict(*sides)) ** SURENESS
    found[near] = doubted * related[near] ** NEARNESS * (FEW / np.array(sizes)) ** STEEPNESS
    return found


def told_across(
    reader: Reader | None, left: Sequence[str], right: Sequence[str], codes: Languages
) -> list[tuple[str, ...]]:
    """Return for each pair what contradicts, in words, and whether a reader is sure that it differs."""
    chances = reader.predict(left, right).tolist() if reader else [1.0] * len(left)
    told = (
        (str(contradictions(a, b, (x, y))), ANOTHER if chance < DIFFERENT else "")
        for a, b, chance, x, y in zip(left, right, chances, *codes, strict=True)
    )
    return [tuple(filter(None, said)) for said in told]


def _size(left: str, right: str, least: float) -> float:
    """Return the words of the shorter of two sentences, or more if the other is far longer."""
    shorter, longer = sorted((len(left.split()), len(right.split())))
    return max(least, shorter, _LONGER * (longer - shorter))


def lowered(
    scores: Scores, left: Sequence[str], right: Sequence[str], codes: Languages, doubted: Scores
) -> Scores:
    """Return (n,) scores in [0, 5], lower for each kind of contradiction, or by a network's doubt.

    Numbers contradict each other if equally many on both sides are without a partner. Pairs in
    English stay: there are runs that read their grammar.

    Args:
        scores, left, right: of the pairs.
        codes: languages of both sides.
        doubted: (n,) of :func:`doubts`.
    """
    found = scores.copy()
    for row, (one, other, *both) in enumerate(zip(left, right, *codes, strict=True)):
        if both == ["en", "en"]:
            continue
        said = contradictions(one, other, (both[0], both[1]))
        if count := (0 < len(said.left) == len(said.right)) + bool(said.negated) + bool(said.units):
            share = (_WORDS / _size(one, other, _WORDS)) ** _DECAY * scores[row] / HIGHEST
            found[row] *= (1 - WEIGHT * share) ** count
        found[row] = min(found[row], scores[row] * (1 - WEIGHT * doubted[row]))
    return found


class _Notations(NamedTuple):
    """Whether a pair names a scale, a time of the day or a decade, so that two numbers may be one."""

    scale: bool = False
    clock: bool = False
    decade: bool = False


class _Number(NamedTuple):
    """A number or a month as it is written, its possible values, whether a word multiplies it, and
    its unit, dimension and worth."""

    written: str
    values: frozenset[float]
    scaled: bool = False
    measures: tuple[tuple[str, str, float], ...] = ()


def _exactly(written: str, value: float | str) -> _Number:
    return _Number(written, frozenset({float(value)}))


@lru_cache(4096)
def _read(text: str, code: str) -> tuple[tuple[_Number, ...], tuple[_Number, ...], bool]:
    """Return the numbers of a text in a language, the months of its dates, and whether it has
    numbers in words that are not read."""
    found, months = list[_Number](), list[_Number]()
    for match in _DATE.finditer(text):
        if match["first"] != "may":  # the verb
            day, month = _date(match)
            found += day
            months += month
    months += [
        _exactly(day[0], -int(n)) for name, n in _WEEKDAYS.items() for day in name.finditer(text)
    ]
    rest = _DATE.sub(lambda match: match[0] if match["first"] == "may" else " ", text)
    rest = _HOUR.sub(_time, _ROMAN.sub(roman_in_digits, _ROUND.sub("fortnight", rest)))
    found += [_with_scale(rest, match, code) for match in _NUMBER.finditer(rest)]
    words, vague = ["", *_LETTERS.findall(rest.lower()), ""], bool(_VAGUE.search(rest))
    for place, word in enumerate(words):
        if word in _NUMERALS and f"{code}:{word}" not in _NO_NUMBERS:
            before, after = words[place - 1], words[place + 1]
            joint = {before, after} & (_NUMERALS.keys() | _JOINT)
            if joint or _SCALE.match(after) or _SCALE.match(before) or _PART.search(before):
                vague = True  # a part of a longer number
            else:
                found.append(_exactly(word, _NUMERALS[word]))
    return tuple(found), tuple(months), vague


def _date(found: re.Match[str]) -> tuple[list[_Number], list[_Number]]:
    """Return the day, if it is said, and the month of a date; either may be first in 3/4/2024."""
    if name := found["month"] or found["first"] or found["alone"]:
        (of, *_) = (number for pattern, number in _MONTHS.items() if pattern.fullmatch(name))
        day = found["day"] or found["then"]
        said = [_exactly(day, day)] if day else []
        return said, [_exactly(name, of)]
    if alone := found["number"]:
        return [], [_exactly(alone, alone)]
    day, month = found["a"] or found["of"], found["b"] or found["iso"]
    if found["mark"] == "/":
        either = frozenset({float(day), float(month)})
        return [_Number(day, either)], [_Number(month, either)]
    return [_exactly(day, day)], [_exactly(month, month)]


def is_number(word: str) -> bool:
    """Return whether a word is a Roman number, or the name of a month or of a weekday."""
    forms, names = (word, word.removesuffix("s")), (*_WEEKDAYS, *_MONTHS)
    named = any(pattern.fullmatch(form) for pattern in names for form in forms)
    return named or bool(_ROMAN.match(word))  # XVIIIe


def _with_scale(text: str, number: re.Match[str], code: str) -> _Number:
    """Return a number of digits, multiplied by the word after it."""
    values = _signed(text, number)
    for scale, worth in _SCALES.items():
        if word := scale.match(text, number.end()):
            times = float(worth.split()[0 if code == "en" else -1])  # a billion, eine Billion
            grouped = re.fullmatch(r"\d+([.,])\d{3}", number[0])
            if grouped:  # 3.000 millones are thousands of them, 3.125 million are not
                few = (grouped[1] == ".") == (code == "en")
                values = frozenset({min(values) if few else max(values)})
            several = frozenset(value * times for value in values)
            return _Number(text[number.start() : word.end()], several, scaled=True)
    measure = MEASURE.match(text, number.start())
    label, units = unit_in_words(measure) if measure else ("", ())
    measures = [(label, u.dimension, v * u.worth + u.zero) for u in units for v in values]
    return _Number(number[0], values, measures=tuple(measures))


def _signed(text: str, number: re.Match[str]) -> frozenset[float]:
    """Return the values of digits, less than zero behind a minus; either where a word may say that."""
    values = _values(number[0])
    below = frozenset(-value for value in values)
    if _BELOW.search(text):
        return values | below
    return below if number[0].startswith("-") else values


def _time(hour: re.Match[str]) -> str:
    """Return a time of the day in 24 hours, without minutes that are none."""
    half = _HALF.match(hour.string, hour.end()) if int(hour[1]) < 13 else None
    hours = int(hour[1]) % 12 + 12 * bool(half["later"]) if half else int(hour[1])
    return ":".join(filter(None, (str(hours), hour[2])))


def _may_be_half_a_day(left: str, right: str) -> bool:
    """Return whether times of both sides may be twelve hours apart, as 3 p.m. and 15 Uhr are."""
    times = [[*_HOUR.finditer(text)] for text in (left, right)]
    halves = (any(_HALF.match(one.string, one.end()) for one in some) for some in times)
    others = (all(times) and not _DAYTIME.search(text) for text in (right, left))
    sure = any(half and exact for half, exact in zip(halves, others, strict=True))
    return bool(_CLOCK.search(f"{left} {right}")) and not sure


def _values(written: str) -> frozenset[float]:
    """Return the values of digits whose points and commas may separate thousands or decimals."""
    whole, *groups = re.split(r"[.,]", re.sub(r"[^\d.,]", "", written))
    values = {float(whole + "".join(groups))} if all(len(g) == 3 for g in groups) else set()
    if groups and all(len(group) == 3 for group in groups[:-1]):
        values.add(float(f"{whole}{''.join(groups[:-1])}.{groups[-1]}"))
    return frozenset(values or {float("".join([whole, *groups]))})


def _agree(one: _Number, other: _Number, may: _Notations) -> bool:
    """Return whether two numbers may be the same; a scale or twelve hours may be between them."""
    scaled, both = one.scaled or other.scaled or may.scale, one.scaled and other.scaled
    converted = any(
        label != unit and kind == dimension and isclose(low, high, rel_tol=CONVERTED)
        for (label, kind, low), (unit, dimension, high) in product(one.measures, other.measures)
    )
    alike = any(
        (low > 0 and not both and scaled and high / low in (100, 1e3, 1e6, 1e9, 1e12))
        or (high - low == 12 and may.clock)
        or (may.decade and low % 10 == 0 and high % 100 == low)
        for low, high in map(sorted, product(one.values, other.values))
    )
    return converted or alike or bool(one.values & other.values)
