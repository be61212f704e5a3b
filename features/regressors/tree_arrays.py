"""Regression trees as plain arrays: saved without pickle, read without scikit-learn."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

_LEAF = -1


@dataclass(frozen=True)
class Trees:
    """The trees of a fitted boosting or forest, end to end.

    Attributes:
        roots: (t,) index of each tree's first node.
        left, right: (nodes,) index of the children, -1 at a leaf.
        column: (nodes,) the feature that is compared.
        threshold: (nodes,); go left if the feature, in the threshold's precision, is ≤ it.
        value: (nodes,) what a leaf adds.
        start: (1,) the constant the sum starts from.
        gain: (k,) what the splits on each column took from the error; of scikit-learn's trees
            the Gini (impurity) importance, which sums to 1.
    """

    roots: NDArray[np.int32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    column: NDArray[np.int16]
    threshold: NDArray[np.floating[Any]]
    value: NDArray[np.float64]
    start: NDArray[np.float64]
    gain: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Refuse arrays that a walk would leave or never leave; compiled code would not notice.

        Raises:
            ValueError: lengths differ, a child does not come after its parent, or a column
                is not there.
        """
        nodes = len(self.left)
        parts = (self.right, self.column, self.threshold, self.value)
        inner = self.left != _LEAF
        own = np.flatnonzero(inner)
        children = np.stack([self.left[inner], self.right[inner]])
        whole = (
            all(len(part) == nodes for part in parts)
            and bool(np.all((self.roots >= 0) & (self.roots < nodes)))
            and bool(np.all((children > own) & (children < nodes)))
            and bool(np.all((self.column[inner] >= 0) & (self.column[inner] < len(self.gain))))
        )
        if not whole:
            raise ValueError("the arrays are no trees")

    @classmethod
    def of_boosting(cls, model: Any) -> Trees:
        """The trees of a ``GradientBoostingRegressor``: its start, plus a step each."""
        trees = [estimator.tree_ for estimator in model.estimators_[:, 0]]
        start = model.init_.constant_.item()
        return cls._of(trees, model.learning_rate, start, model.feature_importances_)

    @classmethod
    def of_forest(cls, model: Any) -> Trees:
        """The trees of an ``ExtraTreesRegressor``: their mean."""
        trees = [estimator.tree_ for estimator in model.estimators_]
        return cls._of(trees, 1 / len(trees), 0.0, model.feature_importances_)

    @classmethod
    def _of(cls, trees: Sequence[Any], weight: float, start: float, gain: Any) -> Trees:
        roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]

        def joined(name: str, shift: bool = False) -> NDArray[Any]:
            arrays = [getattr(tree, name).ravel() for tree in trees]
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
            joined("feature").astype(np.int16),
            _below(joined("threshold")),
            joined("value").astype(np.float64) * weight,
            np.array([start]),
            np.asarray(gain, np.float64),
        )

    def predict(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """The (n,) sums for an (n, k) matrix without NaN."""
        # scikit-learn compares float32 features, LightGBM float64; at a threshold that decides.
        features = np.ascontiguousarray(matrix, self.threshold.dtype)
        total = np.full(len(features), self.start[0])
        _add(features, self.roots, self.left, self.right, self.column, self.threshold, self.value,
             total)  # fmt: skip
        return total

    @property
    def splits(self) -> NDArray[np.int64]:
        """(k,) how many splits each column has."""
        return np.bincount(self.column[self.left != _LEAF], minlength=len(self.gain))

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The arrays by name, to be saved."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def _below(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest float32 ≤ each threshold: a float32 is ≤ one just if it is ≤ the other."""
    nearest = thresholds.astype(np.float32)
    lower = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > thresholds, lower, nearest)


@numba.njit(cache=True, nogil=True)
def _add(features, roots, left, right, column, threshold, value, total):
    for root in roots:
        for row in range(len(features)):
            node = root
            while left[node] != _LEAF:
                goes_left = features[row, column[node]] <= threshold[node]
                node = left[node] if goes_left else right[node]
            total[row] += value[node]
