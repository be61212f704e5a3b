"""Fixtures for every test."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_BESIDE_THE_REPOSITORY = Path(__file__).parents[1] / ".." / "shared" / "data" / "sts"


@pytest.fixture(scope="session")
def sts_data() -> Path:
    """The folder that holds the real STS data, ``2012`` ... ``2016``."""
    named = os.environ.get("STS_DATA")
    for folder in [Path(named), Path(named, "sts")] if named else [_BESIDE_THE_REPOSITORY]:
        if (folder / "2016").is_dir():
            return folder.resolve()
    pytest.skip("real STS data not found; set STS_DATA")
