"""Words, their weight and their case, in any of a few languages, without a tagger."""

from __future__ import annotations

from functools import cache
from math import log
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.tokenizers.ragged import Ragged
from features.batch import Batch, Column, View, once
from sts.text.tokenizer import is_word

LANGUAGES = ("en", "de", "es", "fr")
"""Languages whose frequent words are known; a sentence in another is read as one of them."""

FREQUENT = 130
"""Words of a language that count as its function words: the most frequent ones."""

RAREST = 1e-6
"""Frequency of words that wordfreq's small lists leave out."""

NOUNS_CAPITALISED = LANGUAGES.index("de")


class Tokens(NamedTuple):
    """The words of every distinct sentence.

    Attributes:
        words: what the numbers stand for.
        sequences: the numbers of each sentence's words.
        light: (t,) whether a token is a function word of the language of its sentence.
        information: (t,) −ln of its frequency there, in nats, from 0 to 13.8.
        names: (t,) whether it looks like a part of a name, or is a number.
        least_information: (v,) the information of each distinct word where it is most frequent.
    """

    words: tuple[str, ...]
    sequences: Ragged
    light: NDArray[np.bool_]
    information: Column
    names: NDArray[np.bool_]
    least_information: Column

    @property
    def content(self) -> Ragged:
        """The sentences without their function words."""
        kept = np.concatenate([[0], np.cumsum(~self.light)])
        return Ragged(self.sequences.flat[~self.light], kept[self.sequences.offsets])


@once
def tokens_of(batch: Batch) -> Tokens:
    """The words of a batch; the language of a sentence is that of most of its function words."""
    view = batch.view("words")
    flat, offsets = view.sequences
    sentence = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    light, weights = _by_language(view)
    counts = np.zeros((len(offsets) - 1, len(LANGUAGES)))
    np.add.at(counts, sentence, light[flat])
    language = counts.argmax(axis=1)[sentence]
    names = _cased(batch, offsets) & (language != NOUNS_CAPITALISED)
    digits = np.array([word[:1].isdigit() for word in view.words], bool)
    return Tokens(
        view.words,
        view.sequences,
        light[flat, language],
        weights[flat, language],
        (names & ~light[flat, language]) | (digits[flat] if len(digits) else names),
        np.round(weights.min(axis=1) * 2**16) / 2**16,  # sums of them are exact in any order
    )


def _by_language(view: View) -> tuple[NDArray[np.bool_], Column]:
    """(v, l) whether each distinct word is a function word of each language, and its information."""
    light = np.array([[word in frequent(c) for c in LANGUAGES] for word in view.words], bool)
    weights = [[-log(_frequencies(c).get(w, RAREST)) for c in LANGUAGES] for w in view.words]
    shape = (len(view.words), len(LANGUAGES))
    return light.reshape(shape), np.array(weights, np.float64).reshape(shape)


def _cased(batch: Batch, offsets: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(t,) whether each word is capitalised inside its sentence."""
    view = batch.tokens(_word_as_written)
    flat, written = view.sequences
    upper = np.array([word[:1].isupper() for word in view.words], bool)
    lengths = np.diff(offsets)
    marks_alone = np.diff(written) < lengths  # marks are the words of a sentence that has no other
    found = np.zeros(offsets[-1], bool)
    if len(upper):
        found[~np.repeat(marks_alone, lengths)] = upper[flat]
    found[offsets[:-1][lengths > 0]] = False
    return found


def _word_as_written(token: str) -> str | None:
    return token if is_word(token) else None


@cache
def _frequencies(code: str) -> dict[str, float]:
    from wordfreq import get_frequency_dict

    return dict(get_frequency_dict(code, wordlist="small"))


@cache
def frequent(code: str) -> frozenset[str]:
    """The most frequent words of a language."""
    listed = _frequencies(code)
    words = sorted((w for w in listed if w.isalpha()), key=lambda w: (-listed[w], w))
    return frozenset(words[:FREQUENT])
