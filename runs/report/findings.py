"""Content of a report about a run on a task: numbers and sentences, no layout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.runs.contribution.ablation import Ablation
from semaniacs.runs.contribution.importance import Importances
from semaniacs.runs.pipeline.run import AnyRun
from semaniacs.runs.pipeline.task_run import Outcome
from semaniacs.runs.report.explanation import ExplainedPair, explain_pairs
from semaniacs.sts.data.catalog import Task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.files import sha256_of_bytes
from semaniacs.sts.scoring.bootstrap import Difference, bootstrap_weighted_mean, paired_bootstrap
from semaniacs.sts.scoring.shared_task.system_files import Submission
from semaniacs.sts.scoring.task_score import TaskScore, score_task
from semaniacs.sts.text.tokenizer import words

ERRORS = 20
"""Number of pairs with the largest errors that are shown and explained."""

REPEATS = 32
"""Number of orders of the features that an explanation is averaged over."""

EXAMPLES = 5
"""Number of out-of-vocabulary words that are named for each data set."""

Gold = Mapping[str, Scores]
"""Gold scores (n,) of each data set, NaN where a pair is unscored."""

Explain = Callable[[Pairs], Sequence[ExplainedPair]]


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
    """Number of words, of those without a row in the starting vectors, and the most frequent."""

    words: int
    missing: int
    examples: tuple[str, ...]


@dataclass(frozen=True)
class LargeError:
    """A pair whose predicted score is far from the gold; the first line is 1.

    For a run without features ``explained`` has no contributions, and a base of NaN.
    """

    dataset: str
    line: int
    gold: float
    explained: ExplainedPair


@dataclass(frozen=True)
class Beside:
    """Another system on the same task; the difference is that of the reported one to it."""

    name: str
    score: TaskScore
    difference: Difference


class Studies(NamedTuple):
    """Ablation and importance on the task that is named; ``inputs`` is their :attr:`.Study.digest`."""

    task: str
    inputs: str
    ablation: Ablation
    importances: Importances


@dataclass(frozen=True)
class Findings:
    """Content of a report about a run, or about files of scores of others.

    Attributes:
        name, about: name and description of the run or the files.
        run: the run; None for files.
        datasets: data sets by name, in the order of the task.
        score, interval: by the official measure, with the 95 % bootstrap interval of its weighted mean.
        errors: the largest first.
        signature: see :func:`semaniacs.runs.pipeline.result_file.signature`; hashes of the files for files.
        vocabulary: out-of-vocabulary words by data set; empty for files.
        importances: Gini importance of every feature, the largest first: the share of the
            training error that the trees' splits on it took away. They sum to 1, or are 0 if no
            part of the fusion is a tree.
        studies: None without features, or without data.
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
    signature: Mapping[str, Any]
    vocabulary: Mapping[str, OutOfVocabulary] = field(default_factory=dict)
    importances: Mapping[str, float] = field(default_factory=dict)
    studies: Studies | None = None
    beside: Beside | None = None


def collect(outcome: Outcome, gold: Gold, studies: Studies | None = None) -> Findings:
    """Collect the content of a report about the outcome of a run."""
    run, importances, explain = outcome.run, dict[str, float](), None
    if run.columns:
        explain = partial(explain_pairs, outcome.model, repeats=REPEATS, seed=run.seed, words=False)
        shares = zip(run.columns, outcome.model.columns.ensemble.importances.tolist(), strict=True)
        importances = dict(sorted(shares, key=lambda one: -one[1]))
    return _findings(
        outcome.tests,
        outcome.predictions,
        gold,
        explain,
        name=run.name,
        about=f"The run: {run.about}.",
        run=run,
        task=outcome.task,
        signature=outcome.signature,
        vocabulary=_vocabulary(outcome),
        importances=importances,
        studies=studies,
    )


def collect_files(
    task: Task,
    data: Path | None,
    gold: Gold,
    submission: Submission,
    predictions: Mapping[str, Scores],
    beside: Outcome | None = None,
) -> Findings:
    """Collect the content of a report about files of scores, and a run to compare them with."""
    other = None
    if beside is not None:
        compared = paired_bootstrap(predictions, beside.predictions, gold)
        score = score_task(beside.predictions, gold)
        other = Beside(beside.run.name, score, compared.weighted_mean)
    hashes = {name: sha256_of_bytes(file.read()) for name, file in submission.files.items()}
    return _findings(
        [load(dataset, data, with_gold=False) for dataset in task.datasets],
        predictions,
        gold,
        None,
        name=submission.name,
        about="Files of scores that were handed in.",
        run=None,
        task=task,
        signature={"task": task.name, "files": hashes},
        beside=other,
    )


def _findings(
    tests: Sequence[Pairs],
    predictions: Mapping[str, Scores],
    gold: Gold,
    explain: Explain | None,
    **others: Any,
) -> Findings:
    def interval(*names: str) -> tuple[float, float]:
        chosen = [{name: scores[name] for name in names} for scores in (predictions, gold)]
        with np.errstate(divide="ignore", invalid="ignore"):  # a resample of equal scores
            return bootstrap_weighted_mean(*chosen)

    datasets = {
        pairs.name: ScoredDataSet(
            pairs, predictions[pairs.name], gold[pairs.name], interval(pairs.name)
        )
        for pairs in tests
    }
    return Findings(
        datasets=datasets,
        score=score_task(predictions, gold),
        interval=interval(*datasets),
        errors=_errors(datasets, explain),
        **others,
    )


def _errors(datasets: Mapping[str, ScoredDataSet], explain: Explain | None) -> list[LargeError]:
    """Return the pairs whose prediction is furthest from the gold; of equal ones, the first."""
    places = [
        (name, int(row))
        for name, scored in datasets.items()
        for row in np.flatnonzero(~np.isnan(scored.gold))
    ]
    places.sort(key=lambda at: -abs(datasets[at[0]].predicted[at[1]] - datasets[at[0]].gold[at[1]]))
    largest = [(name, row, datasets[name]) for name, row in places[:ERRORS]]
    left = tuple(scored.pairs.left[row] for _, row, scored in largest)
    right = tuple(scored.pairs.right[row] for _, row, scored in largest)
    if explain is not None:
        explained = explain(Pairs("errors", left, right, np.full(len(left), np.nan)))
    else:
        predicted = [float(scored.predicted[row]) for _, row, scored in largest]
        explained = [
            ExplainedPair(a, b, score, np.nan, ())
            for a, b, score in zip(left, right, predicted, strict=True)
        ]
    return [
        LargeError(name, row + 1, float(scored.gold[row]), pair)
        for (name, row, scored), pair in zip(largest, explained, strict=True)
    ]


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
