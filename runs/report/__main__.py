"""One page about a run on a task: its scores, its largest errors, the importance of its features.

    semaniacs report --run fusion --task sts2016 --data DIR
    semaniacs report --system THEIR-FILES --task sts2016 --data DIR       files of scores of others
    semaniacs report --system THEIR-FILES --run fusion --task sts2016     the same beside a run

Writes OUTPUT/TASK/RUN/report.html, which needs no other file and no network.
The page holds sentences of the data sets, which have terms of their own. Ablation and
permutation importance are computed on the task itself or, for 2016, on 2015; the first time that
takes many minutes, and is kept in OUTPUT; --quick leaves them out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from runs.options import add_jobs, new_parser
from runs.report.screenshot import need_browser, take_screenshot
from sts.command_line import run_tool, seed
from sts.data.catalog import get_task
from sts.data.pairs import Scores
from sts.data.schema import Task
from sts.errors import MissingResourceError, StsError
from sts.extras import require
from sts.files import check_writable, write_bytes, write_text
from sts.scoring.shared_task.gold_standard import gold_of_task
from sts.scoring.shared_task.system_files import Submission, find_submissions, read_submission

if TYPE_CHECKING:
    from runs.pipeline.run import Run
    from runs.studies.contribution.study import StudySummary

OUTPUT = Path("output")
RUN = "fusion"
PICTURE = (1200, 1680)
"""Width and height of ``--picture``, which shows the page to the end of its first charts."""


def parse() -> argparse.Namespace:
    """The command line."""
    parser = new_parser("runs.report", __doc__)
    parser.add_argument(
        "--run", help="recipe (default: fusion; with --system, one to compare the files with)"
    )
    parser.add_argument(
        "--system",
        type=Path,
        metavar="FOLDER|ZIP|FILE",
        help="report on these files of scores instead, see: semaniacs evaluate --help",
    )
    parser.add_argument("--task", default="sts2016", help="data sets (default: sts2016)")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=f"page (default: {OUTPUT}/TASK/RUN/report.html)"
    )
    parser.add_argument(
        "--translator",
        help="memory, apertium, recorded or an online engine; several with commas are asked in "
        "that order (default: the memory, then Apertium)",
    )
    parser.add_argument("--seed", type=seed, default=0, help="of everything drawn (default: 0)")
    add_jobs(parser)
    parser.add_argument(
        "--quick", action="store_true", help="leave out ablation and permutation importance"
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="PNG",
        help="also take a screenshot of the page, with Chromium",
    )
    return parser.parse_args()


def main() -> None:
    """Predict or read, score, study, write the page."""
    options = parse()
    require("jinja2", "matplotlib")
    task = get_task(options.task)
    from runs.recipes.by_name import get_run

    run = None
    if options.run or not options.system:
        run = get_run(options.run or RUN).with_seed(options.seed)
    files = open_files(options.system, task, options.data) if options.system else None
    name = files.submission.name.replace(" ", ".") if files else str(run and run.name)
    target = options.output or OUTPUT / task.name / name / "report.html"
    check_writable(target.parent)
    if options.picture:
        check_writable(options.picture.parent)
        need_browser()
    write_text(target, make_page(options, task, run, files))
    if options.picture:
        write_bytes(options.picture, take_screenshot(target, width=PICTURE[0], height=PICTURE[1]))
    print(f"written to {target}", file=sys.stderr)


class Files(NamedTuple):
    """A submission and the scores in its files."""

    submission: Submission
    scores: Mapping[str, Scores]


def open_files(path: Path, task: Task, data: Path | None) -> Files:
    """The one submission to a task in a folder, zip or file.

    Raises:
        StsError: there is none or several, or it is broken.
    """
    gold = gold_of_task(task, data)
    found = find_submissions([path], gold)
    if len(found) > 1:
        named = ", ".join(one.origin for one in found)
        raise StsError(f"{path}: {len(found)} submissions; give --system one of {named}")
    return Files(found[0], read_submission(found[0], gold))


def make_page(options: argparse.Namespace, task: Task, run: Run | None, files: Files | None) -> str:
    """The page for the options of the command line."""
    from runs.pipeline.task_run import predict
    from runs.report.findings import collect, collect_files
    from runs.report.page import page

    outcome = predict(run, task, options.data, options.translator) if run else None
    if files is not None:
        findings = collect_files(task, options.data, *files, beside=outcome)
    else:
        assert run is not None and outcome is not None
        studies = None if options.quick else study_features(run, task, options)
        findings = collect(outcome, options.data, studies)
    return page(findings, command(options, run))


def study_features(run: Run, task: Task, options: argparse.Namespace) -> StudySummary | None:
    """Ablation and importance of a run, on the task itself or on the last that may be studied.

    Returns:
        None if the run has no features, or if the data sets to study are not here.
    """
    from runs.studies.contribution.outputs import summarise
    from runs.studies.contribution.prepare import prepare_study, task_to_study

    if not run.columns:
        return None
    studied = task_to_study(task)
    folder = OUTPUT / studied.name / run.name
    try:
        study = prepare_study(run, studied, options.data, options.translator, folder)
    except MissingResourceError:
        return None
    return summarise(study, folder, options.jobs)


def command(options: argparse.Namespace, run: Run | None) -> str:
    """The command that makes the same page; the data folder is left to the reader."""
    parts = ["semaniacs report"]
    if options.system:
        parts.append(f"--system {options.system.name}")
    if run:
        parts.append(f"--run {run.name}")
    parts.append(f"--task {options.task}")
    if options.translator:
        parts.append(f"--translator {options.translator}")
    if options.seed:
        parts.append(f"--seed {options.seed}")
    if options.quick:
        parts.append("--quick")
    return " ".join([*parts, "--data DIR"])


if __name__ == "__main__":
    run_tool(main)
