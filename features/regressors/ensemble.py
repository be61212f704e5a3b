"""A matrix to scores: regressors of different kinds, averaged. Knows no feature by name.

Regressors of one kind err alike; a line, trees and bells err apart, so that their
mean is better than the best of them (Breiman, 1996, on stacked regressions). The
figures behind the choice of parts are in the README.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, RegressorMixin, clone

from features.regressors.boosting import Boosting
from features.regressors.extra_trees import Forest
from features.regressors.svr import Anchor, Kernel, Line
from sts.errors import DataError
from sts.files import sha256_of_bytes, write_bytes
from sts.scoring.submission import clip
from sts.tensors import FORMAT, read_tensors, to_bytes

Matrix = NDArray[np.float64]
Tensors = dict[str, NDArray[Any]]


class Part(Protocol):
    """A regressor that can be kept as arrays."""

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Part:
        """Fit to an (n, k) matrix without NaN and (n,) gold scores."""
        ...

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,), not clipped."""
        ...

    def tensors(self) -> Tensors:
        """What is fitted, as arrays."""
        ...

    def restore(self, tensors: Tensors) -> Part:
        """Become what :meth:`tensors` was taken from."""
        ...

    def get_params(self) -> dict[str, Any]:
        """What the constructor was given."""
        ...


KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Boosting, Forest, Kernel, Line)}
"""Every kind of part, by the name it has in a file."""


class Fusion(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """The mean of some regressors over feature columns; predictions are clipped to [0, 5].

    A column that is NaN for every training pair is left out. Where a value is
    NaN at scoring time only, because a resource is not installed there, the
    median of the training pairs stands in.

    Args:
        parts: the regressors, not fitted; each counts the same.
        anchor: a column that the mean is pulled towards, if any.
        pull: how much the line over that column counts; all parts together count 1.
    """

    def __init__(
        self,
        parts: Sequence[Part] = (Boosting(),),
        anchor: int | None = None,
        pull: float = 0.0,
    ) -> None:
        self.parts = parts
        self.anchor = anchor
        self.pull = pull

    def fit(self, matrix: Matrix, gold: NDArray[np.float64]) -> Fusion:
        """Fit to an (n, k) matrix and (n,) gold scores in [0, 5]."""
        self.n_features_in_ = matrix.shape[1]
        self.used_ = np.flatnonzero(~np.isnan(matrix).all(axis=0)).astype(np.int32)
        self.medians_ = np.nanmedian(matrix[:, self.used_], axis=0)
        filled = self._filled(matrix)
        self.parts_ = [clone(part).fit(filled, gold) for part in self._every_part()]
        return self

    def _every_part(self) -> list[Part]:
        """The parts and, last, the line over the anchor."""
        if self.anchor is None or self.anchor not in self.used_:
            return list(self.parts)
        return [*self.parts, Anchor(int(np.flatnonzero(self.used_ == self.anchor)[0]))]

    def _filled(self, matrix: Matrix) -> Matrix:
        used = matrix[:, self.used_]
        return np.where(np.isnan(used), self.medians_, used)

    def predict(self, matrix: Matrix) -> NDArray[np.float64]:
        """Scores (n,) in [0, 5] for an (n, k) matrix."""
        if matrix.shape[1] != self.n_features_in_:
            raise ValueError(f"{matrix.shape[1]} columns, fitted on {self.n_features_in_}")
        if not len(matrix):
            return np.empty(0)
        filled = self._filled(matrix)
        predicted = [part.predict(filled) for part in self.parts_]
        scores = np.mean(predicted[: len(self.parts)], axis=0)
        for line in predicted[len(self.parts) :]:  # the anchor's, if there is one
            scores = (scores + self.pull * line) / (1 + self.pull)
        return clip(scores)

    @property
    def reference_(self) -> NDArray[np.float64]:
        """(k,) the medians of the training pairs; NaN for a column that was left out."""
        reference = np.full(self.n_features_in_, np.nan)
        reference[self.used_] = self.medians_
        return reference

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """(k,) mean share of the gain of each column, over the parts that are trees.

        Gini importance where the trees are scikit-learn's; 0 if no part is a tree.
        """
        gains = [part.gain_ for part in self.parts_ if hasattr(part, "gain_")]
        shares = [gain / gain.sum() for gain in gains if gain.any()]  # no split, no gain
        importances = np.zeros(self.n_features_in_)
        if shares:
            importances[self.used_] = np.mean(shares, axis=0)
        return importances


def save_fusion(path: Path, fusion: Fusion, columns: tuple[str, ...]) -> None:
    """Write a fitted fusion with the names of its columns as one safetensors file."""
    tensors: Tensors = {"used": fusion.used_, "medians": fusion.medians_}
    for number, part in enumerate(fusion.parts_):
        tensors |= {f"{number}.{name}": tensor for name, tensor in part.tensors().items()}
    parts = [{"kind": type(p).__name__, "options": p.get_params()} for p in fusion.parts]
    metadata = {
        "format": FORMAT,
        "parts": json.dumps(parts),
        "anchor": json.dumps([fusion.anchor, fusion.pull]),
        "columns": "\n".join(columns),
        "sha256": _digest(tensors),
    }
    write_bytes(path, to_bytes(tensors, metadata))


def load_fusion(path: Path) -> tuple[Fusion, tuple[str, ...]]:
    """Read what :func:`save_fusion` wrote: the fusion and its columns.

    Raises:
        DataError: the file is missing or damaged.
    """
    tensors, metadata = read_tensors(path, ("used", "medians"))
    try:
        if metadata["sha256"] != _digest(tensors):
            raise ValueError("the sha256 of its numbers differs")
        columns = tuple(metadata["columns"].split("\n"))
        described = json.loads(metadata["parts"])
        if not described:
            raise ValueError("no parts")
        parts = [KINDS[part["kind"]](**part["options"]) for part in described]
        fusion = Fusion(parts, *json.loads(metadata["anchor"]))
        fusion.n_features_in_ = len(columns)
        fusion.used_, fusion.medians_ = tensors["used"], tensors["medians"]
        fusion.parts_ = [
            clone(part).restore(_below(f"{number}.", tensors))
            for number, part in enumerate(fusion._every_part())
        ]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{path}: not a whole fitted fusion ({error!r})") from None
    return fusion, columns


def _digest(tensors: Tensors) -> str:
    """sha256 of all names and numbers."""
    parts = [name.encode() + tensors[name].tobytes() for name in sorted(tensors)]
    return sha256_of_bytes(b"".join(parts))


def _below(prefix: str, tensors: Tensors) -> Tensors:
    """The tensors whose name begins with ``prefix``, without it."""
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
