"""The scikit-learn transformer over named features."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin

from features.columns import FeatureColumns
from features.resources import Resources
from sts.data.pairs import Pairs

_installed = cache(Resources)


@dataclass(eq=False, repr=False)
class FeatureExtractor(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Named features of sentence pairs: :class:`FeatureColumns` for scikit-learn.

    Nothing is fitted: the same pair has the same row in every file.

    Args:
        columns: names from the registry, in the order wanted.
        resources: where features look things up; by default what is installed.
        progress: show a progress bar on stderr.
    """

    columns: Sequence[str]
    resources: Resources | None = None
    progress: bool = False

    def fit(self, pairs: Pairs, y: object = None) -> FeatureExtractor:
        """Nothing to learn; here so that a scikit-learn Pipeline can hold it."""
        return self

    def __sklearn_tags__(self) -> Any:
        """Return tags: it takes pairs of sentences, and needs no fit."""
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.requires_fit = False
        tags.no_validation = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def get_feature_names_out(self, input_features: object = None) -> NDArray[np.object_]:
        """The columns' names, (k,)."""
        return np.array(list(self.columns), dtype=object)

    def transform(self, pairs: Pairs) -> NDArray[np.float64]:
        """The matrix (n, k) float64; a column whose resource is missing is NaN."""
        resources = self.resources or _installed()
        return FeatureColumns(self.columns, resources, self.progress).compute(pairs)
