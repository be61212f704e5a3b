"""Numbers as they are written: "1,200", "½", "two thirds", "3 million"."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.batch import LONGEST
from semaniacs.sts.text.analysis import Sentence
from semaniacs.sts.text.units import SYMBOLS

_SMALL = lexicon.whole_numbers("small number")
_ORDINALS = lexicon.whole_numbers("ordinal")
_PARTS = lexicon.whole_numbers("part")
_GROUPS = lexicon.numbers("group of digits")
_SCALES = {"hundred": 100.0, "dozen": 12.0, **_GROUPS}
_COUNTED = frozenset((*_SCALES, "couple"))
SHORT_SCALES = lexicon.numbers("short scale")
_MULTIPLIERS = lexicon.numbers("multiplier")
VAGUE = {
    word: (float(least), float(most))
    for word, (least, most) in lexicon.fields("vague number").items()
}
"""The least and the most that a plural scale says."""

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_THOUSANDS = re.compile(r"(?!0,)\d{1,3},\d{3}(?:\D|$)")
_GLUED = re.compile(r"(\d+(?:[.,]\d+)*)([^\W\d_]{1,3}[²³]?|mins?|secs?|hours?|miles?)")
_ORDINAL_DIGITS = re.compile(r"(\d+)(st|nd|rd|th)")
_IN_GROUPS, _POWER_OF_TEN = (
    re.compile(pattern, re.IGNORECASE) for pattern in lexicon.phrases("pattern of a number")
)
"""Groups with blanks, but for "555 123 456", which may be a telephone number; powers of ten."""
_ARTICLES = frozenset(("a", "an"))
NOT_ONE = lexicon.words("before one")
_MOST_DIGITS = 15

NUMBER_WORDS = frozenset(
    (*_SMALL, *_ORDINALS, *_PARTS, *_GROUPS, *VAGUE, *_MULTIPLIERS)
) | frozenset("hundred dozen couple once both double triple".split())

ROMAN = lexicon.whole_numbers("Roman number")
BEFORE_ROMAN = lexicon.words("before a Roman number")
BEFORE = lexicon.words("currency before the number")  # currencies that stand before the number


class Lexeme(NamedTuple):
    """A token, or a part of one such as "5" and "km" of "5km"."""

    text: str
    low: str
    tag: str


class Numeral(NamedTuple):
    """A number.

    Attributes:
        value: what it is worth; of a vague one the least.
        step: how much one more in its last written digit would be.
        end: place of the lexeme after it.
        kind: "cardinal", "ordinal", "fraction", "vague" or "times".
        most: the most that it may mean.
    """

    value: float
    step: float
    end: int
    kind: str
    most: float


@lru_cache(maxsize=1 << 16)
def lexemes(sentence: Sentence) -> tuple[Lexeme, ...]:
    """The tokens of a sentence, digits taken apart from the unit or scale that sticks to them.

    Of a long one, the first ``LONGEST``: each amount of a pair is compared with each.
    """
    tokens, tags = sentence.tokens[:LONGEST], sentence.tags[:LONGEST]
    words = tuple(chain.from_iterable(map(_parts, tokens, tags)))
    return tuple(_said(words, place) for place in range(len(words)))


@lru_cache(maxsize=1 << 16)
def _parts(token: str, tag: str) -> tuple[Lexeme, ...]:
    low = token.lower()
    if token.isalpha() or len(token) == 1:
        return (Lexeme(token, low, tag),)
    glued = low[0].isdecimal() and not _ORDINAL_DIGITS.fullmatch(low) and _GLUED.fullmatch(low)
    if glued and glued[2] != "s" and not (glued[2] == "d" and len(low) == 2):
        cut = glued.end(1)
        return Lexeme(token[:cut], low[:cut], "CD"), Lexeme(token[cut:], low[cut:], "NN")
    if token[:-1].isdecimal() and _vulgar(token[-1]):
        return Lexeme(token[:-1], low[:-1], "CD"), Lexeme(token[-1], low[-1], "CD")
    return (Lexeme(token, low, tag),)


def _said(words: Sequence[Lexeme], place: int) -> Lexeme:
    """Return a lexeme, one with the symbol of a unit after a number in words: "5 kJ", "230 V"."""
    word = words[place]
    if not place or word.text not in SYMBOLS:
        return word
    first, before = words[max(0, place - 2)], words[place - 1]
    after = words[place + 1] if place + 1 < len(words) else Lexeme(".", ".", ".")
    if len(word.text) == 1:  # not in "Room 5 A", "$5 K", "No. 5A", "5 A levels", "5 K Street"
        named = first.low in BEFORE | {*"-.#"} or (place > 2 and first.text[0].isupper())
        more = after.text[0].isupper() or after.text[0].isdigit() or after.tag in ("NNS", ":")
        counted = before.low[-1].isdecimal() and not (named or more)
    else:
        before = first if before.low == "-" else before
        counted = before.low[-1].isdecimal() or before.low in NUMBER_WORDS
    return word._replace(low=SYMBOLS[word.text]) if counted else word


def numeral(words: Sequence[Lexeme], place: int) -> Numeral | None:
    """The number that begins at a place, as long as it goes; None if there is none."""
    found = (
        _fraction_first(words, place)
        or _in_digits(words, place)
        or _in_words(words, place)
        or _scale_alone(words, place)
    )
    return _and_a_part(words, found) if found else None


def digits_value(text: str) -> tuple[float, float] | None:
    """Value and step of digits with thousands marks or a decimal point; None for 1.2.3."""
    if not _DIGITS.fullmatch(text) or len(text) > _MOST_DIGITS + 6:
        return None
    plain = text.replace(",", "") if _THOUSANDS.match(text) else text.replace(",", ".")
    if plain.count(".") > 1 or len(plain) > _MOST_DIGITS:
        return None
    return float(plain), 10.0 ** -len(plain.partition(".")[2])


def in_plain_digits(text: str) -> str:
    """Return a text with its powers of ten, "3·10^8", and its groups, "1 200 000", as plain digits."""
    text = _IN_GROUPS.sub(lambda found: re.sub(r"\D", "", found[0]), text)
    return _POWER_OF_TEN.sub(_multiplied, text) if "10" in text or "e" in text.lower() else text


def _multiplied(found: re.Match[str]) -> str:
    times = (found["times"] or found["e"] or "1").replace(",", ".")
    value = Decimal(times).scaleb(int(found["power"].replace("−", "-"))).normalize()
    return f"{value:f}" if 1e-9 <= value < 10**_MOST_DIGITS else found[0]


def _low(words: Sequence[Lexeme], place: int) -> str:
    return words[place].low if 0 <= place < len(words) else ""


def _vulgar(character: str) -> float:
    return unicodedata.numeric(character, 0.0) if unicodedata.category(character) == "No" else 0.0


def _cardinal(value: float, step: float, end: int) -> Numeral:
    return Numeral(value, step, end, "cardinal", value)


def _fraction(value: float, end: int) -> Numeral:
    return Numeral(value, 1e-9, end, "fraction", value)


def _in_digits(words: Sequence[Lexeme], place: int) -> Numeral | None:
    word = words[place].low
    ordinal = _ORDINAL_DIGITS.fullmatch(word)
    if ordinal and len(word) < _MOST_DIGITS:
        return Numeral(float(ordinal[1]), 1.0, place + 1, "ordinal", float(ordinal[1]))
    if len(word) == 1 and _vulgar(word) and not word.isdecimal():
        return _fraction(_vulgar(word), place + 1)
    known = digits_value(word)
    if known is None:
        return None
    value, step = known
    if _low(words, place + 1) == "/" and (below := digits_value(_low(words, place + 2))):
        proper, small = value < below[0] <= 100, 1 < below[0] < 7 and value % below[0]
        plain = 0 < value <= 100 and (proper or small) and _low(words, place + 3) != "/"
        if plain and step == below[1] == 1:
            return _fraction(value / below[0], place + 3)
    return _scaled(words, value, step, place + 1)


def _scaled(words: Sequence[Lexeme], value: float, step: float, end: int) -> Numeral:
    """The number times the scales that follow: "3 million", "1.5bn", "3-million", "2 dozen"."""
    while True:
        gap = end + (_low(words, end) == "-")
        word = _low(words, gap)
        scale = _SCALES.get(word)
        if scale is None and gap == end and words[end - 1].low[-1].isdecimal():
            scale = SHORT_SCALES.get(word) if word != "m" else None  # "m" may be metre
        if scale is None:
            return _cardinal(value, step, end)
        value, step, end = value * scale, step * scale, gap + 1


def _in_words(words: Sequence[Lexeme], place: int) -> Numeral | None:
    """ "two", "twenty-five", "two hundred and fifty", "three thousand two hundred", "fifth"."""
    total = current = 0.0
    step, end, at = 1.0, place, place
    while True:
        word = _low(words, at)
        if word in _SMALL and (at == place or _may_add(current, _SMALL[word])):
            current += _SMALL[word]
        elif word == "hundred" and 0 < current < 100:
            current *= 100
        elif word in _GROUPS and current > 0:
            total, current = total + current * _GROUPS[word], 0.0
            step = _GROUPS[word] if total == _GROUPS[word] else 1.0
        elif word == "dozen" and current > 0:
            current *= 12
        elif word in _ORDINALS and (at == place or _may_add(current, _ORDINALS[word])):
            value = total + current + _ORDINALS[word]
            return Numeral(value, 1.0, at + 1, "ordinal", value)
        else:
            break
        at += 1
        end = at
        if _low(words, at) == "-" or (_low(words, at) == "and" and (current >= 100 or total)):
            at += 1
    return _cardinal(total + current, step, end) if end > place else None


def _may_add(current: float, value: float) -> bool:
    if current == 0:
        return True
    if current % 100 == 0:
        return 0 < value < 100
    return current % 10 == 0 and current % 100 >= 20 and 0 < value < 10


def _scale_alone(words: Sequence[Lexeme], place: int) -> Numeral | None:
    """ "a hundred", "a dozen", "a couple of", "hundreds of", "twice"."""
    word = _low(words, place)
    if word in VAGUE:
        least, most = VAGUE[word]
        return Numeral(least, least, place + 1, "vague", most)
    if word in _MULTIPLIERS:
        return Numeral(_MULTIPLIERS[word], 1e-9, place + 1, "times", _MULTIPLIERS[word])
    worth = _SCALES.get(word)
    if worth:
        return _scaled(words, worth, worth, place + 1)
    if word == "couple" and _low(words, place + 1) == "of":
        return Numeral(2.0, 1.0, place + 2, "vague", 3.0)
    if word in _ARTICLES and _low(words, place + 1) in _COUNTED:
        found = _scale_alone(words, place + 1)
        return found._replace(step=max(1.0, found.step)) if found else None
    return None


def _fraction_first(words: Sequence[Lexeme], place: int) -> Numeral | None:
    """ "half", "half a million", "two thirds", "one-third", "a quarter of", "three quarters"."""
    word = _low(words, place)
    if word == "half":
        begin = place + 1 + (_low(words, place + 1) in _ARTICLES)
        whole = _scale_alone(words, begin) if begin < len(words) else None
        if whole and whole.kind == "cardinal":
            return _cardinal(whole.value / 2, whole.step / 2, whole.end)
        return _fraction(0.5, place + 1)
    above = 1 if word in _ARTICLES else _SMALL.get(word, 0)
    gap = place + 1 + (_low(words, place + 1) == "-")
    part = _low(words, gap)
    if not 0 < above < 10 or part not in _PARTS or (above > 1) != part.endswith("s"):
        return None
    sure = word not in _ARTICLES or part in ("half", "quarter")  # "a third man" is none
    if not sure and _low(words, gap + 1) != "of":
        return None
    return _fraction(above / _PARTS[part], gap + 1)


def _and_a_part(words: Sequence[Lexeme], found: Numeral) -> Numeral:
    """ "two and a half", "3 1/2", "1½"; "three and a half million"."""
    end = found.end
    if found.kind != "cardinal" or found.value != int(found.value):
        return found
    following = [place for place in range(end, min(end + 6, len(words))) if words[place].low != "-"]
    said = tuple(words[place].low for place in following[:3])
    part: Numeral | None = None
    if len(said) == 3 and said[:2] in (("and", "a"), ("and", "one")) and said[2] in _PARTS:
        part = _fraction(1 / _PARTS[said[2]], following[2] + 1)
    elif words[end - 1].low[-1].isdecimal() and end < len(words):
        part = _in_digits(words, end)
    if part is None or part.kind != "fraction":
        return found
    return _scaled(words, found.value + part.value, 0.01, part.end)


def numeric(token: str) -> str | None:
    """The token if it may belong to a number, else None."""
    numeric_token = token[0].isnumeric() or token[-1].isnumeric() or token.lower() in NUMBER_WORDS
    return token if numeric_token else None


@lru_cache(maxsize=1 << 16)
def may_be_number(token: str) -> str | None:
    """The token if it may belong to a number in any writing, "B2" and "XII" included, else None."""
    low = token.lower()
    if low in NUMBER_WORDS or low in BEFORE_ROMAN or token in ROMAN:
        return token
    plain = token.isascii() and token.isalpha()
    return token if not plain and any(map(str.isnumeric, token)) else None
