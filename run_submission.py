"""Score a task with a run and write the official files."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sts.catalog import TASKS, DataSet, get_task
from sts.errors import StsError
from sts.tool import run_tool

EPILOG = """\
examples:
  python run_submission.py                                  the shipped fusion on the sample
  python run_submission.py --list                           runs, tasks, and which data is here
  python run_submission.py --run synthetic --task sts2016 --data DIR
  python run_submission.py --task sts2016-es-en --translator recorded --data DIR
  printf 'A cat sat.\\tA cat was sitting.\\n' | python run_submission.py --pairs -

OUTPUT/TASK/RUN/ receives one file of scores a data set and results.json.
"""


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Semantic textual similarity: score sentence pairs from 0 to 5.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--run", default="fusion", help="recipe, see --list (default: fusion)")
    parser.add_argument("--task", help="data sets, see --list (default: sample)")
    parser.add_argument("--data", type=Path, help="folder with the official files (also: STS_DATA)")
    parser.add_argument(
        "--output", type=Path, help="folder for results (default: output), or file for --pairs"
    )
    parser.add_argument("--seed", type=int, default=0, help="of everything drawn (default: 0)")
    parser.add_argument(
        "--translator",
        help="memory, apertium, recorded, or an online engine (default: the memory, then Apertium)",
    )
    parser.add_argument(
        "--pairs", metavar="FILE", help="score your own two-column TSV, both English; - is stdin"
    )
    parser.add_argument("--list", action="store_true", help="show runs and tasks, then stop")
    return parser.parse_args(arguments)


def main() -> None:
    """Parse, then hand over to the pipeline."""
    options = parse()
    if options.list:
        show_list(options.data)
    elif options.pairs is not None:
        score_pairs(options)
    else:
        submit(options)


def submit(options: argparse.Namespace) -> None:
    """Score a task, write the files, show the table."""
    task = get_task(options.task or "sample")
    from runs.pipeline import evaluate, predict, write
    from runs.registry import get_run
    from runs.results import score_table
    from sts.files import check_writable

    run = get_run(options.run).with_seed(options.seed)
    output = options.output or Path("output")
    check_writable(output / task.name / run.name)
    outcome = predict(run, task, options.data, options.translator)
    score = evaluate(outcome, options.data)
    folder = write(outcome, score, output)
    print(f"{run.name} on {task.name}\n")
    print(score_table(score))
    print(f"\nwritten to {folder}", file=sys.stderr)


def score_pairs(options: argparse.Namespace) -> None:
    """Score a person's own pairs with the shipped model."""
    for name in ("task", "data", "translator"):
        if getattr(options, name) is not None:
            raise StsError(f"--{name} has no meaning with --pairs; leave it out")
    from runs.pairs import score_own_pairs
    from runs.registry import get_run
    from sts.files import write_lines
    from sts.submission import format_scores

    scores = score_own_pairs(get_run(options.run).with_seed(options.seed), options.pairs)
    lines = format_scores(scores)
    if options.output:
        write_lines(options.output, lines)
    else:
        print("\n".join(lines))


def show_list(data: Path | None) -> None:
    """Runs, tasks, and for each task how much of its data is here."""
    from runs.registry import RUNS

    lines = ["runs"]
    lines += [f"  {run.name:15} {run.about}" for run in RUNS.values()]
    lines += ["", "tasks"]
    for task in TASKS.values():
        own = files_here(task.datasets, data)
        learnt = files_here(task.train, data)
        rows = sum(dataset.input.rows for dataset in task.datasets)
        lines.append(
            f"  {task.name:15} {len(task.datasets)} sets, {rows:6,} pairs; files here: {own}, "
            f"to learn from: {learnt}"
        )
    if data is None and "STS_DATA" not in os.environ:
        lines += ["", "official files: pass --data DIR or set STS_DATA; otherwise they are fetched"]
    print("\n".join(lines))


def files_here(datasets: Sequence[DataSet], data: Path | None) -> str:
    """How many of the files of some data sets can be read without a network."""
    from sts.fetch import locate

    files = [file for dataset in datasets for file in (dataset.input, dataset.gold)]
    here = sum(locate(file, data) is not None for file in files)
    return "all" if here == len(files) else f"{here} of {len(files)}"


if __name__ == "__main__":
    run_tool(main)
