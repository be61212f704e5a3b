"""What a report tells of a run on a task: numbers and sentences, and nothing of how they look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings import loading
from features.registry import get_feature
from features.regressors.shapley import explain
from runs.pipeline.models import FusionModel
from runs.pipeline.recipe import Run
from runs.pipeline.task_run import Outcome, evaluate
from runs.studies.studied import Studied
from sts.data.fetch import load_gold
from sts.data.pairs import Pairs, Scores
from sts.data.records import Task
from sts.scoring.bootstrap import bootstrap_weighted_mean
from sts.scoring.task_score import TaskScore
from sts.text.tokenizer import words

WORST = 20
"""Pairs that are shown with what made their score."""

REPEATS = 32
"""Orders of the features that an explanation is averaged over."""

EXAMPLES = 5
"""Unknown words that are named for each data set."""

Interval = tuple[float, float]


@dataclass(frozen=True)
class Tested:
    """One data set: what the model read, what it said, and what people said.

    Attributes:
        pairs: n sentences as the model saw them, Spanish translated.
        predicted, gold: (n,) in [0, 5]; gold is NaN where a pair is unscored.
        interval: 95 % bootstrap interval of Pearson, NaN if it is undefined.
    """

    pairs: Pairs
    predicted: Scores
    gold: Scores
    interval: Interval


@dataclass(frozen=True)
class Unknown:
    """Running words of a data set that the starting vectors do not know.

    Attributes:
        words, unknown: how many there are, and how many of them are unknown.
        examples: the most frequent of these.
    """

    words: int
    unknown: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class Weight:
    """A feature's share of what the fusion learned from its training pairs.

    Attributes:
        share: of the training error that the trees' splits on it took away (Gini
            importance); all sum to 1, or are 0 if no part of the fusion is a tree.
    """

    feature: str
    group: str
    source: str
    share: float


@dataclass(frozen=True)
class Part:
    """What one feature did to a score.

    Attributes:
        value: of the feature, NaN if it could not be computed.
        points: how far it moved the score.
    """

    feature: str
    value: float
    points: float


@dataclass(frozen=True)
class Miss:
    """A pair that was scored badly.

    Attributes:
        dataset, line: where it stands; the first line is 1.
        base: the score of a pair with middling features, from which ``parts`` lead to
            the prediction; NaN for a run without features.
        parts: of every feature, the largest first; empty for a run without features.
    """

    dataset: str
    line: int
    left: str
    right: str
    gold: float
    predicted: float
    base: float
    parts: tuple[Part, ...]


@dataclass(frozen=True)
class Findings:
    """All that a report shows.

    Attributes:
        tests: by data set, in the order of the task.
        score: as the organisers count; interval: of the weighted mean.
        misses: the worst pair first.
        unknown: by data set.
        weights: of every feature, the largest first; empty without features.
        studied: None without features, or without the data to study them on.
        signature: see :func:`runs.pipeline.signature.signature`.
    """

    run: Run
    task: Task
    tests: Mapping[str, Tested]
    score: TaskScore
    interval: Interval
    misses: Sequence[Miss]
    unknown: Mapping[str, Unknown]
    weights: Sequence[Weight]
    studied: Studied | None
    signature: Mapping[str, Any]


def find(outcome: Outcome, data: Path | None, studied: Studied | None = None) -> Findings:
    """Everything that a report shows of an outcome.

    Args:
        outcome: of :func:`runs.pipeline.task_run.predict`.
        data: the folder given with ``--data``, which holds the gold.
        studied: the studies of the run.
    """
    tests = _tested(outcome, data)
    return Findings(
        outcome.run,
        outcome.task,
        tests,
        evaluate(outcome, data),
        _interval(tests),
        _misses(outcome, tests),
        _unknown(outcome),
        _weights(outcome),
        studied,
        outcome.signature,
    )


def _tested(outcome: Outcome, data: Path | None) -> dict[str, Tested]:
    tests = {}
    for dataset, pairs in zip(outcome.task.datasets, outcome.english, strict=True):
        gold = load_gold(dataset, data, len(pairs))
        test = Tested(pairs, outcome.predictions[dataset.name], gold, (np.nan, np.nan))
        interval = _interval({dataset.name: test})
        tests[dataset.name] = Tested(pairs, test.predicted, gold, interval)
    return tests


def _interval(tests: Mapping[str, Tested]) -> Interval:
    """95 % of the weighted mean of some data sets; NaN where a resample has no correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return bootstrap_weighted_mean(
            {name: test.predicted for name, test in tests.items()},
            {name: test.gold for name, test in tests.items()},
        )


def _misses(outcome: Outcome, tests: Mapping[str, Tested]) -> list[Miss]:
    """The pairs whose prediction is furthest from the gold; of equals, the first."""
    places = [
        (name, int(row))
        for name, test in tests.items()
        for row in np.flatnonzero(~np.isnan(test.gold))
    ]
    errors = [abs(tests[name].predicted[row] - tests[name].gold[row]) for name, row in places]
    worst = [places[i] for i in np.argsort(-np.array(errors), kind="stable")[:WORST]]
    explained = _explained(outcome, worst, tests)
    return [
        Miss(
            name,
            row + 1,
            tests[name].pairs.left[row],
            tests[name].pairs.right[row],
            float(tests[name].gold[row]),
            float(tests[name].predicted[row]),
            base,
            parts,
        )
        for (name, row), (base, parts) in zip(worst, explained, strict=True)
    ]


def _explained(
    outcome: Outcome, places: Sequence[tuple[str, int]], tests: Mapping[str, Tested]
) -> list[tuple[float, tuple[Part, ...]]]:
    """For the pair in each place: where its score starts, and what each feature adds."""
    model = outcome.model
    if not isinstance(model, FusionModel):
        return [(np.nan, ())] * len(places)
    left = tuple(tests[name].pairs.left[row] for name, row in places)
    right = tuple(tests[name].pairs.right[row] for name, row in places)
    matrix = model.extractor.transform(Pairs("worst", left, right, np.full(len(left), np.nan)))
    found = explain(model.fusion, matrix, repeats=REPEATS, seed=outcome.run.seed)
    names = list(model.extractor.columns)
    return [
        (found.base, _sorted_parts(names, values, points))
        for values, points in zip(matrix, found.contributions, strict=True)
    ]


def _sorted_parts(
    names: Sequence[str], values: NDArray[np.float64], points: NDArray[np.float64]
) -> tuple[Part, ...]:
    order = np.argsort(-np.abs(points), kind="stable")
    return tuple(Part(names[i], float(values[i]), float(points[i])) for i in order)


def _unknown(outcome: Outcome) -> dict[str, Unknown]:
    known = loading.load_static(outcome.run.start).tokenizer.rows
    found = {}
    for pairs in outcome.english:
        running = [word for text in (*pairs.left, *pairs.right) for word in words(text)]
        missing = Counter(word for word in running if word not in known)
        often = sorted(missing, key=lambda word: (-missing[word], word))
        found[pairs.name] = Unknown(len(running), missing.total(), tuple(often[:EXAMPLES]))
    return found


def _weights(outcome: Outcome) -> list[Weight]:
    model = outcome.model
    if not isinstance(model, FusionModel):
        return []
    shares = model.fusion.feature_importances_
    weights = []
    for name, share in zip(model.extractor.columns, shares, strict=True):
        feature = get_feature(name)
        weights.append(Weight(name, feature.group, feature.source, float(share)))
    return sorted(weights, key=lambda weight: -weight.share)
