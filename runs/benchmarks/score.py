"""Whole-process time to score pairs with the shipped fusion.

    python -m runs.benchmarks.score                          1,000 pairs, next to cosine alone
    python -m runs.benchmarks.score --dataframe pairs.tsv    a DataFrame of them, wall and CPU seconds

The first takes turns between the two commands, so that the ratio holds when the machine's speed
drifts. The second reads the file, two columns of tab-separated text, with pandas, scores it and
ends. Every process starts afresh.
"""

from __future__ import annotations

import statistics
import tempfile
from functools import partial
from pathlib import Path

from runs.benchmarks.timing import in_turns, run_python, take_turns, timed_python
from runs.benchmarks.versions import sample_pairs
from runs.options import new_parser
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.extras import require
from sts.files import write_lines

PAIRS = 1000
ROUNDS = 3
RUNS = ("fusion", "raw")

DATAFRAME = """
import sys
import pandas
import semaniacs

frame = pandas.read_csv(sys.argv[1], sep="\\t", names=["a", "b"], quoting=3, keep_default_na=False)
frame["score"] = semaniacs.load("fusion").score(frame.a, frame.b, empty="nan")
print(len(frame))
"""


def main() -> None:
    """Time what is asked for, and print medians."""
    parser = new_parser("runs.benchmarks.score", __doc__, data=False)
    parser.add_argument("--dataframe", type=Path, metavar="FILE", help="pairs to read with pandas")
    options = parser.parse_args()
    if options.dataframe is None:
        time_runs()
    else:
        require("pandas")
        time_dataframe(options.dataframe)


def time_runs() -> None:
    """Time both runs in turn and print medians and their ratio."""
    with tempfile.TemporaryDirectory() as folder:
        pairs = Path(folder) / "pairs.tsv"
        write_lines(pairs, sample_pairs(PAIRS))
        seconds = take_turns(
            {
                run: partial(run_python, "run_submission.py", "--run", run, "--pairs", str(pairs))
                for run in RUNS
            },
            ROUNDS,
        )
    rows = [
        (run, f"{median:.2f}", f"{PAIRS / median:.0f}", f"{median / seconds[RUNS[-1]]:.2f}")
        for run, median in seconds.items()
    ]
    print(text_table(("run", "seconds", "pairs/s", f"ratio to {RUNS[-1]}"), rows))


def time_dataframe(pairs: Path) -> None:
    """Time a process that scores a DataFrame, and print the medians."""
    score = partial(timed_python, "-c", DATAFRAME, str(pairs.resolve()))
    (found,) = in_turns({"fusion": score}, ROUNDS).values()
    scored, wall, cpu = zip(*found, strict=True)
    medians = (f"{statistics.median(seconds):.1f}" for seconds in (wall, cpu))
    rows = [(f"{int(scored[0]):,}", *medians)]
    print(text_table(("pairs", "wall seconds", "CPU seconds"), rows))


if __name__ == "__main__":
    run_tool(main)
