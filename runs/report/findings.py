"""What a report shows of a run on a task: numbers and sentences, nothing of how they look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from runs.pipeline.run import Run
from runs.report.explanation import ExplainedPair
from runs.studies.contribution.summary import StudySummary
from sts.data.pairs import Pairs, Scores
from sts.data.schema import Task
from sts.scoring.task_score import TaskScore


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
class GiniImportance:
    """The share of the training error that the trees' splits on a feature took away.

    Attributes:
        source: the paper or library that the feature is from.
        share: in [0, 1]; all sum to 1, or are 0 if no part of the fusion is a tree.
    """

    feature: str
    group: str
    source: str
    share: float


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
        importances: of every feature, the largest first; empty without features.
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
    importances: Sequence[GiniImportance]
    studies: StudySummary | None
    signature: Mapping[str, Any]
