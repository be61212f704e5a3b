"""Score every task that the README shows, and keep the results.

    python -m runs.tables.all_results --data DIR
    python -m runs.tables.all_results --data DIR --run fusion --task sts2016    some of them

takes an hour or more. A result that is there, of today's recipe and code, is not made again: if
the command was stopped, it goes on where it was. Each task starts with an empty translation
memory of its own, so that its result rests on nothing before it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from runs.options import new_parser
from runs.pipeline.result_file import SHIPPED_FIT, fitted_files_digest
from runs.recipes.by_name import get_run
from runs.tables import kept_results, pages
from sts.command_line import run_tool
from sts.errors import DataError, StsError
from sts.files import parse_json, read_text
from sts.progress import note

EMBEDDING = ("raw", "task-internal", "synthetic")
FUSIONS = ("fusion", "contextual")
BITEXT = ("bitext-sp", "bitext-word", "bitext-trigram", "bitext-lstm", "bitext-teacher")
RANDOM = ("random-sp", "random-word", "random-trigram")
YEARS = ("sts2016", "sts2015", "sts2014", "sts2013", "sts2012")
SPANISH = ("sts2014-es", "sts2015-es")


class Score(NamedTuple):
    """One result: a run on a task, and who translates."""

    task: str
    run: str
    translator: str = ""

    @property
    def folder(self) -> Path:
        """Where run_submission.py writes it, below the output folder."""
        return Path("results", self.translator, self.task, self.run)


def wanted() -> Iterator[Score]:
    """Every result that the pages show."""
    for run in (*EMBEDDING, "fusion-gbr", *FUSIONS):
        yield Score("sts2016", run)
        yield Score("sts2016-es-en", run, "recorded")
        yield Score("sts2016-es-en", run, "apertium")
        yield Score("sts2015", run)
    for translator in ("recorded", "apertium"):
        yield Score("sts2016-es-en", "crosslingual", translator)
    for task in ("sts2014", "sts2013", "sts2012"):
        yield from (Score(task, run) for run in (*EMBEDDING, *FUSIONS))
    for task in SPANISH:
        yield from (Score(task, run) for run in ("raw", *FUSIONS, "crosslingual"))
    for task in (*YEARS, "sts2016-es-en", *SPANISH):
        yield from (Score(task, run) for run in BITEXT)
    yield from (Score(task, "bitext-both") for task in ("sts2016", "sts2016-es-en", *SPANISH))
    for task in ("sts2016", "sts2016-es-en", "sts2015"):
        yield from (Score(task, run) for run in RANDOM)
    yield from (Score(task, "paraphrase-sp") for task in YEARS)


def is_there(score: Score, output: Path) -> bool:
    """Whether the result of today's recipe and code is in the output folder."""
    path = output / score.folder / "results.json"
    try:
        signature = parse_json(read_text(path))["signature"]
        made_by = signature["run"], signature["code"], signature["missing_features"]
    except (DataError, ValueError, KeyError, TypeError):
        return False
    run = get_run(score.run)
    if signature.get("fit") == SHIPPED_FIT and signature["fitted_files"] != fitted_files_digest(
        run
    ):
        return False
    return bool(made_by == (run.digest, signature["code"], []))


def make(score: Score, data: Path | None, output: Path) -> None:
    """Score a task in a process of its own.

    Raises:
        StsError: it failed; the reason is on stderr.
    """
    command = [sys.executable, str(pages.ROOT / "run_submission.py"), "--run", score.run]
    command += ["--task", score.task, "--output", str(output / "results" / score.translator)]
    command += ["--translator", score.translator] if score.translator else []
    command += ["--data", str(data)] if data else []
    memory = output / "memory" / f"{score.task}{score.translator}"
    ended = subprocess.run(command, env=os.environ | {"STS_MEMORY": str(memory)}, check=False)
    if ended.returncode:
        raise StsError(f"{score.run} on {score.task}: failed with exit code {ended.returncode}")


def main() -> None:
    """Score what is not there yet, then record everything."""
    parser = new_parser("runs.tables.all_results", __doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    parser.add_argument("--again", action="store_true", help="make every result again")
    parser.add_argument("--run", action="append", help="recipe; may be repeated (default: all)")
    parser.add_argument("--task", action="append", help="task; may be repeated (default: all)")
    options = parser.parse_args()
    pages.check_checkout()
    if options.again:
        for name in ("results", "memory"):
            shutil.rmtree(options.output / name, ignore_errors=True)
    scores = [
        score
        for score in dict.fromkeys(wanted())
        if score.run in (options.run or [score.run])
        and score.task in (options.task or [score.task])
    ]
    if not scores:
        raise StsError("no page shows this run on this task; leave out --run or --task")
    for number, score in enumerate(scores, start=1):
        here = is_there(score, options.output)
        named = " ".join(filter(None, (score.run, "on", score.task, score.translator)))
        note(f"{number} of {len(scores)}: {named}{', which is there' if here else ''}")
        if not here:
            make(score, options.data, options.output)
    for path in kept_results.record(options.output / "results", options.data):
        print(path.name)


if __name__ == "__main__":
    run_tool(main)
