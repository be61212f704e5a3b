"""Other projects' word vectors, written by gensim; and that nothing is unpickled."""

from __future__ import annotations

import gzip
import pickle
import struct
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.formats.word2vec import from_keyed_vectors
from semaniacs.sts.errors import DataError

# gensim opens a text file without a header twice and leaves the second opening to the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@pytest.fixture
def vectors() -> KeyedVectors:
    made = KeyedVectors(4)
    rows = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)
    made.add_vectors(["the", "Cat", "dog", "naïve"], rows)
    return made


def expect_words_of(encoder: Encoder, vectors: KeyedVectors) -> None:
    assert encoder.tokenizer.known == ("the", "cat", "dog", "naïve")
    assert encoder.tokenizer.buckets == 4096
    np.testing.assert_allclose(encoder.table[:4], vectors.vectors, atol=1e-6)


@pytest.mark.parametrize("name", ["vectors.txt", "vectors.vec"])
@pytest.mark.parametrize("header", [True, False])
def test_text_vectors_are_loaded(
    tmp_path: Path, vectors: KeyedVectors, name: str, header: bool
) -> None:
    vectors.save_word2vec_format(str(tmp_path / name), write_header=header)
    expect_words_of(loading.load_static(tmp_path / name), vectors)


def test_binary_vectors_are_loaded(tmp_path: Path, vectors: KeyedVectors) -> None:
    vectors.save_word2vec_format(str(tmp_path / "vectors.bin"), binary=True)
    expect_words_of(loading.load_static(tmp_path / "vectors.bin"), vectors)


def test_of_several_spellings_the_first_stays(tmp_path: Path) -> None:
    path = tmp_path / "vectors.txt"
    path.write_text("Polish 1 1\npolish 2 2\ncat 3 3\ncat 4 4\n", encoding="utf-8")
    encoder = loading.load_static(path)
    assert encoder.tokenizer.known == ("polish", "cat")
    np.testing.assert_array_equal(encoder.table[:2], [[1, 1], [3, 3]])


def test_unknown_words_get_fixed_rows_of_half_the_median_length() -> None:
    vectors = np.diag([2.0, 4.0, 10.0]).astype(np.float32)
    first, again = (from_keyed_vectors(["a", "b", "c"], vectors) for _ in range(2))
    np.testing.assert_array_equal(first.table, again.table)
    np.testing.assert_allclose(np.linalg.norm(first.table[3:], axis=1), 2.0, rtol=1e-5)


GARBAGE = {
    "empty.txt": b"",
    "blank.txt": b"\n\n",
    "prose.txt": b"it was a dark and stormy night\nand so on\n",
    "bytes.txt": b"\xff\xfe\x00\x01",
    "short.txt": b"3 2\na 1 2\n",
    "nothing.txt": b"0 0\n",
    "words.txt": b"a\nb\n",
    "nan.txt": b"a 1 nan\nb 1 2\n",
    "infinite.txt": b"a 1 inf\nb 1 2\n",
    "prose.bin": b"it was a dark and stormy night",
    "empty.bin": b"",
    "short.bin": b"3 2\na " + struct.pack("2f", 1, 2),
    "prose.gz": b"it was a dark and stormy night",
    "cut.gz": gzip.compress(b"a 1 2\nb 3 4\n")[:-9],
    "damaged.gz": gzip.compress(b"")[:10] + b"\x07" * 20,
}


@pytest.mark.parametrize("name", GARBAGE)
def test_a_file_that_holds_no_vectors_is_refused(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(GARBAGE[name])
    with pytest.raises(DataError, match=name):
        loading.load_static(tmp_path / name)


class Planted:
    """A pickle of this leaves a file when it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (self.path,)


@pytest.mark.parametrize("name", ["gensim.kv", "vectors.txt", "vectors.bin", "own.safetensors"])
def test_no_pickle_is_read(tmp_path: Path, name: str) -> None:
    for protocol in (2, 4, 5):
        planted = pickle.dumps(Planted(tmp_path / "run"), protocol)
        (tmp_path / name).write_bytes(planted)
        with pytest.raises(DataError, match="a pickle, which may run code|damaged or not"):
            loading.load_static(tmp_path / name)
    assert not (tmp_path / "run").exists()
