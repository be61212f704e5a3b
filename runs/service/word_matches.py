"""Nearest word and aligned word in the other sentence, for each word of a pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.batch import LONGEST, Batch
from features.families.word_alignment import cosines, partners
from features.resources import Resources
from sts.text.analysis import Sentence, analyse
from sts.text.tokenizer import is_word, normalise


@dataclass(frozen=True)
class MatchedWord:
    """A word, its place in the text, and its matches in the other sentence.

    ``best`` is the nearest word by cosine (``similarity``); ``aligned`` is the partner in the
    one-to-one alignment. Both are None if there is none.
    """

    word: str
    start: int
    end: int
    best: str | None
    similarity: float
    aligned: str | None


@dataclass(frozen=True)
class MatchedSide:
    """A sentence as features read it (:func:`.normalise`), and its words in order."""

    text: str
    words: tuple[MatchedWord, ...]


Span = tuple[str, int, int]
"""A word, its start and its end."""


def match_words(left: str, right: str) -> dict[str, MatchedSide]:
    """Match the words of both sides of a pair; returns them under ``left`` and ``right``.

    The features' own vectors and aligner are used, on the first 1,000 tokens. The result does not
    depend on which sentence is given first.
    """
    first, second = sorted((left, right))
    analysed = analyse((first, second))
    batch = Batch([analysed[first]], [analysed[second]], Resources())
    batch.resources.open(())
    spans = [_word_spans(analysed[text]) for text in (first, second)]
    values = cosines(batch, "words").values.reshape([len(found) for found in spans])
    partner = partners(batch, 0)
    back = np.full(len(spans[1]), -1)
    back[partner[partner >= 0]] = np.flatnonzero(partner >= 0)
    sides = {
        first: _side(first, spans[0], spans[1], values, partner),
        second: _side(second, spans[1], spans[0], values.T, back),
    }
    return {"left": sides[left], "right": sides[right]}


def _word_spans(sentence: Sentence) -> list[Span]:
    """Words among the first tokens; all tokens if there is no word."""
    text, end, spans = normalise(sentence.text), 0, []
    for token in sentence.tokens[:LONGEST]:
        start = text.index(token, end)
        end = start + len(token)
        spans.append((token, start, end))
    return [span for span in spans if is_word(span[0])] or spans


def _side(
    text: str,
    spans: list[Span],
    others: list[Span],
    cosine: NDArray[np.float32],
    partner: NDArray[Any],
) -> MatchedSide:
    """Words of one side; ``cosine`` has shape (words, words of the other side)."""
    words = []
    for row, span in enumerate(spans):
        best, similarity, aligned = None, 0.0, None
        if others:
            nearest = int(cosine[row].argmax())
            best, similarity = others[nearest][0], float(cosine[row, nearest])
        if partner[row] >= 0:
            aligned = others[partner[row]][0]
        words.append(MatchedWord(*span, best, similarity, aligned))
    return MatchedSide(normalise(text), tuple(words))
