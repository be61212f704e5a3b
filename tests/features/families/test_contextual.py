"""Rows that a transformer and a reader make, with two whose states one can see."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.features.contextual_rows import Contextual

PAIRS = [
    ("cat dog", "ship"), ("cat", "cat"), ("", "cat"), ("", ""), ("a cat", "the dog dog"),
    ("ship " * 40, "cat"), ("cat dog", "dog"),
]  # fmt: skip


@pytest.fixture
def contextual(tiny: Any, tmp_path: Path) -> Contextual:
    """The tiny transformer, which has seen nothing yet."""
    return Contextual(type(tiny.network.encoder)(), tiny.network.reader, tmp_path)


def asked_by(contextual: Contextual) -> list[str]:
    asked: list[str] = contextual.encoder.asked  # type: ignore[attr-defined]
    return asked


def test_rows_are_kept_on_disk_for_these_weights(contextual: Contextual, tmp_path: Path) -> None:
    rows = contextual.rows(PAIRS)
    later = Contextual(type(contextual.encoder)(), contextual.reader, tmp_path)  # type: ignore[call-arg]
    np.testing.assert_array_equal(later.rows(PAIRS), rows)
    assert asked_by(later) == []
    another: Any = type(contextual.reader)()  # type: ignore[call-arg]
    another.digest = "another"
    Contextual(contextual.encoder, another, tmp_path).rows(PAIRS[:1])
    assert asked_by(contextual)[-2:] == ["cat dog", "ship"]


def test_the_reader_is_given_both_sides_in_one_order(contextual: Contextual) -> None:
    turned = [(right, left) for left, right in PAIRS]
    np.testing.assert_array_equal(contextual.rows(PAIRS), contextual.rows(turned))


def test_pairs_are_read_where_their_vectors_are_near(contextual: Contextual) -> None:
    rows = contextual.rows(PAIRS)  # the vector of no words is 0, near to none
    assert rows[:, -1].tolist() == pytest.approx([0, 0.9, 0, 0, 0, 0, 0.25])
    assert rows[-1, 0] > 0.8 > rows[0, 0]
