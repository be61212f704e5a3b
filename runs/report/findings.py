"""What a report shows of a run on a task: numbers and sentences, nothing of how they look."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from runs.pipeline.run import Run
from runs.pipeline.task_run import Outcome, evaluate
from runs.report.explanation import ExplainedPair, explain_pairs
from runs.studies.contribution.study import StudySummary
from sts.data.fetch import load_gold
from sts.data.pairs import Pairs, Scores
from sts.data.schema import Task
from sts.scoring.bootstrap import bootstrap_weighted_mean
from sts.scoring.task_score import TaskScore
from sts.text.tokenizer import words

ERRORS = 20
"""Pairs with the largest errors that are shown and explained."""

REPEATS = 32
"""Orders of the features that an explanation is averaged over."""

EXAMPLES = 5
"""Words out of vocabulary that are named for each data set."""


@dataclass(frozen=True)
class ScoredDataSet:
    """One data set with its predicted and its gold scores.

    Attributes:
        pairs: n pairs as the model saw them, Spanish sentences translated.
        predicted, gold: (n,) in [0, 5]; gold is NaN where a pair is unscored.
        interval: 95 % bootstrap interval of Pearson's r, NaN if it is undefined.
    """

    pairs: Pairs
    predicted: Scores
    gold: Scores
    interval: tuple[float, float]


@dataclass(frozen=True)
class OutOfVocabulary:
    """Running words of a data set that have no row of their own in the starting vectors.

    Attributes:
        words, missing: how many words there are, and how many of them have no row.
        examples: the most frequent of these.
    """

    words: int
    missing: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class LargeError:
    """A pair whose predicted score is far from the gold.

    Attributes:
        dataset, line: where it stands; the first line is 1.
        explained: the sentences, the predicted score and what each feature contributed to it;
            without contributions, and with a base of NaN, for a run without features.
    """

    dataset: str
    line: int
    gold: float
    explained: ExplainedPair


@dataclass(frozen=True)
class Findings:
    """All that a report shows.

    Attributes:
        datasets: by name, in the order of the task.
        score: as the organisers count; interval: 95 % bootstrap interval of the weighted mean.
        errors: the largest first.
        vocabulary: by data set.
        importances: Gini importance of every feature, the largest first: the share of the
            training error that the trees' splits on it took away. They sum to 1, or are 0 if no
            part of the fusion is a tree.
        studies: None without features, or without the data to study them on.
        signature: see :func:`runs.pipeline.result_file.signature`.
    """

    run: Run
    task: Task
    datasets: Mapping[str, ScoredDataSet]
    score: TaskScore
    interval: tuple[float, float]
    errors: Sequence[LargeError]
    vocabulary: Mapping[str, OutOfVocabulary]
    importances: Mapping[str, float]
    studies: StudySummary | None
    signature: Mapping[str, Any]


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
        interval=_interval(
            outcome.predictions, {name: scored.gold for name, scored in datasets.items()}
        ),
        errors=_errors(outcome, datasets),
        vocabulary=_vocabulary(outcome),
        importances=_importances(outcome),
        studies=studies,
        signature=outcome.signature,
    )


def _datasets(outcome: Outcome, data: Path | None) -> dict[str, ScoredDataSet]:
    datasets = {}
    for dataset, pairs in zip(outcome.task.datasets, outcome.tests, strict=True):
        gold = {pairs.name: load_gold(dataset, data, len(pairs))}
        predicted = {pairs.name: outcome.predictions[pairs.name]}
        interval = _interval(predicted, gold)
        datasets[pairs.name] = ScoredDataSet(
            pairs, predicted[pairs.name], gold[pairs.name], interval
        )
    return datasets


def _interval(predicted: Mapping[str, Scores], gold: Mapping[str, Scores]) -> tuple[float, float]:
    """95 % of the weighted mean of some data sets; NaN where a resample has no correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return bootstrap_weighted_mean(predicted, gold)


def _errors(outcome: Outcome, datasets: Mapping[str, ScoredDataSet]) -> list[LargeError]:
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
    outcome: Outcome, datasets: Mapping[str, ScoredDataSet], places: Sequence[tuple[str, int]]
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


def _importances(outcome: Outcome) -> dict[str, float]:
    shares = zip(outcome.run.columns, outcome.model.importances().tolist(), strict=True)
    return dict(sorted(shares, key=lambda one: -one[1]))
