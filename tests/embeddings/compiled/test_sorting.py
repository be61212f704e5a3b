"""Sorting in compiled code, against numpy's."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.embeddings.compiled import sort


@pytest.mark.parametrize("length", [0, 1, 2, 5, 12, 100, 3000])
@pytest.mark.parametrize("kind", [np.int32, np.uint64])
def test_it_sorts_as_numpy_does(length: int, kind: type) -> None:
    values = np.random.default_rng(length).integers(0, 2**31 - 1, length + 3).astype(kind)
    values[: length // 3] = 7  # equal ones too
    expected = np.concatenate([np.sort(values[:length]), values[length:]])
    sort(values, length)
    np.testing.assert_array_equal(values, expected)
