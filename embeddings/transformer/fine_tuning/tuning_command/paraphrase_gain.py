"""Whether a trained model finds held-out paraphrases better than the one that it started from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from embeddings.table import Vectors
from embeddings.transformer.fine_tuning.tuning_command.held_out_gain import Gain, compare
from embeddings.transformer.fine_tuning.tuning_command.paraphrase_pairs import Paraphrases
from sts.data.pairs import Scores

AT_ONCE = 512
"""Sentences whose cosines with all others are in memory at once."""

RANK = "mean reciprocal rank"


class Encodes(Protocol):
    """What makes vectors of sentences."""

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """(n, dim)."""


def ranks(model: Encodes, pairs: Paraphrases) -> NDArray[np.int64]:
    """(n,) the place, from 1, of the right side of each pair, by cosine to the left one.

    It stands among the right sides and hard negatives of all pairs, without those of pairs that
    mean the same. Of equal cosines, its own is the last.
    """
    meanings = pairs.meanings
    meaning = dict(zip((*pairs.left, *pairs.right), (*meanings, *meanings), strict=True))
    candidates = candidates_of(pairs)
    place = {text: number for number, text in enumerate(candidates)}
    theirs = np.array([meaning.get(text, -1) for text in candidates])
    rights = np.array([place[text] for text in pairs.right])
    left, right = _unit(model.encode(pairs.left)), _unit(model.encode(candidates))
    found = np.empty(len(pairs), np.int64)
    for begin in range(0, len(pairs), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        cosines = left[part] @ right.T
        own = np.take_along_axis(cosines, rights[part, None], axis=1)
        ahead = (cosines >= own) & (theirs != meanings[part, None])
        found[part] = 1 + ahead.sum(axis=1)
    return found


def candidates_of(pairs: Paraphrases) -> list[str]:
    """The distinct right sides and hard negatives."""
    return list(dict.fromkeys((*pairs.right, *filter(None, pairs.given))))


def mean_reciprocal_rank(places: NDArray[np.int64]) -> float:
    """Mean of 1 / place: from 0 to 1."""
    return float((1 / places).mean())


def paraphrase_gains(
    pairs: Paraphrases, untuned: NDArray[np.int64], tuned: NDArray[np.int64], seed: int = 0
) -> tuple[Gain, Gain]:
    """Recall at 1 and the mean reciprocal rank of two models, by their :func:`ranks`.

    Pairs that share a sentence are drawn together.
    """

    def gain_of(metric: str, tuned: Scores, untuned: Scores) -> Gain:
        def measure(rows: NDArray[np.intp]) -> NDArray[np.float64]:
            return np.array([[scores[rows].mean()] for scores in (tuned, untuned)])

        return compare(metric, pairs.groups, measure, seed)

    among = f"recall at 1 among {len(candidates_of(pairs)):,} sentences"
    return (
        gain_of(among, (tuned == 1).astype(float), (untuned == 1).astype(float)),
        gain_of(RANK, 1 / tuned, 1 / untuned),
    )


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, np.float32(1e-12)))
