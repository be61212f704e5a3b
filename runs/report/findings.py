"""Content of a report about a run on a task: numbers and sentences, no layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from embeddings import loading
from runs.contribution.study import StudySummary
from runs.pipeline.run import AnyRun
from runs.pipeline.task_run import Outcome
from runs.report.explanation import ExplainedPair, explain_pairs
from sts.data.fetch import load, load_gold
from sts.data.pairs import Pairs, Scores
from sts.data.schema import Task
from sts.files import sha256_of_bytes
from sts.scoring.bootstrap import Difference, bootstrap_weighted_mean, paired_bootstrap
from sts.scoring.shared_task.system_files import Submission
from sts.scoring.task_score import TaskScore, score_task
from sts.text.tokenizer import words

ERRORS = 20
"""Number of pairs with the largest errors that are shown and explained."""

REPEATS = 32
"""Number of orders of the features that an explanation is averaged over."""

EXAMPLES = 5
"""Number of out-of-vocabulary words that are named for each data set."""


@dataclass(frozen=True)
class ScoredDataSet:
    """One data set with its predicted and its gold scores.

    Attributes:
        pairs: n pairs as the model read them, Spanish sentences translated.
        predicted, gold: (n,) in [0, 5]; gold is NaN where a pair is unscored.
        interval: 95 % bootstrap interval of Pearson's r, NaN if it is undefined.
    """

    pairs: Pairs
    predicted: Scores
    gold: Scores
    interval: tuple[float, float]


@dataclass(frozen=True)
class OutOfVocabulary:
    """Words of a data set that have no row of their own in the starting vectors.

    Attributes:
        words, missing: number of running words, and of those without a row.
        examples: the most frequent ones without a row.
    """

    words: int
    missing: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class LargeError:
    """A pair whose predicted score is far from the gold.

    Attributes:
        dataset, line: place of the pair; the first line is 1.
        explained: the sentences, the predicted score and the contribution of each feature; for
            a run without features no contributions, and a base of NaN.
    """

    dataset: str
    line: int
    gold: float
    explained: ExplainedPair


@dataclass(frozen=True)
class Beside:
    """Another system on the same task, to compare.

    Attributes:
        name: name of the other system.
        score: its score by the official measure.
        difference: weighted mean of the reported system minus that of the other.
    """

    name: str
    score: TaskScore
    difference: Difference


@dataclass(frozen=True)
class Findings:
    """Content of a report about a run, or about files of scores of others.

    Attributes:
        name, about: name and description of the run or the files.
        run: the run; None for files.
        datasets: data sets by name, in the order of the task.
        score: score by the official measure.
        interval: 95 % bootstrap interval of the weighted mean.
        errors: largest errors, the largest first.
        vocabulary: out-of-vocabulary words by data set; empty for files.
        importances: Gini importance of every feature, the largest first: the share of the
            training error that the trees' splits on it took away. They sum to 1, or are 0 if no
            part of the fusion is a tree.
        studies: ablation and permutation importance; None without features, or without data.
        signature: see :func:`runs.pipeline.result_file.signature`; hashes of the files for files.
        beside: another system, to compare.
    """

    name: str
    about: str
    run: AnyRun | None
    task: Task
    datasets: Mapping[str, ScoredDataSet]
    score: TaskScore
    interval: tuple[float, float]
    errors: Sequence[LargeError]
    vocabulary: Mapping[str, OutOfVocabulary]
    importances: Mapping[str, float]
    studies: StudySummary | None
    signature: Mapping[str, Any]
    beside: Beside | None = None


def collect(outcome: Outcome, data: Path | None, studies: StudySummary | None = None) -> Findings:
    """Collect the content of a report about an outcome.

    Args:
        outcome: result of :func:`runs.pipeline.task_run.predict`.
        data: folder of ``--data``, with the gold.
        studies: results of the studies of the run.
    """
    gold = _gold(outcome.task, data)
    datasets = _datasets(outcome.tests, outcome.predictions, gold)
    return Findings(
        name=outcome.run.name,
        about=f"The run: {outcome.run.about}.",
        run=outcome.run,
        task=outcome.task,
        datasets=datasets,
        score=score_task(outcome.predictions, gold),
        interval=_interval(outcome.predictions, gold),
        errors=_errors(datasets, _explainer(outcome)),
        vocabulary=_vocabulary(outcome),
        importances=_importances(outcome),
        studies=studies,
        signature=outcome.signature,
    )


def collect_files(
    task: Task,
    data: Path | None,
    submission: Submission,
    predictions: Mapping[str, Scores],
    beside: Outcome | None = None,
) -> Findings:
    """Collect the content of a report about files of scores.

    Args:
        task: task of the files.
        data: folder of ``--data``.
        submission, predictions: the files, and the scores in them.
        beside: outcome of a run to compare them with.
    """
    gold = _gold(task, data)
    tests = [load(dataset, data, with_gold=False) for dataset in task.datasets]
    datasets = _datasets(tests, predictions, gold)
    hashes = {name: sha256_of_bytes(file.read()) for name, file in submission.files.items()}
    return Findings(
        name=submission.name,
        about="Files of scores that were handed in.",
        run=None,
        task=task,
        datasets=datasets,
        score=score_task(predictions, gold),
        interval=_interval(predictions, gold),
        errors=_errors(datasets),
        vocabulary={},
        importances={},
        studies=None,
        signature={"task": task.name, "files": hashes},
        beside=_beside(predictions, gold, beside),
    )


def _beside(
    predictions: Mapping[str, Scores], gold: Mapping[str, Scores], other: Outcome | None
) -> Beside | None:
    if other is None:
        return None
    compared = paired_bootstrap(predictions, other.predictions, gold)
    score = score_task(other.predictions, gold)
    return Beside(other.run.name, score, compared.weighted_mean)


def _gold(task: Task, data: Path | None) -> dict[str, Scores]:
    return {d.name: load_gold(d, data, d.input.rows) for d in task.datasets}


def _datasets(
    tests: Sequence[Pairs], predictions: Mapping[str, Scores], gold: Mapping[str, Scores]
) -> dict[str, ScoredDataSet]:
    return {
        pairs.name: ScoredDataSet(
            pairs,
            predictions[pairs.name],
            gold[pairs.name],
            _interval({pairs.name: predictions[pairs.name]}, {pairs.name: gold[pairs.name]}),
        )
        for pairs in tests
    }


def _interval(predicted: Mapping[str, Scores], gold: Mapping[str, Scores]) -> tuple[float, float]:
    """Return the 95 % interval of the weighted mean; NaN where a resample has no correlation."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return bootstrap_weighted_mean(predicted, gold)


def _errors(
    datasets: Mapping[str, ScoredDataSet],
    explain: Callable[[Pairs], Sequence[ExplainedPair]] | None = None,
) -> list[LargeError]:
    """Return the pairs whose prediction is furthest from the gold; of equal ones, the first."""
    places = [
        (name, int(row))
        for name, scored in datasets.items()
        for row in np.flatnonzero(~np.isnan(scored.gold))
    ]
    sizes = [abs(datasets[name].predicted[row] - datasets[name].gold[row]) for name, row in places]
    largest = [places[i] for i in np.argsort(-np.array(sizes), kind="stable")[:ERRORS]]
    left = tuple(datasets[name].pairs.left[row] for name, row in largest)
    right = tuple(datasets[name].pairs.right[row] for name, row in largest)
    if explain is None:
        predicted = [float(datasets[name].predicted[row]) for name, row in largest]
        explained: Sequence[ExplainedPair] = [
            ExplainedPair(a, b, score, np.nan, ())
            for a, b, score in zip(left, right, predicted, strict=True)
        ]
    else:
        explained = explain(Pairs("errors", left, right, np.full(len(left), np.nan)))
    return [
        LargeError(name, row + 1, float(datasets[name].gold[row]), pair)
        for (name, row), pair in zip(largest, explained, strict=True)
    ]


def _explainer(outcome: Outcome) -> Callable[[Pairs], Sequence[ExplainedPair]] | None:
    """Return a function that explains pairs; None for a run without features."""
    if not outcome.run.columns:
        return None
    return partial(explain_pairs, outcome.model, repeats=REPEATS, seed=outcome.run.seed)


def _vocabulary(outcome: Outcome) -> dict[str, OutOfVocabulary]:
    known = loading.load_static(outcome.run.main.vectors.start).tokenizer.rows
    found = {}
    for pairs in outcome.tests:
        running = [word for text in (*pairs.left, *pairs.right) for word in words(text)]
        missing = Counter(word for word in running if word not in known)
        frequent = sorted(missing, key=lambda word: (-missing[word], word))
        examples = tuple(frequent[:EXAMPLES])
        found[pairs.name] = OutOfVocabulary(len(running), missing.total(), examples)
    return found


def _importances(outcome: Outcome) -> dict[str, float]:
    if not outcome.run.columns:
        return {}
    shares = zip(outcome.run.columns, outcome.model.importances().tolist(), strict=True)
    return dict(sorted(shares, key=lambda one: -one[1]))
