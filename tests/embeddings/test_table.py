"""Tables: what is kept in eight bits is looked up as the float32 table it stands for."""

from __future__ import annotations

import numpy as np
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from semaniacs.embeddings.table import PatchedTable, Table, Vectors, quantize, quantize_columns

SHAPES = st.tuples(st.integers(1, 5), st.integers(1, 5))
TABLES = arrays(np.float32, SHAPES, elements=st.floats(-(2.0**100), 2.0**100, width=32))
USUAL = arrays(np.float32, SHAPES, elements=st.floats(-100, 100, width=32, allow_subnormal=False))


def test_eight_bits_by_hand() -> None:
    table = quantize(np.array([[127, -63.6, 0.4], [-1.27, 0.635, 0.01], [0, 0, 0]], np.float32))
    assert table.values.tolist() == [[127, -64, 0], [-127, 64, 1], [0, 0, 0]]
    np.testing.assert_allclose(table.scale, [1, 0.01, 0], rtol=1e-6)
    assert (table.values.dtype, table.scale.dtype) == (np.int8, np.float32)


@given(USUAL)
def test_eight_bits_are_off_by_half_a_step_at_most(numbers: Vectors) -> None:
    table = quantize(numbers)
    step = np.abs(numbers).max(axis=1, keepdims=True) / 127
    assert (np.abs(table.dense - numbers) <= step * 0.501).all()
    largest = np.abs(table.values.astype(int)).max(axis=1)
    assert set(largest.tolist()) <= {0, 127}


@given(USUAL)
def test_a_scale_a_column_is_off_by_half_a_step_of_it_at_most(numbers: Vectors) -> None:
    table = quantize_columns(numbers)
    step = np.abs(numbers).max(axis=0, keepdims=True) / 127
    assert (np.abs(table.dense - numbers) <= step * 0.501).all()
    assert (table.by_column, table.is_int8, table.scale.shape) == (True, False, step.shape)
    for found in (table.rows(np.arange(len(table))), np.vstack([*table.blocks(2)])):
        assert found.tobytes() == table.dense.tobytes()
    last = np.array([len(table) - 1], np.int32)
    assert table.part(last).dense.tobytes() == table.dense[-1:].tobytes()
    assert quantize_columns(table.dense, table.scale).values.tobytes() == table.values.tobytes()


@given(TABLES)
@example(np.array([[190 * 2.0**-149]], np.float32))
def test_no_number_changes_its_sign(numbers: Vectors) -> None:
    """A row of the very smallest floats, below 1e-38, is no exception."""
    assert (quantize(numbers).dense * np.sign(numbers) >= 0).all()


def test_a_patched_table_is_the_sum() -> None:
    numbers = np.arange(15, dtype=np.float32).reshape(5, 3)
    start, moved = quantize(numbers), Table(np.array([[1, 2, 4], [0, 0, 8]], np.float32) / 8)
    patched = PatchedTable(start, np.array([4, 1], np.int32), moved)
    expected = start.dense.copy()
    expected[[4, 1]] += moved.dense
    ids = np.array([0, 4, 1, 1, 3], np.int32)
    np.testing.assert_array_equal(patched.rows(ids), expected[ids])
    np.testing.assert_array_equal(np.vstack(list(patched.blocks(2))), expected)
    for whole in (patched.dense, patched.values * patched.scale[:, None]):
        np.testing.assert_array_equal(whole, expected)
    assert (len(patched), patched.dim, patched.is_int8) == (5, 3, False)
