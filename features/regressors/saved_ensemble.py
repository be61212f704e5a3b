"""A fitted ensemble as one safetensors file: its arrays, deflated, and in JSON what fitted it.

Saved trees take few bytes: a column per node, a threshold per split and a value per leaf. In
preorder, a node is followed by its left subtree, and that by its right one, so that the leaves say
where all children are. The trees of LightGBM are read from the text of its model. No library that
fits is needed, and no pickle.
"""

# mypy: disable-error-code="untyped-decorator,no-untyped-def,no-any-return"

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled import kernel
from semaniacs.features.regressors.fitted import (
    Conflicts,
    FittedEnsemble,
    OneColumn,
    Part,
    Scorer,
)
from semaniacs.sts.data.pairs import HIGHEST
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import parse_json, sha256_of_bytes, write_bytes
from semaniacs.sts.tensors import (
    FORMAT,
    Tensors,
    deflate,
    inflate,
    is_sealed,
    read_tensors,
    seal,
    to_bytes,
)

LEAF = -1


def pack_trees(arrays: Tensors) -> Tensors:
    """The arrays of :class:`Trees` without those that follow from the others."""
    leaf = arrays["left"] == LEAF
    columns = len(arrays["gain"])
    column = np.where(leaf, LEAF, arrays["column"]).astype(np.min_scalar_type(-max(columns, 1)))
    if any(not np.array_equal(arrays[name], a) for name, a in _links(leaf).items()):
        raise ValueError("the nodes are not in preorder")
    kept = {"threshold": arrays["threshold"][~leaf], "value": arrays["value"][leaf]}
    return {"column": column, **kept, "start": arrays["start"], "gain": arrays["gain"]}


def unpack_trees(packed: Tensors) -> Tensors:
    """The arrays that :func:`pack_trees` packed."""
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
        """Refuse arrays that a walk would leave or never leave; compiled code would not notice."""
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

    def predict(self, matrix: NDArray[np.float64]) -> NDArray[np.float64]:
        """The (n,) sums for an (n, k) matrix without NaN."""
        if matrix.shape[1] != len(self.gain):  # compiled code would read beside the matrix
            raise ValueError(f"a matrix of {matrix.shape[1]} columns for {len(self.gain)}")
        # scikit-learn compares float32 features, LightGBM float64; at a threshold that decides.
        features = np.ascontiguousarray(matrix, self.threshold.dtype)
        total = np.full(len(features), self.start[0])
        nodes = self.left, self.right, self.column, self.threshold, self.value
        _add(features, self.roots, *nodes, total)
        return total

    def check(self, columns: int) -> None:
        """Refuse arrays that do not fit each other or so many columns."""
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
        """Read what :meth:`tensors` made."""
        return cls(**unpack_trees(tensors))

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


def _add_few(features, roots, left, right, column, threshold, value, total):
    """Do what :func:`_add` does, all trees at once, one level after the other."""
    rows = np.arange(len(features))[:, None]
    nodes = np.tile(roots, (len(features), 1))
    while (inside := left[nodes] != LEAF).any():
        compared = np.where(inside, column[nodes], 0)  # a leaf compares no column
        goes_left = features[rows, compared] <= threshold[nodes]
        nodes = np.where(inside, np.where(goes_left, left[nodes], right[nodes]), nodes)
    total[:] = np.cumsum(np.hstack([total[:, None], value[nodes]]), axis=1)[:, -1]


@kernel(plain=_add_few, nogil=True)
def _add(features, roots, left, right, column, threshold, value, total):
    for root in roots:
        for row in range(len(features)):
            node = root
            while left[node] != LEAF:
                goes_left = features[row, column[node]] <= threshold[node]
                node = left[node] if goes_left else right[node]
            total[row] += value[node]


_CATEGORICAL = 1  # bit of a split's decision_type


@dataclass(frozen=True)
class LightgbmTrees(Trees):
    """Trees with float64 thresholds, kept as the text of the model that LightGBM can read, too.

    Attributes:
        text: the model's bytes in UTF-8.
    """

    text: NDArray[np.uint8]

    @classmethod
    def of_text(cls, text: NDArray[np.uint8]) -> LightgbmTrees:
        """The trees of LightGBM's ``model_to_string``; they predict the same, bit for bit."""
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
    if np.any(_numbers(fields, "decision_type", np.int64) & _CATEGORICAL):
        raise ValueError("a tree that splits by category")
    columns = _numbers(fields, "split_feature", np.int64)
    splits, leaves = len(columns), int(fields["num_leaves"])
    none, zeros = np.full(leaves, -1), np.zeros(leaves)
    children = (_numbers(fields, side, np.int64) for side in ("left_child", "right_child"))
    left, right = (  # LightGBM writes leaf i as ~i
        np.concatenate([np.where(child < 0, splits + ~child, child), none]) for child in children
    )
    columns = np.concatenate([columns, zeros.astype(np.int64)])
    threshold = np.concatenate([_numbers(fields, "threshold", np.float64), zeros])
    value = np.concatenate([np.zeros(splits), _numbers(fields, "leaf_value", np.float64)])
    return Tree(left, right, columns, threshold, value)


def _fields(text: str) -> dict[str, str]:
    lines = text.partition("\n\n")[0].splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def _numbers(fields: dict[str, str], name: str, kind: type) -> NDArray[Any]:
    return np.array(fields.get(name, "").split(), kind)


# Files


def save_ensemble(path: Path, ensemble: FittedEnsemble, columns: tuple[str, ...]) -> None:
    """Write a fitted ensemble with the names of its columns."""
    tensors: Tensors = {"used": ensemble.used, "medians": ensemble.medians}
    scorers = [*(part.scorer for part in ensemble.parts), *ensemble.anchored]
    for number, scorer in enumerate(scorers):
        tensors |= deflate({f"{number}.{name}": t for name, t in scorer.tensors().items()})
    parts = [{"kind": part.kind, "options": part.options} for part in ensemble.parts]
    metadata = {
        "format": FORMAT,
        "parts": json.dumps(parts),
        "anchors": json.dumps([ensemble.anchors, ensemble.blend_weight]),
        "columns": "\n".join(columns),
    }
    if ensemble.conflicts:
        metadata["conflicts"] = json.dumps([asdict(each) for each in ensemble.conflicts])
    write_bytes(path, to_bytes(tensors, seal(tensors, metadata)))


def load_ensemble(path: Path) -> tuple[FittedEnsemble, tuple[str, ...]]:
    """Read what :func:`save_ensemble` wrote: the ensemble and its columns.

    Raises:
        DataError: the file is missing or damaged.
    """
    tensors, metadata = read_tensors(path, ("used", "medians"))
    try:
        if not is_sealed(tensors, metadata) and metadata["sha256"] != _of_numbers(tensors):
            raise ValueError("the sha256 of its content differs")
        tensors = inflate(tensors)
        columns = tuple(metadata["columns"].split("\n"))
        described = parse_json(metadata["parts"])
        if not described:
            raise ValueError("no parts")
        parts = tuple(
            Part(**part, scorer=_read(**part, tensors=_with_prefix(f"{number}.", tensors)))
            for number, part in enumerate(described)
        )
        anchors, weight = _anchors(metadata)
        used, medians = tensors["used"], tensors["medians"]
        ensemble = FittedEnsemble(len(columns), used, medians, parts, anchors, weight)
        ensemble = replace(ensemble, conflicts=_conflicts(metadata.get("conflicts", "[]")))
        anchored = tuple(
            OneColumn(place, **_with_prefix(f"{number}.", tensors))
            for number, place in enumerate(ensemble.anchor_places, start=len(parts))
        )
        ensemble = replace(ensemble, anchored=anchored)
        ensemble.check()
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{path}: not a whole fitted ensemble ({error!r})") from None
    return ensemble, columns


def _anchors(metadata: Mapping[str, str]) -> tuple[tuple[int, ...], float]:
    if "anchors" in metadata:
        places, weight = parse_json(metadata["anchors"])
        return tuple(places), weight
    place, weight = parse_json(metadata["anchor"])  # as version 0.2.0 wrote it
    return () if place is None else (place,), weight


def _conflicts(text: str) -> tuple[Conflicts, ...]:
    listed = parse_json(text)
    for each in listed:
        each.update(columns=tuple(each["columns"]), weights=tuple(each["weights"]))
    return tuple(Conflicts(**each) for each in listed)


def _read(kind: str, options: dict[str, Any], tensors: Tensors) -> Scorer:
    """Return the fitted record of an estimator of this class.

    Raises:
        KeyError, TypeError, ValueError: an unknown class, or a tensor is missing or damaged.
    """
    match kind:
        case "Boosting" if options.get("objective") == "logistic":
            return LogisticTrees.of_text(tensors["text"])
        case "Boosting" if options["library"] == "lightgbm":
            return LightgbmTrees.of_text(tensors["text"])
        case "Boosting":
            return Trees.of_tensors(tensors)
    raise KeyError(kind)


def _of_numbers(tensors: Tensors) -> str:
    """sha256 of all names and numbers alone, as version 0.2.0 wrote it."""
    parts = [name.encode() + tensors[name].tobytes() for name in sorted(tensors)]
    return sha256_of_bytes(b"".join(parts))


def _with_prefix(prefix: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
