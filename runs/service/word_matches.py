"""Nearest word and aligned word in the other sentence, for each word of a pair."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.features.batch import LONGEST, Batch
from semaniacs.features.families.word_alignment import cosines, partners
from semaniacs.features.resources import Resources
from semaniacs.sts.text.analysis import Sentence, analyse
from semaniacs.sts.text.tokenizer import is_word, normalise


@dataclass(frozen=True)
class MatchedWord:
    """A word, its place in the text, and its matches in the other sentence.

    ``best`` is the nearest word by cosine (``similarity``); ``aligned`` is the partner in the
    one-to-one alignment. Both are None if there is none.
    """

    word: str
    start: int
    end: int
    best: str | None = None
    similarity: float = 0.0
    aligned: str | None = None


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
    first, second = sorted((left, right))
    analysed = analyse((first, second))
    batch = Batch([analysed[first]], [analysed[second]], Resources())
    batch.resources.open(())
    one, other = (_words_of(analysed[text]) for text in (first, second))
    values = cosines(batch, "words").values.reshape(len(one), len(other))
    partner = partners(batch, 0)
    back = np.full(len(other), -1)
    back[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    sides = {
        first: _side(first, one, other, values, partner),
        second: _side(second, other, one, values.T, back),
    }
    return {"left": sides[left], "right": sides[right]}


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
) -> MatchedSide:
    """Match the words of one side; ``cosine`` has shape (words, words of the other side)."""
    if others:
        for row, nearest in enumerate(cosine.argmax(axis=1).tolist()):
            aligned = others[partner[row]].word if partner[row] >= 0 else None
            similarity = float(cosine[row, nearest])
            words[row] = replace(
                words[row], best=others[nearest].word, similarity=similarity, aligned=aligned
            )
    return MatchedSide(normalise(text), tuple(words))
