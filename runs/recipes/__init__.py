"""Runs by name, from the files of this folder, one file per paper: a recipe is found by being there."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Any

from semaniacs.runs.pipeline.run import AnyRun
from semaniacs.sts.errors import DataError, StsError, UnknownNameError
from semaniacs.sts.files import parse_json, read_text

DEFAULT = "contextual"
"""Run that scores a person's own pairs if none is named; ``submit``, ``report`` and the studies of
features use ``fusion``, which is faster and has only features that one can name."""


class Runs(MutableMapping[str, AnyRun]):
    """Runs by name, in the order of the years in the files' names.

    A file is imported when one of its runs is first asked for: a file that contains the name in
    quotes is tried first, so that a score does not import the recipes of other runs.
    """

    def __init__(self) -> None:
        self._files = sorted(recipe_files(), key=lambda file: (file.stem[-4:], file.stem))
        self._known: dict[str, AnyRun] = {}

    def __getitem__(self, name: str) -> AnyRun:
        if name not in self._known:
            named = [f for f in self._files if f'"{name}"' in f.read_text(encoding="utf-8")]
            for run in (run for file in (*named, *self._files) for run in _runs_in(file)):
                if run.name == name:
                    return self._known.setdefault(name, run)
        return self._known[name]

    def __iter__(self) -> Iterator[str]:
        names = [run.name for file in self._files for run in _runs_in(file)]
        for name in {name for name in names if names.count(name) > 1}:
            raise ValueError(f"run {name!r} is in two files of {Path(__file__).parent}")
        return iter(dict.fromkeys([*names, *self._known]))

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __setitem__(self, name: str, run: AnyRun) -> None:
        self._known[name] = run

    def __delitem__(self, name: str) -> None:
        del self._known[name]


def _runs_in(file: Path) -> tuple[AnyRun, ...]:
    found: tuple[AnyRun, ...] = import_module(f"{__name__}.{file.stem}").RUNS
    return found


def recipe_files() -> list[Path]:
    """Return the files of runs, whose names end with a year."""
    files = [file for folder in __path__ for file in Path(folder).glob("*.py")]
    return [file for file in files if file.stem[-4:].isdigit()]


RUNS = Runs()


def get_run(name: str) -> AnyRun:
    """Return the run of that name; :class:`UnknownNameError` lists the names there are."""
    if name not in RUNS:
        raise UnknownNameError("run", name, tuple(RUNS))
    return RUNS[name]


def shipped() -> list[str]:
    """Return the names of the runs that ship fitted."""
    return [name for name, run in RUNS.items() if run.ships()]


def run_in(folder: Path) -> str:
    """Return the name of the run whose model is in a folder."""
    if folder.is_file():
        raise DataError(
            f"{folder}: a file, and a scorer is a folder; vectors compare pairs with: "
            f"semaniacs similar PAIRS --model {folder}"
        )
    if not folder.is_dir():
        raise UnknownNameError("model", str(folder), [*shipped(), "or a folder"])
    paths = (path for path in sorted(folder.glob("*.json")) if path.stem in RUNS)
    records = {path.stem: _read(path) for path in paths}
    saved = {name: found for name, found in records.items() if found.get("run") == name}
    parts = {part for found in saved.values() for part in found.get("parts", ())}
    for name in saved:
        if name not in parts:
            return name
    raise DataError(f"{folder}: no saved scorer; expected what Scorer.save wrote")


def _read(record: Path) -> dict[str, Any]:
    """Return the record of a model; an empty one if the file holds something else."""
    try:
        found = parse_json(read_text(record))
    except (ValueError, StsError):
        return {}
    return found if isinstance(found, dict) else {}
