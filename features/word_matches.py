"""Nearest word and aligned word in the other sentence, for each word of a pair."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import SentenceEncoder, unit
from semaniacs.features.batch import LONGEST, Batch
from semaniacs.features.contradictions.differences import difference_sentences
from semaniacs.features.families.soft_matching import cosines
from semaniacs.features.families.word_alignment import partners
from semaniacs.features.resources import Resources
from semaniacs.sts.text.analysis import Sentence, analyse
from semaniacs.sts.text.normalisation import normalise_all
from semaniacs.sts.text.tokenizer import is_word, normalise, words

_WORD = re.compile(r"\w+")
_DIFFER = re.compile(r".*?: (.+?) [≠↔→] (.+?)(, here \2 → \1)?\.")
"""A sentence that names what one side says, and what the other says in its place."""


@dataclass(frozen=True)
class MatchedWord:
    """A word, its place in the text, and its matches in the other sentence.

    ``best`` is the nearest word by cosine (``similarity``); ``aligned`` is the partner in the
    one-to-one alignment. Both are None if there is none. ``exchanged`` is the other one of two that
    are exchanged, as dog and man in "the dog bit the man" and "the man bit the dog", or that
    contradict each other, as million and billion.
    """

    word: str
    start: int
    end: int
    best: str | None = None
    similarity: float = 0.0
    aligned: str | None = None
    exchanged: str | None = None


@dataclass(frozen=True)
class MatchedSide:
    """A sentence as features read it (:func:`.normalise`), and its words in order."""

    text: str
    words: tuple[MatchedWord, ...]


def match_words(left: str, right: str) -> dict[str, MatchedSide]:
    """Match the words of both sides of a pair; returns them under ``left`` and ``right``.

    The features' own vectors and aligner are used, on the first 1,000 tokens. The result does not
    depend on which sentence is given first.
    """
    left, right = normalise_all((left, right))
    first, second = sorted((left, right))
    analysed = analyse((first, second))
    batch = Batch([analysed[first]], [analysed[second]], Resources())
    batch.resources.open(())
    one, other = (_words_of(analysed[text]) for text in (first, second))
    values = cosines(batch, "words").values.reshape(len(one), len(other))
    partner = partners(batch, 0)
    back = np.full(len(other), -1)
    back[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    exchanged = _exchanged(first, second)
    sides = {
        first: _side(first, one, other, values, partner, exchanged),
        second: _side(second, other, one, values.T, back, exchanged),
    }
    return {"left": sides[left], "right": sides[right]}


def _exchanged(left: str, right: str) -> dict[str, str]:
    """Return words in small letters that traded places, or are replaced by what contradicts them."""
    texts = [f" {' '.join(_WORD.findall(text.lower()))} " for text in (left, right)]
    found: dict[str, str] = {}
    for said in filter(None, map(_DIFFER.fullmatch, difference_sentences([left], [right])[0])):
        for one, other in ((said[1], said[2]), (said[2], said[1])):
            both = all(f" {words.lower()} " in text for words in (one, other) for text in texts)
            for word in _WORD.findall(one.lower()):
                if both or sum(f" {word} " in text for text in texts) == 1:
                    found.setdefault(word, other)
    return found


@dataclass(frozen=True)
class NearestWord:
    """A word, the nearest word of the other sentence, and the cosine of their vectors."""

    word: str
    nearest: str
    cosine: float


Encoders = tuple[SentenceEncoder, SentenceEncoder]
"""Encoders of the left and of the right sentence."""


def nearest_words(left: str, right: str, encoders: Encoders) -> tuple[NearestWord, ...]:
    """Return the nearest word of the right sentence for each word of the left one."""
    one, other = words(left), words(right)
    if not one or not other:
        return ()
    vectors, others = (unit(e.encode(w)) for e, w in zip(encoders, (one, other), strict=True))
    cosines = vectors @ others.T
    return tuple(
        NearestWord(word, other[row.argmax()], float(row.max()))
        for word, row in zip(one, cosines, strict=True)
    )


def _words_of(sentence: Sentence) -> list[MatchedWord]:
    """Words among the first tokens; all tokens if there is no word."""
    text, end, found = normalise(sentence.text), 0, []
    for token in sentence.tokens[:LONGEST]:
        start = text.index(token, end)
        end = start + len(token)
        found.append(MatchedWord(token, start, end))
    return [word for word in found if is_word(word.word)] or found


def _side(
    text: str,
    words: list[MatchedWord],
    others: list[MatchedWord],
    cosine: NDArray[np.float32],
    partner: NDArray[Any],
    exchanged: Mapping[str, str],
) -> MatchedSide:
    """Match the words of one side; ``cosine`` has shape (words, words of the other side)."""
    words = [replace(word, exchanged=exchanged.get(word.word.lower())) for word in words]
    if others:
        for row, nearest in enumerate(cosine.argmax(axis=1).tolist()):
            aligned = others[partner[row]].word if partner[row] >= 0 else None
            similarity = float(cosine[row, nearest])
            words[row] = replace(
                words[row], best=others[nearest].word, similarity=similarity, aligned=aligned
            )
    return MatchedSide(normalise(text), tuple(words))
