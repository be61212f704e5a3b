"""Saved encoders: they come back as they were, and a bad file is refused in words."""

from __future__ import annotations

import gzip
import json
import pickle
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from gensim.models import KeyedVectors
from safetensors import safe_open
from safetensors.numpy import save as save_tensors

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.formats.patch import load_patch, save_patch
from embeddings.formats.single_file import load_encoder, save_encoder
from embeddings.formats.word2vec import from_keyed_vectors, hashed_rows, to_keyed_vectors
from embeddings.table import Table, quantize
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import DataError, UnknownNameError
from sts.tensors import read_tensors

# gensim opens a text file without a header twice and leaves the second opening to the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")

KNOWN = ["the", "cat", "naïve", "слово", "n't", "\ud800"]


def make_encoder(seed: int = 0) -> Encoder:
    table = np.random.default_rng(seed).standard_normal((len(KNOWN) + 3, 5)).astype(np.float32)
    return Encoder(WordTokenizer(KNOWN, buckets=3), table)


def make_tuned(start: Encoder) -> Encoder:
    table = start.table.copy()
    table[[1, 4, 7]] += np.float32(0.3)
    return Encoder(start.tokenizer, table)


@pytest.fixture
def vectors() -> KeyedVectors:
    made = KeyedVectors(4)
    rows = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)
    made.add_vectors(["the", "Cat", "dog", "naïve"], rows)
    return made


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


def test_the_same_encoder_is_saved_to_the_same_bytes(tmp_path: Path) -> None:
    path, start = tmp_path / "file.safetensors", make_encoder()
    saved, patches = set(), set()
    about = {"licence": "MIT", "recipe": '{"name": "ñ"}', "made": "here", "by": "hand"}
    for _ in range(10):
        save_encoder(path, start, **about)
        saved.add(path.read_bytes())
        save_encoder(path, load_encoder(path), **about)
        saved.add(path.read_bytes())
        save_patch(path, make_tuned(start), start, **about)
        patches.add(path.read_bytes())
    assert (len(saved), len(patches)) == (1, 1)


def test_the_header_is_one_that_others_read(tmp_path: Path) -> None:
    path = tmp_path / "file.safetensors"
    save_encoder(path, make_encoder(), licence="MIT", note='ñ \n "')
    with safe_open(path, "np") as file:
        metadata = {"format": "1", "buckets": "3", "licence": "MIT", "note": 'ñ \n "'}
        assert file.metadata() == metadata
        assert sorted(file.keys()) == ["rows", "scale", "words"]
        np.testing.assert_array_equal(
            file.get_tensor("scale"), quantize(make_encoder().table).scale
        )
    assert int.from_bytes(path.read_bytes()[:8], "little") % 8 == 0


def test_a_vocabulary_of_buckets_only_is_saved_and_loaded(tmp_path: Path) -> None:
    path = tmp_path / "encoder.safetensors"
    save_encoder(path, Encoder(WordTokenizer([], 2), np.ones((2, 3), np.float32)))
    assert load_encoder(path).tokenizer.known == ()


def test_a_quantised_value_is_at_most_half_a_step_away() -> None:
    table = np.random.default_rng(0).standard_normal((50, 20)).astype(np.float32)
    table *= np.geomspace(1e-30, 1e30, 50, dtype=np.float32)[:, None]
    table[3] = 0
    quantized = quantize(table)
    assert (quantized.values.dtype, quantized.scale.dtype) == (np.int8, np.float32)
    assert np.abs(quantized.values).max() == 127
    errors = np.abs(quantized.dense.astype(np.float64) - table)
    assert (errors <= 0.5001 * quantized.scale[:, None]).all()
    assert not quantized.dense[3].any()


def test_an_int8_encoder_is_saved_as_it_is(tmp_path: Path) -> None:
    """Rows that do not use the whole range would be scaled anew if they were quantised again."""
    rows = np.array([[3, -5], [100, 7], [0, 0]], np.int8)
    start = Encoder(WordTokenizer(["a", "b"], 1), Table(rows, np.array([0.5, 0.1, 0], np.float32)))
    save_encoder(tmp_path / "x.safetensors", start)
    loaded = loading.load_static(tmp_path / "x.safetensors")
    np.testing.assert_array_equal(loaded.rows.values, rows)
    np.testing.assert_array_equal(loaded.rows.scale, start.rows.scale)


def test_a_bundled_encoder_is_found_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_encoder(tmp_path / "toy.safetensors", make_encoder())
    toy = loading.Bundled(tmp_path / "toy.safetensors", ("en",))
    monkeypatch.setitem(loading.BUNDLED, "toy", toy)
    assert loading.load_static("toy").tokenizer.known == tuple(KNOWN)


def test_an_unknown_name_lists_those_there_are() -> None:
    with pytest.raises(UnknownNameError, match="'paragrm'; choose one of: paragram"):
        loading.load_static("paragrm")


# Patches


def test_a_patch_holds_by_how_much_rows_changed(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "patch.safetensors"
    tuned = make_tuned(start)
    save_patch(path, tuned, start, run="toy")
    loaded = load_patch(path, start)
    largest = np.abs(tuned.table - start.table).max(axis=1, keepdims=True)
    assert (np.abs(loaded.table - tuned.table) <= largest / 254 + 1e-6).all()
    tensors, metadata = read_tensors(path, ("index", "moved", "scale"))
    assert tensors["index"].tolist() == [1, 4, 7]
    assert (tensors["moved"].dtype, metadata["run"]) == (np.int8, "toy")
    np.testing.assert_array_equal(start.table, make_encoder().table)


def test_a_patch_is_applied_to_an_int8_start(tmp_path: Path) -> None:
    save_encoder(tmp_path / "start.safetensors", make_encoder())
    start = loading.load_static(tmp_path / "start.safetensors")
    assert start.rows.values.dtype == np.int8
    tuned = make_tuned(start)
    save_patch(tmp_path / "patch", tuned, start)
    loaded = load_patch(tmp_path / "patch", start)
    changed = (loaded.table != start.table).any(axis=1)
    assert np.flatnonzero(changed).tolist() == [1, 4, 7]
    np.testing.assert_allclose(loaded.table, tuned.table, rtol=1e-3)


def test_a_patch_of_nothing_changes_nothing(tmp_path: Path) -> None:
    save_patch(tmp_path / "patch", make_encoder(), make_encoder())
    loaded = load_patch(tmp_path / "patch", make_encoder())
    np.testing.assert_array_equal(loaded.table, make_encoder().table)


def test_a_patch_fits_only_the_start_that_it_was_made_from(tmp_path: Path) -> None:
    start, path = make_encoder(), tmp_path / "patch.safetensors"
    save_patch(path, make_tuned(start), start)
    renamed = Encoder(WordTokenizer([*KNOWN[:-1], "other"], 3), start.table)
    for other in (make_encoder(seed=1), make_tuned(start), renamed):
        with pytest.raises(DataError, match=r"patch\.safetensors: tuned from other starting"):
            load_patch(path, other)


def test_a_fingerprint_tells_every_difference() -> None:
    table = make_encoder().table
    vocabularies = [
        WordTokenizer(KNOWN, 3),
        WordTokenizer(KNOWN[::-1], 3),
        WordTokenizer([*KNOWN, "x"], 2),
        WordTokenizer(["".join(KNOWN[:2]), *KNOWN[2:], "x"], 3),
    ]
    prints = [fingerprint(Encoder(v, table)) for v in vocabularies]
    prints += [fingerprint(make_encoder(seed=1))]
    assert len(set(prints)) == 5
    assert fingerprint(make_encoder()) == prints[0]


# Bad files


def truncations(raw: bytes) -> list[bytes]:
    return [raw[:end] for end in range(0, len(raw), 7)] + [raw[:-1], raw + b"\0"]


def flips(raw: bytes) -> list[bytes]:
    return [raw[:i] + bytes([raw[i] ^ 0xFF]) + raw[i + 1 :] for i in range(0, len(raw), 2)]


def test_a_truncated_file_is_refused(tmp_path: Path) -> None:
    path, start = tmp_path / "file.safetensors", make_encoder()
    save_encoder(path, start)
    for raw in truncations(path.read_bytes()):
        path.write_bytes(raw)
        with pytest.raises(DataError, match=r"file\.safetensors: damaged"):
            loading.load_static(path)
    save_patch(path, make_tuned(start), start)
    for raw in truncations(path.read_bytes()):
        path.write_bytes(raw)
        with pytest.raises(DataError, match=r"file\.safetensors: damaged"):
            load_patch(path, start)


def test_a_damaged_file_is_refused_or_holds_other_numbers(tmp_path: Path) -> None:
    """There is no checksum inside, so a flipped number is a number; nothing else gets through."""
    path, start = tmp_path / "file.safetensors", make_encoder()
    save_encoder(path, start)
    for raw in flips(path.read_bytes()):
        path.write_bytes(raw)
        try:
            assert loading.load_static(path).table.shape == start.table.shape
        except DataError as error:
            assert "file.safetensors: " in str(error)
    save_patch(path, make_tuned(start), start)
    for raw in flips(path.read_bytes()):
        path.write_bytes(raw)
        try:
            assert load_patch(path, start).table.shape == start.table.shape
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


def test_another_safetensors_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(save_tensors({"weight": np.ones((2, 2), np.float32)}, {"format": "pt"}))
    with pytest.raises(DataError, match=r"format 'pt' without \['rows', 'scale', 'words'\]"):
        loading.load_static(path)
    save_encoder(path, make_encoder())
    with pytest.raises(DataError, match=r"without \['index', 'moved'\]"):
        load_patch(path, make_encoder())


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no such file"):
        load_encoder(tmp_path / "gone.safetensors")
    with pytest.raises(DataError, match="no such file"):
        load_patch(tmp_path / "gone.safetensors", make_encoder())
    with pytest.raises(DataError, match=r"gone\.txt: no such file"):
        loading.load_static(tmp_path / "gone.txt")


# Other projects' vectors, written by gensim


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


def test_compressed_text_vectors_are_loaded(tmp_path: Path, vectors: KeyedVectors) -> None:
    vectors.save_word2vec_format(str(tmp_path / "plain"), write_header=False)
    path = tmp_path / "vectors.txt.gz"
    path.write_bytes(gzip.compress((tmp_path / "plain").read_bytes()))
    expect_words_of(loading.load_static(path), vectors)


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


def test_hashed_rows_are_nearly_orthogonal() -> None:
    rows = hashed_rows(100, 300, 1.0)
    cosines = rows @ rows.T - np.eye(100)
    assert np.abs(cosines).max() < 0.3
    assert (rows != hashed_rows(100, 300, 1.0, seed=1)).any()


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


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder.safetensors").mkdir()
    for path in (tmp_path, tmp_path / "folder.safetensors"):
        with pytest.raises(DataError):
            loading.load_static(path)


def test_similarities_are_those_of_gensim(tmp_path: Path, vectors: KeyedVectors) -> None:
    vectors.save_word2vec_format(str(tmp_path / "vectors.bin"), binary=True)
    encoder = loading.load_static(tmp_path / "vectors.bin")
    back = to_keyed_vectors(encoder)
    known = encoder.tokenizer.known
    matrix = encoder.similarity(known, known)
    for i, a in enumerate(vectors.index_to_key):
        for j, b in enumerate(vectors.index_to_key):
            assert back.similarity(known[i], known[j]) == pytest.approx(
                vectors.similarity(a, b), abs=1e-6
            )
            assert matrix[i, j] == pytest.approx(vectors.similarity(a, b), abs=1e-6)
    assert back.most_similar("cat", topn=1)[0][0] == vectors.most_similar("Cat", topn=1)[0][0]
    assert "unheard" not in back


def test_no_pickle_is_read(
    tmp_path: Path, vectors: KeyedVectors, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = make_encoder()
    save_encoder(tmp_path / "own.safetensors", start)
    save_patch(tmp_path / "patch.safetensors", make_tuned(start), start)
    vectors.save_word2vec_format(str(tmp_path / "glove.txt"), write_header=False)
    vectors.save_word2vec_format(str(tmp_path / "word2vec.bin"), binary=True)
    vectors.save(str(tmp_path / "gensim.kv"))  # a pickle

    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a pickle was opened")

    for name in ("load", "loads", "Unpickler"):
        monkeypatch.setattr(pickle, name, refuse)
    loading.load_static(tmp_path / "own.safetensors")
    load_patch(tmp_path / "patch.safetensors", start)
    loading.load_static(tmp_path / "glove.txt")
    loading.load_static(tmp_path / "word2vec.bin")
    with pytest.raises(DataError, match=r"gensim\.kv: a pickle.*save_word2vec_format"):
        loading.load_static(tmp_path / "gensim.kv")
    (tmp_path / "gensim.kv").rename(tmp_path / "vectors.txt")
    with pytest.raises(DataError, match=r"vectors\.txt: a pickle"):
        loading.load_static(tmp_path / "vectors.txt")


def test_the_file_is_plain_safetensors(tmp_path: Path) -> None:
    path = tmp_path / "encoder.safetensors"
    save_encoder(path, make_encoder(), licence="MIT")
    assert loading.metadata_of(path) == {"format": "1", "buckets": "3", "licence": "MIT"}
    raw = path.read_bytes()
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    assert set(header) == {"__metadata__", "rows", "scale", "words"}
    assert header["rows"]["dtype"] == "I8"


COLD = """
import sys, embeddings
embeddings.load().encode(["x"])
print([name for name in ("jax", "numba", "gensim", "tokenizers", "torch") if name in sys.modules])
"""


def test_loading_and_encoding_need_no_heavy_library() -> None:
    root = Path(__file__).parents[3]
    ended = subprocess.run(
        [sys.executable, "-c", COLD], cwd=root, capture_output=True, encoding="utf-8", check=True
    )
    assert ended.stdout == "[]\n"
