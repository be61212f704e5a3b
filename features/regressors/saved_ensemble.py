"""A fitted ensemble as one safetensors file: its arrays, deflated, and in JSON what fitted it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from semaniacs.features.regressors.fitted import (
    Conflicts,
    FittedEnsemble,
    KernelSum,
    Linear,
    OneColumn,
    Part,
    Scorer,
)
from semaniacs.features.regressors.tree_arrays import LightgbmTrees, LogisticTrees, Trees
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
    if ensemble.conflicts is not None:
        metadata["conflicts"] = json.dumps(asdict(ensemble.conflicts))
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
            Part(**part, scorer=_read(**part, tensors=_below(f"{number}.", tensors)))
            for number, part in enumerate(described)
        )
        anchors, weight = _anchors(metadata)
        used, medians = tensors["used"], tensors["medians"]
        ensemble = FittedEnsemble(len(columns), used, medians, parts, anchors, weight)
        if found := parse_json(metadata.get("conflicts", "null")):
            ensemble = replace(ensemble, conflicts=_conflicts(found))
        anchored = tuple(
            OneColumn(place, **_below(f"{number}.", tensors))
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
    place, weight = parse_json(metadata["anchor"])  # as earlier versions wrote it
    return () if place is None else (place,), weight


def _conflicts(found: dict[str, Any]) -> Conflicts:
    columns, weights = tuple(found.pop("columns")), tuple(found.pop("weights"))
    return Conflicts(columns=columns, weights=weights, **found)


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
        case "Boosting" | "ExtraTrees":
            return Trees.of_tensors(tensors)
        case "SVR":
            return KernelSum(**tensors, gamma=options["gamma"])
        case "Ridge":
            return Linear(**tensors)
    raise KeyError(kind)


def _of_numbers(tensors: Tensors) -> str:
    """sha256 of all names and numbers alone, as earlier versions wrote it."""
    parts = [name.encode() + tensors[name].tobytes() for name in sorted(tensors)]
    return sha256_of_bytes(b"".join(parts))


def _below(prefix: str, tensors: Tensors) -> Tensors:
    return {name.removeprefix(prefix): t for name, t in tensors.items() if name.startswith(prefix)}
