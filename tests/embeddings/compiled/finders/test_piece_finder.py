"""The best path over the pieces of a SentencePiece model, compiled, against the library's."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings.compiled.dispatch import finder_for
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer, train_pieces
from tests.embeddings.compiled_kinds import ENGLISH, shared
from tests.embeddings.models import LINES, OTHER_MODELS, learned, model_of, trained
from tests.embeddings.twins import assert_same, compiled_rows, encoder_for, real_sentences

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
    tokenizer = SentencePieceTokenizer(model_of(scores), buckets=3)
    assert_same(encoder_for(tokenizer, int8=False, dim=1), sentences)


def test_the_best_path_by_hand() -> None:
    scores = {"▁": -2.0, "a": -3.0, "▁a": -4.0, "b": -3.0, "ab": -5.5, "▁ab": -9.0, "ba": -6.0}
    tokenizer = SentencePieceTokenizer(model_of(scores), buckets=1)
    row, unknown = tokenizer.rows, len(scores)
    sentences = ["a", "ab", " B\tA ", "bab", "xa", "yzz", "xx yy", ""]
    assert compiled_rows(tokenizer, sentences) == [
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
    tokenizer = SentencePieceTokenizer(
        model_of({"▁": 0.0, "ab": score, "cd": score, "bcd": 0.0}), None, 1
    )
    assert compiled_rows(tokenizer, ["abcd"]) == [[tokenizer.rows.get(piece, 4) for piece in cut]]


def test_of_equal_paths_the_one_with_the_longest_last_piece() -> None:
    tokenizer = SentencePieceTokenizer(model_of({"▁": -1.0, "a": -1.0, "aa": -2.0}))
    assert compiled_rows(tokenizer, ["aaa"]) == [[0, 1, 2]]


def test_sums_are_rounded_from_the_beginning_of_the_sentence_on() -> None:
    """Far from there, sums in float32 no longer tell paths of nearly equal scores apart."""
    tokenizer = SentencePieceTokenizer(model_of({"▁": -1.0, "a": -1.0, "aa": -2.00001, "b": -9.0}))
    sentences = ["b aa", "b " * 30 + "aa"]
    assert [row[-2:] for row in compiled_rows(tokenizer, sentences)] == [[1, 1], [0, 2]]
    assert_same(encoder_for(tokenizer, int8=False), sentences)


@pytest.mark.parametrize("count", [1, 49, 50, 51, 99, 100, 101, 150, 200, 250])
def test_of_very_improbable_sentences_too(count: int) -> None:
    """From a sum of 100,000 on the library rounds less than one sum in float32 would."""
    tokenizer = SentencePieceTokenizer(model_of({"▁": 0.0, "a": 0.0, "aa": -0.001, "b": -1000.0}))
    sentences = ["b" * count + "aa", "b" * count + " aa", "aa" + "b" * count]
    assert_same(encoder_for(tokenizer, int8=False), sentences)


def test_what_the_model_does_not_know_may_be_a_piece_of_another_language() -> None:
    tokenizer = shared(ENGLISH, 2)
    assert "и" not in SentencePieceTokenizer(ENGLISH).pieces
    assert compiled_rows(tokenizer, ["a 日本 и 日 😀"])[0][1:] == [
        tokenizer.rows["▁"], tokenizer.rows["日本"],
        tokenizer.rows["▁"], tokenizer.rows["и"],
        tokenizer.rows["▁"], tokenizer.bucket("日"),
        tokenizer.rows["▁"], tokenizer.rows["😀"],
    ]  # fmt: skip


@pytest.mark.parametrize("settings", OTHER_MODELS, ids=str)
def test_models_that_do_more_than_find_the_best_path_are_left_to_the_library(
    settings: dict[str, Any],
) -> None:
    tokenizer = SentencePieceTokenizer(trained(**settings))
    assert finder_for(tokenizer) is None
    assert_same(encoder_for(tokenizer, int8=True), LINES)


def test_so_are_files_of_which_more_can_be_said() -> None:
    tokenizer = SentencePieceTokenizer(learned() + b"\x0b\x0c")
    assert finder_for(tokenizer) is None
    assert_same(encoder_for(tokenizer, int8=True), LINES)


def test_pieces_that_are_not_used_are_not_found() -> None:
    tokenizer = SentencePieceTokenizer(
        model_of({"▁": -1.0, "ab": -0.5, "a": -3.0, "b": -1.0}, {"ab": 5})
    )
    assert compiled_rows(tokenizer, ["ab"]) == [[tokenizer.rows[piece] for piece in "▁ab"]]


def test_thousands_of_real_sentences_in_four_languages() -> None:
    """Near-ties are everywhere: for long sentences the rounding of a sum decides."""
    texts = {language: real_sentences(language, 1500) for language in ("en", "es", "de", "ru")}
    for language, sentences in texts.items():
        tokenizer = SentencePieceTokenizer(train_pieces(sentences[:500], 700), buckets=11)
        encoder = encoder_for(tokenizer, int8=True, dim=2)
        assert_same(encoder, [*sentences, *texts["ru" if language == "en" else "en"][:300]])
        assert_same(encoder, [" ".join(sentences[:300])])
