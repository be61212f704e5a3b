"""Every run by name, from the files of this folder: a recipe is found by being there."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

from runs import recipes
from runs.pipeline.run import AnyRun
from sts.errors import DataError, StsError, UnknownNameError
from sts.files import parse_json, read_text

DEFAULT = "fusion"
"""The run that scores where none is named."""


def find_runs() -> dict[str, AnyRun]:
    """Return the runs of every file, in the order of the years in the files' names."""
    names = [module.name for module in pkgutil.iter_modules(recipes.__path__)]
    found: dict[str, AnyRun] = {}
    for name in sorted(names, key=lambda name: (name[-4:], name)):
        if not name[-4:].isdigit():  # no recipe of runs
            continue
        for run in import_module(f"{recipes.__name__}.{name}").RUNS:
            if run.name in found:
                raise ValueError(f"{name}: run {run.name!r} is in two files")
            found[run.name] = run
    return found


RUNS: dict[str, AnyRun] = find_runs()


def get_run(name: str) -> AnyRun:
    """Return the run of that name; :class:`UnknownNameError` lists the names there are."""
    if name not in RUNS:
        raise UnknownNameError("run", name, tuple(RUNS))
    return RUNS[name]


def shipped() -> list[str]:
    """Return the names of the runs that ship fitted."""
    return [name for name, run in RUNS.items() if run.ships()]


def run_in(folder: Path) -> str:
    """Return the name of the run whose model is in a folder.

    Raises:
        UnknownNameError: no such folder.
        DataError: there is no model in it, or it is a file.
    """
    if folder.is_file():
        raise DataError(
            f"{folder}: a file, and a scorer is a folder; vectors compare pairs with: "
            f"semaniacs similar PAIRS --model {folder}"
        )
    if not folder.is_dir():
        raise UnknownNameError("model", str(folder), [*shipped(), "or a folder"])
    for path in sorted(folder.glob("*.json")):
        if path.stem in RUNS and _names_run(path):
            return path.stem
    raise DataError(f"{folder}: no saved scorer; expected what Scorer.save wrote")


def _names_run(record: Path) -> bool:
    """Return whether a record of a model is one of the run that its file is named after."""
    try:
        found = parse_json(read_text(record))
    except (ValueError, StsError):
        return False
    return isinstance(found, dict) and found.get("run") == record.stem
