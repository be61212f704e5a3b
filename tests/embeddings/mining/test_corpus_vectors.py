"""Corpora as vectors on disk."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.embeddings.encoder import Encoder, unit
from semaniacs.embeddings.mining.bucc import open_sentences
from semaniacs.embeddings.mining.corpus_vectors import check_room, encode_corpus
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import StsError


@pytest.fixture
def encoder() -> Encoder:
    rows = np.random.default_rng(0).standard_normal((6, 8)).astype(np.float32)
    rows[3] = 0  # a word without a vector
    return Encoder(WordTokenizer("dog cat ran empty".split(), 2), rows)


def test_what_has_no_vector_has_no_row(encoder: Encoder, tmp_path: Path) -> None:
    file = tmp_path / "sentences"
    file.write_text("dog ran\n\nempty\n  \ncat\ndog ran\n")
    side = encode_corpus(open_sentences(str(file)), encoder, tmp_path / "v.npy", batch=2)
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


def test_a_full_disk_is_an_error_before_the_work(tmp_path: Path) -> None:
    with pytest.raises(StsError, match="GB free, the vectors need 1000000.0 GB; .* by TMPDIR"):
        check_room(tmp_path, 10**15)
