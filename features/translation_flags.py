"""Signs that one sentence of a pair is not the translation of the other."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import median

from semaniacs.features import lexicon
from semaniacs.features.batch import frequencies
from semaniacs.features.cross_language import (
    ANOTHER,
    DIFFERENT,
    contradictions,
    is_negated,
    is_number,
)
from semaniacs.features.word_matches import Encoders, nearest_words
from semaniacs.sts.text.language import OTHER, UNDETERMINED, identify
from semaniacs.sts.text.normalisation import is_misread
from semaniacs.sts.text.transliteration import loose_key

_LONGER, _APART = 2.0, 30
"""How many times longer, and by how many letters, a translation is out of proportion."""

_SAME_NAME, _TRANSLATED = 4, 0.5
"""First letters that spellings of a name share, and cosine from which words are translations,
if that of words with nothing in common is 0."""

_SMALL, _ANY = 2, 5
"""Words without a capital, and words at all, from which a text that is the same in two languages is
not translated."""

_KNOWN, _UNLISTED, _RARE, _OWN = 3e-6, 1e-6, 1e-7, 5
"""Share of running text of a word that a language knows, those of one it does not list, and how many times
more frequent a word of one language is there than in another."""

_HABIT, _SHORT = 0.9, 0.75
"""Share of the right sides that end with a full stop from which all should, and by how much one that is
cut is shorter than usual."""

_STOP, _LETTERS = re.compile(r"[.!?…]\W*$"), re.compile(r"[^\W\d_]+")

_MIDDLE = {
    code: re.compile(words, re.IGNORECASE)
    for code, words in lexicon.rows("word before the rest of a sentence")
}
"""The end of a sentence, words, and those that no sentence ends with."""

_SURE, _ENOUGH, _FOREIGN, _CLEAR = 0.99, 3, 8.5, 3.0
"""Confidence, and words without a capital, from which the language of a text is certain; log-odds from
which words in a row are in another language, and at most that of one of them."""

_PLACEHOLDER = re.compile(
    r"(?:https?://|www\.)\S+|\[\[[^\[\]]*\]\]|\$?\{[^{}]*\}|%(?:\d+\$|\(\w+\))?[sdifux@](?!\w)|</?\w[^<>]*>|(?<![\w.+-])[\w.+-]+@[\w-]+\.\w+"
)
"""Places of values and formats such as %d, tags and addresses, which a translation keeps."""

_WORD = re.compile(r"[^\W\d_]{2,}")

_LOST = re.compile(r"\ufffd|(?<=[^\W\d_])\?(?=[^\W\d_A-Z])")
"""Signs in place of a letter."""

_QUOTED = re.compile(rf"{_PLACEHOLDER.pattern}|[«“„\"‘(][^»”“\"’)]*[»”“\"’)]")

_OPPOSITES: dict[str, dict[str, dict[str, re.Pattern[str]]]] = {}
"""Patterns of the words of opposite poles, by language and axis."""

for _entry, _patterns in lexicon.fields("opposite in five languages").items():
    _axis, _, _pole = _entry.rpartition(" ")
    for _code, _pattern in zip(("en", "de", "es", "fr", "ru"), _patterns, strict=True):
        _poles = _OPPOSITES.setdefault(_code, {}).setdefault(_axis, {})
        _poles[_pole] = re.compile(rf"(?<!\w)(?:{_pattern})(?!\w)", re.IGNORECASE)

_Poles = dict[str, str]

_INSIDE = re.compile(r"(?<=[\w,;] )[^\W\d_][\w-]+")
"""A word that does not begin a sentence."""


def translation_flags(
    left: str,
    right: str,
    codes: tuple[str, str],
    encoders: Encoders,
    unrelated: float = 0.0,
    chance: float = 1.0,
) -> list[str]:
    """Return what speaks against a translation, in words.

    Args:
        left, right: a pair.
        codes, encoders: languages of both sides, and their encoders.
        unrelated: cosine that these give to what has nothing in common.
        chance: that both sides mean the same, as a network says that reads them together.
    """
    one, other = (_PLACEHOLDER.sub(" ", text) for text in (left, right))
    found, same = [str(contradictions(one, other, codes))], list[str]()
    for poles, others in _poles_of(one, other, codes):
        same += [side[pole] for pole in poles.keys() & others.keys() for side in (poles, others)]
        if not poles.keys() & others.keys() and not any(map(is_negated, (left, right), codes)):
            found.append(f"opposite: {', '.join(poles.values())} ↔ {', '.join(others.values())}")
    shorter, longer = sorted((len(left), len(right)))
    if longer > _LONGER * shorter and longer - shorter > _APART:
        found.append(f"length: {len(left)} and {len(right)} letters")
    translated = unrelated + (1 - unrelated) * _TRANSLATED
    sides = (" ".join([text, *same]) for text in (right, left))
    missing = [*_missing_names(left, next(sides), codes[0], encoders, translated)]
    missing += _missing_names(right, next(sides), codes[1], encoders[::-1], translated)
    if missing:
        found.append(f"names: {', '.join(dict.fromkeys(missing))}")
    if chance < DIFFERENT:
        found.append(ANOTHER)
    return list(dict.fromkeys(filter(None, found)))


def _poles_of(left: str, right: str, codes: tuple[str, str]) -> Iterator[tuple[_Poles, _Poles]]:
    """Yield for each axis the poles that both sides name, each with its words."""
    one, other = (_OPPOSITES.get(code, {}) for code in codes)
    for axis in (axis for axis in one if axis in other):
        found, others = (
            {pole: match[0] for pole, words in poles[axis].items() if (match := words.search(text))}
            for poles, text in ((one, left), (other, right))
        )
        if found and others:
            yield found, others


def is_copied(left: str, right: str, codes: tuple[str, str]) -> bool:
    """Return whether both sides of a pair are one text, more than names, codes and addresses.

    A short text is, if its words are frequent in the language of the left side and rare in the other:
    all of them, or one if another has no capital.
    """
    one, other = (_WORD.findall(_PLACEHOLDER.sub(" ", text)) for text in (left, right))
    if [word.casefold() for word in one] != [word.casefold() for word in other] or not one:
        return False
    if sum(map(str.islower, one)) >= _SMALL or len(one) >= _ANY:
        return True
    shares = [[frequencies(code).get(word.lower(), _UNLISTED) for code in codes] for word in one]
    strange = [own > max(_KNOWN, _OWN * other) for own, other in shares]
    known = any(map(str.islower, one)) and all(own > _KNOWN for own, _ in shares)
    return all(strange) or (len(one) >= _SMALL and any(strange) and known)


def cut_off(pairs: Sequence[tuple[str, str]], codes: Sequence[tuple[str, str]]) -> list[str]:
    """Return for each pair "cut: …", with its last word, if its right side ends in the middle, else "".

    It does if the left side ends with a full stop, the right one with a word, and this is an article
    or the like, or the text is far shorter than usual where right sides end with a full stop.
    """
    texts = [[_PLACEHOLDER.sub(" ", text).strip() for text in pair] for pair in pairs]
    ended = [b for a, b in texts if _STOP.search(a)]
    usual = sum(map(bool, map(_STOP.search, ended))) > _HABIT * len(ended)
    shares = [len(b) / len(a) for a, b in texts if a]
    least = _SHORT * median(shares) if usual else 0.0
    found = []
    for (left, right), (_, code) in zip(texts, codes, strict=True):
        *before, last = _LETTERS.findall(right) or [""]
        stops = len(before) >= _SMALL and _STOP.search(left) and right.endswith(last)
        middle = code in _MIDDLE and _MIDDLE[code].fullmatch(last)
        cut = stops and (middle or len(right) < least * len(left))
        found.append(f"cut: {last} …" if cut else "")
    return found


def languages_read(texts: Sequence[str], codes: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the language of each text: its code, unless another one (or ``other``) is certain."""
    texts = [_PLACEHOLDER.sub(" ", text) for text in texts]
    if len(known) == 1:
        return [*codes]
    return [
        found.language
        if found.language != UNDETERMINED
        and found.confidence > _SURE
        and (
            sum(map(str.islower, _WORD.findall(text))) >= _ENOUGH
            or _strange_words(text, code, found.language) >= _SMALL
        )
        else code
        for text, code, found in zip(texts, codes, identify(texts, known), strict=True)
    ]


def _strange_words(text: str, code: str, found: str) -> int:
    """Return how many words of a text another language has, and its own hardly.

    Words with a capital inside a text may be names, except in a German sentence.
    """
    words = _WORD.findall(text)
    if found != "de" or not _STOP.search(text):
        words = words[:1] + [word for word in words[1:] if word.islower()]
    own = [frequencies(code).get(word.lower(), 0.0) for word in words]
    if found == OTHER:
        return sum(share < _UNLISTED for share in own)
    others = [frequencies(found).get(word.lower(), 0.0) for word in words]
    return sum(b > max(_KNOWN, _OWN * a) for a, b in zip(own, others, strict=True))


def other_languages(right: str, codes: tuple[str, str], read: tuple[str, str]) -> list[str]:
    """Return in words which side is not in its language, or what of the right side is in the other."""
    sides = zip(read, codes, strict=True)
    if wrong := [f"{own}, not {code}" for own, code in sides if own != code]:
        return [f"language: {' ↔ '.join(wrong)}"]
    words = _words_in(right, *codes)
    return [f"language: {codes[0]} in “{words}”"] if words else []


def _words_in(text: str, source: str, code: str) -> str:
    """Return the words in a row that a translation has in the language of its source, or ""."""
    if source == code:
        return ""
    best, most, words, odds = "", _FOREIGN, list[str](), 0.0
    own, foreign = frequencies(code), frequencies(source)
    for word in _LETTERS.findall(_QUOTED.sub(" ", text)):
        lower = word.lower()
        more = math.log((foreign.get(lower, 0) + _RARE) / (own.get(lower, 0) + _RARE))
        odds += max(-_CLEAR, min(_CLEAR, more)) if word == lower or source == "de" else -math.inf
        words, odds = ([*words, word], odds) if odds > 0 else ([], 0.0)
        if odds > most:
            best, most = " ".join(words), odds
    return best


def damaged(*texts: str) -> str:
    """Return in words what lost its letters in another encoding, "" if nothing did: ``Los ni?os``."""
    words = (word for text in texts for word in _PLACEHOLDER.sub(" ", text).split())
    return next(
        (f"damaged: {word}" for word in words if _LOST.search(word) or is_misread(word)), ""
    )


def other_placeholders(left: str, right: str) -> str:
    """Return the placeholders and tags that one side alone has, in words; "" if there are none."""
    one, other = (Counter(_PLACEHOLDER.findall(text)) for text in (left, right))
    sides = (", ".join((a - b).elements()) or "none" for a, b in ((one, other), (other, one)))
    return f"placeholders: {' ↔ '.join(sides)}" if one != other else ""


def _missing_names(
    text: str, other: str, code: str, encoders: Encoders, translated: float
) -> Iterator[str]:
    """Yield the names of a sentence that the other one neither spells alike nor translates."""
    inside = _INSIDE.findall(text)
    names = [word for word in inside if word[0].isupper() and not is_number(word)]
    if code == "de" or 2 * len(names) > max(2, len(inside)):  # nouns, or a title
        return
    known = {loose_key(word)[:_SAME_NAME] for word in re.findall(r"\w+", other)}
    for name in names:
        if loose_key(name)[:_SAME_NAME] not in known:
            near = nearest_words(name, other, encoders)
            if all(one.cosine < translated for one in near):
                yield name
