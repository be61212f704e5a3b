"""Features of forty pairs, stored beside a shipped model to notice a column that has changed.

A model that is fitted to a column gives wrong scores, and no error, once the code of the column
means something else. So the values that it was shipped with are compared with those of today.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from features.columns import FeatureColumns
from features.registry import get_feature
from sts.cache.source_code import code_of
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.data.pairs import Pairs, concatenate
from sts.errors import StsError
from sts.files import write_bytes
from sts.tensors import FORMAT, read_tensors, to_bytes

PAIRS_OF_A_SET = 8
TOLERANCE = 1e-4
"""Another processor adds up floats in another order; no feature is told to more digits."""


def checked_pairs() -> Pairs:
    """Eight pairs of each of the five English data sets of the sample."""
    english = [d for d in get_task("sample").datasets if d.languages == ("en",)]
    every = [load(dataset, None, with_gold=False) for dataset in english]
    first = [pairs.select(np.arange(len(pairs)) < PAIRS_OF_A_SET) for pairs in every]
    return concatenate(first)


def columns_code(columns: Sequence[str]) -> dict[str, str]:
    """The module that computes each column, and the first digits of the hash of all its code."""
    modules = {name: get_feature(name).compute.__module__ for name in columns}
    return {name: f"{module} {code_of(module).digest[:12]}" for name, module in modules.items()}


def save_feature_check(path: Path, features: FeatureColumns) -> None:
    """Write the features of the checked pairs."""
    values = features.compute(checked_pairs())
    metadata = {"format": FORMAT, "columns": "\n".join(features.names)}
    write_bytes(path, to_bytes({"values": values}, metadata))


def changed_features(path: Path, features: FeatureColumns) -> dict[str, float]:
    """The largest difference of each feature that is not what it was; those missing here aside.

    Args:
        path: of a shipped model's features.
        features: of the same columns.

    Raises:
        StsError: the columns are others.
    """
    tensors, metadata = read_tensors(path, ("values",))
    columns = metadata["columns"].split("\n")
    if columns != list(features.names):
        raise StsError(f"{path}: features of other columns; ship the model again")
    now = features.compute(checked_pairs())
    apart = np.abs(now - tensors["values"])
    apart[np.isnan(now) != np.isnan(tensors["values"])] = np.inf
    largest = np.nan_to_num(apart, nan=0.0, posinf=np.inf).max(axis=0)
    here = set(columns) - set(features.missing())
    found = zip(columns, largest.tolist(), strict=True)
    return {name: d for name, d in found if name in here and d > TOLERANCE}
