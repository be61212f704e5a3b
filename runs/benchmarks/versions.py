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

import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from runs.benchmarks.timing import ROOT, in_turns, timed_python
from runs.options import new_parser
from runs.tables.format import text_table
from sts.command_line import count, run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.errors import DataError
from sts.files import write_lines

ROUNDS = 5
HEADER = ("command", "pairs", "s", "CPU s", "other s", "other CPU s", "ratio", "CPU ratio")

Seconds = dict[Path, tuple[float, float]]
"""Wall and CPU seconds by checkout."""


class Command(NamedTuple):
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
    _, wall, cpu = timed_python(*text.split(), checkout=checkout)
    return wall, cpu


def time_command(command: Command, checkouts: Sequence[Path], rounds: int) -> Seconds:
    """Median (wall, CPU) seconds of a command in each checkout, by turns."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        pairs = sample_pairs(command.pairs)
        write_lines(folder / "pairs", pairs)
        write_lines(folder / "lines", [line.replace("\t", " ") for line in pairs])
        work = {path: partial(run_command, path, command, folder) for path in checkouts}
        found = in_turns(work, rounds, command.name)
    medians = {path: np.median(seconds, axis=0) for path, seconds in found.items()}
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
    parser = new_parser("runs.benchmarks.versions", __doc__, data=False)
    parser.add_argument(
        "--other", type=Path, metavar="DIR", help="another checkout to compare with"
    )
    parser.add_argument(
        "--only", choices=COMMANDS, nargs="+", default=[*COMMANDS], help="commands (default: all)"
    )
    parser.add_argument(
        "--rounds", type=count, default=ROUNDS, help=f"times each is run (default: {ROUNDS})"
    )
    options = parser.parse_args()
    checkouts = [ROOT]
    if options.other:
        if not (options.other / "run_submission.py").is_file():
            raise DataError(f"--other {options.other}: not a checkout; it has no run_submission.py")
        checkouts.append(options.other.resolve())
    chosen = [COMMANDS[name] for name in options.only]
    rows = [row_of(one, time_command(one, checkouts, options.rounds)) for one in chosen]
    print(text_table(HEADER[: len(rows[0])], rows))


if __name__ == "__main__":
    run_tool(main)
