"""An encoder in one file comes back as it was, and a bad file is refused in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import save as save_tensors

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import (
    load_encoder,
    load_patch,
    save_encoder,
    save_patch,
)
from semaniacs.embeddings.table import Table
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError
from semaniacs.sts.tensors import read_tensors
from tests.embeddings.toy import make_encoder, make_tuned

# Our own format


def test_an_encoder_is_saved_and_loaded(tmp_path: Path) -> None:
    encoder, path = make_encoder(), tmp_path / "new" / "encoder.safetensors"
    save_encoder(path, encoder, licence="MIT")
    for loaded in (
        load_encoder(path),
        loading.load_static(path),
        loading.load_static(str(path)),
    ):
        assert loaded.tokenizer.known == encoder.tokenizer.known
        assert loaded.tokenizer.buckets == 3
        assert loaded.table.dtype == np.float32
        np.testing.assert_allclose(loaded.table, encoder.table, atol=0.02)
    assert read_tensors(path, ("rows",))[1]["licence"] == "MIT"


def test_what_follows_the_mean_is_saved_too(tmp_path: Path) -> None:
    path, linear = tmp_path / "encoder.safetensors", make_encoder()
    save_encoder(path, Encoder(linear.tokenizer, linear.rows, limit=0.1))
    assert load_encoder(path).limit == 0.1
    save_encoder(path, linear)
    assert load_encoder(path).limit is None


def test_the_same_encoder_is_saved_to_the_same_bytes(tmp_path: Path) -> None:
    path, start = tmp_path / "file.safetensors", make_encoder()
    saved = set()
    about = {"licence": "MIT", "recipe": '{"name": "ñ"}', "made": "here", "by": "hand"}
    for _ in range(2):
        save_encoder(path, start, **about)
        saved.add(path.read_bytes())
        save_encoder(path, load_encoder(path), **about)
        saved.add(path.read_bytes())
    assert len(saved) == 1


def test_an_int8_encoder_is_saved_as_it_is(tmp_path: Path) -> None:
    """Rows that do not use the whole range would be scaled anew if they were quantised again."""
    rows = np.array([[3, -5], [100, 7], [0, 0]], np.int8)
    start = Encoder(WordTokenizer(["a", "b"], 1), Table(rows, np.array([0.5, 0.1, 0], np.float32)))
    save_encoder(tmp_path / "x.safetensors", start)
    loaded = loading.load_static(tmp_path / "x.safetensors")
    np.testing.assert_array_equal(loaded.rows.values, rows)
    np.testing.assert_array_equal(loaded.rows.scale, start.rows.scale)


# Bad files


def load_any(path: Path) -> Encoder:
    return loading.load_static(path)


def patched(path: Path) -> Encoder:
    return load_patch(path, make_encoder())


def write_file(path: Path) -> None:
    save_encoder(path, make_encoder())


def write_patch(path: Path) -> None:
    save_patch(path, make_tuned(make_encoder()), make_encoder())


both_kinds = pytest.mark.parametrize(
    ("write", "read"), [(write_file, load_any), (write_patch, patched)], ids=["file", "patch"]
)


@both_kinds
def test_a_damaged_file_is_refused_or_holds_other_numbers(
    tmp_path: Path, write: Callable[[Path], None], read: Callable[[Path], Encoder]
) -> None:
    """There is no checksum inside, so a flipped number is a number; nothing else gets through."""
    path = tmp_path / "file.safetensors"
    write(path)
    raw = path.read_bytes()
    for i in range(0, len(raw), 3):
        path.write_bytes(raw[:i] + bytes([raw[i] ^ 0xFF]) + raw[i + 1 :])
        try:
            assert read(path).table.shape == make_encoder().table.shape
        except DataError as error:
            assert "file.safetensors: " in str(error)


GOOD: dict[str, Any] = {
    "rows": np.ones((3, 2), np.int8),
    "scale": np.ones(3, np.float32),
    "words": np.frombuffer(b"a\nb", np.uint8),
}


@pytest.mark.parametrize(
    ("change", "metadata", "message"),
    [
        ({}, {"format": "2", "buckets": "1"}, "format '2'"),
        ({}, None, "expected format '1' with rows, scale, words"),
        ({}, {"format": "1"}, "damaged"),
        ({}, {"format": "1", "buckets": "2"}, "3 rows do not fit a vocabulary of 4"),
        ({}, {"format": "1", "buckets": "many"}, "damaged"),
        ({"scale": np.ones(2, np.float32)}, {"format": "1", "buckets": "1"}, "damaged"),
        (
            {"words": np.frombuffer(b"a\na", np.uint8)},
            {"format": "1", "buckets": "1"},
            "each entry once",
        ),
        (
            {"words": np.frombuffer(b"a\n\xff", np.uint8)},
            {"format": "1", "buckets": "1"},
            "damaged",
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


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_encoder(tmp_path / "gone.safetensors")
    with pytest.raises(DataError, match="no such file"):
        load_patch(tmp_path / "gone.safetensors", make_encoder())
    with pytest.raises(DataError, match=r"gone\.txt: no such file"):
        loading.load_static(tmp_path / "gone.txt")
