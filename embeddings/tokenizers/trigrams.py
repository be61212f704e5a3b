"""Text to row numbers by character trigrams (Wieting et al., 2016a): the encoder TRIGRAM.

A sentence is normalised, put in lower case and framed by spaces; every three characters
in a row are one entry. Trigrams that are not listed take a hashed row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from embeddings.tokenizers.sentencepiece import readable
from embeddings.tokenizers.vocabulary import HashedVocabulary


def trigrams(text: str) -> list[str]:
    """Every three characters in a row of a sentence framed by spaces; none if it is blank."""
    padded = f" {readable(text)} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)] if padded.strip() else []


class TrigramTokenizer(HashedVocabulary):
    """Trigrams have a row each, in the order given; hashed rows follow."""

    def ids(self, text: str) -> list[int]:
        """Row numbers of the trigrams of a sentence; empty only for a blank sentence."""
        return [
            self.rows[entry] if entry in self.rows else self.bucket(entry)
            for entry in trigrams(text)
        ]

    def identity(self) -> str:
        """Everything that decides :meth:`ids`."""
        return "trigrams" + super().identity()

    def unknown_rate(self, texts: Iterable[str]) -> float:
        """Fraction of running trigrams that have no row of their own."""
        running = [entry for text in texts for entry in trigrams(text)]
        return sum(entry not in self.rows for entry in running) / max(1, len(running))


def frequent(entries: Iterable[str], size: int) -> list[str]:
    """The ``size`` most frequent of some entries; of equal ones the first in the alphabet."""
    counts = Counter(entries)
    return sorted(counts, key=lambda entry: (-counts[entry], entry))[:size]
