"""Corpora as vectors on disk."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from embeddings.encoder import Encoder, unit
from embeddings.mining import corpus_vectors
from embeddings.mining.bucc import open_sentences
from embeddings.mining.corpus_vectors import encode_corpus
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import StsError


@pytest.fixture
def encoder() -> Encoder:
    rows = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    rows[3] = 0  # a word without a vector
    return Encoder(WordTokenizer("dog cat ran empty".split(), 2), rows)


def test_what_has_no_vector_has_no_row(encoder: Encoder, tmp_path: Path) -> None:
    file = tmp_path / "sentences"
    file.write_text("dog ran\n\nempty\n  \ncat\ndog ran\n")
    side = encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy")
    np.testing.assert_array_equal(side.places, [0, 4, 5])
    expected = unit(encoder.encode(["dog ran", "cat", "dog ran"]))
    np.testing.assert_array_equal(side.rows[0:3], expected)
    assert len(side.rows) == 3


def test_repeated_sentences_may_be_left_out(encoder: Encoder, tmp_path: Path) -> None:
    file = tmp_path / "sentences"
    file.write_text("dog ran\ncat\ndog ran\nran dog\n Cat!\n")
    side = encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy", distinct=True)
    np.testing.assert_array_equal(side.places, [0, 1, 3])
    assert side.copies == {2: 0, 4: 1}


def test_places_go_on_from_batch_to_batch(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sentences"
    file.write_text("dog\n\n\ncat\n\nran\n")
    monkeypatch.setattr(corpus_vectors, "_BATCH", 2)
    side = encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy")
    np.testing.assert_array_equal(side.places, [0, 3, 5])
    np.testing.assert_array_equal(side.rows[1:2], unit(encoder.encode(["cat"])))


def test_a_full_disk_is_told_before_the_work(
    encoder: Encoder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "sentences"
    file.write_text("dog\n")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=31))
    with pytest.raises(StsError, match="0.0 GB free, the vectors need 0.0 GB; .* by TMPDIR"):
        encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy")
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=32))
    assert len(encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy").rows) == 1
