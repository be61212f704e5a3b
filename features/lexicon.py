"""Word lists and WordNet, as the features look them up.

The lists are those of :mod:`semaniacs.sts.text.word_lists`. Names of the same thing are in
``names/names.tsv``, with their sources in ``names/NOTICE.md``.

WordNet 3.0 is kept as arrays, for whole batches of words at once. They were made from WordNet's
database, whose terms are in ``wordnet/LICENSE``. Words are looked up as they are: they come
lemmatised, and no other form of them is tried.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel, sort
from semaniacs.embeddings.tokenizers.row_numbers import Ids, Ragged
from semaniacs.sts.tensors import WordTable
from semaniacs.sts.text import word_lists

NAMES = Path(__file__).parent / "names" / "names.tsv"
WORDNET = Path(__file__).parent / "wordnet" / "wordnet.safetensors"

rows, words, phrases = word_lists.rows, word_lists.words, word_lists.phrases
table, fields = word_lists.table, word_lists.fields
numbers, whole_numbers = word_lists.numbers, word_lists.whole_numbers


@cache
def other_names() -> tuple[dict[str, list[str]], dict[str, int]]:
    """Return the other names of each name or short form, and the most words by the first word.

    Names are in lower case without marks on letters, a blank between words and signs. A name that is
    a common word too has capitals: "WHO".
    """
    others: dict[str, list[str]] = {}
    lengths: dict[str, int] = {}
    lines = (line.split("\t")[:2] for line in NAMES.read_text("utf-8").splitlines()[1:])
    for name, other in (*rows("short form"), *lines):
        others.setdefault(name, []).append(other)
        first, *more = name.lower().split()
        lengths[first] = max(lengths.get(first, 0), 1 + len(more))
    return others, lengths


# WordNet

Steps = NDArray[np.float32]


class Ancestors(NamedTuple):
    """Ancestors of each of v words, the words' own synsets included.

    Attributes:
        nodes: numbers of synsets, ascending for each word, word after word; the
            last of each word is the imaginary root that joins all trees.
        steps: float32, the fewest that lead there from any sense of the word.
        offsets: (v + 1,) where each word's begin and end; a word that is not
            listed has none.
    """

    nodes: Ids
    steps: Steps
    offsets: NDArray[np.int64]


@kernel(nogil=True)
def _climb(senses, offsets, hypernyms, above, heights, fewest, queue, start, nodes, steps, begins):
    """Walk upwards from all senses of a word at once, so that each node's first visit is nearest.

    ``fewest`` is infinite before and after. The first word for which there may be no room is
    returned.
    """
    root = len(heights)
    for word in range(start, len(offsets) - 1):
        begin, seen = begins[word], 0
        if len(nodes) - begin < root + 1:
            return word
        for place in range(offsets[word], offsets[word + 1]):
            sense = senses[place]
            fewest[sense] = 0
            queue[seen] = sense
            seen += 1
            fewest[root] = min(fewest[root], heights[sense])
        at = 0
        while at < seen:
            node = queue[at]
            at += 1
            for place in range(above[node], above[node + 1]):
                higher = hypernyms[place]
                if fewest[higher] == np.inf:
                    fewest[higher] = fewest[node] + np.float32(1)
                    queue[seen] = higher
                    seen += 1
        if seen > 0:
            queue[seen] = root
            seen += 1
        begins[word + 1] = begin + seen
        sort(queue, seen)
        for at in range(seen):
            node = queue[at]
            nodes[begin + at], steps[begin + at] = node, fewest[node]
            fewest[node] = np.inf
    return len(offsets) - 1


class WordNet:
    """Senses of words and how they are related (Fellbaum, 1998).

    A lemma's row is its place in ``lemmas``. A synset's number is its place in WordNet's files:
    nouns first, then verbs, adjectives and adverbs. ``synsets`` ends in an empty row: row -1 is any
    lemma that WordNet does not list.

    Attributes:
        lemmas: the l lemmas; the words of a compound are joined by ``_``.
        heights: (s,) steps from each synset to the imaginary root: one more than to its farthest
            ancestor, as in NLTK, which hangs a root of its own above every synset.
    """

    def __init__(self, path: Path = WORDNET) -> None:
        self.lemmas = WordTable.open(path)
        self.heights: Steps = self.lemmas.tensors["heights"]

    @property
    def root(self) -> int:
        """The number of the imaginary root: one more than that of the last synset."""
        return len(self.heights)

    @cached_property
    def synsets(self) -> Ragged:
        """(l) the synsets of each lemma."""
        return self._ragged("synsets")

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

    def ancestors(self, rows: Ids) -> Ancestors:
        """Return all that is above the lemmas in these rows."""
        senses = self.synsets.take(rows.astype(np.int64))
        fewest, queue = (
            np.full(self.root + 1, np.inf, np.float32),
            np.empty(self.root + 1, np.int32),
        )
        offsets = np.zeros(len(rows) + 1, np.int64)
        nodes, steps = np.empty(0, np.int32), np.empty(0, np.float32)
        word = 0
        while word < len(rows):  # until there was room for all
            more = 64 * len(rows) + len(nodes) + self.root + 1
            nodes = np.concatenate([nodes, np.empty(more, np.int32)])
            steps = np.concatenate([steps, np.empty(more, np.float32)])
            found = nodes, steps, offsets
            word = _climb(*senses, *self.hypernyms, self.heights, fewest, queue, word, *found)
        return Ancestors(nodes[: offsets[-1]], steps[: offsets[-1]], offsets)
