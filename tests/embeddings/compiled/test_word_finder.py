"""The compiled word tokenizer and the mean give what the plain path gives, bit for bit."""

from __future__ import annotations

from collections.abc import Sequence
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings import encoder as encoder_module
from embeddings.compiled.character_table import LIMIT
from embeddings.compiled.dispatch import finder_for
from embeddings.encoder import Encoder
from embeddings.table import quantize
from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from embeddings.tokenizers.wordpiece import to_wordpiece
from embeddings.tokenizers.words import LONGEST, WordTokenizer
from tests.embeddings.twins import (
    FRAGMENTS,
    assert_same,
    compiled,
    encoder_for,
    plainly,
    sentences_of,
)

KNOWN = [
    *"a b n't 's 're the u.s. dji 1 1,000 1.5 é й σ ς 한국 日 xx слов".split(),
    *"😀 . ' - # ## \ud800 \x00".split(),
    *"##a ##b ##é ##日 ##n't ##' ##1 ##x ##xx ##о ##а".split(),
    "a" * LONGEST,
    "##" + "b" * (LONGEST - 1),
]


def encoder_of(known: Sequence[str], buckets: int, *, eighth: bool, dim: int = 7) -> Encoder:
    return encoder_for(WordTokenizer(known, buckets), eighth=eighth, dim=dim)


ENCODERS = {
    "float32, with pieces": encoder_of(KNOWN, 7, eighth=False),
    "int8, with pieces": encoder_of(KNOWN, 1000, eighth=True),
    "float32, without": encoder_of([w for w in KNOWN if not w.startswith("##")], 3, eighth=False),
    "int8, no word known": encoder_of([], 5, eighth=True),
}
every_encoder = pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)


SENTENCE = sentences_of([*KNOWN, *FRAGMENTS])


@every_encoder
@settings(max_examples=150)
@given(sentences=st.lists(SENTENCE, min_size=1, max_size=8))
def test_any_text_has_the_same_rows_and_the_same_vectors(
    encoder: Encoder, sentences: list[str]
) -> None:
    assert_same(encoder, sentences)


def test_every_character_means_the_same_alone_and_among_others() -> None:
    patterns = "{0} a{0}b 1{0}2 n'{0} {0}.X."
    sentences = [patterns.format(chr(code)) for code in range(LIMIT + 0x100)]
    encoder = ENCODERS["float32, with pieces"]
    expected, found = plainly(encoder, sentences)[0], compiled(encoder, sentences)[0]
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    np.testing.assert_array_equal(found.flat, expected.flat)


@pytest.mark.parametrize("piece", ["a", "日", "1,", "a.", "n't", "x", "слово ", "?", " ", "\u0301"])
def test_a_sentence_of_a_megabyte(piece: str) -> None:
    encoder = ENCODERS["int8, with pieces"]
    long = piece * (2**20 // len(piece.encode()))
    with patch.object(encoder_module, "_WORTH_COMPILING", 0):
        ids = encoder.ids([long, "a"])
    assert ids.flat.tolist() == [*encoder.tokenizer.ids(long), 0]


def test_the_mean_of_very_many_words() -> None:
    words = np.random.default_rng(0).choice(KNOWN, 10_000)
    assert_same(ENCODERS["int8, with pieces"], ["a", " ".join(words), "b"])


@every_encoder
@pytest.mark.parametrize("letter", ["a", "b", "é", "日", "\U0001d41a", "Ж", "x"])
def test_words_around_the_longest_that_is_looked_up(encoder: Encoder, letter: str) -> None:
    lengths = (1, 2, LONGEST - 1, LONGEST, LONGEST + 1, LONGEST + 9, 3 * LONGEST, 5 * LONGEST)
    words = [first + letter * (length - 1) for length in lengths for first in ("a", "b", letter)]
    assert_same(encoder, [*words, " ".join(words), *(f"{word}n't" for word in words)])


def test_what_the_longest_words_are_by_hand() -> None:
    encoder = ENCODERS["float32, with pieces"]
    row = encoder.tokenizer.rows
    sentences = ["a" * 100, "A" * 101, "a" + "b" * 99, "a" + "b" * 100, "abA", "xxxx", "ab#"]
    ids, _ = compiled(encoder, sentences)
    found = [ids.flat[b:e].tolist() for b, e in zip(ids.offsets, ids.offsets[1:], strict=False)]
    assert found == [
        [row["a" * 100]],
        [encoder.tokenizer.bucket("a" * 101)],
        [row["a"], row["##" + "b" * 99]],
        [encoder.tokenizer.bucket("a" + "b" * 100)],
        [row["a"], row["##b"], row["##a"]],
        [row["xx"], row["##xx"]],
        [row["a"], row["##b"]],
    ]


@every_encoder
@pytest.mark.parametrize(
    "sentences",
    [
        [],
        [""],
        ["", "", ""],
        ["", "a", "", "e\u0301", "", "?", " \u2028", "\u200b", "\u200b a", ""],
        ["a", "'s"],  # the clitic is not the a's, nor is the next sentence's dot
        ["1", ".5", "n", "'t", "U", ".S.", "do", "n't", "\ud83d", "\ude00"],
    ],
    ids=["none", "one empty", "all empty", "mixed", "clitic", "parts"],
)
def test_sentences_stay_apart_and_blank_ones_are_zero(
    encoder: Encoder, sentences: list[str]
) -> None:
    if sentences:
        assert_same(encoder, sentences)
    with patch.object(encoder_module, "_WORTH_COMPILING", 0):
        vectors = encoder.encode(sentences)
    assert vectors.shape == (len(sentences), encoder.dim)
    blank = [not encoder.tokenizer.ids(sentence) for sentence in sentences]
    assert (~vectors.any(axis=1)).tolist() == blank


@pytest.mark.parametrize("dim", [1, 3, 8, 33, 300])
@pytest.mark.parametrize("eighth", [False, True], ids=["float32", "int8"])
def test_numbers_of_all_sizes_add_up_alike_in_tables_of_any_width(dim: int, eighth: bool) -> None:
    """Floats that differ in size by far add up differently in every other order."""
    rng = np.random.default_rng(dim)
    vocabulary = WordTokenizer([f"w{i}" for i in range(200)], 2)
    table = rng.standard_normal((len(vocabulary), dim)) * 10.0 ** rng.integers(
        -30, 30, (len(vocabulary), 1 if eighth else dim)
    )
    table[3] = -0.0
    table = table.astype(np.float32)
    encoder = Encoder(vocabulary, quantize(table) if eighth else table)
    drawn = [" ".join(f"w{i}" for i in rng.integers(0, 220, n)) for n in range(64)]
    assert_same(encoder, ["w3", "w3 w3", *drawn])


def test_many_chunks_in_many_threads_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "_CHUNK", 64)
    monkeypatch.setattr(encoder_module, "threads", lambda: 8)
    rng = np.random.default_rng(0)
    sentences = [" ".join(rng.choice([*KNOWN, *FRAGMENTS], n)) for n in rng.integers(0, 9, 1000)]
    for encoder in ENCODERS.values():
        assert_same(encoder, sentences)


def test_a_usual_sentence_never_asks_the_plain_tokenizer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this test, the others would pass if nothing were compiled."""

    def must_not_be_asked(self: WordTokenizer, text: str) -> list[int]:
        raise AssertionError(text)

    sentences = ["The U.S. doesn’t “pay” 1,000 €!", "Él comió", "Слово и дело", "日本 😀", "", "?!"]
    encoder = ENCODERS["float32, with pieces"]
    expected = plainly(encoder, sentences)[1]
    monkeypatch.setattr(WordTokenizer, "ids", must_not_be_asked)
    assert compiled(encoder, sentences)[1].tobytes() == expected.tobytes()
    with pytest.raises(AssertionError, match="e\u0301"):
        compiled(encoder, ["e\u0301"])


def test_another_librarys_tokenizer_has_no_twin() -> None:
    tokenizer = to_wordpiece(WordTokenizer(["a", "b"], 1))
    encoder = encoder_for(HuggingFaceTokenizer(tokenizer.to_str(), keep_unknown=True), eighth=False)
    assert finder_for(encoder.tokenizer) is None
    assert_same(encoder, ["a b", "", "b c"])


def test_a_vocabulary_whose_words_share_a_checksum_is_told_apart() -> None:
    """``plumless`` and ``buckeroo`` are the well-known pair of words with one CRC-32."""
    encoder = encoder_of(["buckeroo", "a", "plumless"], 2, eighth=False)
    ids, _ = compiled(encoder, ["plumless buckeroo a plumless"])
    assert ids.flat.tolist() == [2, 0, 1, 2]


def test_a_large_vocabulary_is_found_whole() -> None:
    known = [f"{a}{b}" for a in "abcdefghijklmnopqrstuvwxyzéжσ日" for b in range(700)]
    encoder = encoder_of(known, 1, eighth=True, dim=1)
    ids, _ = compiled(encoder, known)
    assert ids.flat.tolist() == list(range(len(known)))
    strangers, _ = compiled(encoder, [f"{word}x" for word in known])
    assert set(strangers.flat.tolist()) == {len(known)}
