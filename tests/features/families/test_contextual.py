"""Rows that a transformer makes, with one whose states one can see."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from semaniacs.features.contextual_rows import Contextual, ReadTogether

PAIRS = [
    ("cat dog", "ship"), ("cat", "cat"), ("", "cat"), ("", ""), ("a cat", "the dog dog"),
    ("ship " * 40, "cat"),
]  # fmt: skip


@pytest.fixture
def contextual(tiny: Any, tmp_path: Path) -> Contextual:
    """The tiny transformer, which has seen nothing yet."""
    return Contextual(type(tiny.minilm.transformer)(), tmp_path)


def asked_by(contextual: Contextual) -> list[str]:
    asked: list[str] = contextual.transformer.asked  # type: ignore[attr-defined]
    return asked


# What was made is kept


def test_rows_are_kept_on_disk(contextual: Contextual, tmp_path: Path) -> None:
    rows = contextual.rows(PAIRS)
    later = Contextual(type(contextual.transformer)(), tmp_path)  # type: ignore[call-arg]
    np.testing.assert_array_equal(later.rows(PAIRS), rows)
    assert asked_by(later) == []


class SharesWords:
    """In place of a transformer that reads both sentences: the share of words in common."""

    digest = "shares words"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = ""
    ) -> NDArray[np.float64]:
        self.asked += [f"{a}|{b}" for a, b in zip(left, right, strict=True)]
        words = [(set(a.split()), set(b.split())) for a, b in zip(left, right, strict=True)]
        return np.array([len(a & b) / max(1, len(a | b)) for a, b in words])


def test_what_is_read_together_is_kept(tmp_path: Path) -> None:
    model: Any = SharesWords()
    scores = ReadTogether(model, tmp_path).scores([*PAIRS, PAIRS[0]])
    np.testing.assert_allclose(scores, [0, 1, 0, 0, 0, 0, 0])
    assert len(model.asked) == len(PAIRS)
    later: Any = SharesWords()
    np.testing.assert_array_equal(ReadTogether(later, tmp_path).scores(PAIRS), scores[:-1])
    assert later.asked == []
    later.digest = "another"
    ReadTogether(later, tmp_path).scores(PAIRS[:1])
    assert later.asked == ["cat dog|ship"]
