"""Comparison of a fine-tuned model with its start, on held-out pairs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import Groups, Paraphrases, has_labels
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.scoring.bootstrap import Difference, resample_clusters
from semaniacs.sts.scoring.classification import roc_auc
from semaniacs.sts.scoring.correlation import pearson
from semaniacs.sts.scoring.cross_validation import connected

RESAMPLES = 1000

AT_ONCE = 512  # sentences whose cosines with all others are in memory at once


@dataclass(frozen=True)
class Gain:
    """Metric of both models on the same pairs; those that share a sentence are in one group.

    ``difference`` is tuned minus untuned, with a 95 % interval by a paired bootstrap over groups.
    """

    metric: str
    pairs: int
    groups: int
    difference: Difference

    def __str__(self) -> str:
        return f"{self.figures}\n{self.verdict}"

    @property
    def figures(self) -> str:
        """Metric of both models, and their difference."""
        by, low, high = self.difference.value, self.difference.low, self.difference.high
        return (
            f"{self.metric} on {self.pairs:,} held-out pairs in {self.groups:,} groups: "
            f"{self.difference.b:.4f} untuned, {self.difference.a:.4f} tuned, "
            f"{by:+.4f} (95 %: {low:+.4f} to {high:+.4f})"
        )

    @property
    def verdict(self) -> str:
        """Claim that the figures allow: none, if the interval contains 0."""
        if not self.difference.real:
            return "no gain is claimed: the interval contains 0"
        return "a gain" if self.difference.value > 0 else "training did harm"


def _compare(
    metric: str,
    groups: Groups,
    scores: tuple[Scores, Scores],
    measure: Callable[[Scores, NDArray[np.intp]], float],
    seed: int,
) -> Gain:
    """Compare two models by a measure of some of the pairs, from the scores: tuned, untuned."""

    def both(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        return np.array([[measure(one, rows)] for one in scores])

    [found] = resample_clusters(both, groups, resamples=RESAMPLES, seed=seed)
    return Gain(metric, len(groups), len(np.unique(groups)), found.difference(0, 1))


def metric_of(gold: Scores, scores: Scores) -> float:
    """Return AUC if gold, from 0 to 1, is 0 or 1, else Pearson's r; NaN if the gold is constant.

    The r of constant scores is 0.
    """
    if len(np.unique(gold)) < 2:
        return float("nan")
    if has_labels(gold):
        return roc_auc(gold, scores)
    return pearson(scores, gold) if np.ptp(scores) else 0.0


def gain(pairs: Pairs, untuned: Scores, tuned: Scores, seed: int = 0) -> Gain:
    """Compare two models on pairs with gold from 0 to 1, by :func:`metric_of`."""

    def measure(scores: Scores, rows: NDArray[np.intp]) -> float:
        return metric_of(pairs.gold[rows], scores[rows])

    metric = "AUC" if has_labels(pairs.gold) else "Pearson"
    return _compare(metric, connected(pairs), (tuned, untuned), measure, seed)


def ranks(model: Any, pairs: Paraphrases) -> NDArray[np.int64]:
    """Rank (n,), from 1, of the right side of each pair by its cosine to the left one.

    It is ranked among the right sides and hard negatives of all pairs, without those of pairs that
    mean the same. Among equal cosines it is ranked last.
    """
    meanings, candidates = pairs.meanings, candidates_of(pairs)
    meaning = dict(zip((*pairs.left, *pairs.right), (*meanings, *meanings), strict=True))
    place = {text: number for number, text in enumerate(candidates)}
    theirs = np.array([meaning.get(text, -1) for text in candidates])
    rights = np.array([place[text] for text in pairs.right])
    left, right = unit(model.encode(pairs.left)), unit(model.encode(candidates))
    found = np.empty(len(pairs), np.int64)
    for begin in range(0, len(pairs), AT_ONCE):
        part = slice(begin, begin + AT_ONCE)
        cosines = left[part] @ right.T
        own = np.take_along_axis(cosines, rights[part, None], axis=1)
        ahead = (cosines >= own) & (theirs != meanings[part, None])
        found[part] = 1 + ahead.sum(axis=1)
    return found


def candidates_of(pairs: Paraphrases) -> list[str]:
    """Return the distinct right sides and hard negatives."""
    return list(dict.fromkeys((*pairs.right, *filter(None, pairs.given))))


def mean_reciprocal_rank(places: NDArray[np.int64]) -> float:
    """Mean of 1 / rank: from 0 to 1."""
    return float((1 / places).mean())


def paraphrase_gains(
    pairs: Paraphrases, untuned: NDArray[np.int64], tuned: NDArray[np.int64], seed: int = 0
) -> tuple[Gain, Gain]:
    """Compare recall at 1 and the mean reciprocal rank of two models, by their :func:`ranks`."""

    def compare(metric: str, scores: tuple[Scores, Scores]) -> Gain:
        return _compare(
            metric, pairs.groups, scores, lambda one, rows: float(one[rows].mean()), seed
        )

    recall = f"recall at 1 among {len(candidates_of(pairs)):,} sentences"
    first = (tuned == 1).astype(float), (untuned == 1).astype(float)
    return compare(recall, first), compare("mean reciprocal rank", (1 / tuned, 1 / untuned))
