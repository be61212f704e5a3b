"""An encoder in one file comes back as it was, and a bad file is refused in words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from safetensors.numpy import save as save_tensors

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.formats.lines import utf8_batches
from semaniacs.embeddings.single_file import (
    StoredType,
    load_encoder,
    load_patch,
    save_encoder,
    save_patch,
    table_in,
    table_tensors,
)
from semaniacs.embeddings.table import Table, Vectors, as_int4, as_int8, quantize
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError
from semaniacs.sts.tensors import read_tensors, to_bytes
from tests.embeddings.toy import KNOWN, make_encoder, make_tuned


def test_an_encoder_is_saved_and_loaded(tmp_path: Path) -> None:
    encoder, path = make_encoder(), tmp_path / "new" / "encoder.safetensors"
    save_encoder(path, encoder, licence="MIT")
    for loaded in (load_encoder(path), loading.load_static(path), loading.load_static(str(path))):
        assert loaded.tokenizer.known == encoder.tokenizer.known
        assert loaded.tokenizer.buckets == 3
        assert loaded.table.dtype == np.float32
        np.testing.assert_allclose(loaded.table, encoder.table, atol=0.02)
    assert read_tensors(path, ("rows",))[1]["licence"] == "MIT"


@pytest.mark.parametrize("dtype", ["int8", "int4"])
def test_the_same_encoder_is_saved_to_the_same_bytes(dtype: StoredType, tmp_path: Path) -> None:
    path, start = tmp_path / "file.safetensors", make_encoder()
    rounded = Encoder(start.tokenizer, {"int8": as_int8, "int4": as_int4}[dtype](start.rows))
    saved = set()
    about = {"licence": "MIT", "recipe": '{"name": "ñ"}', "made": "here", "by": "hand"}
    for encoder in (start, rounded):
        save_encoder(path, encoder, dtype, **about)
        saved.add(path.read_bytes())
        save_encoder(path, load_encoder(path), dtype, **about)
        saved.add(path.read_bytes())
    assert len(saved) == 1
    sentences = ["the cat", "naïve слово", "other words"]
    assert load_encoder(path).encode(sentences).tobytes() == rounded.encode(sentences).tobytes()


GOOD: dict[str, Any] = {
    "rows": np.ones((3, 2), np.int8),
    "scale": np.ones(3, np.float32),
    "words": np.frombuffer(b"a\nb", np.uint8),
}


@pytest.mark.parametrize(
    ("change", "metadata", "message"),
    [
        ({}, None, "expected format '1' with rows, scale, words"),
        ({}, {"format": "1", "buckets": "2"}, "3 rows do not fit a vocabulary of 4"),
        ({"scale": np.ones(2, np.float32)}, {"format": "1", "buckets": "1"}, "damaged"),
        (
            {"words": np.frombuffer(b"a\na", np.uint8)},
            {"format": "1", "buckets": "1"},
            "each entry once",
        ),
    ],
)
def test_a_file_that_does_not_agree_with_itself_is_refused(
    tmp_path: Path, change: dict[str, Any], metadata: dict[str, str] | None, message: str
) -> None:
    path = tmp_path / "file.safetensors"
    path.write_bytes(save_tensors(GOOD | change, metadata))
    with pytest.raises(DataError) as caught:
        load_encoder(path)
    assert message in str(caught.value)


SHAPES = st.tuples(st.integers(0, 6), st.integers(0, 6))
FLOATS = arrays(np.float32, SHAPES, elements=st.floats(-(2.0**60), 2.0**60, width=32))


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


def test_a_patch_holds_by_how_much_rows_changed(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "patch.safetensors"
    tuned = make_tuned(start)
    save_patch(path, tuned, start, run="toy")
    loaded = load_patch(path, start)
    np.testing.assert_allclose(loaded.table, tuned.table, rtol=0, atol=1e-6)
    tensors, metadata = read_tensors(path, ("index", "pairs", "steps", "scale"))
    assert tensors["index"].tolist() == [1, 4, 7]
    assert (tensors["pairs"].shape, metadata["run"]) == ((3, 3), "toy")
    np.testing.assert_array_equal(start.table, make_encoder().table)


def test_a_patch_of_an_earlier_version_in_int8_is_applied(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "patch.safetensors"
    moved = np.array([[1, 2, 3, 4, -127], [90, 91, 92, 93, 94]], np.int8)
    scale, index = np.ones(2, np.float32), np.array([2, 3], np.int32)
    tensors = {"index": index, "moved": moved, "scale": scale}
    path.write_bytes(to_bytes(tensors, {"format": "1", "start": start.digest}))
    loaded = load_patch(path, start)
    np.testing.assert_array_equal(loaded.table[2], start.table[2] + moved[0])
    np.testing.assert_array_equal(loaded.table[:2], start.table[:2])
    save_patch(tmp_path / "again", loaded, start)
    assert (tmp_path / "again").read_bytes() == path.read_bytes()


def test_a_patch_fits_only_the_start_that_it_was_made_from(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "patch.safetensors"
    save_patch(path, make_tuned(start), start)
    renamed = Encoder(WordTokenizer([*KNOWN[:-1], "other"], 3), start.table)
    for other in (make_encoder(seed=1), make_tuned(start), renamed):
        with pytest.raises(DataError, match=r"patch\.safetensors: tuned from other starting"):
            load_patch(path, other)


TABLE = np.random.default_rng(0).standard_normal((9, 5)).astype(np.float32)


def test_words_buckets_and_numbers_count() -> None:
    vocabularies = [
        WordTokenizer(KNOWN, 3),
        WordTokenizer(KNOWN[::-1], 3),
        WordTokenizer([*KNOWN, "x"], 2),
        WordTokenizer(["".join(KNOWN[:2]), *KNOWN[2:], "x"], 3),
    ]
    prints = [Encoder(v, TABLE).digest for v in vocabularies]
    prints += [make_encoder(seed=1).digest]
    assert len(set(prints)) == 5
    assert make_encoder().digest == prints[0]


@pytest.mark.parametrize("end", ["", "\n"], ids=["open", "closed"])
@pytest.mark.parametrize(("block", "batch"), [(1, 5), (7, 1), (1 << 22, 11)])
def test_batches_are_full_but_the_last(end: str, block: int, batch: int, tmp_path: Path) -> None:
    wanted = [f"{'é' * (number % 4)}{number}" for number in range(11)]
    file = tmp_path / "lines.txt"
    file.write_bytes(("\n".join(wanted) + end).encode())
    found = list(utf8_batches(str(file), batch, block))
    assert [list(part) for part in found] == [
        wanted[begin : begin + batch] for begin in range(0, 11, batch)
    ]
    assert [part.first for part in found] == list(range(0, 11, batch))
