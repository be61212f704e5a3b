"""Trees in few bytes: a column a node, a threshold a split and a value a leaf.

In preorder, a node is followed by its left subtree, and that by its right one. So what is a leaf
says where all children are, and none of them is stored.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sts.tensors import Tensors

LEAF = -1


def pack_trees(arrays: Tensors) -> Tensors:
    """The arrays of :class:`~features.regressors.tree_arrays.Trees` without what follows.

    Raises:
        ValueError: the nodes are not in preorder.
    """
    leaf = arrays["left"] == LEAF
    columns = len(arrays["gain"])
    column = np.where(leaf, LEAF, arrays["column"]).astype(np.min_scalar_type(-max(columns, 1)))
    if any(not np.array_equal(arrays[name], a) for name, a in _links(leaf).items()):
        raise ValueError("the nodes are not in preorder")
    kept = {"threshold": arrays["threshold"][~leaf], "value": arrays["value"][leaf]}
    return {"column": column, **kept, "start": arrays["start"], "gain": arrays["gain"]}


def unpack_trees(packed: Tensors) -> Tensors:
    """The arrays that :func:`pack_trees` packed.

    Raises:
        KeyError, ValueError: one is missing, or they do not fit each other.
    """
    leaf = packed["column"] == LEAF
    threshold = np.zeros(len(leaf), packed["threshold"].dtype)
    value = np.zeros(len(leaf))
    threshold[~leaf], value[leaf] = packed["threshold"], packed["value"]
    return {
        **packed,
        **_links(leaf),
        "column": packed["column"].astype(np.int16),
        "threshold": threshold,
        "value": value,
    }


def _links(leaf: NDArray[np.bool_]) -> dict[str, NDArray[Any]]:
    """Roots and children of nodes in preorder, from which of them are leaves."""
    # How many subtrees are open after each node: a split opens one more, a leaf ends one.
    nodes = np.arange(len(leaf))
    opened = np.cumsum(np.where(leaf, -1, 1))
    lowest = np.minimum.accumulate(np.append(0, opened))
    roots = np.append(0, 1 + np.flatnonzero(np.diff(lowest)))[: -lowest[-1]]
    if len(leaf) and opened[-1] != lowest[-2] - 1:  # the last tree does not end
        raise ValueError("the nodes are no trees")
    # A left subtree ends where one subtree less is open than after its split.
    by_level = np.sort(opened * len(leaf) + nodes)
    split = nodes[~leaf]
    ends = by_level[np.searchsorted(by_level, (opened[split] - 1) * len(leaf) + split)] % len(leaf)
    right = np.full(len(leaf), LEAF, np.int32)
    right[split] = ends + 1
    left = np.where(leaf, LEAF, np.arange(1, len(leaf) + 1)).astype(np.int32)
    return {"roots": roots.astype(np.int32), "left": left, "right": right}
