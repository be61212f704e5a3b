"""A fitted ensemble as one safetensors file: its arrays, and as JSON what it was made with."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from sklearn.base import clone

from features.regressors.boosting import Boosting
from features.regressors.ensemble import Ensemble, Part
from features.regressors.extra_trees import ExtraTrees
from features.regressors.ridge import Ridge
from features.regressors.svr import SVR
from features.regressors.validation import Tensors
from sts.errors import DataError
from sts.files import sha256_of_bytes, write_bytes
from sts.tensors import FORMAT, read_tensors, to_bytes

KINDS: dict[str, type[Any]] = {kind.__name__: kind for kind in (Boosting, ExtraTrees, SVR, Ridge)}
"""Every kind of part, by the name it has in a file."""


def save_ensemble(path: Path, ensemble: Ensemble, columns: tuple[str, ...]) -> None:
    """Write a fitted ensemble with the names of its columns."""
    tensors: Tensors = {"used": ensemble.used_, "medians": ensemble.medians_}
    for number, part in enumerate(_fitted(ensemble)):
        tensors |= {f"{number}.{name}": tensor for name, tensor in part.tensors().items()}
    parts = [
        {"kind": type(part).__name__, "options": part.get_params()} for part in ensemble.parts_
    ]
    metadata = {
        "format": FORMAT,
        "parts": json.dumps(parts),
        "anchor": json.dumps([ensemble.anchor, ensemble.blend_weight]),
        "columns": "\n".join(columns),
        "sha256": _digest(tensors),
    }
    write_bytes(path, to_bytes(tensors, metadata))


def load_ensemble(path: Path) -> tuple[Ensemble, tuple[str, ...]]:
    """Read what :func:`save_ensemble` wrote: the ensemble and its columns.

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
        ensemble = Ensemble(parts, *json.loads(metadata["anchor"]))
        ensemble.n_features_in_ = len(columns)
        ensemble.used_, ensemble.medians_ = tensors["used"], tensors["medians"]
        ensemble.parts_ = [clone(part) for part in parts]
        ensemble.anchored_ = ensemble.anchor_regression()
        for number, part in enumerate(_fitted(ensemble)):
            part.restore(_below(f"{number}.", tensors))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DataError(f"{path}: not a whole fitted ensemble ({error!r})") from None
    return ensemble, columns


def _fitted(ensemble: Ensemble) -> list[Part]:
    """The parts and, last, the regression on the anchor if there is one."""
    anchored = ensemble.anchored_
    return list(ensemble.parts_) if anchored is None else [*ensemble.parts_, anchored]


def _digest(tensors: Tensors) -> str:
    """sha256 of all names and numbers."""
    parts = [name.encode() + tensors[name].tobytes() for name in sorted(tensors)]
    return sha256_of_bytes(b"".join(parts))


def _below(prefix: str, tensors: Tensors) -> Tensors:
    """The tensors whose name begins with ``prefix``, without it."""
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
