"""Stored tables: int4 takes half the bytes of int8, is read exactly, and rounds no more than it must."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from semaniacs.embeddings.bitext.language_files import read_languages, save_shared, save_taught
from semaniacs.embeddings.bitext.multilingual import Multilingual, Taught, with_fallback
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import (
    load_encoder,
    save_encoder,
    table_in,
    table_tensors,
)
from semaniacs.embeddings.table import Table, Vectors, as_int4, quantize
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError
from semaniacs.sts.tensors import to_bytes
from tests.embeddings.toy import make_encoder

SHAPES = st.tuples(st.integers(0, 6), st.integers(0, 6))
FLOATS = arrays(np.float32, SHAPES, elements=st.floats(-(2.0**60), 2.0**60, width=32))
NORMAL = np.random.default_rng(0).standard_normal((600, 40)).astype(np.float32)


@given(FLOATS)
def test_what_is_stored_is_read_exactly(numbers: Vectors) -> None:
    for table in (quantize(numbers), as_int4(Table(numbers))):
        for dtype in ("int8", "int4"):
            made = as_int4(table) if dtype == "int4" else table
            read = table_in(table_tensors(table, dtype, "x."), "x.")
            assert read.values.tobytes() == made.values.tobytes()
            assert read.scale.tobytes() == made.scale.tobytes()


def test_two_numbers_share_a_byte() -> None:
    """The first half of a row stands in the low four bits, the second in the high, as by hand."""
    table = Table(np.array([[1, -2, 21], [-7, 14, 3]], np.int8), np.array([0.5, 2], np.float32))
    tensors = table_tensors(table, "int4")
    assert tensors["pairs"].tolist() == [[0x71, 0x0F], [0x19, 0x07]]
    assert tensors["steps"].tolist() == [1, 2, 3]


def test_the_first_rows_stay_in_eight_bits() -> None:
    """A sixteenth of them; they do not share the columns' steps."""
    for table in (Table(NORMAL), quantize(NORMAL)):
        rounded = as_int4(table)
        np.testing.assert_array_equal(rounded.dense[:37], quantize(NORMAL).dense[:37])
        assert not np.array_equal(rounded.dense[37], quantize(NORMAL).dense[37])
        read = table_in(table_tensors(table, "int4"))
        assert read.values.tobytes() == rounded.values.tobytes()
        assert as_int4(read) is read


def test_a_rows_scale_is_as_good_as_the_best_of_a_thousand() -> None:
    """Searched by brute force; columns are alike here, so that all have one step."""
    rows = NORMAL[100:150]
    errors = np.full(len(rows), np.inf)
    for scale in np.linspace(0.1, 1.0, 1000):
        near = np.clip(np.rint(rows / scale), -7, 7) * scale
        errors = np.minimum(errors, np.square(near - rows).sum(axis=1))
    table = as_int4(Table(np.concatenate([-rows[:, ::-1], rows])))
    ours = np.square(table.dense[50:] - rows).sum(axis=1)
    assert ours.sum() <= 1.03 * errors.sum()


def test_an_encoder_in_four_bits_comes_back_bit_for_bit(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "encoder.safetensors"
    rounded = Encoder(start.tokenizer, as_int4(start.rows))
    saved = set()
    for encoder in (start, rounded):
        save_encoder(path, encoder, "int4", licence="MIT")
        saved.add(path.read_bytes())
        save_encoder(path, load_encoder(path), "int4", licence="MIT")
        saved.add(path.read_bytes())
    assert len(saved) == 1
    sentences = ["the cat", "naïve слово", "other words"]
    assert load_encoder(path).encode(sentences).tobytes() == rounded.encode(sentences).tobytes()


def test_several_languages_in_four_bits_come_back(tmp_path: Path) -> None:
    english, path = make_encoder(), tmp_path / "several.safetensors"
    rounded = Encoder(english.tokenizer, as_int4(english.rows))
    save_shared(path, Multilingual({"en": english, "es": english}), "WORD", "int4")
    shared = read_languages(path, ["en", "es"], lambda _: rounded)
    np.testing.assert_array_equal(shared["es"].table, rounded.table)

    own = as_int4(Table(NORMAL[:2, :5]))
    spanish = Taught(with_fallback(rounded, ["gato", "el"], own), 2)
    save_taught(path, {"es": spanish}, "paragram", rounded, "int4")
    taught = read_languages(path, ["en", "es"], lambda _: rounded)
    assert taught["en"] is rounded
    np.testing.assert_array_equal(taught["es"].table, spanish.encoder.table)


def test_rows_that_do_not_fit_the_steps_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "encoder.safetensors"
    encoder = Encoder(WordTokenizer(["a", "b"], 1), NORMAL[:3, :4])
    tensors = table_tensors(encoder.rows, "int4") | {"words": np.frombuffer(b"a\nb", np.uint8)}
    metadata = {"format": "1", "buckets": "1"}
    path.write_bytes(to_bytes(tensors | {"steps": np.ones(7, np.int8)}, metadata))
    with pytest.raises(DataError, match=r"damaged \(rows of .*do not hold 7 int4 numbers"):
        load_encoder(path)
    del tensors["steps"]
    path.write_bytes(to_bytes(tensors, metadata))
    with pytest.raises(
        DataError, match="expected format '1' with rows, pairs, steps, scale, words"
    ):
        load_encoder(path)
