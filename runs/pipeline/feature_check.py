"""Features of forty pairs, stored beside a shipped model to notice a column that has changed.

A model that is fitted to a column gives wrong scores, and no error, once the code of the column
computes something else. So the values of the time of shipping are compared with those of today.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from semaniacs.features.registry import FeatureColumns
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Pairs, concatenate
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import write_bytes
from semaniacs.sts.tensors import FORMAT, read_tensors, to_bytes

PAIRS_PER_SET = 8
TOLERANCE = 1e-4
"""Largest difference of a feature: another processor adds up floats in another order."""


def checked_pairs() -> Pairs:
    """Return eight pairs of each of the five English data sets of the sample."""
    english = [d for d in get_task("sample").datasets if d.languages == ("en",)]
    every = [load(dataset, None, with_gold=False) for dataset in english]
    return concatenate([pairs.select(np.arange(len(pairs)) < PAIRS_PER_SET) for pairs in every])


def save_feature_check(path: Path, features: FeatureColumns) -> None:
    """Write the features of the checked pairs."""
    values = features.compute(checked_pairs())
    metadata = {"format": FORMAT, "columns": "\n".join(features.names)}
    write_bytes(path, to_bytes({"values": values}, metadata))


def changed_features(path: Path, features: FeatureColumns) -> dict[str, float]:
    """Return the largest difference of each feature that has changed and can be computed here.

    ``path`` is a file of :func:`save_feature_check`, and ``features`` computes its columns.
    """
    tensors, metadata = read_tensors(path, ("values",))
    columns = metadata["columns"].split("\n")
    if columns != list(features.names):
        raise StsError(f"{path}: features of other columns; ship the model again")
    now, before = features.compute(checked_pairs()), tensors["values"]
    apart = np.abs(now - before)
    apart[np.isnan(now) & np.isnan(before)] = 0
    largest = np.nan_to_num(apart, nan=np.inf).max(axis=0).tolist()
    absent = features.missing()
    found = zip(columns, largest, strict=True)
    return {name: d for name, d in found if name not in absent and d > TOLERANCE}
