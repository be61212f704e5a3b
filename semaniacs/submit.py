"""The task's command line: score it and write the official files; explain; compare."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from sts.command_line import ArgumentParser, help_text, seed
from sts.data.catalog import TASKS, get_task
from sts.data.schema import DataSet
from sts.errors import StsError

EPILOG = """\
examples:
  python run_submission.py                                  the shipped fusion on the sample
  python run_submission.py --list                           runs, tasks, and which data is here
  python run_submission.py --run synthetic --task sts2016 --data DIR
  python run_submission.py --run synthetic --task sts2016 --data DIR --record trips
  python run_submission.py --task sts2016 --data DIR --team DCU --run-name fusion --zip
  python run_submission.py --task sts2016-es-en --translator recorded --data DIR
  python run_submission.py --run paws --task paws-wiki --data DIR    paraphrase or not
  printf 'A cat sat.\\tA cat was sitting.\\n' | python run_submission.py --pairs -
  python run_submission.py --run bitext-teacher --pairs FILE --languages de en
  python run_submission.py --explain --pairs FILE           which features moved each score
  python run_submission.py --explain --pairs FILE --json    all of them, a line of JSON a pair
  python run_submission.py --compare output/sts2016/fusion output/sts2016/raw --data DIR
  python run_submission.py --compare THEIRS OURS --task sts2016 --data DIR

OUTPUT/TASK/RUN/ receives one file of scores a data set and results.json; with --team it is
OUTPUT/TASK/TEAM.RUN/.
"""

RUN = "fusion"
"""The recipe that ``--run`` stands at."""


TASK_ONLY = ("train", "record", "team", "run_name", "zip")
"""Options that are for the files of a task alone."""


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = ArgumentParser(
        description="Semantic textual similarity: score sentence pairs from 0 to 5.",
        epilog=help_text(EPILOG),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,  # --pair is no --pairs
    )
    parser.add_argument("--run", help=f"recipe, see --list (default: {RUN})")
    parser.add_argument("--task", help="data sets, see --list (default: sample)")
    parser.add_argument("--data", type=Path, help="folder with the official files (also: STS_DATA)")
    parser.add_argument(
        "--output",
        type=Path,
        help="folder for results (default: output), or file for --pairs and --compare",
    )
    parser.add_argument("--seed", type=seed, default=0, help="of everything drawn (default: 0)")
    parser.add_argument(
        "--translator",
        help="memory, apertium, recorded or an online engine; several with commas are asked in "
        "that order (default: the memory, then Apertium)",
    )
    parser.add_argument(
        "--train",
        action="store_true",
        help="fit the run for the task, even if the fitted model that ships may score it",
    )
    parser.add_argument(
        "--record",
        type=Path,
        metavar="FOLDER",
        help="only translate what the run learns from, and keep it in FOLDER; another machine "
        "then needs no translator, but STS_MEMORY=FOLDER",
    )
    parser.add_argument(
        "--pairs",
        metavar="FILE",
        help="score your own two-column TSV; - is stdin; with --translator, Spanish is translated",
    )
    parser.add_argument(
        "--languages",
        nargs=2,
        metavar=("LEFT", "RIGHT"),
        help="with --pairs and a bitext run: of both sides, as de en, or auto (default: identified)",
    )
    parser.add_argument(
        "--explain", action="store_true", help="with --pairs: which features moved each score"
    )
    parser.add_argument("--json", action="store_true", help="with --explain: as lines of JSON")
    parser.add_argument(
        "--compare",
        metavar=("A", "B"),
        nargs=2,
        type=Path,
        help="two folders with submissions: which is better, and is the difference real",
    )
    parser.add_argument("--team", help="put its name before the run's in the names of the files")
    parser.add_argument("--run-name", help="name of the run in the files (default: the recipe's)")
    parser.add_argument(
        "--zip", action="store_true", help="also write the files as one zip, to hand in"
    )
    parser.add_argument("--list", action="store_true", help="show runs and tasks, then stop")
    return parser.parse_args(arguments)


def main() -> None:
    """Parse, then hand over to the room that does the work."""
    options = parse()
    if options.list:
        show_list(options.data)
    elif options.compare is not None:
        compare_submissions(options)
    elif options.pairs is not None:
        score_pairs(options)
    else:
        submit(options)


def refuse(options: argparse.Namespace, names: Sequence[str], beside: str) -> None:
    """Raise an :class:`StsError` for the first named option that was given and changes nothing."""
    for name in names:
        if getattr(options, name) not in (None, False):
            raise StsError(f"--{name.replace('_', '-')} has no meaning with {beside}; leave it out")


def submit(options: argparse.Namespace) -> None:
    """Score a task, write the files, show the table."""
    if options.explain or options.json:
        raise StsError(
            "--explain and --json are for your own pairs; "
            "type: python run_submission.py --explain --pairs FILE"
        )
    if options.languages:
        raise StsError("--languages is for your own pairs, with --pairs FILE; tasks name theirs")
    task = get_task(options.task or "sample")
    from runs.pipeline.result_file import classification_table, score_table
    from runs.pipeline.task_run import classify, evaluate, predict, record_translations, write
    from runs.recipes.by_name import get_run
    from sts.files import check_writable
    from sts.scoring.submission import submission_name

    run = get_run(options.run or RUN).with_seed(options.seed)
    if options.train and not run.learns:
        raise StsError(f"--train: run {run.name!r} learns from no task; leave it out")
    if options.record is not None:
        check_writable(options.record)
        record_translations(run, task, options.data, options.translator, options.record)
        print(f"recorded in {options.record}; use it with: STS_MEMORY={options.record}",
              file=sys.stderr)  # fmt: skip
        return
    name = submission_name(options.team, options.run_name or run.name)
    output = options.output or Path("output")
    check_writable(output / task.name / name)
    outcome = predict(run, task, options.data, options.translator, train=options.train)
    if task.labelled:
        labelled = classify(outcome, options.data)
        folder = write(outcome, labelled, output, name, packed=options.zip)
        table = classification_table(labelled)
    else:
        graded = evaluate(outcome, options.data)
        folder = write(outcome, graded, output, name, packed=options.zip)
        table = score_table(graded)
    print(f"{run.name} on {task.name}\n\n{table}")
    packed = f" and {folder.name}.zip beside it" if options.zip else ""
    print(f"\nwritten to {folder}{packed}", file=sys.stderr)


def score_pairs(options: argparse.Namespace) -> None:
    """Score, or explain, a person's own pairs with the shipped model."""
    refuse(options, ("task", "data", *TASK_ONLY), "--pairs")
    if options.json and not options.explain:
        raise StsError("--json is for --explain: type --explain --json, or leave it out")
    check_output_file(options.output)
    from runs.pipeline.own_pairs import (
        load_shipped,
        note_languages,
        read_own_pairs,
        score_own_pairs,
    )
    from runs.recipes.by_name import get_run
    from runs.report.explanation import as_json, as_table, explain_pairs
    from sts.scoring.submission import PEOPLES_DIGITS, format_scores

    run = get_run(options.run or RUN).with_seed(options.seed)
    if options.explain:
        run.require_features()
        pairs = read_own_pairs(options.pairs, options.translator)
        model = load_shipped(run)
        codes = note_languages(model, pairs, options.languages, options.translator)
        explained = explain_pairs(model, pairs, languages=codes)
        lines = as_json(explained) if options.json else as_table(explained)
    else:
        scores = score_own_pairs(run, options.pairs, options.translator, options.languages)
        lines = format_scores(scores, PEOPLES_DIGITS)
    show(lines, options.output)


def compare_submissions(options: argparse.Namespace) -> None:
    """Compare the submissions in two folders."""
    refuse(
        options,
        ("run", "translator", "pairs", "languages", "explain", "json", *TASK_ONLY),
        "--compare",
    )
    check_output_file(options.output)
    from runs.report.comparison import compare, comparison_text

    a, b = options.compare
    compared = compare(a, b, options.task, options.data, options.seed)
    show(comparison_text(compared).split("\n"), options.output)


def check_output_file(path: Path | None) -> None:
    """Fail now, not after the work, if the file cannot be written."""
    from sts.files import check_writable

    if path is not None:
        check_writable(path.parent)


def show(lines: Sequence[str], output: Path | None) -> None:
    """Print the lines, or write them to a file, whole or not at all."""
    from sts.files import write_lines

    if output is not None:
        write_lines(output, lines)
    else:
        print("\n".join(lines))


def show_list(data: Path | None) -> None:
    """Runs, tasks, and for each task how much of its data is here."""
    from runs.recipes.by_name import RUNS

    lines = ["runs"]
    for run in RUNS.values():
        lines.append(f"  {run.name:15} {'fitted' if run.ships() else '':6}  {run.about}")
    lines += ["", "fitted: it ships, and semaniacs score --model takes it", "", "tasks"]
    for task in TASKS.values():
        rows = sum(dataset.input.rows for dataset in task.datasets)
        lines.append(
            f"  {task.name:15} {len(task.datasets)} sets, {rows:6,} pairs; files here: "
            f"{files_here(task.datasets, data)}, to learn from: {files_here(task.train, data)}"
        )
    if data is None and "STS_DATA" not in os.environ:
        lines += ["", "official files: pass --data DIR or set STS_DATA; otherwise they are fetched"]
    print("\n".join(lines))


def files_here(datasets: Sequence[DataSet], data: Path | None) -> str:
    """How many of the files of some data sets can be read without a network."""
    from sts.data.fetch import locate

    files = [file for dataset in datasets for file in (dataset.input, dataset.gold)]
    here = sum(locate(file, data) is not None for file in files)
    return "all" if here == len(files) else f"{here} of {len(files)}"
