"""Fits the models that ship with the project, so that the sample is scored in seconds.

    python -m runs.pipeline.ship --data DIR

fits every run that learns on 2012–2015, with round trips of the sample's sentences, or on the
development set of PAWS-Wiki, and writes
it to ``runs/pipeline/bundled``: patches of the starting vectors, the regressors, the intervals
around their scores, and the features of forty pairs. Translations that this needed and that did
not ship yet are added to
``sts/translation/bundled.jsonl``. If it was stopped, the same command goes on where it was.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

from features.columns import describe_missing
from runs.options import new_parser
from runs.pipeline.result_file import code_digest
from runs.pipeline.run import SAMPLE, SHIPPED, Run
from runs.pipeline.translate_pairs import Translating
from runs.recipes.by_name import RUNS, get_run
from sts.cache import digest
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.data.schema import Task
from sts.errors import StsError
from sts.files import parse_json, read_text, write_text
from sts.progress import note
from sts.translation import BUNDLED, MEMORY_FILE


def ship(runs: Sequence[Run], data: Path | None, work: Path) -> None:
    """Fit runs and write their models.

    Args:
        runs: those that do not learn are left out.
        data: the folder given with ``--data``.
        work: folder for what must outlive an interruption: the translations, and which
            runs are done.

    Raises:
        StsError: a feature cannot be computed here; the message says what to install.
    """
    task = get_task(SAMPLE)
    translating = Translating(data=data, memory=work / "memory")
    done_file = work / "done.json"
    done: dict[str, str] = parse_json(read_text(done_file)) if done_file.exists() else {}
    learning = [run for run in runs if run.saves_model]
    for number, run in enumerate(learning, start=1):
        rests_on = made_by(run, task)
        if done.get(run.name) == rests_on and run.is_saved(SHIPPED):
            note(f"{number} of {len(learning)}: {run.name} is done")
            continue
        note(f"{number} of {len(learning)}: {run.name}")
        tests = run.read_tests(task, data, translating) if run.pivot else []
        model = run.fit_to_ship(run.training_data(task, data, translating, tests))
        for line in describe_missing(model.missing())[:1]:
            raise StsError(f"{run.name} would ship {line}")
        model.save(SHIPPED)
        done[run.name] = rests_on
        write_text(done_file, json.dumps(done))
        print(f"{run.name}: written to {SHIPPED}")
    ship_translations(work / "memory" / MEMORY_FILE)
    shutil.rmtree(work)


def made_by(run: Run, task: Task) -> str:
    """sha256 of recipe, training files and our own code."""
    training = [d.gold.sha256 for d in run.learns_from(task)]
    return digest([run.recipe, training, code_digest(run)])


def remove_unused(runs: Sequence[Run]) -> None:
    """Delete the files in the folder of shipped models that no run's record names."""
    used = {f"{run.name}.json" for run in runs}
    for run in runs:
        record = run.read_record(SHIPPED)
        used |= {*record["encoders"].values(), *map(str, record.values())}
    for path in SHIPPED.iterdir():
        if path.suffix in (".json", ".safetensors") and path.name not in used:
            path.unlink()


def ship_translations(new: Path) -> None:
    """Add the translations of a memory file to those that ship."""
    if new.exists():
        shipped = read_text(BUNDLED) if BUNDLED.exists() else ""
        write_text(BUNDLED, shipped + read_text(new))


def main() -> None:
    """Fit every run that learns and write it to the folder of shipped models."""
    parser = new_parser("runs.pipeline.ship", __doc__)
    parser.add_argument("--run", metavar="RUN", action="append", help="this one (default: all)")
    parser.add_argument(
        "--work", type=Path, default=Path("output/ship"), help="folder (default: output/ship)"
    )
    options = parser.parse_args()
    names = options.run or list(RUNS)
    ship([get_run(name) for name in names], options.data, options.work)
    if not options.run:
        remove_unused([run for run in RUNS.values() if run.saves_model])


if __name__ == "__main__":
    run_tool(main)
