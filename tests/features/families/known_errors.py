"""Cases that the rules of a family get wrong."""

from __future__ import annotations

from typing import Any

import pytest


def wrong_so_far(*values: Any) -> Any:
    """A case that the rules do not get right."""
    return pytest.param(
        *values, marks=pytest.mark.xfail(reason="the rules do not know it", strict=True)
    )
