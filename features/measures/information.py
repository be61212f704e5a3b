"""How rare a word is: its frequency in English and its information content."""

from __future__ import annotations

from functools import lru_cache
from math import log

from sts.text.lexicon.english import frequency

RAREST = 1e-8
"""Frequency given to words that wordfreq does not list: below its smallest figure."""


@lru_cache(maxsize=1 << 18)
def information(word: str) -> float:
    """Information content −ln p(word) in nats, from 0 to 18.5, by wordfreq's English counts.

    TakeLab took p from the Google Books n-grams (Šarić et al., 2012, 2.3).
    """
    return -log(max(frequency(word), RAREST))
