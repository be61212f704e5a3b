"""Which word of the other sentence each word of a sentence is nearest to, and aligned with."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from features.batch import LONGEST, Batch
from features.families.soft_alignment import cosines
from features.families.word_alignment import partners
from features.resources import Resources
from sts.text.analysis import Sentence, analyse
from sts.text.tokenizer import is_word, normalise


@dataclass(frozen=True)
class MatchedWord:
    """A word of a sentence and its best match.

    Attributes:
        word: as it stands in the text.
        start, end: its place in the text, in characters.
        best: the nearest word of the other sentence; None if that has no words.
        similarity: their cosine, from -1 to 1; 0 without a match.
        aligned: the word that the aligner paired it with, one to one; None if it has no partner.
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


def match_words(left: str, right: str) -> dict[str, MatchedSide]:
    """The words of both sides of a pair, under ``left`` and ``right``.

    They are compared as the features compare them: the first 1,000 tokens, by the bundled
    vectors, and the two sentences in the same order whichever is given first.
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


Span = tuple[str, int, int]
"""A word, and where it begins and ends."""


def _word_spans(sentence: Sentence) -> list[Span]:
    """The words among the first tokens, see ``Sentence.words``.

    Nothing but white space stands between two tokens, so each is found where the next text is.
    """
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
    values: NDArray[np.float32],
    partner: NDArray[np.int64],
) -> MatchedSide:
    """The words of one side; ``values`` are their cosines with the others, row by row."""
    words = []
    for place, span in enumerate(spans):
        nearest = int(values[place].argmax()) if others else None
        aligned = int(partner[place])
        words.append(
            MatchedWord(
                *span,
                best=None if nearest is None else others[nearest][0],
                similarity=0.0 if nearest is None else float(values[place, nearest]),
                aligned=others[aligned][0] if aligned >= 0 else None,
            )
        )
    return MatchedSide(normalise(text), tuple(words))
