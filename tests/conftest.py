"""Fixtures for every test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from sts import progress

# Arrays of unlike rank must not be combined by accident. Set before anything imports JAX.
os.environ["JAX_NUMPY_RANK_PROMOTION"] = "raise"

# The tests compile hundreds of small functions that run once: half of their time went into that.
os.environ.setdefault(
    "XLA_FLAGS",
    "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true",
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


def pytest_configure(config: pytest.Config) -> None:
    """TextBlob leaves its lexicons open until the garbage collector comes by."""
    config.addinivalue_line("filterwarnings", "ignore:unclosed file.*textblob:ResourceWarning")


_BESIDE_THE_REPOSITORY = Path(__file__).parents[1] / ".." / "shared" / "data" / "sts"


@pytest.fixture(scope="session")
def sts_data() -> Path:
    """The folder that holds the real STS data, ``2012`` ... ``2016``."""
    named = os.environ.get("STS_DATA")
    for folder in [Path(named), Path(named, "sts")] if named else [_BESIDE_THE_REPOSITORY]:
        if (folder / "2016").is_dir():
            return folder.resolve()
    pytest.skip("real STS data not found; set STS_DATA")
