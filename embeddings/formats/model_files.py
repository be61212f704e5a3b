"""Files that the folders of word tables and of transformers share."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import parse_json, read_text, replace_folder, working_folder, write_bytes

_LONGEST_PATH = 200
"""Characters of a module's folder; a file system refuses longer ones by an error of its own."""


def as_json(value: Any) -> bytes:
    """Return a file of a configuration."""
    return (json.dumps(value, indent=2) + "\n").encode()


def write_together(path: Path, files: dict[str, bytes]) -> None:
    """Write a folder beside its destination, then move it there."""
    try:
        with working_folder(path) as folder:
            for file, data in files.items():
                write_bytes(folder / "new" / file, data)
            replace_folder(folder / "new", path)
    except OSError as error:
        raise StsError(
            f"{path}: cannot be written ({error.strerror}); choose another folder with --output"
        ) from None


def refuse_pickle(weights: Path) -> None:
    """Raise a DataError if there is a pickle and these weights are missing."""
    pickle = weights.with_name("pytorch_model.bin")
    if pickle.exists() and not weights.exists():
        raise DataError(
            f"{pickle}: a pickle, which may run code; save the model with safe_serialization=True"
        )


def read_modules(folder: Path) -> list[tuple[str, Path]]:
    """Return kind and folder of each module in sentence-transformers' ``modules.json``; or a DataError."""
    path = folder / "modules.json"
    modules = _read_json(path)
    try:
        kinds = [str(module["type"]).rpartition(".")[2] for module in modules]
        paths = [str(module["path"]) for module in modules]
    except (TypeError, KeyError):
        kinds, paths = [], []
    if not kinds or max(map(len, paths)) > _LONGEST_PATH:
        raise DataError(f"{path}: expected a list of modules, each with path and type")
    places = [folder / name for name in paths]
    return list(zip(kinds, places, strict=True))


def read_config(path: Path) -> dict[str, Any]:
    """Return the settings in a ``config.json``; a DataError if it is missing, or no JSON object."""
    config = _read_json(path)
    if not isinstance(config, dict):
        raise DataError(f"{path}: a JSON {type(config).__name__}; expected an object of settings")
    return config


def _read_json(path: Path) -> Any:
    try:
        return parse_json(read_text(path))
    except ValueError as error:
        raise DataError(f"{path}: not JSON ({error}); save the model again") from None
