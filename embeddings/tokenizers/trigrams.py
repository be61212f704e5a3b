"""Text to row numbers by character trigrams (Wieting et al., 2016a): the encoder TRIGRAM.

A sentence is normalised, put in lower case and framed by spaces; every three characters
in a row are one entry. Trigrams that are not listed take a hashed row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from semaniacs.embeddings.tokenizers.row_numbers import HashedVocabulary, Ragged
from semaniacs.embeddings.tokenizers.sentencepiece import readable


def trigrams(text: str) -> list[str]:
    """Return every three characters in a row of a sentence framed by spaces; none if it is blank."""
    padded = f" {readable(text)} "
    return [padded[i : i + 3] for i in range(len(padded) - 2)] if padded.strip() else []


class TrigramTokenizer(HashedVocabulary):
    """Trigrams have a row each, in the order given; hashed rows follow."""

    def entries(self, text: str) -> list[str]:
        """Return the trigrams of a sentence; none if it is blank."""
        return trigrams(text)

    def identity(self) -> str:
        """Return everything that decides :meth:`ids`."""
        return "trigrams" + super().identity()

    def ids_of_many(self, texts: Sequence[str]) -> Ragged:
        """Return the row numbers of many sentences; each different trigram is looked up once."""
        found = [trigrams(text) for text in texts]
        rows = {entry: self.row(entry) for entry in set().union(*found)}
        return Ragged.of([[rows[entry] for entry in entries] for entries in found])


def frequent(entries: Iterable[str], size: int) -> list[str]:
    """Return the ``size`` most frequent entries; of equal ones the first in the alphabet."""
    counts = Counter(entries)
    return sorted(counts, key=lambda entry: (-counts[entry], entry))[:size]
