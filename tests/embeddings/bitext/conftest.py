"""Little to compile: that is what takes time in trainings on a few sentences."""

from __future__ import annotations

from collections.abc import Iterator
from unittest.mock import patch

import pytest

from semaniacs.embeddings.bitext import lstm
from semaniacs.embeddings.training import sentence_model, sparse_rows


@pytest.fixture(scope="module")
def little_compiled() -> Iterator[None]:
    """Pad to few sizes."""

    def coarse(needed: int) -> int:
        return -(-needed // 256) * 256

    with (
        patch.object(sparse_rows, "bucket_size", coarse),
        patch.object(sentence_model, "bucket_size", coarse),
        patch.object(lstm, "bucket_size", lambda needed: -(-needed // 16) * 16),
    ):
        yield
