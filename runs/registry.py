"""Every run by name."""

from __future__ import annotations

from runs import blended, dcu2016, wieting2019
from runs.recipe import Run
from sts.errors import UnknownNameError

RUNS: dict[str, Run] = {run.name: run for run in (*dcu2016.RUNS, *blended.RUNS, *wieting2019.RUNS)}
DEFAULT = blended.FUSION.name


def get_run(name: str) -> Run:
    """The run of that name; :class:`UnknownNameError` lists the names there are."""
    if name not in RUNS:
        raise UnknownNameError("run", name, tuple(RUNS))
    return RUNS[name]
