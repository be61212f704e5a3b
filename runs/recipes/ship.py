"""Fit the models that ship with the project.

    python -m semaniacs.runs.recipes.ship --data DIR

fits every run that learns on 2012–2015, with round trips of the sample's sentences, or on the
development set of PAWS-Wiki, and writes it to ``runs/pipeline/bundled``: patches of the starting
vectors, the regressors, the intervals of their scores, and the features of forty pairs. New
translations are added to ``sts/translation/bundled.jsonl``. If it was stopped, the same command
resumes it.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import click

from semaniacs.features.registry import describe_missing
from semaniacs.runs.pipeline.fitting import fit
from semaniacs.runs.pipeline.recipe_parts import SAMPLE
from semaniacs.runs.pipeline.run import SHIPPED, AnyRun
from semaniacs.runs.pipeline.training_data import read_tests, read_training_data
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.runs.recipes import RUNS, get_run
from semaniacs.sts.command_line import data_option, run_command, run_tool
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import parse_json, read_text, write_text
from semaniacs.sts.progress import note
from semaniacs.sts.translation import BUNDLED, MEMORY_FILE


def ship(runs: Sequence[AnyRun], data: Path | None, work: Path, folder: Path = SHIPPED) -> None:
    """Fit the runs that learn, and write their models to a folder.

    The ``work`` folder contains translations and the keys of finished runs until all are done.
    """
    task = get_task(SAMPLE)
    translating = Translating(data=data, memory=work / "memory")
    done_file = work / "done.json"
    done: dict[str, str] = parse_json(read_text(done_file)) if done_file.exists() else {}
    learning = [run.main for run in runs if run.can_ship]
    for number, run in enumerate(learning, start=1):
        key, progress = run.key(task), f"{number} of {len(learning)}: {run.name}"
        if done.get(run.name) == key and run.is_saved(folder):
            note(f"{progress} is done")
            continue
        note(progress)
        tests = read_tests(run, task, data, translating) if run.pivot else []
        training = read_training_data(run, task, data, translating, tests)
        model = fit(run, training, intervals=True)
        for line in describe_missing(model.head.missing())[:1]:
            raise StsError(f"{run.name} would ship {line}")
        model.save(folder)
        done[run.name] = key
        write_text(done_file, json.dumps(done))
        print(f"{run.name}: written to {folder}")
    ship_translations(work / "memory" / MEMORY_FILE)
    shutil.rmtree(work, ignore_errors=True)  # a run that needs no fit leaves none


def remove_unused(runs: Sequence[AnyRun], folder: Path = SHIPPED) -> None:
    """Delete the files in the folder of models that no run's record names."""
    used = {f"{run.name}.json" for run in runs}
    for run in runs:
        record = run.main.read_record(folder)
        used |= {*record["encoders"].values(), *map(str, record.values())}
    for path in folder.iterdir():
        if path.suffix in (".json", ".safetensors") and path.name not in used:
            path.unlink()


def ship_translations(new: Path, shipped: Path = BUNDLED) -> None:
    """Add the translations of a memory file to those that ship."""
    if new.exists():
        before = read_text(shipped) if shipped.exists() else ""
        write_text(shipped, before + read_text(new))


@click.command(help=__doc__)
@data_option()
@click.option("--run", "names", multiple=True, metavar="RUN", help="Fit this one (default: all).")
@click.option("--work", type=Path, default=Path("output/ship"), help="Folder for unfinished work.")
def main(data: Path | None, names: tuple[str, ...], work: Path) -> None:
    """Fit every run that learns and write it to the folder of shipped models."""
    ship([get_run(name) for name in names or RUNS], data, work)
    if not names:
        remove_unused([run for run in RUNS.values() if run.can_ship])


if __name__ == "__main__":
    run_tool(lambda: run_command(main, "python -m semaniacs.runs.recipes.ship"))
