"""Small things that turn a meaning over: negation, numbers, dates, names, the kind of question."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np

from features.batch import Batch, Column
from features.families.counts import count, dice
from features.families.ngrams import information
from features.families.numeric import f1
from features.families.surface import MANY
from features.registry import columnwise, pairwise
from sts.text.analysis import Sentence
from sts.text.tokenizer import STOP_WORDS

CACHED = 1 << 16
Found = frozenset[str]

# Negation

NEGATIONS = frozenset(
    """
    n't not no never none nobody nothing nowhere neither cannot without hardly barely
    scarcely lack lacks lacked lacking fail fails failed deny denies denied
    """.split()
)
"""Words that deny, chosen by hand."""


def negations(batch: Batch) -> tuple[Column, Column]:
    """(n,) how many words of each side deny something."""
    view = batch.view("words")
    totals = count(view.sequences, 1).totals(view.weigh(lambda word: float(word in NEGATIONS)))
    left, right = batch.pairs
    return totals[left], totals[right]


@columnwise("negation_match", "agreement", "after Marelli et al. (2014), SICK, 3: negation")
def negation_match(batch: Batch) -> Column:
    """1 if both sides deny an even, or both an odd, number of times; else 0."""
    left, right = negations(batch)
    return np.asarray(left % 2 == right % 2, np.float64)


@columnwise("negation_count", "agreement", "after Marelli et al. (2014), SICK, 3", high=MANY)
def negation_count(batch: Batch) -> Column:
    """|n₁ − n₂| of the words that deny, at most 6."""
    left, right = negations(batch)
    return np.minimum(np.abs(left - right), MANY)


# Numbers by their value

_UNITS = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_WORTH = (
    {word: float(n) for n, word in enumerate(_UNITS)}
    | {word: 10.0 * n for n, word in enumerate(_TENS, start=2)}
    | {word: float(n) for n, word in enumerate(_ORDINALS, start=1)}
    | {"dozen": 12.0, "half": 0.5, "both": 2.0, "twice": 2.0, "once": 1.0}
)
_SCALES = {
    "hundred": 1e2, "hundreds": 1e2, "thousand": 1e3, "thousands": 1e3, "k": 1e3,
    "million": 1e6, "millions": 1e6, "mn": 1e6, "m": 1e6, "mln": 1e6,
    "billion": 1e9, "billions": 1e9, "bn": 1e9, "bln": 1e9, "b": 1e9,
    "trillion": 1e12, "tn": 1e12,
}  # fmt: skip
_DIGITS = re.compile(r"(\d+(?:[.,]\d+)*)(st|nd|rd|th|s)?")
_AMOUNT = re.compile(r"(\d+(?:[.,]\d+)*)(k|m|mn|mln|bn|bln|b|tn)")


@lru_cache(maxsize=CACHED)
def values(sentence: Sentence) -> frozenset[float]:
    """What the numbers of a sentence are worth: "two", "2nd", "1.5bn", "3 million"."""
    found: list[float] = []
    follows = False  # whether the word before was a number, which a scale then multiplies
    tens = False  # whether it was twenty, thirty, …, to which a unit is added
    for word in sentence.words:
        scale = _SCALES.get(word)
        if scale is not None and (follows or len(word) > 3):
            found.append(found.pop() * scale if follows and found else scale)
            tens = False
            continue
        value = _value(word)
        if value is None:
            follows = False
        elif tens and word in _WORTH and 0 < value < 10:
            found[-1] += value
        else:
            found.append(value)
            follows = True
        tens = word in _TENS
    return frozenset(round(value, 6) for value in found)  # 4.1 · 10⁹ is not 4.1bn's float


def _value(word: str) -> float | None:
    if word in _WORTH:
        return _WORTH[word]
    if not word[0].isdigit():
        return None
    amount = _AMOUNT.fullmatch(word)
    if amount:
        return _number(amount[1]) * _SCALES[amount[2]]
    digits = _DIGITS.fullmatch(word)
    return _number(digits[1]) if digits else None


def _number(text: str) -> float:
    """The value of digits with thousands marks or a decimal point; 1.2.3 is a name."""
    plain = text.replace(",", "") if re.search(r",\d{3}(?:\D|$)", text) else text.replace(",", ".")
    return float(plain) if plain.count(".") < 2 else float(plain.replace(".", ""))


def _values_of_sides(batch: Batch) -> list[tuple[frozenset[float], frozenset[float]]]:
    """The values in both sides of each pair; most sentences hold no word that could be one."""

    def make() -> list[tuple[frozenset[float], frozenset[float]]]:
        view = batch.view("words")
        numeric = view.weigh(lambda word: float(word in _SCALES or _value(word) is not None))
        some = count(view.sequences, 1).totals(numeric) > 0
        none: frozenset[float] = frozenset()
        found = [values(s) if any_ else none for s, any_ in zip(batch.sentences, some, strict=True)]
        left, right = batch.pairs
        return [(found[a], found[b]) for a, b in zip(left, right, strict=True)]

    return batch.once("values", make)


@columnwise("number_value_match", "agreement", "TakeLab f2, on values")
def number_value_match(batch: Batch) -> Column:
    """F1 of the numbers shared by value; 1 if there is none, 0 if one side has none."""
    return np.array([_agreement(a, b) for a, b in _values_of_sides(batch)], np.float64)


@columnwise("number_conflict", "agreement", "Dagan et al. (2006), RTE: numbers that differ")
def number_conflict(batch: Batch) -> Column:
    """1 if each side has a number that the other has not; else 0."""
    sides = _values_of_sides(batch)
    return np.array([bool(a - b) and bool(b - a) for a, b in sides], np.float64)


def _agreement(a: frozenset[float], b: frozenset[float]) -> float:
    if not a and not b:
        return 1.0
    if not a or not b:
        return 0.0
    return f1(len(a & b) / len(a), len(a & b) / len(b))


# Dates

_DAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
_MONTHS = (
    "january february march april may june july august september october november december"
).split()
_SHORT = {name[:3]: name for name in (*_DAYS, *_MONTHS)} | {
    "sept": "september", "tues": "tuesday", "thur": "thursday", "thurs": "thursday",
}  # fmt: skip
_AMBIGUOUS = frozenset("may march mar sat sun wed".split())
_RELATIVE = frozenset("today yesterday tomorrow tonight".split())
_YEAR = re.compile(r"(?:1[89]|20)\d\d")


def date(token: str) -> str | None:
    """The weekday, month, year or "yesterday" that a token names.

    "may", "sat", "sun", "march" only if capitalised: they are words as well.
    """
    word = token.lower()
    full = _SHORT.get(word.rstrip("."), word)
    if (full in _DAYS or full in _MONTHS) and (token[0].isupper() or word not in _AMBIGUOUS):
        return full
    return word if word in _RELATIVE or _YEAR.fullmatch(word) else None


@columnwise("date_match", "agreement", "Dagan et al. (2006), RTE: dates")
def date_match(batch: Batch) -> Column:
    """F1 of the dates shared; 1 if there is none, 0 if one side has none."""
    bags = count(batch.tokens("dates", date).sequences, 1).distinct()
    left, right = (bags.totals()[side] for side in batch.pairs)
    return np.where(left + right == 0, 1.0, dice(bags.shared(batch), left, right))


# Names

Names = tuple[tuple[str, ...], ...]
"""The names in a sentence, each as its lower-cased words."""


def _capitalised(token: str) -> bool:
    """Whether a token may stand in a name; "The" may not, "WHO" may."""
    if not token[:1].isupper():
        return False
    return (len(token) > 1 and token.isupper()) or token.lower() not in STOP_WORDS


@lru_cache(maxsize=CACHED)
def entities(sentence: Sentence) -> Names:
    """The names in a sentence: runs of capitalised words.

    A single word at the beginning counts only if it is tagged as a proper noun.
    """
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    for place, token in enumerate((*sentence.tokens, "")):
        if _capitalised(token):
            run.append(token)
            continue
        first = place == len(run) and sentence.tags[:1] != ("NNP",)
        if len(run) > 1 or (run and not first):
            found.append(tuple(word.lower().replace(".", "") for word in run))
        run = []
    return tuple(found)


def _left_alone(own: Names, other: Names) -> Found:
    """Words of names that the other side neither has nor abbreviates nor spells out."""
    theirs = {word for name in other for word in name}
    initials = {_initials(name) for name in other if len(name) > 1}
    return frozenset(
        word
        for name in own
        if len(name) == 1 or _initials(name) not in theirs
        for word in name
        if word not in theirs and word not in initials
    )


def _initials(name: tuple[str, ...]) -> str:
    return "".join(word[:1] for word in name)


@pairwise("entity_match", "agreement", "Han et al. (2013), UMBC, 4: named entities")
def entity_match(a: Sentence, b: Sentence) -> float:
    """F1 of the names shared, by information; 1 if there is none, 0 if one side has none.

    An acronym stands for a name with its initials.
    """
    left, right = entities(a), entities(b)
    if not left and not right:
        return 1.0
    return f1(_kept(left, right), _kept(right, left))


def _kept(own: Names, other: Names) -> float:
    total = sum(information(word) for word in sorted({word for name in own for word in name}))
    lost = sum(information(word) for word in sorted(_left_alone(own, other)))
    return 1 - lost / total if total > 0 else 0.0


@pairwise("entity_conflict", "agreement", "Dagan et al. (2006), RTE: names that differ")
def entity_conflict(a: Sentence, b: Sentence) -> float:
    """1 if each side names something that the other does not; else 0."""
    left, right = entities(a), entities(b)
    return float(bool(_left_alone(left, right)) and bool(_left_alone(right, left)))


# Questions

_ASKING = frozenset("who whom whose what when where why how which".split())
_AUXILIARY = frozenset(
    "is are was were am do does did can could will would shall should may might must have has had"
    .split()
)  # fmt: skip
_AFTER_HOW = frozenset("many much long often old far big fast soon".split())


@lru_cache(maxsize=CACHED)
def question_type(sentence: Sentence) -> str:
    """The word that asks, "how many" and the like, "yes or no"; empty if nothing is asked."""
    first = sentence.tokens[:1]
    if "?" not in sentence.text and (not first or first[0].lower() not in _ASKING):
        return ""  # which is true of most, and quickly said
    words = sentence.words
    asks = len(words) > 1 and words[0] in _ASKING and words[1] in _AUXILIARY
    if not asks and "?" not in sentence.tokens[-2:]:  # the last may be a quote
        return ""
    for place, word in enumerate(words):
        if word in _ASKING:
            following = words[place + 1] if place + 1 < len(words) else ""
            return f"how {following}" if word == "how" and following in _AFTER_HOW else word
    return "yes or no" if words[0] in _AUXILIARY else "other"


@pairwise("question_match", "questions", "Li and Roth (2002), coarse types by the asking word")
def question_match(a: Sentence, b: Sentence) -> float:
    """1 if both ask for the same kind of thing or nothing, ½ if only one asks, else 0."""
    left, right = question_type(a), question_type(b)
    if left == right:
        return 1.0
    return 0.0 if left and right else 0.5


@pairwise("question_count", "questions", "plain count")
def question_count(a: Sentence, b: Sentence) -> float:
    """The share of the two sides that ask: 0, ½ or 1."""
    return (bool(question_type(a)) + bool(question_type(b))) / 2
