"""Russian in Latin letters, as in addresses of pages, back into Cyrillic.

There are a dozen ways to write Russian in Latin letters (щ is shch, sch, shh or w; ы is y, yi or
i), and one text often mixes them. Two keys drop the differences between the ways, and a word is
the most frequent Russian one (wordfreq) with its key: first by the close key, then, for longer
words, by the loose one, which also takes h for г, j for ж and a c without its caron. A word that
is not listed is spelled from its close key.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache, lru_cache
from math import log

_LETTERS = "абвгдежзийклмнопрстуфхцчшщъыьэюяёіїєґ"
_KEYS = "a b v g d e zh z i i k l m n o p r s t u f h c ch sh sch _ i _ e iu ia e i i e g"
_CLOSE_LETTERS = {
    ord(letter): key.strip("_") for letter, key in zip(_LETTERS, _KEYS.split(), strict=True)
}
_LOOSE_LETTERS = _CLOSE_LETTERS | dict(zip(map(ord, "жхгшщчюя"), "zhhsscua", strict=True))

_CLOSE_RULES = (
    ("shch|shh|sch", "sch"), ("kh", "h"), ("x", "ks"), ("w", "v"), ("q", "k"), ("cz|tc", "c"),
    ("[jy]", "i"), ("i+", "i"), ("ie", "e"), ("ts", "c"),
)  # fmt: skip
_LOOSE_RULES = (
    ("shch|shh|sch|sh", "s"), ("zh", "z"), ("ch", "c"), ("cz|tc|ts", "c"), ("kh|x", "h"),
    ("g", "h"), ("w", "v"), ("q", "k"), ("[jyi]a", "a"), ("[jyi]u", "u"), ("[jyi]o", "e"),
    ("j", "z"), ("y", "i"), ("i+", "i"), ("ie", "e"),
)  # fmt: skip
_SPELLED = (
    ("sch", "щ"), ("sh", "ш"), ("ch", "ч"), ("zh", "ж"), ("ia", "я"), ("iu", "ю"),
    ("(?<=[aeiou])i", "й"),
    *zip("abvgdezijklmnoprstufhcy", "абвгдезийклмнопрстуфхцы", strict=True),
)  # fmt: skip

FEWEST_LETTERS = 5  # fewest letters of a word that is looked up by its loose key
CLEARLY = 1.0  # nats per word by which another language must be more likely than Russian
RAREST = 3e-8  # lowest share of running words of a word that is used

Rules = Sequence[tuple[str, str]]


def close_key(text: str) -> str:
    """Return a key that is equal for most transliterations of a text; it may contain Cyrillic letters."""
    return _apply(_CLOSE_RULES, text.lower().translate(_CLOSE_LETTERS))


def loose_key(text: str) -> str:
    """Return such a key in which г and х, ж and з, ш, щ and с, ч and ц, ю and у, я and а are equal."""
    return _apply(_LOOSE_RULES, text.lower().translate(_LOOSE_LETTERS))


def to_cyrillic(words: Sequence[str]) -> list[str] | None:
    """Return lower-cased words in Cyrillic letters; None if they are English or Ukrainian.

    They are Russian unless words of another of the three languages with their keys are clearly
    more frequent. Words with a digit stay as they are, and so do English words without a key.
    """
    letters = [word for word in words if word.isalpha()]
    keys = [loose_key(word) for word in letters]
    russian, ukrainian = (_logarithms(_shares_by_key(code), keys) for code in ("ru", "uk"))
    english = _logarithms(_frequencies("en", "small"), letters)
    if russian + CLEARLY * len(letters) < max(ukrainian, english):
        return None
    return [_undone(word) for word in words]


def _logarithms(shares: Mapping[str, float], words: Sequence[str]) -> float:
    return sum(log(shares.get(word, RAREST)) for word in words)


@lru_cache(maxsize=2**16)
def _undone(word: str) -> str:
    if not word.isalpha():
        return word
    close = close_key(word)
    found = _words_by_key("ru", close_key).get(close)
    if found is None and word in _frequencies("en", "small"):
        return word
    if found is None and len(word) >= FEWEST_LETTERS:
        found = _words_by_key("ru", loose_key).get(loose_key(word))
    return found or _apply(_SPELLED, close)


def _apply(rules: Rules, text: str) -> str:
    for pattern, by in rules:
        text = re.sub(pattern, by, text)
    return text


@cache
def _words_by_key(code: str, key: Callable[[str], str]) -> Mapping[str, str]:
    """Return the most frequent word of a language with each key, of equals the first."""
    known = _frequencies(code)
    words = [word for word, share in known.items() if share >= RAREST and word.isalpha()]
    words.sort(reverse=True)
    words.sort(key=known.__getitem__)
    keys = key("\n".join(words)).split("\n")  # all of them at once: ten times as fast
    return dict(zip(keys, words, strict=True))


@cache
def _shares_by_key(code: str) -> Mapping[str, float]:
    """Return the frequency of the most frequent word of a language with each loose key."""
    known = _frequencies(code)
    return {key: known[word] for key, word in _words_by_key(code, loose_key).items()}


@cache
def _frequencies(code: str, size: str = "best") -> Mapping[str, float]:
    from wordfreq import get_frequency_dict

    return dict(get_frequency_dict(code, wordlist=size))
