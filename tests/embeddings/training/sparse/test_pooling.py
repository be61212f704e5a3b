"""Words laid end to end become sentence vectors; padding is neither much nor seen."""

from __future__ import annotations

from typing import Any

import jax
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.tokenizers.ragged import Ragged
from embeddings.training.sparse.pooling import (
    MEAN,
    bucket_size,
    divisors,
    fill,
    limited_mean,
    pack,
)


def test_rooms_by_hand() -> None:
    rooms = sorted({bucket_size(needed) for needed in range(65)})
    assert rooms == [4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64]


@given(st.integers(0, 10**9))
def test_a_room_is_large_enough_and_not_much_larger(needed: int) -> None:
    found = bucket_size(needed)
    assert needed <= found <= max(4, 1.25 * needed)
    assert bucket_size(found) == found
    assert bucket_size(needed + 1) >= found


def test_the_sentences_of_all_groups_are_counted_through() -> None:
    words, owners, lengths = pack([Ragged.of([[5, 6], []]), Ragged.of([[7], [8, 9]])])
    assert words.tolist() == [5, 6, 7, 8, 9]
    assert owners.tolist() == [0, 0, 2, 3, 3]
    assert lengths.tolist() == [2, 0, 1, 2]
    assert divisors(lengths).tolist() == [[2], [1], [1], [2]]


def test_what_is_filled_up_keeps_its_beginning() -> None:
    assert fill([4, 5], 4, 9).tolist() == [4, 5, 9, 9]
    assert fill([4, 5], 4, np.arange(6, 10)).tolist() == [4, 5, 8, 9]
    assert fill([], 0, 9).dtype == np.int32


LENGTHS = np.array([2, 0, 3])


def test_a_mean_is_that_of_numpy_whatever_stands_in_the_padding() -> None:
    rows = np.random.default_rng(0).standard_normal((7, 3)).astype(np.float32)
    owners = np.array([0, 0, 2, 2, 2, 3, 3], np.int32)  # two words are padding
    found = MEAN.vectors(MEAN.parameters, rows, owners, divisors(LENGTHS))
    expected = [rows[:2].mean(0), np.zeros(3), rows[2:5].mean(0)]
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_hard_tanh_after_the_mean_has_no_gradient_where_it_cuts() -> None:
    rows = np.array([[3, 0.5, -9], [1, 0.3, 1]], np.float32)
    owners, lengths = np.zeros(2, np.int32), np.full((1, 1), 2, np.float32)

    pool = limited_mean(1.5)

    def total(rows: Any) -> Any:
        return pool.vectors({}, rows, owners, lengths).sum()

    assert pool.vectors({}, rows, owners, lengths).tolist() == [[1.5, pytest.approx(0.4), -1.5]]
    assert jax.grad(total)(rows).tolist() == [[0, 0.5, 0], [0, 0.5, 0]]


def test_a_mean_takes_the_words_end_to_end() -> None:
    places, owners = MEAN.lay_out(np.array([7, 8, 8, 2, 1]), np.array([0, 0, 2, 2, 2]), LENGTHS)
    assert places.tolist() == [7, 8, 8, 2, 1]
    assert owners.tolist() == [0, 0, 2, 2, 2]
    places, owners = MEAN.lay_out(np.array([7]), np.array([1]), LENGTHS)
    assert places.tolist() == [7, 0, 0, 0]
    assert owners.tolist() == [1, 3, 3, 3]  # padding is of no sentence
