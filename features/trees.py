"""Boosted regression trees as plain arrays: saved without pickle, read without scikit-learn."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

_LEAF = -1


@dataclass(frozen=True)
class Trees:
    """The trees of a fitted ``GradientBoostingRegressor``, end to end.

    Attributes:
        roots: (t,) index of each tree's first node.
        left, right: (nodes,) index of the children, -1 at a leaf.
        column: (nodes,) the feature that is compared.
        threshold: (nodes,) go left if the feature ≤ threshold.
        value: (nodes,) what a leaf adds, learning rate included.
        start: (1,) the constant the sum starts from.
        gain: (k,) Gini (impurity) importance of each column; sums to 1.
    """

    roots: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    column: NDArray[np.int32]
    threshold: NDArray[np.float64]
    value: NDArray[np.float64]
    start: NDArray[np.float64]
    gain: NDArray[np.float64]

    @classmethod
    def from_sklearn(cls, model: Any) -> Trees:
        """Copy the trees out of a fitted ``GradientBoostingRegressor``."""
        parts = [estimator.tree_ for estimator in model.estimators_[:, 0]]
        roots = np.cumsum([0, *(part.node_count for part in parts)])[:-1]

        def joined(name: str, shift: bool = False) -> NDArray[Any]:
            arrays = [getattr(part, name).ravel() for part in parts]
            if shift:
                arrays = [
                    np.where(a == _LEAF, _LEAF, a + root)
                    for a, root in zip(arrays, roots, strict=True)
                ]
            return np.concatenate(arrays)

        return cls(
            roots.astype(np.int32),
            joined("children_left", shift=True).astype(np.int32),
            joined("children_right", shift=True).astype(np.int32),
            joined("feature").astype(np.int32),
            joined("threshold").astype(np.float64),
            joined("value").astype(np.float64) * model.learning_rate,
            np.array([model.init_.constant_.item()]),
            np.asarray(model.feature_importances_, np.float64),
        )

    def predict(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """The (n,) sums for an (n, k) matrix without NaN."""
        # scikit-learn compares float32 features; at a threshold that decides.
        features = matrix.astype(np.float32)
        rows = np.arange(len(features))
        total = np.full(len(features), self.start[0])
        for root in self.roots:
            node = np.full(len(features), root)
            while (inner := self.left[node] != _LEAF).any():
                column = np.maximum(self.column[node], 0)  # a leaf, not asked, has none
                goes_left = features[rows, column] <= self.threshold[node]
                child = np.where(goes_left, self.left[node], self.right[node])
                node = np.where(inner, child, node)
            total += self.value[node]
        return total

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, to be saved."""
        return {field.name: getattr(self, field.name) for field in fields(self)}
