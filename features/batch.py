"""The pairs of a matrix, every distinct sentence in them once.

Most features look at words alone, and most sentences and words come back many
times. So a batch numbers its distinct sentences, and each way of looking at a
sentence (a view: its words, its content words, its lemmas, …) numbers its
distinct words. Compiled features then work on whole columns of numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from embeddings.vocabulary import Ragged
from sts.text import Sentence, normalise

if TYPE_CHECKING:
    from features.resources import Resources

Column = NDArray[np.float64]
Rows = NDArray[np.int64]
T = TypeVar("T")

VIEWS: dict[str, Callable[[Sentence], Sequence[str]]] = {
    "words": lambda sentence: sentence.words,
    "content": lambda sentence: sentence.content,
    "lemmas": lambda sentence: sentence.lemmas,
    "all lemmas": lambda sentence: sentence.word_lemmas,
    "nouns": lambda sentence: sentence.tagged("NN"),
    "verbs": lambda sentence: sentence.tagged("VB"),
}
"""What may be seen in a sentence, as a sequence of strings."""


@dataclass(frozen=True)
class View:
    """One view of every distinct sentence.

    Attributes:
        words: the v distinct words in it; a word's number is its place here.
        sequences: the numbers of each sentence's words, in order.
    """

    words: tuple[str, ...]
    sequences: Ragged

    def weigh(self, weight: Callable[[str], float]) -> Column:
        """(v,) the weight of each distinct word."""
        return np.fromiter(map(weight, self.words), np.float64, len(self.words))


@dataclass(frozen=True)
class Batch:
    """The n analysed pairs of a matrix and what features may look up."""

    left: Sequence[Sentence]
    right: Sequence[Sentence]
    resources: Resources
    _kept: dict[Hashable, Any] = field(default_factory=dict, repr=False, compare=False)

    def __len__(self) -> int:
        return len(self.left)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """The s distinct sentences, in order of first appearance."""
        return tuple({s.text: s for side in (self.left, self.right) for s in side}.values())

    @cached_property
    def pairs(self) -> tuple[Rows, Rows]:
        """(n,) the number of the left and of the right sentence of each pair."""
        number = {sentence.text: place for place, sentence in enumerate(self.sentences)}
        left, right = (
            np.fromiter((number[s.text] for s in side), np.int64, len(side))
            for side in (self.left, self.right)
        )
        return left, right

    def view(self, name: str) -> View:
        """The view of that name, see ``VIEWS``."""
        return self.once(("view", name), lambda: _view(self.sentences, VIEWS[name]))

    @cached_property
    def characters(self) -> Ragged:
        """The code points of each distinct sentence, lower-cased, one blank between words."""
        texts = [" ".join(normalise(s.text).lower().split()) for s in self.sentences]
        offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
        points = "".join(texts).encode("utf-32-le", "surrogatepass")
        return Ragged(np.frombuffer(points, np.int32), offsets)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """What ``make`` returns, made when first asked for under this key and then kept."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept

    def per_sentence(self, function: Callable[[Sentence], float]) -> tuple[Column, Column]:
        """(n,) a number of the left and of the right sentence of each pair."""
        values = np.fromiter(map(function, self.sentences), np.float64, len(self.sentences))
        left, right = self.pairs
        return values[left], values[right]


def _view(sentences: Sequence[Sentence], words_of: Callable[[Sentence], Sequence[str]]) -> View:
    numbers: dict[str, int] = {}
    sequences = [
        [numbers.setdefault(word, len(numbers)) for word in words_of(sentence)]
        for sentence in sentences
    ]
    return View(tuple(numbers), Ragged.of(sequences))
