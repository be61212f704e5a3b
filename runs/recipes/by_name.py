"""Every run by name, from the files of this folder: a recipe is found by being there."""

from __future__ import annotations

import pkgutil
from importlib import import_module

from runs import recipes
from runs.pipeline.run import Run
from sts.errors import UnknownNameError

DEFAULT = "fusion"
"""The run that scores where none is named."""


def find_runs() -> dict[str, Run]:
    """The runs of every file, in the order of the years in the files' names."""
    names = [module.name for module in pkgutil.iter_modules(recipes.__path__)]
    found: dict[str, Run] = {}
    for name in sorted(names, key=lambda name: (name[-4:], name)):
        if f"{recipes.__name__}.{name}" == __name__:
            continue
        for run in import_module(f"{recipes.__name__}.{name}").RUNS:
            if run.name in found:
                raise ValueError(f"{name}: run {run.name!r} is in two files")
            found[run.name] = run
    return found


RUNS: dict[str, Run] = find_runs()


def get_run(name: str) -> Run:
    """The run of that name; :class:`UnknownNameError` lists the names there are."""
    if name not in RUNS:
        raise UnknownNameError("run", name, tuple(RUNS))
    return RUNS[name]
