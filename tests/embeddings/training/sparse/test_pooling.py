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
    limited_mean,
    pack,
)


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
