"""Headlines in the addresses of articles: a part of the path, mostly in Latin letters.

``https://news.example/2020/05/27/531-na-donu-proshel-grad.html`` is "на дону прошел град".
"""

from __future__ import annotations

import re
from functools import lru_cache
from urllib.parse import unquote, urlsplit

from semaniacs.sts.text.transliteration import to_cyrillic

FEWEST_WORDS = 4
"""Fewest words of letters that make a part of a path a headline."""

_ENDING = re.compile(r"\.[a-z]+$")
_BETWEEN = re.compile("[-_+ ]")
_NUMBER_OF_ARTICLE = re.compile(r"(?:.*\d){5}")
_DATE = re.compile(r"\b(?:20\d\d \d\d \d\d|\d\d \d\d 20\d\d)\b")


def is_address(text: str) -> bool:
    """Return whether a text is the address of a page."""
    try:
        return bool(urlsplit(text).netloc)
    except ValueError:
        return False


def slug_of(address: str) -> tuple[str, ...]:
    """Return the words of the part of the path that has most of them; a ValueError if it is no
    address.

    Empty if no part has :data:`FEWEST_WORDS` words of letters. Dates, and numbers of five digits
    and more, by which a site counts its articles, are left out.
    """
    parts = [_words_of(part) for part in unquote(urlsplit(address).path).split("/")]
    most = max(parts, key=_count)
    return tuple(most) if _count(most) >= FEWEST_WORDS else ()


def _words_of(part: str) -> list[str]:
    words = _BETWEEN.split(_ENDING.sub("", part))
    kept = " ".join(word for word in words if not _NUMBER_OF_ARTICLE.match(word))
    return _DATE.sub(" ", kept).split()


def _count(words: list[str]) -> int:
    return sum(map(str.isalpha, words))


@lru_cache(maxsize=2**17)  # one address is in many pairs
def headline_of(address: str) -> str | None:
    """Return the headline, lower-cased, Russian in Cyrillic letters; None if there is none."""
    words = [word.lower() for word in slug_of(address)]
    return " ".join(to_cyrillic(words) or words) or None
