"""Numbers with what they measure, count or name: "5 km", "$3 million", "two dogs", "Room 101"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.measures.moments import moments
from semaniacs.features.measures.numerals import (
    BEFORE,
    BEFORE_ROMAN,
    NOT_ONE,
    NUMBER_WORDS,
    ROMAN,
    Lexeme,
    Numeral,
    digits_value,
    lexemes,
    may_be_number,
    numeral,
)
from semaniacs.sts.text.analysis import Sentence, lemma
from semaniacs.sts.text.signs import signs
from semaniacs.sts.text.units import MONEY, UNITS, Unit, unit_at

COUNT, NAME, SCORE, ORDINAL, SHARE, TIMES = "count name score ordinal share times".split()

TITLED = 0.6  # share of words with a capital above which a capital says nothing, as in a headline

_DESIGNATORS = lexicon.words("designator")
_SCORED = lexicon.words("scored")
_LOST = lexicon.words("lost")
_ABOUT = lexicon.words("about")
_BOUNDS = {"<": -1, "<=": -1, "=<": -1, "≤": -1, ">": 1, ">=": 1, "=>": 1, "≥": 1}
_UP = lexicon.phrases("at least")
_DOWN = lexicon.phrases("at most")
_LASTS = lexicon.words("lasts")
_LONG = lexicon.words("beside one day")
_HEAVY = lexicon.words("heavy")
_OR_SCALE = {"m": 1e6, "kelvin": 1e3}  # metres or millions, kelvins or thousands
_IDIOMS = lexicon.words("after an ordinal")
_SUFFIXES = lexicon.words("model suffix")


class Reading(NamedTuple):
    """A dimension and the least and the most of it, in its base unit."""

    dimension: str
    low: float
    high: float


class Amount(NamedTuple):
    """An amount of a sentence.

    Attributes:
        readings: what it may measure; more than one for "5 m" or "5 pounds".
        grain: what its last written digit is worth, as a share of the amount.
        of: the noun that is counted, in its singular; the head of a name.
        key: what names and scores are compared by.
        bound: 1 for "at least", -1 for "at most".
        about: whether it is said to be rough.
        text: its words.
    """

    readings: tuple[Reading, ...]
    grain: float
    of: str
    key: str
    bound: int
    about: bool
    text: str

    @property
    def dimensions(self) -> frozenset[str]:
        """The dimensions of its readings."""
        return frozenset(reading.dimension for reading in self.readings)


@lru_cache(maxsize=1 << 16)
def amounts(sentence: Sentence) -> tuple[Amount, ...]:
    """The amounts of a sentence, in order; what belongs to a date or a time is none."""
    words = pairwise(map(str.lower, sentence.tokens))
    one = any(first in ("a", "an") and second in UNITS for first, second in words)
    some = one or any(map(may_be_number, sentence.tokens))
    return tuple(_Reader(sentence).read()) if some else ()


@lru_cache(maxsize=1 << 16)
def single_nouns(sentence: Sentence) -> dict[str, str]:
    """Return nouns with "a" or "an", each with its words: "a big dog"."""
    words, found = lexemes(sentence), {}
    for place, word in enumerate(words):
        if word.low in ("a", "an"):
            noun, end = _noun(words, place + 1)
            if noun and words[end - 1].tag in ("NN", "NNP"):
                found[noun] = " ".join(w.text for w in words[place:end])
    return found


def _noun(words: Sequence[Lexeme], place: int) -> tuple[str, int]:
    """The head of the noun phrase that begins at a place, in its singular, and its end."""
    noun, end = "", place
    for at in range(place, min(place + 4, len(words))):
        low, tag = words[at].low, words[at].tag
        if tag[:2] == "NN" and low.isalpha():
            noun, end = lemma(low, tag), at + 1
            if tag == "NNS":
                break
        elif noun or not (tag[:2] == "JJ" or tag in ("VBN", "VBG") or low == "-"):
            break
    return noun, end


class _Reader:
    def __init__(self, sentence: Sentence) -> None:
        self.words = lexemes(sentence)
        self.lows = [word.low for word in self.words]
        self.taken = {p for m in moments(sentence) for p in range(m.begin, m.end)}
        self.negative = {sign.of for sign in signs(sentence.text) if sign.sign == "-"}
        self.scored = not _SCORED.isdisjoint(self.lows)
        self.lost = not _LOST.isdisjoint(self.lows)
        self.heavy = not _HEAVY.isdisjoint(self.lows)
        capital = [word.text[0].isupper() for word in self.words if word.text[0].isalpha()]
        self.titled = len(capital) > 2 and sum(capital) > TITLED * len(capital)

    def read(self) -> list[Amount]:
        found, end = list[Amount](), 0
        for place in filter(self._may_begin, range(len(self.words))):
            if place < end or place in self.taken:
                continue
            read = self._name(place) or self._score(place) or self._measured(place)
            if read is not None:
                some, end = read
                found += some
        return found

    def _may_begin(self, place: int) -> bool:
        low = self.lows[place]
        if low in ("a", "an"):
            after = self._low(place + 1)
            return after in NUMBER_WORDS or after in UNITS
        capitals = len(low) < 5 and self.words[place].text.isupper()
        digits = not low.isalpha() and any(map(str.isnumeric, low))
        return digits or capitals or low in NUMBER_WORDS or low in BEFORE

    def _low(self, place: int) -> str:
        return self.lows[place] if 0 <= place < len(self.lows) else ""

    def _text(self, begin: int, end: int) -> str:
        return " ".join(word.text for word in self.words[begin:end])

    # names

    def _name(self, place: int) -> tuple[list[Amount], int] | None:
        word = self.words[place]
        mixed = re.search(r"[^\W\d_]", word.low) and re.search(r"\d", word.low)
        if mixed and not re.fullmatch(r"\d+(st|nd|rd|th|s)", word.low):
            head = re.sub(r"\d.*", "", word.low)
            return [self._named(head, word.low, place, place + 1)], place + 1
        joined = word.text.isupper() and word.text.isalpha() and len(word.text) < 5
        if joined and self._low(place + 1) == "-" and self._low(place + 2).isdecimal():
            key = word.low + self.lows[place + 2]
            return [self._named(word.low, key, place, place + 3)], place + 3
        first = word.text == "I" and self._low(place - 1) in BEFORE_ROMAN
        number = 1 if first else ROMAN.get(word.text)
        if number and place and self.words[place - 1].text[0].isupper():
            return [self._named(self.lows[place - 1], str(number), place - 1, place + 1)], place + 1
        if not word.low[0].isdecimal() or not place or not self._names_follow(place):
            return None
        end = place + 1
        while self._low(end) == "." and self._low(end + 1).isdecimal():
            end += 2
        key = "".join(self.lows[place:end])
        if suffix := self._suffix(end):
            key, end = f"{key} {suffix}", end + 1 + (self._low(end) == "-")
        return [self._named(self._head(place), key, place - 1, end)], end

    def _suffix(self, end: int) -> str:
        """The rest of the name of a model or a version: "rc1" of 1.2.3-rc1, "Pro" of iPhone 14 Pro."""
        at = end + (self._low(end) == "-")
        word = self.words[at] if at < len(self.words) else None
        if word is None or word.low.rstrip("0123456789") not in _SUFFIXES:
            return ""
        return word.low if at > end or word.text[0].isupper() or word.low[-1].isdecimal() else ""

    def _head(self, place: int) -> str:
        before = self._low(place - 1)
        if before in (".", "#", "-"):
            before = self._low(place - 2) or before
        return {"no.": "number", "no": "number", "#": "number", "nr": "number"}.get(before, before)

    def _names_follow(self, place: int) -> bool:
        """Whether the number at a place is part of a name: "Room 101", "Boeing 747"."""
        before, after = self.words[place - 1], self._low(place + 1)
        if digits_value(self.lows[place]) is None:
            return True  # 3.1.2
        if "," in self.lows[place] or after in ("-", "%", "/") or unit_at(self.lows, place + 1)[0]:
            return False
        if re.fullmatch(r"0\d+", self.lows[place]):
            return True  # the zero of a code says that it is none
        if self._head(place) in _DESIGNATORS or self._head(place) == "number":
            return before.low != "no"
        follower = self.words[place + 1].tag if place + 1 < len(self.words) else ""
        proper = before.tag.startswith("NNP") and not before.text.islower() and before.low.isalpha()
        named = not self.titled and follower not in ("NNS", "CD", "JJ", "VBN")
        return proper and (named or bool(self._suffix(place + 1)))

    def _named(self, head: str, key: str, begin: int, end: int) -> Amount:
        value = digits_value(key.partition(" ")[0])
        number = value[0] if value else 0.0
        readings = (Reading(NAME, number, number),)
        return Amount(readings, 0.0, head, key, 0, False, self._text(begin, end))

    # scores

    def _score(self, place: int) -> tuple[list[Amount], int] | None:
        pair = self._low(place), self._low(place + 2)
        dash = self._low(place + 1) in ("-", ":")
        if not dash or not all(part.isdecimal() and len(part) < 4 for part in pair):
            return None
        first, second = int(pair[0]), int(pair[1])
        unit = unit_at(self.lows, place + 3)[0]
        if unit or not (self.scored or first >= second):
            return None
        key = f"{max(first, second)}-{min(first, second)}" if self.lost else f"{first}-{second}"
        readings = (Reading(SCORE, float(first), float(second)),)
        text = self._text(place, place + 3).replace(" ", "")
        return [Amount(readings, 0.0, "lost" * self.lost, key, 0, False, text)], place + 3

    # measures and counts

    def _measured(self, place: int) -> tuple[list[Amount], int] | None:
        money = UNITS[self.lows[place]] if self.lows[place] in BEFORE else ()
        begin = place + bool(money)
        found = self._one_unit(begin)
        if found is None and begin < len(self.words):
            found = numeral(self.words, begin)
        if found is None or self._is_idiom(begin, found):
            return None
        whole = self._proportion(found)
        if whole:
            return [self._amount(place, whole, (Unit(SHARE, 1.0),), whole.end)], whole.end
        upper = self._upper(place, found)
        last = upper or found
        unit, end = self._unit(last, money)
        some = [self._amount(place, found, unit, end, upper)]
        if upper and self._low(place - 1) == "from":
            some = [self._amount(place, found, unit, end), self._amount(place, upper, unit, end)]
        return self._with_smaller(some, unit, end)

    def _one_unit(self, place: int) -> Numeral | None:
        """ "an hour" and "a mile" where they say how long it takes or how far it is."""
        half = self._low(place + 2) == "and" and self._low(place + 3) == "a"
        if self._low(place) not in ("a", "an") or not (half or self._low(place - 1) in _LASTS):
            return None
        units = unit_at(self.lows, place + 1)[0]
        if not units or units[0].dimension not in ("time", "length", "mass", "volume"):
            return None
        abbreviated = len(self._low(place + 1)) < 3
        return None if abbreviated else Numeral(1.0, 1.0, place + 1, "cardinal", 1.0)

    def _is_idiom(self, place: int, found: Numeral) -> bool:
        word, before, after = self._low(place), self._low(place - 1), self._low(found.end)
        if (alone := found.end == place + 1) and word == "one":
            tag = self.words[found.end].tag if found.end < len(self.words) else ""
            unit = bool(unit_at(self.lows, found.end)[0])
            counts = unit or tag[:2] in ("NN", "JJ") or after in ("of", "in", "out", "-")
            idle = _LONG.isdisjoint((before, self._low(place + 2))) and before not in _LASTS
            idiom = after in ("another", "time") or (after == "day" and idle)
            return before in NOT_ONE or not counts or idiom
        if found.kind == "ordinal":
            return before in ("at", "") and (after in _IDIOMS or before == "at")
        if word == "half" and alone:
            return before in ("first", "second", "other", "1st", "2nd", "better") or after == "-"
        return word == "zero" and after == "-"

    def _proportion(self, found: Numeral) -> Numeral | None:
        """ "one in five", "two out of three"."""
        out = [self._low(found.end), self._low(found.end + 1)] == ["out", "of"]
        begin = found.end + 2 if out else found.end + 1
        if not (out or self._low(found.end) == "in") or begin >= len(self.words):
            return None
        whole = numeral(self.words, begin)
        if whole is None or whole.kind != "cardinal" or unit_at(self.lows, whole.end)[0]:
            return None
        most = (1e9, 1e9) if out else (9, 100)
        if not (0 < found.value < whole.value <= most[1] and found.value <= most[0]):
            return None
        return Numeral(found.value / whole.value, 1e-9, whole.end, "fraction", 0.0)

    def _upper(self, place: int, found: Numeral) -> Numeral | None:
        """The other end of "3-5", "3 to 5", "between 3 and 5", "3 or 4"."""
        link = self._low(found.end)
        linked = link in ("-", "to", "or") or (link == "and" and self._low(place - 1) == "between")
        begin = found.end + 1 + (self._low(found.end + 1) in BEFORE)
        if not linked or begin >= len(self.words) or found.kind not in ("cardinal", "fraction"):
            return None
        upper = numeral(self.words, begin)
        return upper if upper and upper.kind == found.kind and upper.value > found.value else None

    def _unit(self, found: Numeral, money: tuple[Unit, ...]) -> tuple[tuple[Unit, ...], int]:
        end = found.end
        if money:
            million = end + (self._low(end) == "-")
            scale = 1e6 if self._low(million) == "m" else 1.0
            end = million + 1 if scale > 1 else end
            named = unit_at(self.lows, end)[0]
            end += bool(named) and named[0].dimension in MONEY
            return tuple(Unit(u.dimension, scale) for u in money if u.dimension in MONEY), end
        gap = end + (self._low(end) == "-")
        if found.kind == "fraction":  # "half an hour", "a quarter of a mile"
            article = gap + (self._low(gap) == "of")
            gap = article + 1 if self._low(article) in ("a", "an") else gap
        units, after = unit_at(self.lows, gap)
        if not units or found.kind in (ORDINAL, TIMES):
            return (), end
        if self.lows[gap] in _OR_SCALE and after == gap + 1:
            return (*units, Unit(COUNT, _OR_SCALE[self.lows[gap]])), after
        if len(units) > 1 and units[0].dimension in ("mass", "gbp"):
            wanted = "mass" if self.heavy or self.lows[gap].startswith("lb") else "gbp"
            units = tuple(sorted(units, key=lambda unit: unit.dimension != wanted))
        while self._low(after) in ("-", "old"):
            after += 1
        return units, after

    def _amount(
        self,
        begin: int,
        found: Numeral,
        units: tuple[Unit, ...],
        end: int,
        upper: Numeral | None = None,
    ) -> Amount:
        noun = ""
        below = self.lows[end : end + 2] in (["below", "zero"], ["below", "freezing"])
        digits = {self._low(begin), self._low(begin + 1)}
        signed = self._low(begin - 1) in ("-", "−", "(") and not digits.isdisjoint(self.negative)
        if below or signed or self._low(begin - 1) in ("minus", "negative"):
            found = found._replace(value=-found.value, most=-found.most)
            begin, end = begin - (not below), end + 2 * below
        if not units:
            kind = {"fraction": SHARE, ORDINAL: ORDINAL, TIMES: TIMES}.get(found.kind, COUNT)
            units = (Unit(kind, 1.0),)
            noun, end = _noun(self.words, end) if kind in (COUNT, ORDINAL) else ("", end)
            end = max(end, (upper or found).end)
        most = upper.value if upper else found.most
        ends = found.value, max(found.value, most)
        readings = tuple(
            Reading(u.dimension, *(value * u.worth + u.zero for value in ends)) for u in units
        )
        grain = found.step / abs(found.value) if found.value else 0.0
        bound, about, begin = self._softened(begin, end)
        return Amount(readings, grain, noun, "", bound, about, self._text(begin, end))

    def _softened(self, begin: int, end: int) -> tuple[int, bool, int]:
        """Whether "at least" (1) or "at most" (-1) and "about" stand before it, and where."""
        before = self.lows[max(0, begin - 3) : begin]
        if (mark := "".join(before[-2:])) and (mark[-1] in _BOUNDS or mark in _BOUNDS):
            return _BOUNDS.get(mark) or _BOUNDS[mark[-1]], False, begin - 1 - (mark in _BOUNDS)
        for count in (3, 2, 1):
            said = " ".join(before[-count:]) if len(before) >= count else ""
            if said in _UP or said in _DOWN:
                return (1 if said in _UP else -1), False, begin - count
        after = " ".join(self.lows[end : end + 2])
        if after in ("or more", "or less", "or fewer") or self._low(end) == "+":
            return (1 if after == "or more" or self._low(end) == "+" else -1), False, begin
        about = bool(before) and (before[-1] in _ABOUT or before[-2:] == ["close", "to"])
        return 0, about or after == "or so", begin - (about and before[-1] in _ABOUT)

    def _with_smaller(
        self, some: list[Amount], unit: tuple[Unit, ...], end: int
    ) -> tuple[list[Amount], int]:
        """ "an hour and a half", "5 hours and 30 minutes", "6 feet 2 inches" as one amount."""
        if not unit or len(some) > 1 or unit[0].dimension not in ("time", "length", "mass"):
            return some, end
        begin = end + (self._low(end) in ("and", ","))
        if begin >= len(self.words) or begin in self.taken:
            return some, end
        more = numeral(self.words, begin)
        if more is None or self._low(end) == ",":
            return some, end
        smaller, after = unit_at(self.lows, more.end)
        if more.kind == "fraction" and begin > end and not smaller:
            smaller, after = (unit[0],), more.end
        elif not smaller or more.kind != "cardinal" or smaller[0].dimension != unit[0].dimension:
            return some, end
        equal = smaller[0].worth == unit[0].worth
        if smaller[0].worth > unit[0].worth or (equal and more.kind == "cardinal"):
            return some, end
        (only,) = some
        added = more.value * smaller[0].worth
        dimension, low, high = only.readings[0]
        reading = Reading(dimension, low + added, high + added)
        text = f"{only.text} {self._text(end, after)}"
        return [only._replace(readings=(reading,), grain=0.01, text=text)], after
