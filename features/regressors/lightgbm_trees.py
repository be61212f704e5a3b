"""The trees of a LightGBM model, read from its text: LightGBM itself is only needed to fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.regressors.tree_arrays import Trees

_CATEGORICAL = 1
"""Bit of a split's decision_type."""


@dataclass(frozen=True)
class LightgbmTrees(Trees):
    """Trees with float64 thresholds, kept as the text of the model that LightGBM can read, too.

    Attributes:
        text: the model's bytes in UTF-8.
    """

    text: NDArray[np.uint8]

    @classmethod
    def of_text(cls, text: NDArray[np.uint8]) -> LightgbmTrees:
        """The trees of LightGBM's ``model_to_string``; they predict the same, bit for bit.

        Raises:
            ValueError, KeyError: no such text, or a split on categories.
        """
        header, *trees = text.tobytes().decode().split("\nTree=")
        width = int(_fields(header)["max_feature_idx"]) + 1
        read = [_Tree(tree) for tree in trees]
        roots = np.cumsum([0, *(tree.nodes for tree in read)])
        gain = np.zeros(width)
        for tree in read:
            np.add.at(gain, tree.column[: len(tree.gain)], tree.gain)

        def joined(name: str) -> NDArray[Any]:
            return np.concatenate([getattr(tree, name) for tree in read])

        def children(name: str) -> NDArray[np.int32]:
            moved = (
                np.where(child >= 0, child + root, child)
                for child, root in zip((getattr(t, name) for t in read), roots, strict=False)
            )
            return np.concatenate(list(moved)).astype(np.int32)

        return cls(
            roots[:-1].astype(np.int32),
            children("left"),
            children("right"),
            joined("column").astype(np.int16),
            joined("threshold"),
            joined("value"),
            np.zeros(1),
            gain,
            text,
        )

    def tensors(self) -> dict[str, NDArray[Any]]:
        """The text, which all else follows from."""
        return {"text": self.text}


class _Tree:
    """One tree: its splits, then its leaves; -1 is no child."""

    def __init__(self, text: str) -> None:
        fields = _fields(text)
        self.gain = _numbers(fields, "split_gain", np.float64)
        splits, leaves = len(self.gain), int(fields["num_leaves"])
        if np.any(_numbers(fields, "decision_type", np.int64) & _CATEGORICAL):
            raise ValueError("a tree that splits by category")
        self.nodes = splits + leaves
        none = np.full(leaves, -1)
        left, right = (_numbers(fields, side, np.int64) for side in ("left_child", "right_child"))
        self.left, self.right = (  # LightGBM writes leaf i as ~i
            np.concatenate([np.where(child < 0, splits + ~child, child), none])
            for child in (left, right)
        )
        zeros = np.zeros(leaves)
        self.column = np.concatenate([_numbers(fields, "split_feature", np.int64), zeros])
        self.column = self.column.astype(np.int64)
        self.threshold = np.concatenate([_numbers(fields, "threshold", np.float64), zeros])
        self.value = np.concatenate([np.zeros(splits), _numbers(fields, "leaf_value", np.float64)])


def _fields(text: str) -> dict[str, str]:
    """The ``name=value`` lines up to the first blank line."""
    lines = text.partition("\n\n")[0].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def _numbers(fields: dict[str, str], name: str, kind: type) -> NDArray[Any]:
    return np.array(fields.get(name, "").split(), kind)
