"""Every run by name."""

from __future__ import annotations

from runs.pipeline.recipe import Run
from runs.recipes import ensemble2026, hokamp2016, wieting2019
from sts.errors import UnknownNameError

RUNS: dict[str, Run] = {
    run.name: run for run in (*hokamp2016.RUNS, *ensemble2026.RUNS, *wieting2019.RUNS)
}
DEFAULT = ensemble2026.FUSION.name


def get_run(name: str) -> Run:
    """The run of that name; :class:`UnknownNameError` lists the names there are."""
    if name not in RUNS:
        raise UnknownNameError("run", name, tuple(RUNS))
    return RUNS[name]
