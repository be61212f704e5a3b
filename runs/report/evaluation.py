"""Rankings of submissions, as text for people and as records for programs.

Submissions on graded pairs are ranked by the weighted mean of Pearson's r, those on labelled pairs
by AUC.
"""

from __future__ import annotations

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

from runs.pipeline.result_file import score_table
from runs.tables.format import null_for_nan, text_table
from sts.scoring.shared_task.labelled_leaderboard import LabelledScore
from sts.scoring.shared_task.leaderboard import Compared, Leaderboard, Ranked
from sts.scoring.shared_task.system_files import Submission
from sts.scoring.task_score import TaskScore

Score = TaskScore | LabelledScore
Record = dict[str, Any]

_DIGITS = 6
"""Digits of numbers for programs; people get four."""

_FIGURES = {
    "AUC": "auc",
    "average precision": "average_precision",
    "equal error": "equal_error_rate",
}
_AT_A_THRESHOLD = {"accuracy": "accuracy", "precision": "precision", "recall": "recall", "F1": "f1"}


def _figures(score: LabelledScore) -> dict[str, str]:
    """Return heading and attribute of the figures of each labelled data set."""
    thresholds = {one.threshold for one in score.datasets.values()}
    return _FIGURES if thresholds == {math.inf} else _FIGURES | _AT_A_THRESHOLD


# Text


def as_text(
    task: str, board: Leaderboard[Any], submissions: Sequence[Submission], *, pairwise: bool = False
) -> str:
    """Return the figures of one submission, the ranking of several, or every two of them."""
    first: Ranked[Score] = board.lines[0]
    labelled = isinstance(first.score, LabelledScore)
    if len(submissions) == 1:
        head, interval = f"{submissions[0].name} on {task}", interval_text(first.interval)
        if isinstance(first.score, LabelledScore):
            last = f"AUC {first.score.auc:.4f}, 95 % interval {interval}"
            return f"{head}\n\n{_labelled_table(first.score)}\n\n{last}"
        last = f"95 % interval of the weighted mean: {interval}"
        return f"{head}\n\n{score_table(first.score)}\n\n{last}"
    head = f"{task}, area under the ROC curve" if labelled else f"{task}, Pearson"
    if pairwise:
        return f"{head}\n\n{_pairwise_text(board, submissions, 'AUC' if labelled else 'weighted means')}"
    return f"{head}\n\n{_ranking_text(board, submissions)}\n\n{_told_apart(board, submissions)}"


def _labelled_table(score: LabelledScore) -> str:
    figures = _figures(score)
    rows = [
        (name, str(one.pairs), str(one.positives), *_numbers(one, figures))
        for name, one in score.datasets.items()
    ]
    return text_table(("", "pairs", "paraphrases", *figures), rows)


def _numbers(one: Any, figures: Mapping[str, str]) -> list[str]:
    return [f"{getattr(one, name):.4f}" for name in figures.values()]


def _ranking_text(board: Leaderboard[Any], submissions: Sequence[Submission]) -> str:
    """Return one line per submission, the best first, with its distance to the best."""
    score: Score = board.lines[0].score
    names = [*score.datasets]
    if isinstance(score, TaskScore):
        ranked_by, columns = "weighted mean", ["mean", "Spearman all", *names]
    elif len(names) == 1:
        ranked_by, columns = "AUC", [title for title in _figures(score) if title != "AUC"]
    else:
        ranked_by, columns = "AUC", names
    against = {one.b: one for one in board.against_the_best()}
    rows = []
    for place, line in enumerate(board.lines):
        one, behind = submissions[line.system], against.get(place)
        difference = (
            [f"{behind.difference.value:.4f}", f"{behind.p_corrected:.4f}"] if behind else ["", ""]
        )
        value = line.score.weighted_mean if ranked_by != "AUC" else line.score.auc
        rows.append(
            (str(line.rank), one.team, one.run or "-", f"{value:.4f}",
             interval_text(line.interval), *difference, *_cells(line.score, names))
        )  # fmt: skip
    header = ("rank", "team", "run", ranked_by, "95 % interval", "behind", "p", *columns)
    return text_table(header, rows, left=3)


def _cells(score: Score, names: Sequence[str]) -> list[str]:
    """Return the last columns of the ranking."""
    if isinstance(score, TaskScore):
        numbers = [score.mean, score.spearman_all, *(score.datasets[n].pearson for n in names)]
        return [f"{number:.4f}" for number in numbers]
    if len(names) == 1:
        others = {title: name for title, name in _figures(score).items() if title != "AUC"}
        return _numbers(score.datasets[names[0]], others)
    return [f"{score.datasets[name].auc:.4f}" for name in names]


def _told_apart(board: Leaderboard[Any], submissions: Sequence[Submission]) -> str:
    """Return what p is, and which submissions are within chance of the best, at 5 %."""
    best, against = submissions[board.lines[0].system].name, board.against_the_best()
    near = [
        submissions[board.lines[one.b].system].name for one in against if one.p_corrected > 0.05
    ]
    verdict = f"{best} is better than every other."
    if near:
        verdict = f"{best} cannot be told apart from {', '.join(near)}."
    return (
        f"p: of the difference to {best}, two-sided, from {board.resamples:,} resamples of the pairs,\n"
        f"corrected for {_comparisons(len(against))}.\n{verdict}"
    )


def _comparisons(number: int) -> str:
    return f"{number} comparison{'s' * (number != 1)} (Holm)"


def _pairwise_text(board: Leaderboard[Any], submissions: Sequence[Submission], what: str) -> str:
    """Return one line per two submissions."""
    rows = [
        (
            *_names(board, submissions, one),
            f"{one.difference.value:+.4f}",
            f"{one.difference.low:+.4f} to {one.difference.high:+.4f}",
            f"{one.difference.p_value:.4f}",
            f"{one.p_corrected:.4f}",
        )
        for one in board.every_two()
    ]
    header = ("A", "B", "A - B", "95 % interval", "p", "p (Holm)")
    about = (
        f"A - B: of the {what}. p: two-sided, from {board.resamples:,} resamples of the pairs;\n"
        f"then corrected for {_comparisons(len(rows))}."
    )
    return f"{text_table(header, rows, left=2)}\n\n{about}"


def _names(board: Leaderboard[Any], submissions: Sequence[Submission], one: Compared) -> list[str]:
    return [submissions[board.lines[place].system].name for place in (one.a, one.b)]


def interval_text(ends: tuple[float, float]) -> str:
    """Format both ends with four digits."""
    return "{:.4f} to {:.4f}".format(*ends)


# Records


def records(
    board: Leaderboard[Any], submissions: Sequence[Submission], *, pairwise: bool = False
) -> list[Record]:
    """Return one record per submission, or one per two submissions."""
    if pairwise:
        return [_pairwise_record(board, submissions, one) for one in board.every_two()]
    against = {one.b: one for one in board.against_the_best()}
    found = []
    for place, line in enumerate(board.lines):
        one, behind = submissions[line.system], against.get(place)
        is_graded = isinstance(line.score, TaskScore)
        low, high = line.interval
        found.append(
            {"rank": line.rank, "team": one.team, "run": one.run}
            | (
                {"weighted_mean": line.score.weighted_mean}
                if is_graded
                else {"auc": line.score.auc}
            )
            | {"low": low, "high": high}
            | (
                {"mean": line.score.mean, "spearman_all": line.score.spearman_all}
                if is_graded
                else {}
            )
            | {
                "behind": behind.difference.value if behind else None,
                "p": behind.difference.p_value if behind else None,
                "p_holm": behind.p_corrected if behind else None,
                "datasets": {name: _dataset_record(line, name) for name in line.score.datasets},
            }
        )
    return found


def _dataset_record(line: Ranked[Any], name: str) -> Record:
    one = line.score.datasets[name]
    if isinstance(line.score, LabelledScore):
        figures = {figure: getattr(one, figure) for figure in _figures(line.score).values()}
        return {"pairs": one.pairs, "paraphrases": one.positives, **figures}
    low, high = line.intervals.get(name, (math.nan, math.nan))
    return {
        "pairs": one.pairs,
        "scored": one.scored,
        "pearson": one.pearson,
        "spearman": one.spearman,
        "low": low,
        "high": high,
    }


def _pairwise_record(
    board: Leaderboard[Any], submissions: Sequence[Submission], one: Compared
) -> Record:
    a, b = _names(board, submissions, one)
    return {
        "a": a,
        "b": b,
        "difference": one.difference.value,
        "low": one.difference.low,
        "high": one.difference.high,
        "p": one.difference.p_value,
        "p_holm": one.p_corrected,
    }


def as_jsonl(records: Sequence[Record]) -> str:
    """Format one line of JSON per record; an undefined number is null."""
    lines = (json.dumps(null_for_nan(_rounded(one)), ensure_ascii=False) for one in records)
    return "\n".join(lines)


def as_tsv(records: Sequence[Record]) -> str:
    """Format a header and one line per record; of each data set Pearson's r or AUC alone."""
    flat = []
    for record in records:
        row = {name: value for name, value in record.items() if name != "datasets"}
        for name, found in record.get("datasets", {}).items():
            row[name] = found["pearson" if "pearson" in found else "auc"]
        flat.append(row)
    buffer = io.StringIO()
    out = csv.writer(buffer, delimiter="\t", lineterminator="\n", quoting=csv.QUOTE_NONE,
                     quotechar=None, escapechar="\\")  # fmt: skip
    out.writerow(flat[0])
    out.writerows(_rounded(row).values() for row in flat)
    return buffer.getvalue().removesuffix("\n")


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, _DIGITS)
    return {k: _rounded(v) for k, v in value.items()} if isinstance(value, Mapping) else value
