"""Regression trees as plain arrays: saved without pickle, read without scikit-learn."""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.kernel import kernel
from features.regressors.fitted import Scorer
from features.regressors.packed_trees import LEAF, pack_trees, unpack_trees
from sts.tensors import Tensors

FEW = 2000
"""Rows that are not worth loading compiled code for."""


class Tree(NamedTuple):
    """The nodes of one tree, the root first.

    Attributes:
        left, right: (nodes,) index of the children, -1 at a leaf.
        column: (nodes,) the feature that is compared.
        threshold: (nodes,); go left if the feature, in the threshold's precision, is ≤ it.
        value: (nodes,) what a leaf adds.
    """

    left: NDArray[np.integer[Any]]
    right: NDArray[np.integer[Any]]
    column: NDArray[np.integer[Any]]
    threshold: NDArray[np.floating[Any]]
    value: NDArray[np.float64]


@dataclass(frozen=True)
class Trees(Scorer):
    """The trees of a fitted boosting or forest, end to end.

    Attributes:
        roots: (t,) index of each tree's first node.
        left, right, column, threshold, value: (nodes,) see :class:`Tree`.
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
        inner = self.left != LEAF
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
        start = model.init_.constant_.item()
        return cls._of(model, model.estimators_[:, 0], model.learning_rate, start)

    @classmethod
    def of_forest(cls, model: Any) -> Trees:
        """The trees of an ``ExtraTreesRegressor``: their mean."""
        return cls._of(model, model.estimators_, 1 / len(model.estimators_), 0.0)

    @classmethod
    def _of(cls, model: Any, estimators: Sequence[Any], weight: float, start: float) -> Trees:
        trees = [
            Tree(
                tree.children_left,
                tree.children_right,
                tree.feature,
                _below(tree.threshold),
                tree.value.ravel() * weight,
            )
            for tree in (estimator.tree_ for estimator in estimators)
        ]
        gain = np.asarray(model.feature_importances_, np.float64)
        return cls(**join(trees), start=np.array([start]), gain=gain)

    def predict(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """The (n,) sums for an (n, k) matrix without NaN."""
        if matrix.shape[1] != len(self.gain):  # compiled code would read beside the matrix
            raise ValueError(f"a matrix of {matrix.shape[1]} columns for {len(self.gain)}")
        # scikit-learn compares float32 features, LightGBM float64; at a threshold that decides.
        features = np.ascontiguousarray(matrix, self.threshold.dtype)
        total = np.full(len(features), self.start[0])
        add = _add_few if len(features) <= FEW else _add
        add(features, self.roots, self.left, self.right, self.column, self.threshold, self.value,
            total)  # fmt: skip
        return total

    def check(self, columns: int) -> None:
        """They compare these columns."""
        nodes = (len(self.left),)
        self.expect((columns,), "float64", "gain")
        self.expect((1,), "float64", "start")
        self.expect((len(self.roots),), "int32", "roots")
        self.expect(nodes, "int32", "left", "right")
        self.expect(nodes, "int16", "column")
        self.expect(nodes, "float32 float64", "threshold")
        self.expect(nodes, "float64", "value")

    def tensors(self) -> Tensors:
        """The arrays without those that follow from the others."""
        return pack_trees(super().tensors())

    @classmethod
    def of_tensors(cls, tensors: Tensors) -> Trees:
        """What :meth:`tensors` made; earlier versions wrote all arrays."""
        return cls(**(tensors if "left" in tensors else unpack_trees(tensors)))

    @property
    def splits(self) -> NDArray[np.int64]:
        """(k,) how many splits each column has."""
        return np.bincount(self.column[self.left != LEAF], minlength=len(self.gain))


def join(trees: Sequence[Tree]) -> dict[str, NDArray[Any]]:
    """The nodes of all trees end to end, as the arguments of :class:`Trees` that hold them."""
    roots = np.cumsum([0, *(len(tree.left) for tree in trees)])[:-1]
    moved = [
        tree._replace(
            left=np.where(tree.left == LEAF, LEAF, tree.left + root),
            right=np.where(tree.right == LEAF, LEAF, tree.right + root),
        )
        for tree, root in zip(trees, roots, strict=True)
    ]
    left, right, column, threshold, value = map(np.concatenate, zip(*moved, strict=True))
    return {
        "roots": roots.astype(np.int32),
        "left": left.astype(np.int32),
        "right": right.astype(np.int32),
        "column": column.astype(np.int16),
        "threshold": threshold,
        "value": value,
    }


def _below(thresholds: NDArray[np.float64]) -> NDArray[np.float32]:
    """The largest float32 ≤ each threshold: a float32 is ≤ one just if it is ≤ the other."""
    nearest = thresholds.astype(np.float32)
    lower = np.nextafter(nearest, np.float32(-np.inf))
    return np.where(nearest > thresholds, lower, nearest)


def _add_few(
    features: NDArray[Any],
    roots: NDArray[np.int32],
    left: NDArray[np.int32],
    right: NDArray[np.int32],
    column: NDArray[np.int16],
    threshold: NDArray[np.floating[Any]],
    value: NDArray[np.float64],
    total: NDArray[np.float64],
) -> None:
    """Do what :func:`_add` does, all trees at once, one level after the other."""
    rows = np.arange(len(features))[:, None]
    nodes = np.tile(roots, (len(features), 1))
    while (inside := left[nodes] != LEAF).any():
        compared = np.where(inside, column[nodes], 0)  # a leaf compares no column
        goes_left = features[rows, compared] <= threshold[nodes]
        nodes = np.where(inside, np.where(goes_left, left[nodes], right[nodes]), nodes)
    total[:] = np.cumsum(np.hstack([total[:, None], value[nodes]]), axis=1)[:, -1]


@kernel(nogil=True)
def _add(features, roots, left, right, column, threshold, value, total):
    for root in roots:
        for row in range(len(features)):
            node = root
            while left[node] != LEAF:
                goes_left = features[row, column[node]] <= threshold[node]
                node = left[node] if goes_left else right[node]
            total[row] += value[node]
