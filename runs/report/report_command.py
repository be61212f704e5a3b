"""``semaniacs report``: one page about a run on a task."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from semaniacs.sts.command_line import (
    data_option,
    examples,
    jobs_option,
    option,
    output_option,
    seed_option,
)
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.errors import MissingResourceError, StsError, require
from semaniacs.sts.files import write_text
from semaniacs.sts.progress import note
from semaniacs.sts.scoring.shared_task.gold_standard import GoldStandard, gold_of_task
from semaniacs.sts.scoring.shared_task.system_files import (
    Submission,
    find_submissions,
    read_submission,
)

if TYPE_CHECKING:
    from semaniacs.runs.pipeline.run import AnyRun
    from semaniacs.runs.report.findings import Studies
    from semaniacs.sts.data.catalog import Task

OUTPUT = Path("output")
RUN = "fusion"


@click.command(
    epilog=examples(
        "semaniacs report --run fusion --task sts2016 --data DIR",
        "semaniacs report --system THEIR-FILES --task sts2016 --data DIR",
        "semaniacs report --system THEIR-FILES --run fusion --task sts2016 --data DIR",
    )
)
@option("--run", help=f"Recipe (default: {RUN}; with --system, a run to compare the files with).")
@option(
    "--system",
    type=click.Path(path_type=Path),
    metavar="FOLDER|ZIP|FILE",
    help="Report on these files of scores instead, see: semaniacs evaluate --help.",
)
@option("--task", default="sts2016", help="Task; see: semaniacs list.")
@data_option()
@output_option(
    writes="html", metavar="FILE", help=f"Page (default: {OUTPUT}/TASK/RUN/report.html)."
)
@option(
    "--translator",
    metavar="NAMES",
    help="memory, apertium, recorded or an online engine; several with commas are tried in "
    "that order (default: the memory, then Apertium).",
)
@seed_option()
@jobs_option(default=None, show_default=False, help="Number of processes (default: one per core).")
@option("--quick", is_flag=True, help="Leave out ablation and permutation importance.")
def report(
    run: str | None,
    system: Path | None,
    task: str,
    data: Path | None,
    output: Path | None,
    translator: str | None,
    seed: int,
    jobs: int | None,
    quick: bool,
) -> None:
    """Write a page about a run on a task: scores, largest errors, importance of features.

    The page needs no other file and no network. It contains sentences of the data sets, which have
    terms of their own. Ablation and permutation importance are computed on the task itself or, for
    2016, on 2015. The first time takes many minutes; the results are kept in output/.
    """
    require("jinja2")
    found = get_task(task)
    from semaniacs.runs.pipeline.task_run import predict
    from semaniacs.runs.recipes import get_run
    from semaniacs.runs.report.findings import collect, collect_files
    from semaniacs.runs.report.page import page

    chosen = get_run(run or RUN).with_seed(seed) if run or not system else None
    gold = gold_of_task(found, data)
    submission = open_submission(system, gold) if system else None
    name = submission.name.replace(" ", ".") if submission else str(chosen and chosen.name)
    target = output or OUTPUT / found.name / name / "report.html"
    outcome = predict(chosen, found, data, translator) if chosen else None
    if submission:
        scores = read_submission(submission, gold)
        findings = collect_files(found, data, gold.scores, submission, scores, beside=outcome)
    else:
        assert chosen is not None and outcome is not None
        studies = None if quick else study_features(chosen, found, data, translator, jobs)
        findings = collect(outcome, gold.scores, studies)
    options = {
        "--system": system and system.name,
        "--run": chosen and chosen.name,
        "--task": task,
        "--translator": translator,
        "--seed": seed or None,
    }
    typed = [f"{option} {value}" for option, value in options.items() if value]
    again = " ".join(["semaniacs report", *typed, *["--quick"] * quick, "--data DIR"])
    write_text(target, page(findings, again))
    note(f"written to {target}")


def open_submission(path: Path, gold: GoldStandard) -> Submission:
    """Return the one submission in a folder, zip or file; an StsError if there are several."""
    found = find_submissions([path], gold)
    if len(found) > 1:
        named = ", ".join(one.origin for one in found)
        raise StsError(f"{path}: {len(found)} submissions; give --system one of {named}")
    return found[0]


def study_features(
    run: AnyRun, task: Task, data: Path | None, translator: str | None, jobs: int | None
) -> Studies | None:
    """Study ablation and importance of a run, on the task itself or on the last one allowed.

    None is returned for a run without features, or if the data sets to study are missing.
    """
    from semaniacs.runs.contribution.ablation import ablate
    from semaniacs.runs.contribution.importance import measure_importance
    from semaniacs.runs.contribution.ledger import Ledger
    from semaniacs.runs.contribution.study import prepare_study, task_to_study
    from semaniacs.runs.pipeline.run import Mean
    from semaniacs.runs.report.findings import Studies

    if isinstance(run, Mean) or not run.columns:
        return None
    studied = task_to_study(task)
    folder = OUTPUT / studied.name / run.name
    try:
        study = prepare_study(run, studied, data, translator)
    except MissingResourceError:
        return None
    ablation = ablate(study, Ledger(folder / "ablation.jsonl"), jobs or -1)
    importances = measure_importance(study, Ledger(folder / "importance.jsonl"), jobs or -1)
    return Studies(study.task, study.digest, ablation, importances)
