"""Accuracy, F1 and the ROC curve of scores for labelled pairs: 1 is a paraphrase, 0 is none.

A pair counts as a paraphrase if its score is at least the threshold (≥), so equal scores are on
one side together. The threshold is chosen on other pairs, usually a development set. For the
curve see Fawcett (2006), An introduction to ROC analysis.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from semaniacs.sts.data.pairs import HIGHEST, Pairs, Scores
from semaniacs.sts.errors import ValuesError

Labels = NDArray[np.bool_]


@dataclass(frozen=True)
class ClassificationScore:
    """Figures of scores for n labelled pairs, ``positives`` of them with label 1.

    Attributes:
        threshold: lowest score of a paraphrase.
        accuracy, precision, recall, f1: at the threshold, in [0, 1]; the last three for label 1,
            and 0 where they are undefined.
        majority: accuracy of giving every pair the more frequent label.
        auc, average_precision, equal_error_rate: without a threshold, in [0, 1]; NaN if all
            pairs have one label. Tied scores count as if their order were drawn at random.
    """

    pairs: int
    positives: int
    threshold: float
    accuracy: float
    precision: float
    recall: float
    f1: float
    majority: float
    auc: float
    average_precision: float
    equal_error_rate: float


@dataclass(frozen=True)
class Threshold:
    """Lowest score of a paraphrase, the data set on which it was chosen, and the accuracy there.

    Attributes:
        out_of_fold: whether the scores came from models fitted without the pair's cluster,
            because the model was fitted to the data set itself.
    """

    value: float
    chosen_on: str
    accuracy: float
    out_of_fold: bool = False

    @classmethod
    def of(cls, pairs: Pairs, scores: Scores, *, out_of_fold: bool = False) -> Threshold:
        """Return the most accurate one for labelled pairs, see :func:`best_threshold`."""
        labels = labels_of(pairs.gold)
        value = best_threshold(labels, scores)
        accuracy = score_classification(labels, scores, value).accuracy
        return cls(value, pairs.name, accuracy, out_of_fold)


def describe_thresholds(name: str, thresholds: Mapping[str, Threshold]) -> str | None:
    """Return a line with a model's thresholds by language; None if it has none."""
    found = [f"{one.value:.4f} ({code})" for code, one in thresholds.items()]
    return f"{name}: paraphrases score at least {', '.join(found)}" if found else None


@dataclass(frozen=True)
class TaskClassification:
    """The test sets of a labelled task, at one threshold."""

    datasets: Mapping[str, ClassificationScore]
    threshold: Threshold


def labels_of(gold: Scores) -> Labels:
    """Return (n,) whether each pair is a paraphrase: its gold is 5, that of others 0."""
    labels: Labels = gold == HIGHEST
    return labels


def score_classification(
    labels: ArrayLike, scores: ArrayLike, threshold: float
) -> ClassificationScore:
    """Return the figures of (n,) scores for (n,) labels at a threshold.

    A ValuesError is raised if the lengths differ, there is no pair, or a score is NaN.
    """
    truth, values = _checked(labels, scores)
    taken = values >= threshold
    hits, positives = int((taken & truth).sum()), int(truth.sum())
    share = positives / len(truth)
    defined = 0 < positives < len(truth)
    curve = _Curve.of(truth, values)
    return ClassificationScore(
        pairs=len(truth),
        positives=positives,
        threshold=float(threshold),
        accuracy=float(np.mean(taken == truth)),
        precision=hits / max(1, int(taken.sum())),
        recall=hits / max(1, positives),
        f1=2 * hits / max(1, int(taken.sum()) + positives),
        majority=max(share, 1 - share),
        auc=curve.auc if defined else float("nan"),
        average_precision=curve.average_precision if defined else float("nan"),
        equal_error_rate=curve.equal_error_rate if defined else float("nan"),
    )


def roc_auc(labels: ArrayLike, scores: ArrayLike) -> float:
    """Return how often a pair of label 1 scores above one of label 0, in [0, 1]; a tie is a half.

    Errors are those of :func:`score_classification`; all pairs of one label are one too.
    """
    return _Curve.of(*_both(labels, scores, "AUC")).auc


def best_threshold(labels: ArrayLike, scores: ArrayLike) -> float:
    """Return the smallest of the (n,) scores at which accuracy is highest.

    If refusing every pair is more accurate, it is the next number above the highest score.
    """
    truth, values = _both(labels, scores, "threshold")
    curve = _Curve.of(truth, values)
    right = curve.hits + (curve.negatives - curve.false_alarms)
    if curve.negatives > right.max():
        return float(np.nextafter(curve.thresholds[0], np.inf))
    return curve.smallest(right)


def best_f1_threshold(labels: ArrayLike, scores: ArrayLike) -> float:
    """Return the smallest of the scores at which F1 of label 1 is highest."""
    curve = _Curve.of(*_both(labels, scores, "threshold"))
    return curve.smallest(2 * curve.hits / (curve.hits + curve.false_alarms + curve.positives))


class _Curve(NamedTuple):
    """Pairs accepted at each distinct score, from the highest down.

    Attributes:
        thresholds: (k,) the distinct scores, falling.
        hits, false_alarms: (k,) numbers of pairs with label 1 and 0 that score at least as much.
        positives, negatives: total numbers of both.
    """

    thresholds: Scores
    hits: NDArray[np.int64]
    false_alarms: NDArray[np.int64]
    positives: int
    negatives: int

    @classmethod
    def of(cls, truth: Labels, values: Scores) -> _Curve:
        distinct, place = np.unique(-values, return_inverse=True)
        hits = np.cumsum(np.bincount(place, truth, len(distinct)).astype(np.int64))
        accepted = np.cumsum(np.bincount(place, minlength=len(distinct)))
        false_alarms = accepted - hits
        return cls(-distinct, hits, false_alarms, int(hits[-1]), int(false_alarms[-1]))

    @property
    def auc(self) -> float:
        x, y = np.append(0, self.false_alarms), np.append(0, self.hits)
        twice = int((np.diff(x) * (y[1:] + y[:-1])).sum())  # whole numbers: nothing is rounded
        return twice / (2 * self.positives * self.negatives)

    @property
    def average_precision(self) -> float:
        gained = np.diff(self.hits, prepend=0)
        return float((gained * self.hits / (self.hits + self.false_alarms)).sum() / self.positives)

    @property
    def equal_error_rate(self) -> float:
        accepted = np.append(0, self.false_alarms / self.negatives)
        refused = np.append(1, 1 - self.hits / self.positives)
        gap = accepted - refused  # rises from -1 to 1
        after = int(np.argmax(gap >= 0))
        weight = -gap[after - 1] / (gap[after] - gap[after - 1])
        return float(accepted[after - 1] + weight * (accepted[after] - accepted[after - 1]))

    def smallest(self, quality: NDArray[Any]) -> float:
        """Return the smallest threshold with the highest of (k,) values."""
        return float(self.thresholds[np.flatnonzero(quality == quality.max())[-1]])


def _checked(labels: ArrayLike, scores: ArrayLike) -> tuple[Labels, Scores]:
    truth, values = np.asarray(labels), np.asarray(scores, np.float64)
    if truth.shape != values.shape or values.ndim != 1 or not len(values):
        raise ValuesError(f"{truth.size} labels for {values.size} scores; expected as many")
    if not np.isin(truth, (0, 1)).all():
        odd = truth[~np.isin(truth, (0, 1))][0]
        raise ValuesError(f"label {odd!s}; expected 0 or 1")
    if np.isnan(values).any():
        raise ValuesError(f"score {int(np.isnan(values).argmax())} is NaN; expected a number")
    return truth.astype(np.bool_), values


def _both(labels: ArrayLike, scores: ArrayLike, wanted: str) -> tuple[Labels, Scores]:
    """Return checked labels and scores; refuse labels of one class."""
    truth, values = _checked(labels, scores)
    if truth.all() or not truth.any():
        raise ValuesError(
            f"all {len(truth)} pairs have label {int(truth[0])}, so there is no {wanted}; "
            "expected pairs of label 0 and of label 1"
        )
    return truth, values
