"""Frequency, tags and lemma of an English word, from tables.

Frequencies are those of wordfreq, tags those of Brill's tagger as TextBlob has it, lemmas those of
LemmInflect; see ``NOTICE.md``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path

from semaniacs.sts.text.lexicon.word_table import WordTable

FOLDER = Path(__file__).parent
TABLES = ("frequencies", "tags", "lemmas")

Readings = Mapping[str, Sequence[str]]
"""The lemmas of a word by its part of speech, as in Universal Dependencies."""

_FORMS = tuple(
    (re.compile(form), tag)
    for form, tag in (
        (r"^[0-9,.:/%$-]+\Z", "CD"),
        (r"(ate|ify|ise|ize)\Z", "VBP"),
        (r"ed\Z", "VBN"),
        (r"(able|al|ful|ible|ient|ish|ive|less|tic|ous)\Z|-", "JJ"),
        (r"(?<!i)(?<!ou)(?<!s)s\Z", "NNS"),
        (r"ly\Z", "RB"),
        (r"ing\Z", "VBG"),
    )
)
"""Forms of words and their tags; the first that fits counts."""


@cache
def table(name: str) -> WordTable:
    """Open one of :data:`TABLES`, once."""
    return WordTable.open(FOLDER / f"{name}.safetensors")


def frequency(word: str) -> float:
    """Return the share of running text that a lower-cased word takes, 0 if it is not listed."""
    found = table("frequencies")
    row = found.row(word)
    return 10 ** (-int(found.tensors["centibels"][row]) / 100) if row >= 0 else 0.0


def frequencies() -> list[float]:
    """Return the share of running text of every word that is listed."""
    rarity = table("frequencies").tensors["centibels"].tolist()
    return [10 ** (-centibels / 100) for centibels in rarity]


def listed_tag(token: str) -> str | None:
    """Return the most frequent Penn Treebank tag of a token, None if it is not listed."""
    found = table("tags")
    row = found.row(token)
    return _tag_names()[found.tensors["tag"][row]] if row >= 0 else None


@cache
def _tag_names() -> list[str]:
    return table("tags").tensors["names"].tobytes().decode().split()


def guessed_tag(token: str) -> str:
    """Return the tag of a token that is not listed, by its form (Brill, 1992)."""
    if token.istitle():
        return "NNP"
    return next((tag for form, tag in _FORMS if form.search(token)), "NN")


@lru_cache(maxsize=1 << 18)
def readings(word: str) -> Readings:
    """Return the lower-cased lemmas of a lower-cased word; empty if it is not listed."""
    found = table("lemmas")
    row = found.row(word)
    if row < 0:
        return {}
    begin, end = found.tensors["reading_ends"][row : row + 2]
    text = found.tensors["readings"][begin:end].tobytes().decode()
    parts = (reading.split(":", 1) for reading in text.split(";"))
    return {part: tuple(forms.split("/")) for part, forms in parts}


def is_irregular_participle(word: str) -> bool:
    """Return whether a lower-cased word that does not end in -ed is the participle of its lemma."""
    found = table("lemmas")
    row = found.row(word)
    return row >= 0 and bool(found.tensors["participle"][row])
