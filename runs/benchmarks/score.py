"""Whole-process time to score 1,000 pairs with the shipped fusion, next to cosine alone.

    python -m runs.benchmarks.score

Both commands start afresh each time and take turns, so that the ratio holds
when the machine's speed drifts.
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from runs.benchmarks.versions import sample_pairs
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.files import write_lines

PAIRS = 1000
ROUNDS = 3
RUNS = ("fusion", "raw")
ROOT = Path(__file__).parents[2]


def seconds(run: str, pairs: Path) -> float:
    """Wall seconds of one process, start-up included."""
    command = [sys.executable, "run_submission.py", "--run", run, "--pairs", str(pairs)]
    begin = time.perf_counter()
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - begin


def main() -> None:
    """Time both runs in turn and print medians and their ratio."""
    argparse.ArgumentParser(
        prog="python -m runs.benchmarks.score",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    ).parse_args()
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.tsv"
        write_lines(pairs, sample_pairs(PAIRS))
        rounds = [[seconds(run, pairs) for run in RUNS] for _ in range(ROUNDS)]
    medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
    rows = [
        (run, f"{median:.2f}", f"{PAIRS / median:.0f}", f"{median / medians[-1]:.2f}")
        for run, median in zip(RUNS, medians, strict=True)
    ]
    print(text_table(("run", "seconds", "pairs/s", f"ratio to {RUNS[-1]}"), rows))


if __name__ == "__main__":
    run_tool(main)
