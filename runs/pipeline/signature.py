"""The signature: everything that a score rests on, so that it can be made again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from features.registry import get_feature
from runs.pipeline.model import Model
from runs.pipeline.run import Run
from sts.cache.source_code import code_of
from sts.data.fetch import ensure
from sts.data.schema import DataFile, Task
from sts.files import sha256_of

PACKAGES = (
    "numpy", "scipy", "scikit-learn", "lightgbm", "jax", "optax", "gensim", "nltk", "wordfreq",
    "textblob", "lemminflect", "sentencepiece",
)  # fmt: skip
"""Libraries whose version can change a score."""


def signature(
    run: Run,
    task: Task,
    data: Path | None,
    model: Model,
    translators: Sequence[Mapping[str, str]],
) -> dict[str, Any]:
    """Task, files, recipe, encoders, translations, seed and versions of a result.

    The gold files of the task take no part: the predictions do not rest on them.
    """
    return {
        "task": task.name,
        "input": {d.name: _hash(d.input, data) for d in task.datasets},
        "training": [d.gold.sha256 for d in task.train] if run.tunings else [],
        "run": run.digest,
        "recipe": run.recipe,
        "code": code_digest(run),
        "seed": run.seed,
        "encoders": model.encoder_hashes(),
        "missing_features": list(model.missing()),
        "translators": list(translators),
        "versions": {"python": platform.python_version()} | {p: version(p) for p in PACKAGES},
    }


def code_digest(run: Run) -> str:
    """sha256 of our own code that fits the run and computes its features."""
    families = {get_feature(name).compute.__module__ for name in run.columns}
    return code_of(type(run).__module__, *sorted(families)).digest


def _hash(file: DataFile, data: Path | None) -> str:
    """The hash that was verified; a packaged file's own."""
    return file.sha256 or sha256_of(ensure(file, data))
