"""A ranking of submissions as text for people, and as lines for programs."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from typing import Any

from runs.pipeline.result_file import score_table
from runs.tables.format import null_for_nan, text_table
from sts.scoring.shared_task.leaderboard import Compared, Leaderboard, Ranked
from sts.scoring.shared_task.system_files import Submission
from sts.scoring.task_score import TaskScore

_DIGITS = 6
"""Of figures for programs; people get four."""


def as_text(
    task: str,
    board: Leaderboard[TaskScore],
    submissions: Sequence[Submission],
    *,
    pairwise: bool = False,
) -> str:
    """The scores of one submission, the ranking of several, or every two of them."""
    if len(submissions) == 1:
        (line,) = board.lines
        head, text = f"{submissions[0].name} on {task}", score_table(line.score)
        return f"{head}\n\n{text}\n\n95 % interval of the weighted mean: {interval_text(line.interval)}"
    show = pairwise_text if pairwise else _ranking_text
    return f"{task}, Pearson\n\n{show(board, submissions)}"


def _ranking_text(board: Leaderboard[TaskScore], submissions: Sequence[Submission]) -> str:
    """A line a submission, the best first, and which cannot be told apart from it."""
    names = [*board.lines[0].score.datasets]
    header = (
        "rank", "team", "run", "weighted mean", "95 % interval", "behind", "p", "mean", "Spearman all",
        *names,
    )  # fmt: skip
    against = {one.b: one for one in board.against_the_best()}
    rows = []
    for place, line in enumerate(board.lines):
        one = submissions[line.system]
        figures = [line.score.datasets[name].pearson for name in names]
        behind = against.get(place)
        rows.append((
            str(line.rank), one.team, one.run or "-", f"{line.score.weighted_mean:.4f}",
            interval_text(line.interval), f"{behind.difference.value:.4f}" if behind else "",
            f"{behind.p_corrected:.4f}" if behind else "", f"{line.score.mean:.4f}",
            f"{line.score.spearman_all:.4f}", *(f"{figure:.4f}" for figure in figures),
        ))  # fmt: skip
    return "\n".join(
        [
            text_table(header, rows, left=3),
            "",
            told_apart(board, submissions),
        ]
    )


def told_apart(board: Leaderboard[Any], submissions: Sequence[Submission]) -> str:
    """What p is, and which submissions are not behind the best by more than chance at 5 %."""
    best, against = submissions[board.lines[0].system].name, board.against_the_best()
    drawn, compared = f"{board.resamples:,} resamples of the pairs", _comparisons(len(against))
    near = [
        submissions[board.lines[one.b].system].name for one in against if one.p_corrected > 0.05
    ]
    verdict = (
        f"{best} cannot be told apart from {', '.join(near)}."
        if near
        else f"{best} is better than every other."
    )
    return (
        f"p: of the difference to {best}, two-sided, from {drawn},\n"
        f"corrected for {compared}.\n{verdict}"
    )


def _comparisons(number: int) -> str:
    return f"{number} comparison{'s' * (number != 1)} (Holm)"


def pairwise_text(
    board: Leaderboard[Any], submissions: Sequence[Submission], what: str = "weighted means"
) -> str:
    """A line for every two submissions, and the difference of ``what`` is ranked."""
    rows = [
        (
            submissions[board.lines[one.a].system].name,
            submissions[board.lines[one.b].system].name,
            f"{one.difference.value:+.4f}",
            f"{one.difference.low:+.4f} to {one.difference.high:+.4f}",
            f"{one.difference.p_value:.4f}",
            f"{one.p_corrected:.4f}",
        )
        for one in board.every_two()
    ]
    header = ("A", "B", "A - B", "95 % interval", "p", "p (Holm)")
    drawn, compared = f"{board.resamples:,} resamples of the pairs", _comparisons(len(rows))
    about = f"A - B: of the {what}. p: two-sided, from {drawn};"
    then = f"then corrected for {compared}."
    return "\n".join([text_table(header, rows, left=2), "", about, then])


def interval_text(ends: tuple[float, float]) -> str:
    """Both ends, with four digits."""
    return "{:.4f} to {:.4f}".format(*ends)


def records(
    board: Leaderboard[TaskScore], submissions: Sequence[Submission], *, pairwise: bool = False
) -> list[dict[str, Any]]:
    """The ranking for programs: a record a submission, or one for every two."""
    if pairwise:
        return pairwise_records(board, submissions)
    against = {one.b: one for one in board.against_the_best()}
    return [
        _record(line, submissions[line.system], against.get(place))
        for place, line in enumerate(board.lines)
    ]


def _record(line: Ranked[TaskScore], one: Submission, behind: Compared | None) -> dict[str, Any]:
    score, nothing = line.score, (float("nan"),) * 2
    low, high = line.interval
    return {
        "rank": line.rank,
        "team": one.team,
        "run": one.run,
        "weighted_mean": score.weighted_mean,
        "low": low,
        "high": high,
        "mean": score.mean,
        "spearman_all": score.spearman_all,
        "behind": behind.difference.value if behind else None,
        "p": behind.difference.p_value if behind else None,
        "p_holm": behind.p_corrected if behind else None,
        "datasets": {
            name: {
                "pairs": dataset.pairs, "scored": dataset.scored, "pearson": dataset.pearson,
                "spearman": dataset.spearman,
                "low": line.intervals.get(name, nothing)[0],
                "high": line.intervals.get(name, nothing)[1],
            }
            for name, dataset in score.datasets.items()
        },
    }  # fmt: skip


def pairwise_records(
    board: Leaderboard[Any], submissions: Sequence[Submission]
) -> list[dict[str, Any]]:
    """A record for every two submissions."""
    return [
        {
            "a": submissions[board.lines[one.a].system].name,
            "b": submissions[board.lines[one.b].system].name,
            "difference": one.difference.value,
            "low": one.difference.low,
            "high": one.difference.high,
            "p": one.difference.p_value,
            "p_holm": one.p_corrected,
        }
        for one in board.every_two()
    ]


def as_jsonl(records: Sequence[Mapping[str, Any]]) -> str:
    """A line of JSON a record; what is undefined is null."""
    lines = (json.dumps(null_for_nan(_rounded(one)), ensure_ascii=False) for one in records)
    return "\n".join(lines)


def as_tsv(records: Sequence[Mapping[str, Any]]) -> str:
    """A line of names, then one a record; of the data sets Pearson's r alone, or AUC."""
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
