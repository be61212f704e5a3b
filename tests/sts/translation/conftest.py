"""An empty memory."""

from __future__ import annotations

from pathlib import Path

import pytest

from semaniacs.sts.translation import TranslationMemory


@pytest.fixture
def memory(tmp_path: Path) -> TranslationMemory:
    return TranslationMemory(tmp_path / "folder" / "translations.jsonl")
