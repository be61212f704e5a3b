"""Dates, years, weekdays, times of day and periods, by what they mean."""

from __future__ import annotations

import re
from calendar import monthrange
from functools import lru_cache
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.measures.numerals import NUMBER_WORDS, Lexeme, lexemes, numeral
from semaniacs.sts.text.analysis import Sentence
from semaniacs.sts.text.units import unit_at

DATE, WEEKDAY, CLOCK, DAYTIME, PERIOD, RELATIVE, SEASON, FEAST = (
    "date", "weekday", "clock", "daytime", "period", "relative", "season", "feast",
)  # fmt: skip

_MONTH = lexicon.whole_numbers("month")
_WEEKDAY = lexicon.table("weekday")
_CAPITAL_ONLY = lexicon.words("day or month with a capital")
_SEASON = lexicon.whole_numbers("season")
_DECADE = lexicon.whole_numbers("decade")
_DAYTIME = {
    word: (int(first), int(last)) for word, (first, last) in lexicon.fields("daytime").items()
}
"""The hours that each is in, a night going on to the morning."""
_RELATIVE = {
    "today": ("day", 0), "yesterday": ("day", -1), "tomorrow": ("day", 1), "tonight": ("day", 0),
}  # fmt: skip
_SHIFT = lexicon.whole_numbers("shift")
_UNITS = lexicon.words("shifted unit")
_FEASTS = {
    tuple(names.split()): (int(month), int(day))
    for names, (month, day) in lexicon.fields("feast on a day").items()
}
_NAMED = lexicon.words("feast")
_FEAST_WORDS = _NAMED | {names[0] for names in _FEASTS}
_YEAR = re.compile(r"1\d\d\d|20\d\d")
_YEARS = re.compile(r"(1\d\d0|20\d0|\d0)s")
_DAY = re.compile(r"[12]?\d|3[01]")
_LINKS = frozenset(("and", "or", "to", "-", ","))
_TIME = re.compile(r"([01]?\d|2[0-4])[.:]([0-5]\d)")
_BEFORE_A_YEAR = lexicon.words("before a year")

WORDS = lexicon.words("word of a moment").union(
    _MONTH, _WEEKDAY, _SEASON, _DECADE, _DAYTIME, _RELATIVE, _NAMED, _SHIFT
)


Read = tuple[str, tuple[tuple[int | str, ...], ...], int]
"""The kind and the readings of a moment, and where it ends."""

_BEGINNINGS = NUMBER_WORDS | WORDS | _FEAST_WORDS | {f"{word}." for word in (*_MONTH, *_WEEKDAY)}


class Moment(NamedTuple):
    """When something is.

    Attributes:
        kind: one of the module's constants.
        readings: what it may mean. A date is (year, month, day), 0 where it is not said; a time
            of day is minutes and how they are known, of 2:30 "written" or for 14:30 "guessed"; a
            period is its first and last year; a relative one is a unit and how many units from
            now; other kinds have a number.
        begin, end: its lexemes.
        text: its words.
    """

    kind: str
    readings: tuple[tuple[int | str, ...], ...]
    begin: int
    end: int
    text: str


def may_be_date(token: str) -> str | None:
    """The token if it may belong to a date or a time, else None."""
    return token if token[0].isdigit() or token.lower().rstrip(".") in WORDS else None


@lru_cache(maxsize=1 << 16)
def moments(sentence: Sentence) -> tuple[Moment, ...]:
    """The dates and times of a sentence, in order."""
    words = lexemes(sentence)
    found: list[Moment] = []
    end = 0
    for place in [place for place, word in enumerate(words) if _may_begin(word.low)]:
        if place < end:
            continue
        read = _further_day(found, words, place) or _Reader(words, place).read()
        if read is not None:
            kind, readings, end = read
            text = " ".join(word.text for word in words[place:end])
            found.append(Moment(kind, readings, place, end, text))
    return tuple(found)


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= monthrange(2000, month)[1]


def _may_begin(low: str) -> bool:
    return low in _BEGINNINGS or low[0].isdigit()


def _further_day(found: list[Moment], words: tuple[Lexeme, ...], place: int) -> Read | None:
    """The 28th of "January 21 and 28"."""
    linked = place > 1 and words[place - 1].low in _LINKS and found and found[-1].end == place - 1
    if not linked or not _DAY.fullmatch(words[place].low) or found[-1].kind != DATE:
        return None
    year, month, day = found[-1].readings[0]
    after_month = words[place - 2].low.isdecimal() and not year
    if not (month and day and after_month) or words[place - 2].low != str(day):
        return None
    further = int(words[place].low)
    return (DATE, ((0, month, further),), place + 1) if _is_day(int(month), further) else None


class _Reader:
    def __init__(self, words: tuple[Lexeme, ...], place: int) -> None:
        self.words, self.place = words, place

    def read(self) -> Read | None:
        low = self._low(0)
        if low[0].isdigit():
            return self._date_in_digits() or self._day_first() or self._clock() or self._years()
        return (
            self._feast()
            or self._relative()
            or self._month_first()
            or self._day_first()
            or self._clock()
            or self._years()
            or self._word()
        )

    def _low(self, ahead: int) -> str:
        at = self.place + ahead
        return self.words[at].low if 0 <= at < len(self.words) else ""

    def _month(self, ahead: int) -> int:
        low = self._low(ahead).rstrip(".")
        if low not in _MONTH:
            return 0
        capital = self.words[self.place + ahead].text[0].isupper()
        return _MONTH[low] if capital or low not in _CAPITAL_ONLY else 0

    def _day(self, ahead: int) -> tuple[int, int]:
        """The day of a month in digits or as an ordinal, and how many lexemes it takes."""
        low = self._low(ahead)
        digits = re.fullmatch(r"(\d\d?)(?:st|nd|rd|th)?", low)
        if digits:
            return (int(digits[1]), 1) if 1 <= int(digits[1]) <= 31 else (0, 0)
        if low.isalpha() and self.place + ahead < len(self.words):
            found = numeral(self.words, self.place + ahead)
            if found and found.kind == "ordinal" and found.value <= 31:
                return int(found.value), found.end - self.place - ahead
        return 0, 0

    def _year(self, ahead: int) -> tuple[int, int]:
        skip = self._low(ahead) in (",", "of")
        low = self._low(ahead + skip)
        return (int(low), 1 + skip) if _YEAR.fullmatch(low) else (0, 0)

    def _date(self, year: int, month: int, day: int, used: int) -> Read:
        return DATE, ((year, month, day),), self.place + used

    def _date_in_digits(self) -> Read | None:
        """ "2020-05-03", "3/5/2020", "03.05.2020"."""
        low, mark = self._low(0), self._low(1)
        parts = low.split(".") if low.count(".") == 2 else []
        used = 1
        if mark in ("-", "/") and self._low(3) == mark:
            parts, used = [low, self._low(2), self._low(4)], 5
        whole = all(part.isdecimal() and len(part) in (1, 2, 4) for part in parts)
        if len(parts) != 3 or not whole:
            return None
        first, middle, last = map(int, parts)
        if len(parts[0]) == 4:
            orders = [(first, middle, last)]
        elif len(parts[2]) in (2, 4) and (len(parts[2]) == 4 or mark == "/"):
            year = last if last > 99 else last + (1900 if last > 50 else 2000)
            orders = [(year, middle, first), (year, first, middle)]
        else:
            return None
        valid = tuple(dict.fromkeys(o for o in orders if _is_day(o[1], o[2])))
        return (DATE, valid, self.place + used) if valid else None

    def _day_first(self) -> Read | None:
        """ "3 May 2020", "the third of May"."""
        day, used = self._day(0)
        if not day:
            return None
        used += self._low(used) == "of"
        month = self._month(used)
        if not month:
            return self._with_next_month(day, used)
        if not _is_day(month, day):
            return None
        dot = self._low(used + 1) == "."
        year, more = self._year(used + 1 + dot)
        return self._date(year, month, day, used + 1 + more + bool(more and dot))

    def _with_next_month(self, day: int, used: int) -> Read | None:
        """The 21st of "21 to 28 January"."""
        gap = used + 1 + (self._low(used + 1) == "-")
        if self._low(used) not in _LINKS or not self._low(gap)[:1].isdigit():
            return None
        after = _Reader(self.words, self.place + gap)._day_first()
        month = int(after[1][0][1]) if after else 0
        return self._date(0, month, day, used) if _is_day(month, day) else None

    def _month_first(self) -> Read | None:
        """ "May 3, 2020", "May the 3rd", "May 2020", "in May"."""
        month = self._month(0)
        if not month:
            return None
        used = 1 + (self._low(1) == ".")
        the = self._low(used) == "the"
        day, some = self._day(used + the)
        if _is_day(month, day):
            used += the + some
            year, more = self._year(used)
            return self._date(year, month, day, used + more)
        year, more = self._year(used)
        if year:
            return self._date(year, month, 0, used + more)
        low = self._low(0)
        doubtful = low in _CAPITAL_ONLY or self._low(1) == "'s"
        before = self._low(-1)
        sure = before in _BEFORE_A_YEAR | frozenset("last next this each every".split())
        return None if doubtful and not sure else self._date(0, month, 0, 1)

    def _clock(self) -> Read | None:
        """ "5 pm", "17:00", "half past five", "5 o'clock in the afternoon", "noon"."""
        low = self._low(0)
        if low in ("noon", "midday", "midnight"):
            return CLOCK, ((720 if low != "midnight" else 0, "said"),), self.place + 1
        hour, minute, used = self._hour_minute()
        if used == 0:
            return None
        colon = minute >= 0
        spoken = self._low(used) == "o" and self._low(used + 2) == "clock"
        used += 3 * spoken
        half, more = self._half_of_day(used)
        if not (colon or spoken or half):
            return None
        minutes = 60 * (hour % 24) + max(0, minute)
        if half and hour <= 12:
            times = [(minutes % 720 + 720 * (half == "pm"), "said")]
        else:
            written = colon and not spoken and low[0].isdigit()
            times = [(minutes, "written" if written else "said")]
            if 0 < hour <= 12 and low[0] != "0":
                times += [((minutes + 720) % 1440, "guessed" if written else "said")]
        return CLOCK, tuple(times), self.place + used + more

    def _hour_minute(self) -> tuple[int, int, int]:
        """Hour, minute (-1 if not said) and how many lexemes they take; 0 if it is no time."""
        low = self._low(0)
        if low in ("half", "quarter") and self._low(1) in ("past", "to"):
            hour = self._small(2)
            before = self._low(1) == "to"
            minute = 30 if low == "half" else 45 if before else 15
            return ((hour - before) % 24, minute, 3) if hour else (0, 0, 0)
        written = _TIME.fullmatch(low)
        french = re.fullmatch(r"([01]?\d|2[0-4])h([0-5]\d)", low)
        if french:
            return int(french[1]), int(french[2]), 1
        if written and self._half_of_day(1)[0]:
            return int(written[1]), int(written[2]), 1
        if self._low(1) == ":" and re.fullmatch(r"[0-5]\d", self._low(2)) and self._low(3) != ":":
            hour = int(low) if low.isdecimal() else 25
            return (hour, int(self._low(2)), 3) if hour < 25 else (0, 0, 0)
        hour = self._small(0)
        return (hour, -1, 1) if hour else (0, 0, 0)

    def _small(self, ahead: int) -> int:
        if self.place + ahead >= len(self.words):
            return 0
        found = numeral(self.words[self.place + ahead : self.place + ahead + 1], 0)
        plain = found and found.kind == "cardinal" and found.value == int(found.value)
        return int(found.value) if found and plain and found.value <= 24 else 0

    def _half_of_day(self, ahead: int) -> tuple[str, int]:
        """ "am", "pm" or "", from "p.m.", "in the afternoon", "at night"; how many lexemes."""
        low = self._low(ahead).replace(".", "")
        if low in ("am", "pm") and (low == "pm" or self._low(0)[0].isdigit()):
            return low, 1
        if low in ("a", "p") and [self._low(ahead + n) for n in (1, 2)] == [".", "m"]:
            return low + "m", 3 + (self._low(ahead + 3) == ".")
        two = self._low(ahead), self._low(ahead + 1), self._low(ahead + 2)
        if two[:2] == ("in", "the") and two[2] in ("morning", "afternoon", "evening"):
            return ("am" if two[2] == "morning" else "pm"), 3
        if two[:2] == ("at", "night"):
            return "pm", 2
        return "", 0

    def _years(self) -> Read | None:
        """ "1999", "the 1990s", "the nineties", "the 19th century"."""
        low = self._low(0)
        decade = _YEARS.fullmatch(low)
        if decade or (low in _DECADE and self._low(-1) in ("the", "early", "late", "mid", "-")):
            first = int(decade[1]) if decade else _DECADE[low]
            first += 1900 if 20 <= first < 100 else 2000 if first < 20 else 0
            spans = [(first, first + 9)]
            spans += [(first, first + 99)] if first % 100 == 0 else []
            return PERIOD, tuple(spans), self.place + 1
        found = numeral(self.words, self.place)
        if found and found.kind == "ordinal":
            gap = found.end + (found.end < len(self.words) and self.words[found.end].low == "-")
            if gap < len(self.words) and self.words[gap].low in ("century", "centuries"):
                first = 100 * int(found.value - 1)
                return PERIOD, ((first, first + 99),), gap + 1
        if not _YEAR.fullmatch(low):
            return None
        before = self._low(-1)
        tag = self.words[self.place + 1].tag if self.place + 1 < len(self.words) else ""
        single = before in ("a", "the") and tag != "NNS"
        if single or (before in _BEFORE_A_YEAR and tag != "NNS"):
            return self._date(int(low), 0, 0, 1)
        after = [word.low for word in self.words[self.place + 1 :][:3]]
        counts = tag in ("NNS", "JJ", "CD") or after[:1] in (["-"], ["per"]) or unit_at(after, 0)[0]
        if counts or int(low) < 1500:
            return None
        return self._date(int(low), 0, 0, 1)

    def _relative(self) -> Read | None:
        """ "yesterday", "last week", "the day after tomorrow", "ago"."""
        low = self._low(0)
        if low == "day" and self._low(1) in ("after", "before") and self._low(2) in _RELATIVE:
            shift = 1 if self._low(1) == "after" else -1
            unit, offset = _RELATIVE[self._low(2)]
            return RELATIVE, ((unit, offset + shift),), self.place + 3
        if low in _RELATIVE:
            return RELATIVE, (_RELATIVE[low],), self.place + 1
        if low == "ago" or (low == "from" and self._low(1) == "now"):
            sign = -1 if low == "ago" else 1
            return RELATIVE, (("direction", sign),), self.place + (1 if low == "ago" else 2)
        if low in _SHIFT and self._low(1) in _WEEKDAY.values() and low in ("last", "next"):
            return RELATIVE, (("weekday", _SHIFT[low]),), self.place + 1
        if low not in _SHIFT or self._low(1) not in _UNITS or self._low(-1) == "the":
            return None
        return RELATIVE, ((self._low(1), _SHIFT[low]),), self.place + 2

    def _feast(self) -> Read | None:
        low = self._low(0)
        if low not in _FEAST_WORDS:
            return None
        following = [at for at in range(4) if self._low(at) not in ("'s", "'", "")]
        said = tuple(self._low(at).removesuffix("s") if at else self._low(at) for at in following)
        for names, (month, day) in _FEASTS.items():
            if said[: len(names)] == names:
                return self._date(0, month, day, following[len(names) - 1] + 1)
        return (FEAST, ((low,),), self.place + 1) if low in _NAMED else None

    def _word(self) -> Read | None:
        low = self._low(0).rstrip(".")
        sure = low not in _CAPITAL_ONLY or self.words[self.place].text[0].isupper()
        if low in _WEEKDAY and sure:
            return WEEKDAY, ((_WEEKDAY[low],),), self.place + 1
        autumn = low == "fall" and self._low(-1) in ("the", "last", "this", "next", "every", "in")
        if (autumn and self.words[self.place].tag == "NN") or low in _SEASON:
            if low == "spring" and self.words[self.place].tag != "NN":
                return None
            return SEASON, ((_SEASON.get(low, 3),),), self.place + 1
        if low in _DAYTIME:
            return DAYTIME, (_DAYTIME[low],), self.place + 1
        return None
