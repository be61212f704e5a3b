"""Work on processes: every item once, the same results, one thread each."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from runs.options import EVERY_CORE
from runs.studies.workers import each

ROOT = Path(__file__).parents[3]


def power(item: int) -> tuple[int, int]:
    return item**2, os.getpid()


def threads(_: int) -> int:
    from threadpoolctl import threadpool_info

    return max(pool["num_threads"] for pool in threadpool_info())


def stay(_: int) -> int:
    time.sleep(0.2)
    return os.getpid()


def broken(item: int) -> int:
    raise ValueError(f"not {item}")


@pytest.mark.parametrize("jobs", [1, 2, EVERY_CORE])
def test_every_item_comes_back_with_its_result(jobs: int) -> None:
    found = dict(each(power, range(9), jobs, label="powers", unit="number"))
    assert {item: square for item, (square, _) in found.items()} == {i: i * i for i in range(9)}


def test_one_job_stays_in_this_process() -> None:
    found = each(power, range(3), 1, label="powers", unit="number")
    assert {process for _, (_, process) in found} == {os.getpid()}


def test_two_jobs_leave_it() -> None:
    found = each(power, range(3), 2, label="powers", unit="number")
    assert os.getpid() not in {process for _, (_, process) in found}


@pytest.mark.parametrize("jobs", [1, 2])
def test_sums_are_not_split_among_threads(jobs: int) -> None:
    assert {n for _, n in each(threads, range(2), jobs, label="threads", unit="call")} == {1}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_through(jobs: int) -> None:
    with pytest.raises(ValueError, match="not 4"):
        list(each(broken, [4], jobs, label="errors", unit="error"))


def test_nothing_to_do_is_done() -> None:
    assert list(each(power, [], 2, label="powers", unit="number")) == []


def running(process: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def interrupt(main: subprocess.Popen[str]) -> str:
    """Press Ctrl-C, as a person does: again, where nothing has happened for some seconds."""
    for _ in range(5):
        os.killpg(main.pid, signal.SIGINT)
        try:
            return main.communicate(timeout=12)[1]
        except subprocess.TimeoutExpired:
            continue
    raise AssertionError("five interrupts, and it goes on")


@pytest.mark.parametrize("seconds", [0.1, 2.5])  # while the processes start, and while they work
def test_an_interrupt_ends_in_one_line(seconds: float) -> None:
    """Ctrl-C goes to every process of a terminal at once."""
    script = (
        "import signal, time\n"
        # A shell starts what it runs in the background deaf to Ctrl-C.
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from runs.studies.workers import each\nfrom sts.command_line import run_tool\n"
        "def main():\n    print('begun', flush=True)\n"
        "    list(each(time.sleep, [30] * 9, 2, label='', unit=''))\n"
        "run_tool(main)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    ) as main:  # fmt: skip
        assert main.stdout is not None and main.stdout.readline() == "begun\n"
        time.sleep(seconds)
        said = interrupt(main)
    assert main.returncode == 130, said
    assert said == "stopped; no output is half-written\n"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads /proc")
def test_processes_leave_with_the_one_that_was_killed() -> None:
    script = (
        "import sys\nfrom runs.studies.workers import each\nfrom tests.runs.studies.test_workers import stay\n"
        "for _, process in each(stay, range(99), 2, label='', unit=''):\n"
        "    print(process, flush=True)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as main:
        assert main.stdout is not None
        processes: set[int] = set()
        while len(processes) < 2:
            processes.add(int(main.stdout.readline()))
        assert all(map(running, processes))
        main.kill()
    give_up = time.monotonic() + 60
    while any(map(running, processes)):
        assert time.monotonic() < give_up
        time.sleep(0.1)
