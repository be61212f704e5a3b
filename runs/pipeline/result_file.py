"""Result of a run: its signature, results.json for programs, a table for people."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import SAMPLE
from semaniacs.runs.pipeline.run import SHIPPED, VERSION, AnyRun
from semaniacs.runs.tables.format import json_text
from semaniacs.sts.data.catalog import Task, get_task
from semaniacs.sts.data.fetch import ensure
from semaniacs.sts.files import sha256_of
from semaniacs.sts.scoring.classification import TaskClassification
from semaniacs.sts.scoring.task_score import TaskScore
from semaniacs.sts.tensors import digest

PACKAGES = "numpy scipy scikit-learn lightgbm jax optax gensim nltk wordfreq sentencepiece".split()
"""Libraries whose version can change a score; some are installed only to fit models."""

SHIPPED_FIT = "shipped"
"""Fit, in a signature, of a model that came with the project."""

TRAINED = "trained"
TRAINED_WITH = "trained, with round trips"
TRAINED_WITHOUT = "trained, without round trips"
"""Fits, in a signature, of models that were fitted for the task."""


def signature(
    run: AnyRun,
    task: Task,
    data: Path | None,
    model: Model,
    translators: Sequence[Mapping[str, str]],
    fit: str,
) -> dict[str, Any]:
    """Return everything that a score depends on, so that it can be reproduced.

    The gold files of the task are no part of it. ``fit`` is :data:`SHIPPED_FIT`, :data:`TRAINED`,
    :data:`TRAINED_WITH` or :data:`TRAINED_WITHOUT`.
    """
    chosen_on = {"threshold": [d.gold.sha256 for d in task.dev]} if task.labelled else {}
    shipped = fit == SHIPPED_FIT
    learned = get_task(SAMPLE) if shipped and not task.labelled else task
    fitted = {"fit": fit} if run.main.learns else {}
    if run.main.learns and shipped:
        fitted["fitted_files"] = fitted_files_digest(run)
    return chosen_on | {
        "task": task.name,
        "input": {
            d.name: d.input.sha256 or sha256_of(ensure(d.input, data)) for d in task.datasets
        },
        "training": [d.gold.sha256 for d in run.main.learns_from(learned)],
        "run": run.digest,
        "recipe": run.recipe,
        "code": f"version {VERSION}",
        "seed": run.seed,
        **fitted,
        "encoders": model.head.hashes(),
        "missing_features": list(model.head.missing()),
        "translators": list(translators),
        "versions": versions(),
    }


def fitted_files_digest(run: AnyRun) -> str:
    """Return sha256 of the shipped model: its encoders, networks and regressors."""
    record = run.main.record_in(SHIPPED)
    files = [*record.get("encoders", {}).values()]
    files += [record[part] for part in ("ensemble", "transformer", "cross") if part in record]
    return digest([sha256_of(SHIPPED / name) for name in files])


def versions() -> dict[str, str]:
    """Return the versions of Python and of the :data:`PACKAGES` that are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def results_json(
    task: str, run: str, score: TaskScore | TaskClassification, signature: Mapping[str, Any]
) -> str:
    """Return the text of ``results.json``; an undefined correlation is null."""
    content = asdict(score) | {"signature": signature}
    return json_text({"task": task, "run": run, **content})


def classification_table(score: TaskClassification) -> str:
    """Return the figures of each data set of a labelled task, and the threshold."""
    lines = []
    for name, found in score.datasets.items():
        figures = (
            ("accuracy", found.accuracy),
            ("F1", found.f1),
            ("AUC", found.auc),
            ("average precision", found.average_precision),
            ("equal error rate", found.equal_error_rate),
            ("majority accuracy", found.majority),
        )
        lines += [f"{name}: {found.pairs} pairs, {found.positives} paraphrases", ""]
        lines += [f"{label:17}  {value:.4f}" for label, value in figures]
    chosen = score.threshold
    how = ", out of fold" if chosen.out_of_fold else ""
    lines.append(
        f"{'threshold':17}  {chosen.value:.4f}  "
        f"({chosen.accuracy:.4f} accurate on {chosen.chosen_on}{how}, where it was chosen)"
    )
    return "\n".join(lines)


def score_table(score: TaskScore) -> str:
    """Return one line per data set, then the three averages by name."""
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
