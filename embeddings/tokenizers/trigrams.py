"""Text to ids by character trigrams (Wieting et al., 2016a): the encoder TRIGRAM.

A sentence is folded, put in lower case, and begins and ends in a space; every three
characters in a row are one entry. Trigrams that are not listed take a hashed row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from embeddings.tokenizers.sentencepiece_model import readable
from embeddings.tokenizers.words import Entries, Finder


def trigrams(text: str) -> list[str]:
    """Every three characters in a row of a sentence, spaces at its ends; none if it is blank."""
    padded = f" {readable(text)} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)] if padded.strip() else []


class TrigramVocabulary(Entries):
    """The rows of a trigram table: the trigrams in the order given, then the hashed rows."""

    def ids(self, text: str) -> list[int]:
        """Rows of the trigrams of a sentence; empty only for a blank sentence."""
        return [
            self.rows[entry] if entry in self.rows else self.bucket(entry)
            for entry in trigrams(text)
        ]

    def finder(self) -> Finder:
        """The compiled twin of :meth:`ids`."""
        from embeddings.compiled.trigram_finder import TrigramFinder

        return TrigramFinder(self)

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of running trigrams that have no row of their own."""
        running = [entry for text in texts for entry in trigrams(text)]
        return sum(entry not in self.rows for entry in running) / max(1, len(running))


def frequent(entries: Iterable[str], size: int) -> list[str]:
    """The ``size`` most frequent of some entries; of equal ones the first in the alphabet."""
    counts = Counter(entries)
    return sorted(counts, key=lambda entry: (-counts[entry], entry))[:size]
