"""Numbers in the words of five languages: "treinta y cuatro", "dreiundvierzig", "nonante-neuf".

One rule adds words from left to right. The languages differ in their words, in what "and" joins, and
in habits: 4 · 20 and 60 + 11 in French, 3 and 40 in German, 19 | 84 in English.
"""

from __future__ import annotations

import re
from functools import cache, partial

from semaniacs.features import lexicon

NUMERALS = lexicon.whole_numbers("number in any language")
_NOT_IN = lexicon.words("no number in a language")
_COUNTED = lexicon.words("number only after another")
_VAGUE_BEFORE = lexicon.words("before a vague hundred")
(_PART,) = (re.compile(p, re.IGNORECASE) for p in lexicon.phrases("beside a part of a number"))
_HALF_PAST = dict(lexicon.rows("half past an hour"))
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10}
_AND = {"en": "and", "de": "und", "es": "y", "fr": "et"}
_TENS = range(20, 100, 10)


def in_digits(text: str, code: str) -> str:
    """Return a text with the numbers that no single word of :data:`NUMERALS` says in digits."""
    if code not in _HALF_PAST:
        return text
    run, half, _ = _patterns(code)
    text = half.sub(partial(_half_past, code), text)
    return run.sub(partial(_numbers, code), text)


@cache
def _words(code: str) -> dict[str, int]:
    """Return the values of the words that numbers of a language are made of."""
    own = {word: n for word, n in NUMERALS.items() if f"{code}:{word}" not in _NOT_IN}
    listed = lexicon.whole_numbers("number in a language").items()
    return own | {word: n for entry, n in listed for of, word in [entry.split(":")] if of == code}


@cache
def _patterns(code: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return patterns of words of numbers in a row, of a time with half an hour, and of one word."""
    gap = "" if code == "de" else r"[\s-]"
    several = sorted(_words(code), key=len, reverse=True)
    word = f"(?:{'|'.join(several)}{'|an?(?=.(?:hundred|thousand))' * (code == 'en')})"
    word += "" if code == "de" else r"(?!\w)"
    joint = f"(?:{_AND[code]}{gap})?" if code in _AND else ""
    return (
        re.compile(rf"(?<![\w.,])(?>{word}(?:{gap}{joint}{word})*)(?!\w)", re.IGNORECASE),
        re.compile(rf"\b(?:{_HALF_PAST[code]})\b", re.IGNORECASE),
        re.compile(word, re.IGNORECASE),
    )


def _half_past(code: str, found: re.Match[str]) -> str:
    """Return a time in digits: German counts towards the next hour."""
    said = next(filter(None, found.groups())).lower()
    hour = int(said) if said.isdecimal() else _words(code).get(said, 0)
    return f"{hour - (code == 'de')}:30" if 0 < hour < 13 else found[0]


def _numbers(code: str, run: re.Match[str]) -> str:
    """Return words in a row with their numbers in digits; as they are if some cannot be added."""
    before, after = run.string[: run.start()].split()[-1:], run.string[run.end() :].split()[:1]
    if any(map(_PART.match, [*before, *after])) or any(word[-1].isdecimal() for word in before):
        return run[0]
    written, start, end, value, count = "", 0, 0, 0, 0
    for word in _patterns(code)[2].finditer(run[0]):
        joined = bool(end) and _AND.get(code, "\0") in run[0][end : word.start()].lower()
        number = _words(code).get(word[0].lower(), 1)
        more = _added(code, value, number, joined) if end else _first(code, word[0].lower(), number)
        if more is None and joined:
            written += _shown(run[0][start:end], value, count) + run[0][end : word.start()]
            start, count, more = word.start(), 0, _first(code, word[0].lower(), number)
        if more is None:
            return run[0]
        value, end, count = more, word.end(), count + 1
    if count == 1 and value in (100, 1000) and any(w.lower() in _VAGUE_BEFORE for w in before):
        return run[0]
    return written + _shown(run[0][start:], value, count)


def _first(code: str, word: str, number: int) -> int | None:
    """Return the value of the first word of a number; None if it counts only after another."""
    return None if f"{code}:{word}" in _COUNTED else number


def _shown(words: str, value: int, count: int) -> str:
    """Return the digits of a number; what one word says that others read too stays as it is."""
    return words if value == 1 or (count == 1 and words.lower() in NUMERALS) else f"{value}"


def _added(code: str, so_far: int, more: int, joined: bool) -> int | None:
    """Return a number with another word, after "and" if ``joined``; None if they are no number."""
    rest = so_far % 100
    if more == 1000:
        fits, value = so_far < 1000 and not joined, so_far * 1000
    elif more == 100 and rest:
        fits, value = so_far % 1000 < 20 and not joined, so_far + rest * 99
    elif more >= 100:
        fits, value = so_far % 1000 == 0 and not joined, so_far + more
    elif rest == 0:
        fits, value = not joined or code in ("en", "de", "fr"), so_far + more
    elif code == "en" and 15 < so_far < 21 and more >= 10:  # years
        fits, value = not joined, so_far * 100 + more
    elif code == "fr" and (rest, more) == (4, 20):
        fits, value = not joined, so_far + 76
    else:
        fits, value = _fits(code, rest, more, joined), so_far + more
    return value if fits else None


def _fits(code: str, rest: int, more: int, joined: bool) -> bool:
    """Return whether two words, such as those of 40 and 3, make a number below a hundred."""
    if code == "de":
        return joined and rest < 10 and more in _TENS
    if code == "fr" and 10 <= more < 20:
        return rest in (60, 80) and joined == (rest == 60 and more == 11)
    if code == "fr" and rest in (10, 70, 90):
        return (not joined and 7 <= more < 10) or (joined and more == 1 and rest > 10)
    with_and = code == "es" or (code == "fr" and more == 1 and rest != 80)
    return rest in _TENS and more < 10 and joined == with_and


def roman_in_digits(number: re.Match[str]) -> str:
    """Return a Roman number in digits."""
    digits = [_ROMAN_DIGITS[digit] for digit in number[0]]
    pairs = zip(digits, [*digits[1:], 0], strict=True)
    return str(sum(-one if one < after else one for one, after in pairs))
