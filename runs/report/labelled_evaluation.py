"""A ranking of submissions for labelled pairs as text for people, and as records for programs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from runs.report.evaluation import interval_text, pairwise_records, pairwise_text, told_apart
from runs.tables.format import text_table
from sts.scoring.classification import ClassificationScore
from sts.scoring.shared_task.labelled_leaderboard import LabelledScore
from sts.scoring.shared_task.leaderboard import Leaderboard
from sts.scoring.shared_task.system_files import Submission

_FIGURES = {
    "AUC": "auc",
    "average precision": "average_precision",
    "equal error": "equal_error_rate",
}
_AT_A_THRESHOLD = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "F1": "f1"}


def _figures(score: LabelledScore) -> dict[str, str]:
    """Heading and attribute of what is shown of each data set."""
    thresholds = {one.threshold for one in score.datasets.values()}
    return _FIGURES if thresholds == {math.inf} else _FIGURES | _AT_A_THRESHOLD


def as_text(
    task: str,
    board: Leaderboard[LabelledScore],
    submissions: Sequence[Submission],
    *,
    pairwise: bool = False,
) -> str:
    """The figures of one submission, the ranking of several, or every two of them."""
    if len(submissions) == 1:
        (line,) = board.lines
        interval = interval_text(line.interval)
        return (
            f"{submissions[0].name} on {task}\n\n{_datasets_text(line.score)}\n\n"
            f"AUC {line.score.auc:.4f}, 95 % interval {interval}"
        )
    text = (
        pairwise_text(board, submissions, "AUC")
        if pairwise
        else f"{_ranking_text(board, submissions)}\n\n{told_apart(board, submissions)}"
    )
    return f"{task}, area under the ROC curve\n\n{text}"


def _datasets_text(score: LabelledScore) -> str:
    figures = _figures(score)
    rows = [
        (name, str(one.pairs), str(one.positives), *_shown(one, figures))
        for name, one in score.datasets.items()
    ]
    return text_table(("", "pairs", "paraphrases", *figures), rows)


def _shown(one: ClassificationScore, figures: dict[str, str]) -> list[str]:
    return [f"{getattr(one, name):.4f}" for name in figures.values()]


def _ranking_text(board: Leaderboard[LabelledScore], submissions: Sequence[Submission]) -> str:
    """A line a submission, the best first; of one data set all figures, of several AUC."""
    names = [*board.lines[0].score.datasets]
    figures = _figures(board.lines[0].score)
    alone = len(names) == 1
    against = {one.b: one for one in board.against_the_best()}
    rows = []
    for place, line in enumerate(board.lines):
        one, behind, found = submissions[line.system], against.get(place), line.score.datasets
        rest = {title: name for title, name in figures.items() if name != "auc"}
        rows.append((
            str(line.rank), one.team, one.run or "-", f"{line.score.auc:.4f}",
            interval_text(line.interval), f"{behind.difference.value:.4f}" if behind else "",
            f"{behind.p_corrected:.4f}" if behind else "",
            *(_shown(found[names[0]], rest) if alone else [f"{found[n].auc:.4f}" for n in names]),
        ))  # fmt: skip
    shown = [title for title in figures if title != "AUC"] if alone else names
    header = ("rank", "team", "run", "AUC", "95 % interval", "behind", "p", *shown)
    return text_table(header, rows, left=3)


def records(
    board: Leaderboard[LabelledScore], submissions: Sequence[Submission], *, pairwise: bool = False
) -> list[dict[str, Any]]:
    """The ranking for programs: a record a submission, or one for every two."""
    if pairwise:
        return pairwise_records(board, submissions)
    against = {one.b: one for one in board.against_the_best()}
    found = []
    for place, line in enumerate(board.lines):
        one, behind, score = submissions[line.system], against.get(place), line.score
        figures = _figures(score).values()
        found.append({
            "rank": line.rank, "team": one.team, "run": one.run, "auc": score.auc,
            "low": line.interval[0], "high": line.interval[1],
            "behind": behind.difference.value if behind else None,
            "p": behind.difference.p_value if behind else None,
            "p_holm": behind.p_corrected if behind else None,
            "datasets": {
                name: {"pairs": own.pairs, "paraphrases": own.positives}
                | {figure: getattr(own, figure) for figure in figures}
                for name, own in score.datasets.items()
            },
        })  # fmt: skip
    return found
