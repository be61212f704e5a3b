"""One page that says how a run did on a task and why: the scores, the misses, the features.

    python -m runs.report --run fusion --task sts2016 --data DIR

Writes OUTPUT/TASK/RUN/report.html, which needs no other file and no network.
The page holds sentences of the data sets, whose terms are not ours. What the
features bring is studied on the task itself or, for 2016, on 2015; the first
time that takes many minutes, and is kept in OUTPUT; --quick leaves it out.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from runs.report.picture import need_browser, take_picture
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.files import check_writable, write_bytes, write_text

OUTPUT = Path("output")
PICTURE = (1200, 1680)
"""Width and height of ``--picture``: down to the end of the first charts."""


def parse() -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m runs.report",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--run", default="fusion", help="recipe (default: fusion)")
    parser.add_argument("--task", default="sts2016", help="data sets (default: sts2016)")
    parser.add_argument("--data", type=Path, help="STS data folder; otherwise STS_DATA")
    parser.add_argument(
        "--output", type=Path, metavar="FILE", help=f"(default: {OUTPUT}/TASK/RUN/report.html)"
    )
    parser.add_argument("--translator", help="as for run_submission.py")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, help="processes of the studies (default: one a core)")
    parser.add_argument(
        "--quick", action="store_true", help="leave out the studies of the features"
    )
    parser.add_argument(
        "--picture", type=Path, metavar="PNG", help="take a picture of the page; wants Chromium"
    )
    return parser.parse_args()


def main() -> None:
    """Score, study, write."""
    options = parse()
    task = get_task(options.task)
    from runs.recipes.registry import get_run

    run = get_run(options.run).with_seed(options.seed)
    target = options.output or OUTPUT / task.name / run.name / "report.html"
    check_writable(target.parent)
    if options.picture:
        check_writable(options.picture.parent)
        need_browser()
    write_text(target, make_page(options))
    if options.picture:
        write_bytes(options.picture, take_picture(target, width=PICTURE[0], height=PICTURE[1]))
    print(f"written to {target}", file=sys.stderr)


def make_page(options: argparse.Namespace) -> str:
    """The page that the options ask for."""
    from runs.pipeline.task_run import predict
    from runs.recipes.registry import get_run
    from runs.report.findings import find
    from runs.report.page import page
    from runs.studies.studied import studies_of
    from runs.studies.workers import EVERY_CORE, check_jobs

    jobs = EVERY_CORE if options.jobs is None else options.jobs
    check_jobs(jobs)
    run, task = get_run(options.run).with_seed(options.seed), get_task(options.task)
    outcome = predict(run, task, options.data, options.translator)
    studied = None
    if not options.quick:
        studied = studies_of(run, task, options.data, options.translator, OUTPUT, jobs)
    return page(find(outcome, options.data, studied), command(options))


def command(options: argparse.Namespace) -> str:
    """What to type for the same page; folders are for the reader to name."""
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
