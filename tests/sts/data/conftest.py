"""Folders of a test of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sts.data.toy_files import GOLD, GOLD_PATH, INPUT, INPUT_PATH, write


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No test sees the person's own data, cache, proxy or wish to stay offline."""
    monkeypatch.delenv("SEMANIACS_OFFLINE", raising=False)
    monkeypatch.delenv("STS_DATA", raising=False)
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("no_proxy", "*")
    return tmp_path / "cache" / "data"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with good copies of both toy files."""
    write(tmp_path / "mine", INPUT_PATH, INPUT)
    write(tmp_path / "mine", GOLD_PATH, GOLD)
    return tmp_path / "mine"
