"""The checker of weights finds a table that takes any number."""

from __future__ import annotations

from pathlib import Path

import pytest

from embeddings import table
from tests.attacks.promises import failures
from tests.attacks.weights import weights


def test_a_table_that_takes_any_number_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(table, "check_finite", lambda *_: None)
    found = failures(weights, tmp_path / "planted", 6)
    assert len(found) >= 4 and all("is served" in failure for failure in found)
