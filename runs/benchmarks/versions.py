"""Seconds of the same commands in this checkout and in another one, side by side in one run.

    python -m runs.benchmarks.versions
    git worktree add ../before v0.1.0
    python -m runs.benchmarks.versions --other ../before

Start-up, features, encoding and training are timed as whole processes of the command line, whose
commands are the same in both checkouts whatever their modules are called. The two take turns; the
first turn, in which code is compiled and caches are filled, does not count. On a busy machine the
CPU seconds say more than the wall seconds. The sentences are those of the sample.
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from runs.tables.format import text_table
from sts import progress
from sts.command_line import count, run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.errors import DataError
from sts.files import write_lines

ROOT = Path(__file__).parents[2]
ROUNDS = 5
HEADER = ("command", "pairs", "s", "CPU s", "other s", "other CPU s", "ratio", "CPU ratio")

Seconds = dict[Path, tuple[float, float]]
"""Wall and CPU seconds by checkout."""


@dataclass(frozen=True)
class Command:
    """A command of both checkouts.

    Attributes:
        name: as typed after ``--only``.
        pairs: how many pairs it works on.
        arguments: after ``python``; ``PAIRS``, ``LINES`` and ``OUTPUT`` stand for files.
    """

    name: str
    pairs: int
    arguments: str


COMMANDS = {
    command.name: command
    for command in (
        Command("start-up", 2, "run_submission.py --pairs PAIRS --output OUTPUT"),
        Command("features", 1000, "run_submission.py --pairs PAIRS --output OUTPUT"),
        Command("encode", 200_000, "-m embeddings encode LINES -o OUTPUT.npy"),
        Command("train", 20_000, "-m embeddings train PAIRS -o OUTPUT.safetensors --epochs 2"),
    )
}


def sample_pairs(number: int) -> list[str]:
    """So many distinct pairs: both sides of the sample in ever new combinations.

    Beyond the number of combinations, the left side is numbered.
    """
    english = [d for d in get_task("sample").datasets if "es" not in d.languages]
    pairs = [load(dataset, None, with_gold=False) for dataset in english]
    left = [sentence for part in pairs for sentence in part.left]
    right = [sentence for part in pairs for sentence in part.right]
    lines = []
    for place in range(number):
        shift, row = divmod(place, len(left))
        turn, shift = divmod(shift, len(right))
        first = f"{turn}: {left[row]}" if turn else left[row]
        lines.append(f"{first}\t{right[(row + shift) % len(right)]}")
    return lines


def run_command(checkout: Path, command: Command, folder: Path) -> tuple[float, float]:
    """Wall and CPU seconds of a command in a checkout, in a process of its own.

    Raises:
        DataError: it fails there.
    """
    text = command.arguments
    for name in ("PAIRS", "LINES", "OUTPUT"):
        text = text.replace(name, str(folder / name.lower()))
    begin, before = time.perf_counter(), cpu_seconds()
    ended = subprocess.run(
        [sys.executable, *text.split()], cwd=checkout, capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - begin, cpu_seconds() - before
    if ended.returncode:
        last = ended.stderr.strip().rpartition("\n")[2]
        raise DataError(f"{checkout}: python {command.arguments} failed there ({last})")
    return seconds


def cpu_seconds() -> float:
    """CPU seconds of all processes that this one has waited for."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def time_command(command: Command, checkouts: Sequence[Path], rounds: int) -> Seconds:
    """Median (wall, CPU) seconds of a command in each checkout; their order is drawn each round."""
    seconds: dict[Path, list[tuple[float, float]]] = {checkout: [] for checkout in checkouts}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = sample_pairs(command.pairs)
        write_lines(folder / "pairs", pairs)
        write_lines(folder / "lines", [line.replace("\t", " ") for line in pairs])
        for number in progress.bar(range(rounds + 1), desc=command.name):
            for place in np.random.default_rng(number).permutation(len(checkouts)):
                found = run_command(checkouts[place], command, folder)
                if number:
                    seconds[checkouts[place]].append(found)
    medians = {path: np.median(found, axis=0) for path, found in seconds.items()}
    return {path: (float(wall), float(cpu)) for path, (wall, cpu) in medians.items()}


def row_of(command: Command, seconds: Seconds) -> tuple[str, ...]:
    """A line of the table: seconds in each checkout and, of two, the ratios."""
    cells = [f"{value:.2f}" for pair in seconds.values() for value in pair]
    if len(seconds) == 2:
        here, other = seconds.values()
        cells += [f"{ours / theirs:.2f}" for ours, theirs in zip(here, other, strict=True)]
    return (command.name, f"{command.pairs:,}", *cells)


def main() -> None:
    """Time every command and print a line each."""
    parser = argparse.ArgumentParser(
        prog="python -m runs.benchmarks.versions",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--other", type=Path, metavar="DIR", help="another checkout to compare with"
    )
    parser.add_argument("--only", choices=COMMANDS, nargs="+", default=[*COMMANDS])
    parser.add_argument("--rounds", type=count, default=ROUNDS, help=f"(default: {ROUNDS})")
    options = parser.parse_args()
    checkouts = [ROOT]
    if options.other:
        if not (options.other / "run_submission.py").is_file():
            raise DataError(f"--other {options.other}: not a checkout; it has no run_submission.py")
        checkouts.append(options.other.resolve())
    rows = []
    for name in options.only:
        seconds = time_command(COMMANDS[name], checkouts, options.rounds)
        rows.append(row_of(COMMANDS[name], seconds))
    print(text_table(HEADER[: len(rows[0])], rows))


if __name__ == "__main__":
    run_tool(main)
