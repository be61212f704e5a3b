"""The pairs of a matrix, every distinct sentence in them once, and formulas over their numbers.

Most features look at words alone, and most sentences and words come back many
times. So a batch numbers its distinct sentences, and each way of looking at a
sentence (a view: its words, its content words, its lemmas, …) numbers its
distinct words. Compiled features then work on whole columns of numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, wraps
from typing import TYPE_CHECKING, Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.measures.word_matching import rounded
from semaniacs.sts.text.analysis import Sentence, information, lemma
from semaniacs.sts.text.tokenizer import STOP_WORDS, as_word, is_word, normalise

if TYPE_CHECKING:
    from semaniacs.features.resources import Resources

Column = NDArray[np.float64]
Flags = NDArray[np.bool_]
Rows = NDArray[np.int64]
T = TypeVar("T")
P = ParamSpec("P")

LONGEST = 1000
"""Tokens of a sentence that are looked at: comparing every word with every word takes memory and
time by the square of their number."""

LONGEST_TEXT = 8 * LONGEST  # characters of a sentence that are compared as characters

Seen = Callable[[str, str], str | None]
DETERMINERS = frozenset(("DT", "PDT", "PRP$"))

VIEWS: dict[str, Seen] = {
    "words": lambda word, _: word,
    "content": lambda word, _: None if word in STOP_WORDS else word,
    "lemmas": lambda word, tag: None if word in STOP_WORDS else lemma(word, tag),
    "all lemmas": lemma,
    "nouns": lambda word, tag: word if tag.startswith("NN") else None,
    "noun lemmas": lambda word, tag: lemma(word, tag) if tag.startswith("NN") else None,
    "verbs": lambda word, tag: word if tag.startswith("VB") else None,
    "determiners": lambda word, tag: word if tag in DETERMINERS else None,
}
"""The views: each tells the key of a word with its part of speech; None if it is ignored."""


@dataclass(frozen=True)
class View:
    """The v distinct words of a view, and the numbers of each distinct sentence's words."""

    words: tuple[str, ...]
    sequences: Ragged

    def weigh(self, weight: Callable[[str], float]) -> Column:
        """(v,) the weight of each distinct word."""
        return np.fromiter(map(weight, self.words), np.float64, len(self.words))


def once(function: Callable[Concatenate[Batch, P], T]) -> Callable[Concatenate[Batch, P], T]:
    """The function of a batch, computed once for its arguments and then remembered.

    Arguments by position and by name are told apart: give them one way.
    """

    @wraps(function)
    def remembered(batch: Batch, /, *given: P.args, **named: P.kwargs) -> T:
        key = function, given, *named.items()
        return batch.once(key, lambda: function(batch, *given, **named))

    return remembered


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

    def sides(self, values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
        """(n, …) the left and the right side of each pair, of (s, …) values by sentence."""
        left, right = self.pairs
        return values[left], values[right]

    @once
    def view(self, name: str) -> View:
        """The view of that name, see ``VIEWS``."""
        see = VIEWS[name]
        return _look(self.tagged, [see(*word) for word in self.tagged.words])

    @cached_property
    def tagged_tokens(self) -> Numbered:
        """The tokens of each distinct sentence with their parts of speech, and with their case."""
        return _number(
            [zip(s.tokens[:LONGEST], s.tags[:LONGEST], strict=True) for s in self.sentences]
        )

    @cached_property
    def cut(self) -> Flags:
        """(s,) which distinct sentences have more tokens than are looked at."""
        return np.array([len(s.tokens) > LONGEST for s in self.sentences], np.bool_)

    @cached_property
    def tagged(self) -> Numbered:
        """The words of each distinct sentence with their parts of speech, see ``Sentence.words``.

        What makes a word of a token is asked of each distinct token, not of each sentence.
        """
        tokens, (flat, offsets) = self.tagged_tokens
        plain = np.array([is_word(token) for token, _ in tokens], bool)
        kept = plain[flat] if len(tokens) else np.zeros(0, bool)
        words = np.concatenate([[0], np.cumsum(kept)])
        # A sentence of marks alone keeps them as its words.
        kept |= np.repeat(np.diff(words[offsets]) == 0, np.diff(offsets))
        words = np.concatenate([[0], np.cumsum(kept)])
        both = zip(tokens, plain.tolist(), strict=True)
        spelled = [(as_word(token) if word else token, tag) for (token, tag), word in both]
        return Numbered(tuple(spelled), Ragged(flat[kept], words[offsets]))

    @once
    def information(self, name: str) -> Column:
        """(v,) the information content of each distinct word of a view, to 2⁻¹⁶ nats.

        So short a fraction makes sums of them, and of their squares, exact: they are the same
        in any order, so that a pair has the same value in every file.
        """
        return rounded(self.view(name).weigh(information), 16)

    @once
    def tokens(self, see: Callable[[str], str | None]) -> View:
        """Return a view of the values of ``see`` for each token; None is left out."""
        return _look(self.tagged_tokens, [see(token) for token, _ in self.tagged_tokens.words])

    @once
    def may_hold(self, see: Callable[[str], object]) -> Flags:
        """(s,) whether ``see`` finds something in a token, or not all tokens are looked at."""
        tokens, (flat, offsets) = self.tagged_tokens
        seen = np.array([bool(see(token)) for token, _ in tokens], np.bool_)
        found = np.concatenate([[0], np.cumsum(seen[flat])]) if len(tokens) else np.zeros(1, int)
        return np.asarray((np.diff(found[offsets]) > 0) | self.cut)

    @cached_property
    def characters(self) -> Ragged:
        """The code points of each distinct sentence, lower-cased, one blank between words."""
        texts = [" ".join(normalise(s.text[:LONGEST_TEXT]).lower().split()) for s in self.sentences]
        offsets = np.concatenate([[0], np.cumsum([len(text) for text in texts], dtype=np.int64)])
        points = "".join(texts).encode("utf-32-le", "surrogatepass")
        return Ragged(np.frombuffer(points, np.int32), offsets)

    def once(self, key: Hashable, make: Callable[[], T]) -> T:
        """The value under a key: computed by ``make`` the first time, then remembered."""
        if key not in self._kept:
            self._kept[key] = make()
        kept: T = self._kept[key]
        return kept


Gate = Callable[[Batch], Flags]  # says which of the (n,) pairs a slow feature has to look at


def either(see: Callable[[str], object]) -> Gate:
    """Return the gate of pairs of which either side may hold what ``see`` finds in a token."""
    return lambda batch: np.logical_or(*batch.sides(batch.may_hold(see)))


def both(see: Callable[[str], object]) -> Gate:
    """Return the gate of pairs of which both sides may hold what ``see`` finds in a token."""
    return lambda batch: np.logical_and(*batch.sides(batch.may_hold(see)))


class Numbered(NamedTuple):
    """Sequences of things as the numbers of the distinct ones."""

    words: tuple[Any, ...]
    sequences: Ragged


def _number(sequences: Sequence[Iterable[Any]]) -> Numbered:
    numbers: dict[Any, int] = {}
    found = [[numbers.setdefault(thing, len(numbers)) for thing in s] for s in sequences]
    return Numbered(tuple(numbers), Ragged.of(found))


def _look(numbered: Numbered, seen: Sequence[str | None]) -> View:
    """The sequences as what is seen of each distinct thing; what is not seen is left out."""
    texts = dict.fromkeys(text for text in seen if text is not None)
    number = {text: place for place, text in enumerate(texts)}
    numbers = np.array([-1 if text is None else number[text] for text in seen], np.int32)
    flat, offsets = numbered.sequences
    flat = numbers[flat] if len(numbers) else flat
    kept = np.concatenate([[0], np.cumsum(flat >= 0)])
    return View(tuple(number), Ragged(flat[flat >= 0], kept[offsets]))


# Formulas that several families share

FREQUENT = 130  # words of a language that count as its function words


@cache
def frequencies(code: str) -> dict[str, float]:
    """Return how frequent the words of a language are in wordfreq's small list."""
    from wordfreq import get_frequency_dict

    return dict(get_frequency_dict(code, wordlist="small"))


@cache
def frequent(code: str) -> frozenset[str]:
    """The most frequent words of a language."""
    listed = frequencies(code)
    words = sorted((w for w in listed if w.isalpha()), key=lambda w: (-listed[w], w))
    return frozenset(words[:FREQUENT])


def f1(precision: float, recall: float) -> float:
    """Harmonic mean of two numbers in [0, 1]; 0 if both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total > 0 else 0.0


def set_f1(a: frozenset[Any], b: frozenset[Any]) -> float:
    """F1 of what two sets share; 1 if both are empty, 0 if one is."""
    if not a or not b:
        return float(not a and not b)
    return f1(len(a & b) / len(a), len(a & b) / len(b))


def shares_matched(
    a: Collection[T], b: Collection[T], same: Callable[[T, T], bool]
) -> tuple[float, float]:
    """Return the share of each side, neither of them empty, that has a match on the other."""
    return (
        sum(any(same(x, y) for y in b) for x in a) / len(a),
        sum(any(same(x, y) for x in a) for y in b) / len(b),
    )


def matched_f1(a: Collection[T], b: Collection[T], same: Callable[[T, T], bool]) -> float:
    """F1 of what has a match on the other side; 1 if both sides are empty, 0 if one is."""
    return f1(*shares_matched(a, b, same)) if a and b else float(not a and not b)


def compressed_count(*counts: int) -> float:
    """log(1 + Σ counts): how many there are, large numbers counting less and less."""
    return math.log1p(sum(counts))


def ratio(a: NDArray[Any], b: NDArray[Any], otherwise: float = 0.0) -> Column:
    """a / b of (n,) numbers each; ``otherwise`` where b is 0."""
    quotients = np.full(len(b), otherwise)
    np.divide(a, b, out=quotients, where=b > 0)
    return quotients


def relative_differences(a: Column, b: Column) -> Column:
    """|a − b| / max(a, b) of (n,) numbers each, in [0, 1]; 0 where both are 0."""
    return ratio(np.abs(a - b), np.maximum(a, b))


def where_empty(
    column: Column,
    left: NDArray[Any],
    right: NDArray[Any],
    *,
    neither: float = 0.0,
    one: float = 0.0,
) -> Column:
    """The (n,) column, but ``neither`` where both sides are empty, and ``one`` where one is.

    ``left`` and ``right`` are (n,) sizes of the sides.
    """
    column = np.where((left == 0) & (right == 0), neither, column)
    return np.where((left == 0) != (right == 0), one, column)
