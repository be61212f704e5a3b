"""WordNet 3.0 as arrays, for whole batches of words at once.

The arrays ship; ``make_relations`` makes them, ``LICENSE`` has the terms. Words are looked up as they are:
they come lemmatised, and no other form of them is tried.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from embeddings.tokenizers.ragged import Ids, Ragged
from features.wordnet.ancestors import Ancestors, Steps, climb
from sts.tensors import Tensors
from sts.text.lexicon.word_table import WordTable, write_words

PATH = Path(__file__).with_name("wordnet.safetensors")


class WordNet:
    """Senses of words and how they are related (Fellbaum, 1998).

    A lemma's row is its place in ``lemmas``. A synset's number is its place in WordNet's files:
    nouns first, then verbs, adjectives and adverbs. ``synsets`` and ``antonyms`` end in an empty
    row: row -1 is any lemma that WordNet does not list.

    Attributes:
        lemmas: the l lemmas; the words of a compound are joined by ``_``.
        heights: (s,) steps from each synset to the imaginary root, see
            :func:`features.wordnet.ancestors.heights_of`.

    Args:
        path: a file that :func:`write_relations` wrote.

    Raises:
        DataError: the file is missing or damaged.
    """

    def __init__(self, path: Path = PATH) -> None:
        self.lemmas = WordTable.open(path)
        self.heights: Steps = self.lemmas.tensors["heights"]

    @property
    def root(self) -> int:
        """The number of the imaginary root: one more than that of the last synset."""
        return len(self.heights)

    @cached_property
    def _synsets(self) -> Ragged:
        """(l + 1) the numbers of the synsets of each lemma, ascending."""
        return self._ragged("synsets")

    @cached_property
    def _antonyms(self) -> Ragged:
        """(l + 1) the rows of the lemmas opposite to each in some sense, ascending."""
        return self._ragged("antonyms")

    @cached_property
    def hypernyms(self) -> Ragged:
        """(s) the synsets directly above each, those of instances too."""
        return self._ragged("hypernyms")

    def _ragged(self, name: str) -> Ragged:
        tensors = self.lemmas.tensors
        return Ragged(tensors[f"{name}_flat"], tensors[f"{name}_offsets"].astype(np.int64))

    def rows(self, words: Sequence[str]) -> Ids:
        """Return the row (v,) int32 of each word among the lemmas, -1 if it is not listed."""
        return np.fromiter(map(self.lemmas.row, words), np.int32, len(words))

    def synsets(self, words: Sequence[str]) -> Ragged:
        """Return the numbers of each word's synsets, ascending; none if it is not listed.

        Two words are synonyms, in some sense, if theirs meet.
        """
        return self._synsets.take(self.rows(words).astype(np.int64))

    def antonyms(self, words: Sequence[str]) -> Ragged:
        """Return the rows of each word's opposites, ascending; none if it is not listed."""
        return self._antonyms.take(self.rows(words).astype(np.int64))

    def ancestors(self, rows: Ids) -> Ancestors:
        """Return all that is above the lemmas in these rows."""
        return climb(self._synsets.take(rows.astype(np.int64)), self.hypernyms, self.heights)


def write_relations(
    path: Path, lemmas: Sequence[str], relations: Mapping[str, Ragged], heights: Steps
) -> None:
    """Write the arrays of :class:`WordNet`, lemmas in the order of :func:`.byte_order`."""
    columns: Tensors = {"heights": heights}
    for name, (flat, offsets) in relations.items():
        columns |= {f"{name}_flat": flat, f"{name}_offsets": offsets.astype(np.int32)}
    write_words(path, lemmas, columns)
