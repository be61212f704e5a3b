"""Model folders: ours bit for bit, and what model2vec and sentence-transformers make of them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import struct
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors
from hypothesis import example, given
from hypothesis import strategies as st
from safetensors.numpy import load_file, save_file

from semaniacs import embeddings
from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder, cosine
from semaniacs.embeddings.formats.folder import load_folder, save_folder
from semaniacs.embeddings.formats.word2vec import from_keyed_vectors
from semaniacs.embeddings.table import quantize
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.tokenizers.subwords import SentencePieceTokenizer, TrigramTokenizer
from semaniacs.embeddings.tokenizers.wordpiece import to_wordpiece
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.text.normalisation import normalise_all, plain_text
from semaniacs.sts.text.tokenizer import is_word, words
from tests.embeddings.models import learned

os.environ["HF_HUB_OFFLINE"] = "1"

WORDS = """
the a dog cat man woman is are was playing plays guitar runs sleeps on in with don do n't 's 're
markets fell 1.5 1,000 u.s. e.g. naïve men sleep été straße слово ὀδός 日本 i̇stanbul can't new york
# ! half ½
""".split()
PIECES = "un ca friend ##friend ##7 ##ed ##ing ##s ##ly ##e ##a ##r ##1 ##ς s p k 7 x".split()
KNOWN = [*WORDS, *PIECES]
SENTENCES = [
    "The dog is playing.",
    "A man plays the GUITAR",
    "MEN don’t sleep: a man can't",
    "U.S. markets fell 1.5 % in NEW York",
    "unfriended; friends' friend's naïve-été",
    "",
    " ",
    "İstanbul ὈΔΌΣ",
    "the " * 700 + "dog",  # longer than model2vec reads unless told so
]


def make_encoder(known: list[str] = KNOWN, dim: int = 12) -> Encoder:
    table = np.random.default_rng(0).standard_normal((len(known) + 4, dim)).astype(np.float32)
    return Encoder(WordTokenizer(known, 4), quantize(table))


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    save_folder(tmp_path / "model", make_encoder(), licence="MIT")
    return tmp_path / "model"


def rows_of(vocabulary: WordTokenizer, text: str) -> list[int]:
    """Our rows as the others can have them: unknown words are one [UNK], marks are nothing."""
    known = len(vocabulary.known)
    (text,) = normalise_all([text])
    found = [row for word in words(text) if is_word(word) for row in vocabulary.rows_of(word)]
    return [min(row, known) for row in found]


VOCABULARY = WordTokenizer(KNOWN, 4)
TOKENIZER = to_wordpiece(VOCABULARY)

LETTERS = st.sampled_from(
    [*"abnstxNSTIİı .,'’‘-–_1½²ⁿᵈ₂ªº™´éﬁﬀ𝐓㎡ـֿّ#$🙂", "n't", "U.S.", ".DJI", "\xad", "１", "km²"]
)


@given(st.lists(st.one_of(LETTERS, st.sampled_from(KNOWN)), max_size=20).map("".join))
@example("don't nn't n't N'T can'tx _n't")
@example("U.S. e.g.x a.b. xa.b.c.")
@example("1,000.5 1.5.2 1..2 ,5")
@example("'S 'sx 'ſ 're'VE")
@example("ΟΔΟΣ Σ ΣΑΣ")
@example(".DJI x.DJI .DJI's")
@example("e\u0301te\u0301 i\u0307x İx K")
@example("5 km² m³n xm² 10⁻²³ 2ⁿᵈ H₂O 2½ ½ Foo™ 3ª ﬁ ´ ¨ مُحَمَّدٌ שָׁלוֹם ﬀ co\u200dop ŉ ❤\ufe0f")
@example("x" * 100 + " " + "x" * 101)
def test_the_exported_tokenizer_finds_the_same_rows(text: str) -> None:
    assert TOKENIZER.encode(text).ids == rows_of(VOCABULARY, text)


MISREAD = "".join(map(chr, range(0xC2, 0xF5))) + "РС√&<\x1b"
OTHERS = st.characters(exclude_categories=["Cs", "Cn"], exclude_characters="Σ" + MISREAD)


@given(st.text(OTHERS, max_size=30))
def test_any_text_is_cut_into_the_same_words(text: str) -> None:
    pieces = TOKENIZER.pre_tokenizer.pre_tokenize_str(TOKENIZER.normalizer.normalize_str(text))
    (plain,) = normalise_all([text])
    assert [word for word, _ in pieces] == [word for word in words(plain) if is_word(word)]


def test_an_int8_encoder_comes_back_bit_for_bit(saved: Path) -> None:
    encoder, loaded = make_encoder(), embeddings.load(saved)
    np.testing.assert_array_equal(loaded.rows.values, encoder.rows.values)
    np.testing.assert_array_equal(loaded.rows.scale, encoder.rows.scale)
    assert loaded.digest == encoder.digest
    odd = [*SENTENCES, "zzz qqq", "!!!", "🙂"]
    np.testing.assert_array_equal(loaded.encode(odd), encoder.encode(odd))
    assert loading.metadata_of(saved)["licence"] == "MIT"


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path, saved: Path) -> None:
    (saved / "notes.txt").write_text("mine")
    with pytest.raises(StsError, match=r"holds notes\.txt.*--overwrite"):
        save_folder(saved, make_encoder())
    assert (saved / "notes.txt").exists()
    save_folder(saved, make_encoder(), overwrite=True)
    assert not (saved / "notes.txt").exists()
    other = tmp_path / "other"
    other.mkdir()
    save_folder(other, make_encoder())  # nothing stood there
    save_file({"embeddings": np.ones((2, 2), np.float32)}, other / "model.safetensors")
    with pytest.raises(StsError, match="not written by this program"):
        save_folder(other, make_encoder())
    (tmp_path / "file").write_text("mine")
    for overwrite in (False, True):
        with pytest.raises(StsError, match="a file; name a folder"):
            save_folder(tmp_path / "file", make_encoder(), overwrite=overwrite)


def with_tensors(change: Callable[[dict[str, Any]], None]) -> Callable[[Path], None]:
    def damage(path: Path) -> None:
        file = path / "model.safetensors"
        tensors, metadata = load_file(file), loading.metadata_of(path)
        change(tensors)
        save_file(tensors, file, metadata)

    return damage


def set_config(path: Path, text: str) -> None:
    (path / "config.json").write_text(text)


def cut(path: Path) -> None:
    raw = (path / "model.safetensors").read_bytes()
    (path / "model.safetensors").write_bytes(raw[:-9])


BAD: dict[str, Callable[[Path], None]] = {
    r"model\.safetensors: no such file": lambda p: (p / "model.safetensors").unlink(),
    r"model\.safetensors: damaged or not": cut,
    r"tokenizer\.json: belongs to another": lambda p: (
        (p / "tokenizer.json").write_text("{}") and None
    ),
    r"config\.json: format '2', and this version reads '1'": lambda p: set_config(
        p, json.dumps({"word_table": "2"})
    ),
    r"config\.json: not JSON": lambda p: set_config(p, "{"),
    r"damaged \(.* rows do not fit a vocabulary": with_tensors(
        lambda t: t.update(words=np.frombuffer(b"a\nb", np.uint8))
    ),
}


@pytest.mark.parametrize("message", BAD)
def test_a_bad_folder_is_refused(saved: Path, message: str) -> None:
    BAD[message](saved)
    with pytest.raises(DataError, match=message):
        embeddings.load(saved)


def by_model2vec(path: Path, sentences: list[str]) -> Any:
    library = pytest.importorskip("model2vec")
    return library.StaticModel.from_pretrained(path).encode(sentences)


def by_sentence_transformers(path: Path, sentences: list[str]) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        library = pytest.importorskip("sentence_transformers")
        return library.SentenceTransformer(str(path), device="cpu").encode(sentences)


LIBRARIES = [by_model2vec, by_sentence_transformers]


def made_sentences(count: int) -> list[str]:
    rng = np.random.default_rng(2)
    spelled = ["unfriended", "friends", "unfriendly", "xs", "77", "7s"]
    written = [*(word for word in WORDS if is_word(word) and "\u0307" not in word), *spelled]
    marks = ["", "", "", ",", ".", "!", " –", "’s", "…", ")"]

    def word() -> str:
        shape = rng.choice([str, str.lower, str.capitalize, str.upper])
        one = str(rng.choice(written))
        return (shape(one) if one.isascii() else one) + str(rng.choice(marks))

    return [" ".join(word() for _ in range(rng.integers(1, 30))) for _ in range(count)]


def all_known(encoder: Encoder, sentences: list[str]) -> list[str]:
    """Sentences whose words are all known in the form in which texts are read: ½ is read as 1/2."""
    known = len(encoder.tokenizer.known)
    found = [s for s in sentences if max(encoder.tokenizer.ids(plain_text(s)), default=0) < known]
    assert len(found) > 0.6 * len(sentences)
    return found


def similarity(vectors: Any) -> Any:
    """Cosines of each vector with the next, and with a fixed one."""
    rows = np.asarray(vectors, np.float64)
    return np.concatenate(
        [cosine(rows[:-1], rows[1:]), cosine(rows, np.tile(rows[0], (len(rows), 1)))]
    )


@pytest.mark.parametrize("read", LIBRARIES)
@pytest.mark.parametrize("dtype", ["int8", "float32", "float16"])
def test_other_libraries_find_the_same_similarities(
    tmp_path: Path, read: Callable[[Path, list[str]], Any], dtype: Any
) -> None:
    encoder = make_encoder()
    save_folder(tmp_path / "model", encoder, dtype)
    sentences = all_known(encoder, [*SENTENCES, *made_sentences(300)])
    vectors = read(tmp_path / "model", sentences)
    np.testing.assert_allclose(
        similarity(vectors),
        similarity(encoder.encode(sentences)),
        atol=3e-3 if dtype == "float16" else 1e-6,
    )


def test_a_hard_tanh_is_read_back_and_known_to_sentence_transformers(tmp_path: Path) -> None:
    linear, path = make_encoder(), tmp_path / "model"
    encoder = Encoder(linear.tokenizer, linear.rows, limit=0.2)
    for _ in range(2):  # the second time in place of the first
        save_folder(path, encoder)
    sentences = all_known(encoder, [*SENTENCES, *made_sentences(100)])
    vectors = encoder.encode(sentences)
    assert 0.1 < np.mean(np.abs(vectors) == np.float32(0.2)) < 0.9
    np.testing.assert_array_equal(load_folder(path).encode(sentences), vectors)
    np.testing.assert_allclose(by_sentence_transformers(path, sentences), vectors, atol=1e-6)


@pytest.mark.parametrize(
    "tokenizer", [TrigramTokenizer(["abc"], 2), SentencePieceTokenizer(learned(80))], ids=type
)
def test_trigrams_and_sentencepiece_are_refused_in_words(tmp_path: Path, tokenizer: Any) -> None:
    encoder = Encoder(tokenizer, np.zeros((len(tokenizer), 3), np.float32))
    with pytest.raises(StsError, match=r"folder: a \w+Tokenizer cannot be written as a folder"):
        save_folder(tmp_path / "folder", encoder)
    assert not (tmp_path / "folder").exists()


# gensim opens a text file without a header twice and leaves the second opening to the collector.
pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("vectors.txt", {"write_header": True}),
        ("vectors.txt", {"write_header": False}),
        ("vectors.bin", {"binary": True}),
    ],
)
def test_vectors_of_gensim_are_loaded(name: str, options: dict[str, bool], tmp_path: Path) -> None:
    vectors = KeyedVectors(4)
    rows = np.random.default_rng(1).standard_normal((4, 4)).astype(np.float32)
    vectors.add_vectors(["the", "Cat", "dog", "naïve"], rows)
    vectors.save_word2vec_format(str(tmp_path / name), **options)
    encoder = loading.load_static(tmp_path / name)
    assert encoder.tokenizer.known == ("the", "cat", "dog", "naïve")
    assert encoder.tokenizer.buckets == 4096
    np.testing.assert_allclose(encoder.table[:4], vectors.vectors, atol=1e-6)


def test_unknown_words_get_fixed_rows_of_half_the_median_length() -> None:
    vectors = np.diag([2.0, 4.0, 10.0]).astype(np.float32)
    first, again = (from_keyed_vectors(["a", "b", "c"], vectors) for _ in range(2))
    np.testing.assert_array_equal(first.table, again.table)
    np.testing.assert_allclose(np.linalg.norm(first.table[3:], axis=1), 2.0, rtol=1e-5)


GARBAGE = {
    "empty.txt": b"",
    "prose.txt": b"it was a dark and stormy night\nand so on\n",
    "short.txt": b"3 2\na 1 2\n",
    "nan.txt": b"a 1 nan\nb 1 2\n",
    "prose.bin": b"it was a dark and stormy night",
    "short.bin": b"3 2\na " + struct.pack("2f", 1, 2),
    "cut.gz": gzip.compress(b"a 1 2\nb 3 4\n")[:-9],
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
