"""Collects what a report shows: scores, intervals, the largest errors, words out of vocabulary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from embeddings import loading
from features.registry import get_feature
from runs.pipeline.task_run import Outcome, evaluate
from runs.report.explanation import ExplainedPair, explain_pairs
from runs.report.findings import (
    Findings,
    GiniImportance,
    LargeError,
    OutOfVocabulary,
    ScoredDataSet,
)
from runs.studies.contribution.summary import StudySummary
from sts.data.fetch import load_gold
from sts.data.pairs import Pairs
from sts.scoring.bootstrap import bootstrap_weighted_mean
from sts.text.tokenizer import words

ERRORS = 20
"""Pairs with the largest errors that are shown and explained."""

REPEATS = 32
"""Orders of the features that an explanation is averaged over."""

EXAMPLES = 5
"""Words out of vocabulary that are named for each data set."""

DataSets = Mapping[str, ScoredDataSet]


def collect(outcome: Outcome, data: Path | None, studies: StudySummary | None = None) -> Findings:
    """Everything that a report shows of an outcome.

    Args:
        outcome: of :func:`runs.pipeline.task_run.predict`.
        data: the folder given with ``--data``, which holds the gold.
        studies: what the studies of the run found.
    """
    datasets = _datasets(outcome, data)
    return Findings(
        run=outcome.run,
        task=outcome.task,
        datasets=datasets,
        score=evaluate(outcome, data),
        interval=_interval(datasets),
        errors=_errors(outcome, datasets),
        vocabulary=_vocabulary(outcome),
        importances=_importances(outcome),
        studies=studies,
        signature=outcome.signature,
    )


def _datasets(outcome: Outcome, data: Path | None) -> dict[str, ScoredDataSet]:
    datasets = {}
    for dataset, pairs in zip(outcome.task.datasets, outcome.tests, strict=True):
        gold = load_gold(dataset, data, len(pairs))
        predicted = outcome.predictions[dataset.name]
        scored = ScoredDataSet(pairs, predicted, gold, (np.nan, np.nan))
        interval = _interval({dataset.name: scored})
        datasets[dataset.name] = ScoredDataSet(pairs, predicted, gold, interval)
    return datasets


def _interval(datasets: DataSets) -> tuple[float, float]:
    """95 % of the weighted mean of some data sets; NaN where a resample has no correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return bootstrap_weighted_mean(
            {name: scored.predicted for name, scored in datasets.items()},
            {name: scored.gold for name, scored in datasets.items()},
        )


def _errors(outcome: Outcome, datasets: DataSets) -> list[LargeError]:
    """The pairs whose prediction is furthest from the gold; of equals, the first."""
    places = [
        (name, int(row))
        for name, scored in datasets.items()
        for row in np.flatnonzero(~np.isnan(scored.gold))
    ]
    sizes = [abs(datasets[name].predicted[row] - datasets[name].gold[row]) for name, row in places]
    largest = [places[i] for i in np.argsort(-np.array(sizes), kind="stable")[:ERRORS]]
    explained = _explain(outcome, datasets, largest)
    return [
        LargeError(name, row + 1, float(datasets[name].gold[row]), pair)
        for (name, row), pair in zip(largest, explained, strict=True)
    ]


def _explain(
    outcome: Outcome, datasets: DataSets, places: Sequence[tuple[str, int]]
) -> list[ExplainedPair]:
    """The pair in each place with its predicted score and, of a fusion, how it came about."""
    left = tuple(datasets[name].pairs.left[row] for name, row in places)
    right = tuple(datasets[name].pairs.right[row] for name, row in places)
    if outcome.run.columns:
        pairs = Pairs("errors", left, right, np.full(len(left), np.nan))
        return explain_pairs(outcome.model, pairs, repeats=REPEATS, seed=outcome.run.seed)
    predicted = [float(datasets[name].predicted[row]) for name, row in places]
    return [
        ExplainedPair(a, b, score, np.nan, ())
        for a, b, score in zip(left, right, predicted, strict=True)
    ]


def _vocabulary(outcome: Outcome) -> dict[str, OutOfVocabulary]:
    known = loading.load_static(outcome.run.start).tokenizer.rows
    found = {}
    for pairs in outcome.tests:
        running = [word for text in (*pairs.left, *pairs.right) for word in words(text)]
        missing = Counter(word for word in running if word not in known)
        frequent = sorted(missing, key=lambda word: (-missing[word], word))
        examples = tuple(frequent[:EXAMPLES])
        found[pairs.name] = OutOfVocabulary(len(running), missing.total(), examples)
    return found


def _importances(outcome: Outcome) -> list[GiniImportance]:
    shares = outcome.model.importances()
    importances = []
    for name, share in zip(outcome.run.columns, shares, strict=True):
        feature = get_feature(name)
        importances.append(GiniImportance(name, feature.group, feature.source, float(share)))
    return sorted(importances, key=lambda importance: -importance.share)
