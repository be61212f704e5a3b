"""Patches of tuned encoders."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.embeddings.encoder import Encoder, fingerprint
from semaniacs.embeddings.single_file import load_patch, save_patch
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError
from semaniacs.sts.tensors import read_tensors, to_bytes
from tests.embeddings.toy import KNOWN, make_encoder, make_tuned


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


def test_a_row_that_only_rounding_moved_is_left_out(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "patch.safetensors"
    table = make_tuned(start).table.copy()
    table[0] = np.nextafter(table[0], np.float32(np.inf))
    save_patch(path, Encoder(start.tokenizer, table), start)
    assert read_tensors(path, ("index",))[0]["index"].tolist() == [1, 4, 7]


def test_a_patch_of_an_earlier_version_in_int8_is_applied(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "patch.safetensors"
    moved = np.array([[1, 2, 3, 4, -127], [90, 91, 92, 93, 94]], np.int8)
    scale, index = np.ones(2, np.float32), np.array([2, 3], np.int32)
    tensors = {"index": index, "moved": moved, "scale": scale}
    path.write_bytes(to_bytes(tensors, {"format": "1", "start": fingerprint(start)}))
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


def test_a_loaded_patch_is_saved_as_it_was(tmp_path: Path) -> None:
    start, first, second = make_encoder(), tmp_path / "first", tmp_path / "second"
    save_patch(first, make_tuned(start), start)
    save_patch(second, load_patch(first, start), start)
    assert second.read_bytes() == first.read_bytes()
