"""Progress without waiting."""

from __future__ import annotations

import pytest

from semaniacs.sts import progress


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every update of a bar is a line."""
    monkeypatch.setattr(progress, "INTERVAL", 0.0)
    monkeypatch.setattr(progress.Bar, "due", 0.0)
