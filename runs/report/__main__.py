"""One page about a run on a task: its scores, its largest errors, the importance of its features.

    python -m runs.report --run fusion --task sts2016 --data DIR

Writes OUTPUT/TASK/RUN/report.html, which needs no other file and no network.
The page holds sentences of the data sets, which have terms of their own. Ablation and
permutation importance are computed on the task itself or, for 2016, on 2015; the first time that
takes many minutes, and is kept in OUTPUT; --quick leaves them out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from runs.options import add_jobs, new_parser
from runs.report.screenshot import need_browser, take_screenshot
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.data.schema import Task
from sts.errors import MissingResourceError
from sts.extras import require
from sts.files import check_writable, write_bytes, write_text

if TYPE_CHECKING:
    from runs.pipeline.run import Run
    from runs.studies.contribution.study import StudySummary

OUTPUT = Path("output")
PICTURE = (1200, 1680)
"""Width and height of ``--picture``, which shows the page to the end of its first charts."""


def parse() -> argparse.Namespace:
    """The command line."""
    parser = new_parser("runs.report", __doc__)
    parser.add_argument("--run", default="fusion", help="recipe (default: fusion)")
    parser.add_argument("--task", default="sts2016", help="data sets (default: sts2016)")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=f"(default: {OUTPUT}/TASK/RUN/report.html)"
    )
    parser.add_argument("--translator", help="as for run_submission.py")
    parser.add_argument("--seed", type=int, default=0)
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
    """Predict, score, study, write the page."""
    options = parse()
    task = get_task(options.task)
    from runs.recipes.by_name import get_run

    run = get_run(options.run).with_seed(options.seed)
    target = options.output or OUTPUT / task.name / run.name / "report.html"
    check_writable(target.parent)
    if options.picture:
        check_writable(options.picture.parent)
        need_browser()
    write_text(target, make_page(options))
    if options.picture:
        write_bytes(options.picture, take_screenshot(target, width=PICTURE[0], height=PICTURE[1]))
    print(f"written to {target}", file=sys.stderr)


def make_page(options: argparse.Namespace) -> str:
    """The page for the options of the command line."""
    from runs.pipeline.task_run import predict
    from runs.recipes.by_name import get_run
    from runs.report.findings import collect
    from runs.report.page import page

    require("jinja2", "matplotlib")
    run, task = get_run(options.run).with_seed(options.seed), get_task(options.task)
    outcome = predict(run, task, options.data, options.translator)
    studies = None if options.quick else study_features(run, task, options)
    return page(collect(outcome, options.data, studies), command(options))


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


def command(options: argparse.Namespace) -> str:
    """The command that makes the same page; the data folder is left to the reader."""
    parts = ["python -m runs.report", f"--run {options.run}", f"--task {options.task}"]
    if options.translator:
        parts.append(f"--translator {options.translator}")
    if options.seed:
        parts.append(f"--seed {options.seed}")
    if options.quick:
        parts.append("--quick")
    return " ".join([*parts, "--data DIR"])


if __name__ == "__main__":
    run_tool(main)
