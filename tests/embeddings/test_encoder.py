"""The averaging encoder: the mean of the word rows, in tables of 32 bits or eight; similarities."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics.pairwise import cosine_similarity

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import PatchedTable, Table, Vectors, quantize, quantize_columns
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.text.normalisation import normalise_all

KNOWN = [f"word{i}" for i in range(40)]
ODD = [
    "",
    " \t ",
    "word1",
    "?!",
    "😀",
    "\ud800",
    "a\x00b",
    "Слово слова",
    "word2 " * 5000,
    "\u200b",
]
ANY_SENTENCE = st.text(st.characters()) | st.sampled_from([*ODD, "word1 word2 😀", "Word3, word3!"])


def make_encoder(dim: int = 8) -> Encoder:
    table = np.random.default_rng(0).standard_normal((len(KNOWN) + 5, dim)).astype(np.float32)
    return Encoder(WordTokenizer(KNOWN, buckets=5), table)


ENCODER = make_encoder()


def sentences_of(*lengths: int) -> list[str]:
    rng = np.random.default_rng(1)
    return [" ".join(rng.choice(KNOWN, length)) for length in lengths]


OF_ALL_LENGTHS = sentences_of(1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65)


def test_a_sentence_is_the_mean_of_its_words() -> None:
    table = np.array([[1, 2], [3, -4], [10, 10], [0.5, 0.5]], np.float32)
    encoder = Encoder(WordTokenizer(["a", "b", "c"], buckets=1), table)
    vectors = encoder.encode(["a b", "A a B.", "c", "", "unknown a"])
    expected = [[2, -1], [5 / 3, 0], [10, 10], [0, 0], [0.75, 1.25]]
    np.testing.assert_allclose(vectors, expected, rtol=1e-6)
    assert vectors.dtype == np.float32
    assert encoder.dim == 2


@given(st.lists(ANY_SENTENCE.filter(lambda sentence: len(sentence) < 1000), max_size=8))
def test_the_mean_agrees_with_numpy(sentences: list[str]) -> None:
    vectors = ENCODER.encode(sentences)
    for vector, sentence in zip(vectors, normalise_all(sentences), strict=True):
        ids = ENCODER.tokenizer.ids(sentence)
        mean = ENCODER.table[ids].astype(np.float64).mean(axis=0) if ids else np.zeros(ENCODER.dim)
        np.testing.assert_allclose(vector, mean, atol=1e-5)


@pytest.mark.parametrize("worth", [0, sys.maxsize], ids=["compiled", "plain"])
@pytest.mark.parametrize("store", [Table, quantize, quantize_columns])
def test_a_hard_tanh_cuts_the_numbers_of_a_mean(
    store: Callable[[Vectors], Table], worth: int
) -> None:
    linear = Encoder(ENCODER.tokenizer, store(ENCODER.table * np.float32(2)))
    linear.compiled_from = worth
    means = linear.encode(OF_ALL_LENGTHS)
    assert 0.1 < np.mean(np.abs(means) > 0.7) < 0.9
    cut = Encoder(linear.tokenizer, linear.rows, limit=0.7)
    cut.compiled_from = worth
    np.testing.assert_array_equal(
        cut.encode(OF_ALL_LENGTHS), np.clip(means, np.float32(-0.7), np.float32(0.7))
    )
    assert cut.with_table(linear.table).limit == 0.7


@pytest.mark.parametrize("blank", ["", "\u200b\ufeff"])
def test_a_blank_sentence_is_zero_and_like_nothing(blank: str) -> None:
    assert not ENCODER.encode([blank]).any()
    others = ["word1", blank, "unheard of"]
    np.testing.assert_array_equal(ENCODER.similarity([blank], others), 0)
    np.testing.assert_array_equal(ENCODER.similarity_pairwise([blank] * 3, others), 0)


def test_similarities_agree_with_scikit_learn() -> None:
    left, right = [*ODD, "word4 word5"], [*OF_ALL_LENGTHS[:10], ""]
    expected = cosine_similarity(ENCODER.encode(left), ENCODER.encode(right))
    np.testing.assert_allclose(ENCODER.similarity(left, right), expected, atol=1e-6)
    pairwise = ENCODER.similarity_pairwise(left, right)
    np.testing.assert_allclose(pairwise, expected.diagonal(), atol=1e-6)
    assert pairwise.shape == (11,)
    assert ENCODER.similarity_pairwise([], []).shape == (0,)


def test_encoding_loads_neither_jax_nor_for_a_few_sentences_the_compiler() -> None:
    code = (
        "import sys, numpy as np; from semaniacs.embeddings.encoder import Encoder;"
        "from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer;"
        "encoder = Encoder(WordTokenizer(['a'], 1), np.ones((2, 3)));"
        "encoder.similarity(['a'], ['b']); few = 'numba' in sys.modules;"
        "encoder.encode(['a'] * 10000); many = 'numba' in sys.modules;"
        "print(few, many, 'jax' in sys.modules)"
    )
    root = Path(__file__).parents[2]
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=root, text=True)
    assert printed.split() == ["False", "True", "False"]


# Tables

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
