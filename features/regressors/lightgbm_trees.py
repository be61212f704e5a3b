"""The trees of a LightGBM model, read from its text: LightGBM itself is only needed to fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.regressors.tree_arrays import Tree, Trees, join
from sts.data.pairs import HIGHEST
from sts.tensors import Tensors

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
        read = [_fields(tree) for tree in trees]
        gain = np.zeros(int(_fields(header)["max_feature_idx"]) + 1)
        for tree in read:
            columns = _numbers(tree, "split_feature", np.int64)
            np.add.at(gain, columns, _numbers(tree, "split_gain", np.float64))
        return cls(**join([_tree(tree) for tree in read]), start=np.zeros(1), gain=gain, text=text)

    def tensors(self) -> Tensors:
        """The text, which all else follows from."""
        return {"text": self.text}


@dataclass(frozen=True)
class LogisticTrees(LightgbmTrees):
    """The trees of a LightGBM classifier, whose sum is the logit of a probability."""

    def predict(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """The (n,) probabilities, times 5, for an (n, k) matrix without NaN."""
        scores: NDArray[np.float64] = HIGHEST / (1 + np.exp(-super().predict(matrix)))
        return scores


def _tree(fields: dict[str, str]) -> Tree:
    """One tree: its splits, then its leaves."""
    if np.any(_numbers(fields, "decision_type", np.int64) & _CATEGORICAL):
        raise ValueError("a tree that splits by category")
    columns = _numbers(fields, "split_feature", np.int64)
    splits, leaves = len(columns), int(fields["num_leaves"])
    none, zeros = np.full(leaves, -1), np.zeros(leaves)
    children = (_numbers(fields, side, np.int64) for side in ("left_child", "right_child"))
    left, right = (  # LightGBM writes leaf i as ~i
        np.concatenate([np.where(child < 0, splits + ~child, child), none]) for child in children
    )
    return Tree(
        left,
        right,
        np.concatenate([columns, zeros.astype(np.int64)]),
        np.concatenate([_numbers(fields, "threshold", np.float64), zeros]),
        np.concatenate([np.zeros(splits), _numbers(fields, "leaf_value", np.float64)]),
    )


def _fields(text: str) -> dict[str, str]:
    """The ``name=value`` lines up to the first blank line."""
    lines = text.partition("\n\n")[0].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def _numbers(fields: dict[str, str], name: str, kind: type) -> NDArray[Any]:
    return np.array(fields.get(name, "").split(), kind)
