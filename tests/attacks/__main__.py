"""Try to break every promise of docs/reliability.md, and print a table: promise, cases, failures.

    python -m tests.attacks                  all of it, with the seed 0
    python -m tests.attacks --times 20       twenty times as many cases
    python -m tests.attacks gzip --seed 7    one checker, other cases
    python -m tests.attacks --list           the checkers and what they try

A checker runs in a process of its own, which may die or hang without harm to the others.
Exit code 1 says that something was found.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.attacks.promises import Checker, Trial, find_checkers

ROOT = Path(__file__).parents[2]
SHOWN = 5
"""Failures of a checker that are printed."""


@dataclass
class Found:
    """What became of a checker."""

    cases: int = 0
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0


def main() -> int:
    """Run the checkers that are named, or all; returns the exit code."""
    checkers = find_checkers()
    parser = argparse.ArgumentParser("python -m tests.attacks", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("name", nargs="*", help="of a checker (default: all)")
    parser.add_argument("--seed", type=int, default=0, help="of the cases (default: 0)")
    parser.add_argument("--times", type=float, default=1, help="so many times the usual cases")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes at once")
    parser.add_argument("--list", action="store_true", help="show the checkers")
    parser.add_argument("--inside", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if unknown := [name for name in options.name if name not in checkers]:
        parser.error(f"no checker {unknown[0]}; choose from: {', '.join(checkers)}")
    chosen = [one for name, one in checkers.items() if name in options.name or not options.name]
    if options.list:
        print(*(f"{one.promise:14} {one.name:22} {one.about}" for one in chosen), sep="\n")
        return 0
    if options.inside:
        inside(chosen[0], options.seed, options.times, options.inside)
        return 0
    with ThreadPoolExecutor(options.jobs) as pool:
        found = list(pool.map(lambda one: outside(one, options.seed, options.times), chosen))
    show(chosen, found)
    return 1 if any(one.failures for one in found) else 0


def inside(checker: Checker, seed: int, times: float, folder: Path) -> None:
    """Run a checker here, and print a line of JSON for each case."""
    told = os.fdopen(os.dup(1), "w", buffering=1, encoding="utf-8")
    os.dup2(2, 1)  # what the attacked code prints is not an outcome
    trial = Trial(Random(f"{seed} {checker.name}"), max(1, round(checker.cases * times)), folder)
    for failure in checker.check(trial):
        told.write(json.dumps(failure) + "\n")
    told.write('{"end": true}\n')


def outside(checker: Checker, seed: int, times: float) -> Found:
    """Run a checker in a process of its own, and collect what it says."""
    with tempfile.TemporaryDirectory(prefix="attack-", ignore_cleanup_errors=True) as folder:
        command = [sys.executable, "-m", "tests.attacks", checker.name, "--inside", folder]
        command += ["--seed", str(seed), "--times", str(times)]
        found = collect(command, checker.seconds * max(1, times))
    print(f"{checker.name}: {len(found.failures)} of {found.cases} failed", file=sys.stderr)
    return found


def collect(command: list[str], seconds: float) -> Found:
    """What a process that runs :func:`inside` tells; that it hangs or dies is a failure, too."""
    start, hung = time.monotonic(), False
    with tempfile.TemporaryFile("w+b") as errors, tempfile.TemporaryFile("w+b") as told:
        process = subprocess.Popen(
            command, cwd=ROOT, stdout=told, stderr=errors, start_new_session=True
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            hung = True
        with suppress(ProcessLookupError):  # what it has started goes with it
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        errors.seek(0), told.seek(0)
        last = (errors.read().decode(errors="replace").strip().splitlines() or [""])[-1]
        outcomes = [json.loads(line) for line in told.read().splitlines(keepends=True)
                    if line.endswith(b"\n")]  # fmt: skip
    ended = outcomes[-1:] == [{"end": True}]
    cases = outcomes[:-1] if ended else outcomes
    found = Found(len(cases), [case for case in cases if case is not None])
    if hung:
        found.failures.append(f"hung in case {len(cases) + 1}: no end in {seconds:.0f} s")
    elif not ended:
        found.failures.append(f"died with {process.returncode} in case {len(cases) + 1}: {last}")
    elif not cases:
        found.failures.append("made no cases")
    found.seconds = time.monotonic() - start
    return found


def show(checkers: list[Checker], found: list[Found]) -> None:
    """Print the table, and what was found below it."""
    print(f"{'promise':14} {'checker':22} {'cases':>8} {'failures':>8} {'seconds':>8}")
    for checker, one in zip(checkers, found, strict=True):
        told = f"{one.cases:8,} {len(one.failures):8,} {one.seconds:8.0f}"
        print(f"{checker.promise:14} {checker.name:22} {told}")
    cases, bad = sum(one.cases for one in found), sum(len(one.failures) for one in found)
    print(f"{'all':37} {cases:8,} {bad:8,}")
    for checker, one in zip(checkers, found, strict=True):
        for failure in one.failures[:SHOWN]:
            print(f"{checker.name}: {failure}")


if __name__ == "__main__":
    sys.exit(main())
