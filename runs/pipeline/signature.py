"""The signature: everything that a score rests on, so that it can be made again."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from embeddings.formats.fingerprint import fingerprint
from runs.pipeline.crosslingual import CrossLingualModel
from runs.pipeline.models import CosineModel, FusionModel, Model
from runs.pipeline.recipe import Run
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
        "training": [d.gold.sha256 for d in task.train] if run.learns else [],
        "run": run.digest,
        "recipe": repr(run),
        "seed": run.seed,
        "encoders": encoder_hashes(model),
        "missing_features": missing_of(model),
        "translators": list(translators),
        "versions": {"python": platform.python_version()} | {p: version(p) for p in PACKAGES},
    }


def _hash(file: DataFile, data: Path | None) -> str:
    """The hash that was verified; a packaged file's own."""
    return file.sha256 or sha256_of(ensure(file, data))


def encoder_hashes(model: Model) -> dict[str, str]:
    """sha256 of every encoder that the model compares sentences with."""
    if isinstance(model, CosineModel):
        return {"encoder": fingerprint(model.encoder)}
    if isinstance(model, CrossLingualModel):
        by_language = model.encoders.encoders
        return {code: fingerprint(encoder) for code, encoder in by_language.items()}
    if isinstance(model, FusionModel):
        encoders = model.extractor.lookup.encoders
        return {name: fingerprint(encoder) for name, encoder in encoders.items()}
    return {}


def missing_of(model: Model) -> list[str]:
    """Names of the features that could not be computed."""
    return list(model.extractor.missing()) if isinstance(model, FusionModel) else []
