"""Sentences in lanes: every word stands once, in order, and little is empty."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.bitext.lstm import EMPTY, lay_out

LENGTHS = st.lists(st.integers(0, 60), min_size=1, max_size=60)


@given(LENGTHS)
def test_every_word_stands_once_in_one_lane_in_order(lengths: list[int]) -> None:
    cells = lay_out(np.array(lengths))
    assert sorted(cells[cells != EMPTY]) == list(range(sum(lengths)))
    begin = 0
    for length in lengths:
        where = [np.argwhere(cells == word)[0] for word in range(begin, begin + length)]
        assert len({lane for _, lane in where}) <= 1
        assert [row - where[0][0] for row, _ in where] == list(range(length))
        begin += length


@given(LENGTHS)
def test_lanes_are_not_much_longer_than_needed(lengths: list[int]) -> None:
    """Whatever is second in a lane was put where at most the average stood."""
    rows, lanes = lay_out(np.array(lengths)).shape
    longest_first = sorted(lengths, reverse=True)
    second = longest_first[lanes] if lanes < len(lengths) else 0
    assert rows <= max(4, 1.25 * max(longest_first[0], sum(lengths) / lanes + second))


@given(LENGTHS)
def test_there_are_as_many_lanes_as_leave_little_empty(lengths: list[int]) -> None:
    lanes = lay_out(np.array(lengths)).shape[1]
    assert lanes == 1 or lanes * max(lengths) <= 1.25 * sum(lengths)
    assert lanes == len(lengths) or (2 * lanes) * max(lengths) > 1.25 * sum(lengths)


@pytest.mark.parametrize(
    ("lengths", "expected"),
    [
        ([4], [[0], [1], [2], [3]]),
        ([3, 4], [[0, 3], [1, 4], [2, 5], [-1, 6]]),
        ([1, 6, 3, 2], [[1, 7], [2, 8], [3, 9], [4, 10], [5, 11], [6, 0]]),
        ([0, 0], [[-1, -1]] * 4),
    ],
)
def test_by_hand(lengths: list[int], expected: list[list[int]]) -> None:
    found = lay_out(np.array(lengths))
    longest_first = found[:, np.argsort(-(found != EMPTY).sum(0), kind="stable")]
    shown = np.where(longest_first == EMPTY, -1, longest_first).tolist()
    assert sorted(zip(*shown, strict=True)) == sorted(zip(*expected, strict=True))
