"""What encode and similarity take: one sentence or any column of them, options, vectors."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import normalize

from semaniacs.sts.errors import DataError, StsError
from tests.embeddings.toy import make_encoder

ENCODER = make_encoder()
SENTENCES = ["the cat", "", "слово naïve the", "zorb", "the the cat"]
VECTORS = ENCODER.encode(SENTENCES)


def columns() -> list[Any]:
    """The same sentences in everything that holds a column."""
    pandas, arrow = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")
    made = [tuple(SENTENCES), iter(SENTENCES), dict.fromkeys(SENTENCES).keys()]
    made += [np.array(SENTENCES), np.array(SENTENCES, object), [np.str_(s) for s in SENTENCES]]
    made += [pandas.Series(SENTENCES, index=[5, 5, 1, 0, 2]), pandas.Index(SENTENCES)]
    return [*made, arrow.array(SENTENCES), arrow.chunked_array([SENTENCES[:2], SENTENCES[2:]])]


def test_a_column_of_any_kind_is_encoded() -> None:
    for column in columns():
        assert ENCODER.encode(column).tobytes() == VECTORS.tobytes(), type(column)


def test_one_sentence_is_one_vector() -> None:
    for sentence, vector in zip(SENTENCES, VECTORS, strict=True):
        found = ENCODER.encode(sentence)
        assert found.shape == (ENCODER.dim,) and found.tobytes() == vector.tobytes()


@pytest.mark.parametrize(
    ("sentences", "message"),
    [
        (["the", None], r"sentences\[1\] is missing \(None\)"),
        (["the", 3], r"sentences\[1\] is 3; expected a string"),
        (np.array([["the", "cat"]]), "sentences is a ndarray; expected a column of strings"),
        ({"text": ["the"]}, "sentences is a dict; expected a column"),
    ],
)
def test_what_is_no_sentence_is_refused(sentences: Any, message: str) -> None:
    with pytest.raises(StsError, match=message):
        ENCODER.encode(sentences)


def test_a_file_is_encoded_by_its_lines(tmp_path: Path) -> None:
    file, packed = tmp_path / "lines.txt", tmp_path / "lines.txt.gz"
    text = "\r\n".join(SENTENCES).encode() + b"\n"
    file.write_bytes(text)
    packed.write_bytes(gzip.compress(text))
    for path in (file, str(packed)):
        assert ENCODER.encode_file(path).tobytes() == VECTORS.tobytes()
    short = ENCODER.encode_file(file, truncate_dim=2, normalize=True)
    assert short.tobytes() == ENCODER.encode(SENTENCES, truncate_dim=2, normalize=True).tobytes()


@pytest.mark.parametrize("many", [0, 1 << 20], ids=["compiled", "plain"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "bad.txt: empty; expected at least one line"),
        (b"the cat\nna\xefve\n", r"bad.txt:2: byte 0xef is not UTF-8; .* --encoding cp1252"),
        ("the cat".encode("utf-16-le"), "bad.txt:1: a NUL byte; .* --encoding utf-16-le"),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_line(
    content: bytes, message: str, many: int, tmp_path: Path
) -> None:
    encoder = make_encoder()
    encoder.compiled_from = many
    (tmp_path / "bad.txt").write_bytes(content)
    with pytest.raises(DataError, match=message):
        encoder.encode_file(tmp_path / "bad.txt")
    with pytest.raises(DataError, match="none.txt: no such file"):
        encoder.encode_file(tmp_path / "none.txt")


def test_vectors_are_cut_and_then_scaled() -> None:
    unit = ENCODER.encode(SENTENCES, normalize=True)
    np.testing.assert_allclose(unit, normalize(VECTORS), atol=1e-6)
    assert not unit[1].any()
    for dim in (1, 3, ENCODER.dim):
        cut = ENCODER.encode(SENTENCES, truncate_dim=dim)
        assert cut.tobytes() == VECTORS[:, :dim].tobytes() and cut.flags.c_contiguous
        both = ENCODER.encode(SENTENCES, truncate_dim=dim, normalize=True)
        np.testing.assert_allclose(both, normalize(VECTORS[:, :dim]), atol=1e-6)
    assert ENCODER.encode("the cat", truncate_dim=2).shape == (2,)
