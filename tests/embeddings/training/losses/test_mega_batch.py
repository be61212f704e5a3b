"""Hard negatives of five sentences whose cosines are known."""

from __future__ import annotations

import numpy as np
import pytest

from embeddings.training.losses import mega_batch
from embeddings.training.losses.mega_batch import HardNegatives

ANCHORS = np.array([[1, 0], [0, 1]], np.float32)
CANDIDATES = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [-1, 0], [0, -1]], np.float32)
MEANING, MEANINGS = np.array([0, 1]), np.array([0, 2, 1, 3, 4])  # candidates 0 and 2 are their own


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (HardNegatives(1), [[1], [1]]),
        (HardNegatives(2), [[1, 2], [1, 0]]),  # cosines .8 .6 / .6 0
        (HardNegatives(2, 0.0), [[1, 2], [1, -1]]),
        (HardNegatives(2, 0.7), [[1, -1], [-1, -1]]),
        (HardNegatives(6), [[1, 2, 4, 3, -1, -1], [1, 0, 3, 4, -1, -1]]),
    ],
)
@pytest.mark.parametrize("at_once", [1, 512])
def test_by_number_and_by_threshold(
    monkeypatch: pytest.MonkeyPatch, wanted: HardNegatives, expected: list[list[int]], at_once: int
) -> None:
    monkeypatch.setattr(mega_batch, "AT_ONCE", at_once)
    found = wanted.search(ANCHORS, CANDIDATES, MEANING, MEANINGS)
    assert found.tolist() == expected


def test_a_batch_has_each_once_and_no_more_than_it_has_room_for() -> None:
    found = np.array([[1, 2], [1, -1], [4, 3]])
    assert HardNegatives(2).of_batch(found, 9).tolist() == [1, 4, 2, 3]
    assert HardNegatives(2).of_batch(found, 3).tolist() == [1, 4, 2]
    assert HardNegatives(2).of_batch(found[:0], 3).tolist() == []
