"""The compiled path of pieces is the plain one, which asks the ``sentencepiece`` library."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings import encoder as encoder_module
from embeddings.compiled.character_table import LIMIT
from embeddings.compiled.dispatch import finder_for
from embeddings.encoder import Encoder
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer, train_pieces
from tests.embeddings.models import LINES, learned, model_of, trained
from tests.embeddings.twins import (
    FRAGMENTS,
    assert_same,
    compiled,
    encoder_for,
    plainly,
    real_sentences,
    sentences_of,
)

ENGLISH = learned(80, only="the")


def shared(model: bytes, buckets: int) -> SentencePieceTokenizer:
    """A vocabulary with rows for the pieces of other languages too, which come first."""
    others = (*SentencePieceTokenizer(learned()).pieces, "😀", "日本", "?", "\ufffd")
    return SentencePieceTokenizer(
        model, dict.fromkeys((*others, *SentencePieceTokenizer(model).pieces)), buckets
    )


ENCODERS = {
    "float32, one language": encoder_for(SentencePieceTokenizer(ENGLISH, buckets=7), eighth=False),
    "int8, four languages": encoder_for(SentencePieceTokenizer(learned()), eighth=True),
    "float32, rows of others": encoder_for(shared(ENGLISH, 1000), eighth=False),
    "int8, hardly a piece": encoder_for(SentencePieceTokenizer(model_of({"a": -1.0})), eighth=True),
}
every_encoder = pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
SENTENCE = sentences_of([*FRAGMENTS, "▁", "▁a", *LINES, *" ".join(LINES).split()])


@every_encoder
@settings(max_examples=150)
@given(sentences=st.lists(SENTENCE, min_size=1, max_size=8))
def test_any_text_has_the_same_rows_and_the_same_vectors(
    encoder: Encoder, sentences: list[str]
) -> None:
    assert_same(encoder, sentences)


PIECES = st.text("ab▁", min_size=1, max_size=4)
NEAR = [-0.1, -0.2, -0.3, -0.7, -1.7, -1e-7, -1e-5, -1e3, -3e4, -7e4, -1e5, -1e6, -3e38, 5.5, 6e4]
SCORES = st.integers(-4, 0).map(float) | st.sampled_from(NEAR)


@settings(max_examples=300)
@given(
    scores=st.dictionaries(PIECES, SCORES, min_size=1, max_size=12),
    sentences=st.lists(st.text("aab c", max_size=30), min_size=1, max_size=8),
)
def test_of_equal_and_nearly_equal_paths_the_librarys_is_taken(
    scores: dict[str, float], sentences: list[str]
) -> None:
    vocabulary = SentencePieceTokenizer(model_of(scores), buckets=3)
    assert_same(encoder_for(vocabulary, eighth=False, dim=1), sentences)


def rows_of(ids: Ragged) -> list[list[int]]:
    return [part.tolist() for part in np.split(ids.flat, ids.offsets[1:-1])]


def test_the_best_path_by_hand() -> None:
    scores = {"▁": -2.0, "a": -3.0, "▁a": -4.0, "b": -3.0, "ab": -5.5, "▁ab": -9.0, "ba": -6.0}
    vocabulary = SentencePieceTokenizer(model_of(scores), buckets=1)
    row, unknown = vocabulary.rows, len(scores)
    ids, _ = compiled(
        encoder_for(vocabulary, eighth=False),
        ["a", "ab", " B\tA ", "bab", "xa", "yzz", "xx yy", ""],
    )
    assert rows_of(ids) == [
        [row["▁a"]],  # -4, not -2 - 3
        [row["▁a"], row["b"]],  # -7, not -2 - 5.5 nor -9
        [row["▁"], row["b"], row["▁a"]],
        [row["▁"], row["b"], row["ab"]],  # -10.5, not -2 - 6 - 3
        [row["▁"], unknown, row["a"]],
        [row["▁"], unknown],  # what is unknown in a row is one
        [row["▁"], unknown, row["▁"], unknown],
        [],
    ]


@pytest.mark.parametrize(("score", "cut"), [(-9.9, ["▁", "ab", "cd"]), (-10.1, ["▁", "?", "bcd"])])
def test_an_unknown_character_is_ten_below_the_worst_piece(score: float, cut: list[str]) -> None:
    vocabulary = SentencePieceTokenizer(
        model_of({"▁": 0.0, "ab": score, "cd": score, "bcd": 0.0}), None, 1
    )
    ids, _ = compiled(encoder_for(vocabulary, eighth=False), ["abcd"])
    assert rows_of(ids) == [[vocabulary.rows.get(piece, 4) for piece in cut]]


def test_of_equal_paths_the_one_with_the_longest_last_piece() -> None:
    vocabulary = SentencePieceTokenizer(model_of({"▁": -1.0, "a": -1.0, "aa": -2.0}))
    ids, _ = compiled(encoder_for(vocabulary, eighth=False), ["aaa"])
    assert rows_of(ids) == [[0, 1, 2]]


def test_sums_are_rounded_from_the_beginning_of_the_sentence_on() -> None:
    """Far from there, sums in float32 no longer tell paths of nearly equal scores apart."""
    vocabulary = SentencePieceTokenizer(model_of({"▁": -1.0, "a": -1.0, "aa": -2.00001, "b": -9.0}))
    encoder = encoder_for(vocabulary, eighth=False)
    sentences = ["b aa", "b " * 30 + "aa"]
    assert [row[-2:] for row in rows_of(compiled(encoder, sentences)[0])] == [[1, 1], [0, 2]]
    assert_same(encoder, sentences)


@pytest.mark.parametrize("count", [1, 49, 50, 51, 99, 100, 101, 150, 200, 250])
def test_of_very_improbable_sentences_too(count: int) -> None:
    """From a sum of 100,000 on the library rounds less than one sum in float32 would."""
    vocabulary = SentencePieceTokenizer(model_of({"▁": 0.0, "a": 0.0, "aa": -0.001, "b": -1000.0}))
    sentences = ["b" * count + "aa", "b" * count + " aa", "aa" + "b" * count]
    assert_same(encoder_for(vocabulary, eighth=False), sentences)


def test_what_the_model_does_not_know_may_be_a_piece_of_another_language() -> None:
    vocabulary = shared(ENGLISH, 2)
    assert "и" not in SentencePieceTokenizer(ENGLISH).pieces
    ids, _ = compiled(encoder_for(vocabulary, eighth=False), ["a 日本 и 日 😀"])
    assert rows_of(ids)[0][1:] == [
        vocabulary.rows["▁"], vocabulary.rows["日本"],
        vocabulary.rows["▁"], vocabulary.rows["и"],
        vocabulary.rows["▁"], vocabulary.bucket("日"),
        vocabulary.rows["▁"], vocabulary.rows["😀"],
    ]  # fmt: skip


def test_every_character_means_the_same_alone_and_among_others() -> None:
    characters = [chr(code) for code in range(LIMIT + 0x100)]
    sentences = [f"{character} a{character}man{character}" for character in characters]
    encoder = ENCODERS["int8, four languages"]
    expected, found = plainly(encoder, sentences)[0], compiled(encoder, sentences)[0]
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    np.testing.assert_array_equal(found.flat, expected.flat)


@pytest.mark.parametrize("text", ["a", "日", "man the ", "😀", "▁", " ", "\u0301", "é ж"])
def test_a_sentence_of_very_many_characters(text: str) -> None:
    encoder = ENCODERS["float32, rows of others"]
    long = text * (100_000 // len(text))
    with patch.object(encoder_module, "_WORTH_COMPILING", 0):
        ids = encoder.ids([long, "the man", "x" + long])
    expected = [encoder.tokenizer.ids(text) for text in (long, "the man", "x" + long)]
    assert rows_of(ids) == expected


@every_encoder
@pytest.mark.parametrize(
    "sentences",
    [[], [""], ["", " "], ["", "a", "", "e\u0301", "", "▁", " \u2028", "\u200b", "\u200b a", ""]],
    ids=["none", "one empty", "all blank", "mixed"],
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


def test_many_chunks_in_many_threads_keep_their_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(encoder_module, "_CHUNK", 64)
    monkeypatch.setattr(encoder_module, "threads", lambda: 8)
    rng = np.random.default_rng(0)
    words = [*FRAGMENTS, *" ".join(LINES).split()]
    sentences = [" ".join(rng.choice(words, n)) for n in rng.integers(0, 9, 1000)]
    for encoder in ENCODERS.values():
        assert_same(encoder, sentences)


def test_a_usual_sentence_never_asks_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this test, the others would pass if nothing were compiled."""

    def must_not_be_asked(self: SentencePieceTokenizer, text: str) -> list[int]:
        raise AssertionError(text)

    sentences = [*LINES, "Él doesn’t “pay” 1,000 €!", "Straße", "日本 😀", "", "?!", "\ud800"]
    encoder = ENCODERS["float32, one language"]
    expected = plainly(encoder, sentences)[1]
    monkeypatch.setattr(SentencePieceTokenizer, "ids", must_not_be_asked)
    assert compiled(encoder, sentences)[1].tobytes() == expected.tobytes()
    for left in ("e\u0301", "a▁b", "a\0b"):
        with pytest.raises(AssertionError, match=left[-1]):
            compiled(encoder, [left])


@pytest.mark.parametrize("settings", [
    {"model_type": "bpe"},
    {"model_type": "char"},
    {"model_type": "word"},
    {"user_defined_symbols": ["man"]},
    {"byte_fallback": True, "vocab_size": 400},
    {"normalization_rule_name": "nmt_nfkc"},
    {"treat_whitespace_as_suffix": True},
    {"add_dummy_prefix": False},
], ids=str)  # fmt: skip
def test_models_that_do_more_than_find_the_best_path_are_left_to_the_library(
    settings: dict[str, Any],
) -> None:
    vocabulary = SentencePieceTokenizer(trained(**settings))
    assert finder_for(vocabulary) is None
    assert_same(encoder_for(vocabulary, eighth=True), LINES)


def test_so_are_files_of_which_more_can_be_said() -> None:
    vocabulary = SentencePieceTokenizer(learned() + b"\x0b\x0c")
    assert finder_for(vocabulary) is None
    assert_same(encoder_for(vocabulary, eighth=True), LINES)


def test_pieces_that_are_not_used_are_not_found() -> None:
    vocabulary = SentencePieceTokenizer(
        model_of({"▁": -1.0, "ab": -0.5, "a": -3.0, "b": -1.0}, {"ab": 5})
    )
    ids, _ = compiled(encoder_for(vocabulary, eighth=False), ["ab"])
    assert rows_of(ids) == [[vocabulary.rows[piece] for piece in "▁ab"]]


def test_thousands_of_real_sentences_in_four_languages() -> None:
    """Near-ties are everywhere: for long sentences the rounding of a sum decides."""
    texts = {language: real_sentences(language, 1500) for language in ("en", "es", "de", "ru")}
    for language, sentences in texts.items():
        vocabulary = SentencePieceTokenizer(train_pieces(sentences[:500], 700), buckets=11)
        encoder = encoder_for(vocabulary, eighth=True, dim=2)
        assert_same(encoder, [*sentences, *texts["ru" if language == "en" else "en"][:300]])
        assert_same(encoder, [" ".join(sentences[:300])])
