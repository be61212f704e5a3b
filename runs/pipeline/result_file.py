"""What a run's result looks like: results.json for programs, a table for people."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sts.scoring.task_score import TaskScore


def results_json(task: str, run: str, score: TaskScore, signature: Mapping[str, Any]) -> str:
    """The text of ``results.json``; an undefined correlation is null."""
    content = {
        "task": task,
        "run": run,
        "datasets": {name: asdict(dataset) for name, dataset in score.datasets.items()},
        "weighted_mean": score.weighted_mean,
        "mean": score.mean,
        "spearman_all": score.spearman_all,
        "signature": signature,
    }
    return json.dumps(_without_nan(content), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _without_nan(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {key: _without_nan(inner) for key, inner in value.items()}
    return value


def score_table(score: TaskScore) -> str:
    """One line a data set, then the three averages by name."""
    width = max(len("weighted mean"), *(len(name) for name in score.datasets))
    lines = [f"{'':{width}}  {'pairs':>6}  {'scored':>6}  {'Pearson':>7}  {'Spearman':>8}"]
    for name, dataset in score.datasets.items():
        lines.append(
            f"{name:{width}}  {dataset.pairs:6d}  {dataset.scored:6d}"
            f"  {dataset.pearson:7.4f}  {dataset.spearman:8.4f}"
        )
    lines += [
        "",
        f"{'weighted mean':{width}}  {score.weighted_mean:.4f}  (official: by scored pairs)",
        f"{'mean':{width}}  {score.mean:.4f}  (every data set the same)",
        f"{'Spearman all':{width}}  {score.spearman_all:.4f}  (all pairs in one list)",
    ]
    return "\n".join(lines)
