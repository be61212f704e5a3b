"""The result of a run: its signature, results.json for programs, a table for people.

The signature is everything that a score rests on, so that it can be made again.
"""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from features.registry import get_feature
from runs.pipeline.run import SAMPLE, SHIPPED, Model, Run
from runs.tables.format import json_text
from sts.cache import digest
from sts.cache.source_code import code_of
from sts.data.catalog import get_task
from sts.data.fetch import ensure
from sts.data.schema import Task
from sts.files import sha256_of
from sts.scoring.classification import TaskClassification
from sts.scoring.task_score import TaskScore

PACKAGES = (
    "numpy", "scipy", "scikit-learn", "lightgbm", "jax", "optax", "gensim", "nltk", "wordfreq",
    "sentencepiece",
)  # fmt: skip
"""Libraries whose version can change a score; some are installed only to fit models."""

SHIPPED_FIT = "shipped"
"""What the signature says of a fitted model that came with the project."""

TRAINED, TRAINED_WITH, TRAINED_WITHOUT = (
    "trained", "trained, with round trips", "trained, without round trips",
)  # fmt: skip
"""What it says of a model that was fitted for the task; the first of runs without round trips."""


def signature(
    run: Run,
    task: Task,
    data: Path | None,
    model: Model,
    translators: Sequence[Mapping[str, str]],
    fit: str,
) -> dict[str, Any]:
    """Task, files, recipe, fit, encoders, translations, seed and versions of a result.

    The gold files of the task take no part: the predictions do not rest on them.

    Args:
        run, task, data, translators: what made the result.
        model: the fitted run.
        fit: :data:`SHIPPED_FIT`, :data:`TRAINED`, :data:`TRAINED_WITH` or :data:`TRAINED_WITHOUT`.
    """
    chosen_on = {"threshold": [d.gold.sha256 for d in task.dev]} if task.labelled else {}
    shipped = fit == SHIPPED_FIT
    learned = get_task(SAMPLE) if shipped and not task.labelled else task
    fitted = {"fit": fit} if run.learns else {}
    if run.learns and shipped:
        fitted["fitted_files"] = fitted_files_digest(run)
    return chosen_on | {
        "task": task.name,
        "input": {
            d.name: d.input.sha256 or sha256_of(ensure(d.input, data)) for d in task.datasets
        },
        "training": [d.gold.sha256 for d in run.learns_from(learned)],
        "run": run.digest,
        "recipe": run.recipe,
        "code": code_digest(run),
        "seed": run.seed,
        **fitted,
        "encoders": model.encoder_hashes(),
        "missing_features": list(model.missing()),
        "translators": list(translators),
        "versions": _versions(),
    }


def fitted_files_digest(run: Run) -> str:
    """sha256 of what the model that ships scores by: its encoders, networks and regressors."""
    record = run.record_in(SHIPPED)
    files = [*record.get("encoders", {}).values()]
    files += [record[part] for part in ("ensemble", "transformer", "cross") if part in record]
    return digest([sha256_of(SHIPPED / name) for name in files])


def _versions() -> dict[str, str]:
    """Of Python, and of those :data:`PACKAGES` that are installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def code_digest(run: Run) -> str:
    """sha256 of our own code that fits the run and computes its features."""
    return code_of(*modules_of(run)).digest


def modules_of(run: Run) -> tuple[str, ...]:
    """The modules that fit a run and compute its features, see :func:`sts.cache.key`."""
    families = {get_feature(name).compute.__module__ for name in run.columns}
    return type(run).__module__, *sorted(families)


def results_json(
    task: str, run: str, score: TaskScore | TaskClassification, signature: Mapping[str, Any]
) -> str:
    """The text of ``results.json``; an undefined correlation is null."""
    if isinstance(score, TaskClassification):
        return json_text({"task": task, "run": run, **asdict(score), "signature": signature})
    content = {
        "task": task,
        "run": run,
        "datasets": {name: asdict(dataset) for name, dataset in score.datasets.items()},
        "weighted_mean": score.weighted_mean,
        "mean": score.mean,
        "spearman_all": score.spearman_all,
        "signature": signature,
    }
    return json_text(content)


def classification_table(score: TaskClassification) -> str:
    """The figures of each data set of a labelled task, and where the threshold was chosen."""
    lines = []
    for name, found in score.datasets.items():
        rows = {
            "accuracy": found.accuracy,
            "F1": found.f1,
            "AUC": found.auc,
            "average precision": found.average_precision,
            "equal error rate": found.equal_error_rate,
            "majority accuracy": found.majority,
        }
        lines += [f"{name}: {found.pairs} pairs, {found.positives} paraphrases", ""]
        lines += [f"{label:17}  {value:.4f}" for label, value in rows.items()]
    chosen = score.threshold
    how = ", out of fold" if chosen.out_of_fold else ""
    lines.append(
        f"{'threshold':17}  {chosen.value:.4f}  "
        f"({chosen.accuracy:.4f} accurate on {chosen.chosen_on}{how}, where it was chosen)"
    )
    return "\n".join(lines)


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
