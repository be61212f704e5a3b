"""The comparison of two checkouts: what runs where, and what is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from runs.benchmarks import versions
from runs.benchmarks.versions import COMMANDS, Command, row_of, sample_pairs, time_command
from sts.errors import DataError


def test_pairs_are_distinct_and_of_two_sides() -> None:
    for number in (2, 1000, 200_000):
        lines = sample_pairs(number)
        assert len(set(lines)) == len(lines) == number
        assert {line.count("\t") for line in lines} == {1}


def write_checkout(folder: Path, code: str) -> Path:
    folder.mkdir()
    (folder / "run_submission.py").write_text(code)
    return folder


def test_every_checkout_runs_the_command_on_the_same_files(tmp_path: Path) -> None:
    note = "import sys, pathlib; pathlib.Path('seen').open('a').write(open(sys.argv[2]).read())"
    checkouts = [write_checkout(tmp_path / name, note) for name in ("here", "other")]
    command = Command("toy", 2, "run_submission.py --pairs PAIRS")
    seconds = time_command(command, checkouts, rounds=2)
    assert [*seconds] == checkouts
    assert all(wall > 0 and cpu >= 0 for wall, cpu in seconds.values())
    expected = "".join(f"{line}\n" for line in sample_pairs(2)) * 3
    assert [(checkout / "seen").read_text() for checkout in checkouts] == [expected] * 2


def test_a_command_that_fails_is_named(tmp_path: Path) -> None:
    checkout = write_checkout(tmp_path / "old", "raise SystemExit('error: too old')")
    with pytest.raises(DataError, match=r"old: python run_submission.py .* failed .*too old"):
        time_command(Command("toy", 2, "run_submission.py --pairs PAIRS"), [checkout], 1)


def test_ratios_are_of_this_checkout_to_the_other() -> None:
    command = Command("toy", 1000, "")
    row = row_of(command, {Path("a"): (3.0, 1.0), Path("b"): (2.0, 4.0)})
    assert row == ("toy", "1,000", "3.00", "1.00", "2.00", "4.00", "1.50", "0.25")
    assert row_of(command, {Path("a"): (3.0, 1.0)}) == ("toy", "1,000", "3.00", "1.00")


def test_a_folder_that_is_no_checkout_is_refused(cli: Any, tmp_path: Path) -> None:
    cli("--other", tmp_path, main=versions.main).refused("not a checkout")
    assert {"start-up", "features", "encode", "train"} == {*COMMANDS}
