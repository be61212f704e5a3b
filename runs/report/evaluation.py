"""Rankings of submissions, as records for programs and as text for people.

Submissions on graded pairs are ranked by the weighted mean of Pearson's r, those on labelled pairs
by AUC.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from semaniacs.runs.pipeline.result_file import score_table
from semaniacs.runs.tables.format import null_for_nan, text_table
from semaniacs.sts.scoring.shared_task.leaderboard import LabelledScore, Leaderboard, Ranked
from semaniacs.sts.scoring.shared_task.system_files import Submission

Record = dict[str, Any]

DIGITS = 6
"""Digits of numbers for programs; people get four."""

TITLES = {
    "auc": "AUC",
    "average_precision": "average precision",
    "equal_error_rate": "equal error",
    "accuracy": "accuracy",
    "precision": "precision",
    "recall": "recall",
    "f1": "F1",
}
"""Figures of a labelled data set; those after the first three depend on a threshold."""


def records(
    board: Leaderboard[Any], submissions: Sequence[Submission], *, pairwise: bool = False
) -> list[Record]:
    """Return one record per submission, the best first, or one per two submissions."""
    names = [submissions[line.system].name for line in board.lines]
    if pairwise:
        return [
            {
                "a": names[one.a],
                "b": names[one.b],
                "difference": one.difference.value,
                "low": one.difference.low,
                "high": one.difference.high,
                "p": one.difference.p_value,
                "p_holm": one.p_corrected,
            }
            for one in board.every_two()
        ]
    against = {one.b: one for one in board.against_the_best()}
    found = []
    for place, line in enumerate(board.lines):
        submission, score, behind = submissions[line.system], line.score, against.get(place)
        record = {"rank": line.rank, "team": submission.team, "run": submission.run}
        interval = dict(zip(("low", "high"), line.interval, strict=True))
        if isinstance(score, LabelledScore):
            record |= {"auc": score.auc} | interval
        else:
            means = {"mean": score.mean, "spearman_all": score.spearman_all}
            record |= {"weighted_mean": score.weighted_mean} | interval | means
        record |= {
            "behind": behind.difference.value if behind else None,
            "p": behind.difference.p_value if behind else None,
            "p_holm": behind.p_corrected if behind else None,
            "datasets": {name: _dataset_record(line, name) for name in score.datasets},
        }
        found.append(record)
    return found


def _dataset_record(line: Ranked[Any], name: str) -> Record:
    one = line.score.datasets[name]
    if isinstance(line.score, LabelledScore):
        thresholds = {other.threshold for other in line.score.datasets.values()}
        figures = [*TITLES][:3] if thresholds == {math.inf} else [*TITLES]
        found = {"pairs": one.pairs, "paraphrases": one.positives}
        return found | {figure: getattr(one, figure) for figure in figures}
    low, high = line.intervals.get(name, (math.nan, math.nan))
    names = ("pairs", "scored", "pearson", "spearman")
    return {name: getattr(one, name) for name in names} | {"low": low, "high": high}


def as_text(
    task: str, board: Leaderboard[Any], submissions: Sequence[Submission], *, pairwise: bool = False
) -> str:
    """Return the figures of one submission, the ranking of several, or every two of them."""
    found = records(board, submissions, pairwise=pairwise)
    labelled = isinstance(board.lines[0].score, LabelledScore)
    title = f"{task}, area under the ROC curve" if labelled else f"{task}, Pearson"
    measure = "AUC" if labelled else "weighted mean"
    if len(submissions) == 1:
        title = f"{submissions[0].name} on {task}"
        table, note = _one_table(found[0], board), f"95 % interval of the {measure}: "
        if labelled:
            note = f"AUC {found[0]['auc']:.4f}, 95 % interval "
        note += _interval(found[0])
    elif pairwise:
        table = _pairwise_table(found)
        note = (
            f"A - B: of the {measure}{'s' * (not labelled)}. p: two-sided, from "
            f"{board.resamples:,} resamples of the pairs;\nthen corrected for {_holm(len(found))}."
        )
    else:
        table = _ranking_table(found, measure)
        names = [submissions[line.system].name for line in board.lines]
        near = [
            name for name, one in zip(names[1:], found[1:], strict=True) if one["p_holm"] > 0.05
        ]
        verdict = f"{names[0]} is better than every other."
        if near:
            verdict = f"{names[0]} cannot be told apart from {', '.join(near)}."
        note = (
            f"p: of the difference to {names[0]}, two-sided, from {board.resamples:,} resamples of "
            f"the pairs,\ncorrected for {_holm(len(found) - 1)}.\n{verdict}"
        )
    return f"{title}\n\n{table}\n\n{note}"


def _one_table(record: Record, board: Leaderboard[Any]) -> str:
    if "auc" not in record:
        return score_table(board.lines[0].score)
    rows = []
    for name, found in record["datasets"].items():
        pairs, positives, *figures = found.values()
        rows.append((name, str(pairs), str(positives), *map(_number, figures)))
        header = ["", "pairs", "paraphrases", *(TITLES[name] for name in [*found][2:])]
    return text_table(header, rows)


def _ranking_table(found: Sequence[Record], measure: str) -> str:
    """Return one line per submission, the best first, with its distance to the best."""
    rows = []
    for record in found:
        datasets = record["datasets"]
        if "auc" not in record:
            cells = {"mean": record["mean"], "Spearman all": record["spearman_all"]}
            cells |= {name: one["pearson"] for name, one in datasets.items()}
        elif len(datasets) == 1:
            (one,) = datasets.values()
            cells = {TITLES[name]: one[name] for name in [*one][3:]}
        else:
            cells = {name: one["auc"] for name, one in datasets.items()}
        names = [str(record["rank"]), record["team"], record["run"] or "-"]
        value = record["auc" if "auc" in record else "weighted_mean"]
        behind = [record["behind"], record["p_holm"]] if record["p_holm"] is not None else ["", ""]
        numbers = [one if one == "" else _number(one) for one in (*behind, *cells.values())]
        rows.append([*names, _number(value), _interval(record), *numbers])
    header = ("rank", "team", "run", measure, "95 % interval", "behind", "p", *cells)
    return text_table(header, rows, left=3)


def _pairwise_table(found: Sequence[Record]) -> str:
    rows = []
    for one in found:
        interval = f"{one['low']:+.4f} to {one['high']:+.4f}"
        numbers = map(_number, (one["p"], one["p_holm"]))
        rows.append((one["a"], one["b"], f"{one['difference']:+.4f}", interval, *numbers))
    return text_table(("A", "B", "A - B", "95 % interval", "p", "p (Holm)"), rows, left=2)


def _number(value: float) -> str:
    return f"{value:.4f}"


def _interval(record: Record) -> str:
    return f"{record['low']:.4f} to {record['high']:.4f}"


def _holm(number: int) -> str:
    return f"{number} comparison{'s' * (number != 1)} (Holm)"


def as_rows(records: Sequence[Record], *, nested: bool) -> tuple[list[str], list[list[Any]]]:
    """Return names of columns and one row per record.

    Data sets are nested as objects, with null for an undefined number, or each is a column of
    Pearson's r or AUC alone.
    """
    if nested:
        found = [null_for_nan(_rounded(one)) for one in records]
    else:
        found = []
        for record in records:
            row = {name: value for name, value in record.items() if name != "datasets"}
            for name, one in record.get("datasets", {}).items():
                row[name] = one["pearson" if "pearson" in one else "auc"]
            found.append(_rounded(row))
    return list(found[0]), [list(row.values()) for row in found]


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, DIGITS)
    return {k: _rounded(v) for k, v in value.items()} if isinstance(value, Mapping) else value
