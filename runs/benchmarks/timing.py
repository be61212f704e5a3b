"""Timing side by side, in turns, so that a ratio holds when the speed of the machine changes.

The order is drawn anew for each round: what one piece of work leaves behind, in caches and in the
memory that it frees, affects all of them alike.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from sts import progress
from sts.errors import DataError

Name = TypeVar("Name")
Result = TypeVar("Result")

ROOT = Path(__file__).parents[2]

PRINT_PEAK = (  # not ru_maxrss, which a process inherits from the larger one that started it
    "print(next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')))"
)
"""Python that prints the most kilobytes that its process has held."""


TURN = 0.5
"""Seconds that a turn lasts at least: a first short call pays for memory that others have freed."""


def take_turns(work: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Median wall seconds of each piece of work, after one call that does not count."""
    timed = {name: partial(_seconds, call) for name, call in work.items()}
    return {name: statistics.median(found) for name, found in in_turns(timed, rounds).items()}


def in_turns(
    work: Mapping[Name, Callable[[], Result]], rounds: int, label: str = "rounds"
) -> dict[Name, list[Result]]:
    """What each piece of work returns in every round, after one round that does not count."""
    found: dict[Name, list[Result]] = {name: [] for name in work}
    for number in progress.track(range(rounds + 1), label, "rounds"):
        for place in np.random.default_rng(number).permutation(len(work)):
            name, call = list(work.items())[place]
            result = call()
            if number:
                found[name].append(result)
    return found


def _seconds(call: Callable[[], Any]) -> float:
    """Of one call: the mean of as many as take :data:`TURN` seconds."""
    begin, calls, passed = time.perf_counter(), 0, 0.0
    while passed < TURN:
        call()
        calls += 1
        passed = time.perf_counter() - begin
    return passed / calls


def run_python(
    *arguments: str, checkout: Path = ROOT, environment: Mapping[str, str] | None = None
) -> str:
    """What a new Python process with these arguments, and more in its environment, prints.

    Raises:
        DataError: it fails there.
    """
    ended = subprocess.run(
        [sys.executable, *arguments], cwd=checkout, env={**os.environ, **(environment or {})},
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    if ended.returncode:
        last = ended.stderr.strip().rpartition("\n")[2]
        raise DataError(f"{checkout}: python {' '.join(arguments)} failed there ({last})")
    return ended.stdout


def timed_python(*arguments: str, checkout: Path = ROOT) -> tuple[str, float, float]:
    """What :func:`run_python` gives, and the wall and CPU seconds of the process."""
    begin, before = time.perf_counter(), cpu_seconds()
    told = run_python(*arguments, checkout=checkout)
    return told, time.perf_counter() - begin, cpu_seconds() - before


def cpu_seconds() -> float:
    """CPU seconds of all processes that this one has waited for."""
    import resource  # Windows has none

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
