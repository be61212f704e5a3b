"""Fixtures for every test."""

from __future__ import annotations

import os
import re
from collections.abc import Generator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from semaniacs.sts import errors, progress

# Arrays of unlike rank must not be combined by accident. Set before anything imports JAX.
os.environ["JAX_NUMPY_RANK_PROMOTION"] = "raise"

# The tests compile hundreds of small functions that run once: half of their time went into that.
os.environ.setdefault(
    "XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true"
)

settings.register_profile(
    "same every time",
    derandomize=True,
    max_examples=25,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("same every time")


# No line about slow work comes in between what a test expects on stderr.
progress.INTERVAL = 24 * 3600.0


@pytest.fixture(autouse=True)
def _warnings_again() -> None:
    """Forget which warnings were given once."""
    errors.warned.clear()


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Write the tests that are skipped to the file that ``SKIPPED`` names, one per line."""
    if report.skipped and not hasattr(report, "wasxfail"):
        _write_skipped(report.nodeid)


def pytest_collectreport(report: pytest.CollectReport) -> None:
    """Write the files of tests that are skipped as a whole, too."""
    if report.skipped:
        _write_skipped(report.nodeid)


def _write_skipped(nodeid: str) -> None:
    if (name := os.environ.get("SKIPPED")) and "PYTEST_XDIST_WORKER" not in os.environ:
        with Path(name).open("a", encoding="utf-8") as file:
            # Cases may be others once more is installed; and xdist adds a group.
            file.write(re.split(r"\[|@", nodeid)[0] + "\n")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Fail a test that warned of something missing: tests pass on a bare machine, and in silence."""
    report = yield
    printed = f"{report.capstdout}{report.capstderr}"
    if report.when == "call" and report.passed and "NaN for this run" in printed:
        report.outcome = "failed"
        report.longrepr = "a feature was missing; the tests need nothing but requirements-dev.txt"
    return report


_BESIDE_THE_REPOSITORY = Path(__file__).parents[1] / ".." / "shared" / "data" / "sts"


@pytest.fixture(scope="session")
def sts_data() -> Path:
    """The folder that holds the real STS data, ``2012`` ... ``2016``."""
    named = os.environ.get("STS_DATA")
    for folder in [Path(named), Path(named, "sts")] if named else [_BESIDE_THE_REPOSITORY]:
        if (folder / "2016").is_dir():
            return folder.resolve()
    pytest.skip("real STS data not found; set STS_DATA")
