"""The compiled path of trigrams is the plain one: the same rows, and the same vectors."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from embeddings import encoder as encoder_module
from embeddings.compiled.character_table import LIMIT
from embeddings.encoder import Encoder
from embeddings.tokenizers.trigrams import TrigramTokenizer, frequent, trigrams
from tests.embeddings.models import LINES
from tests.embeddings.twins import (
    FRAGMENTS,
    assert_same,
    compiled,
    encoder_for,
    plainly,
    real_sentences,
    sentences_of,
)

KNOWN = list(dict.fromkeys([
    *frequent((entry for line in LINES for entry in trigrams(line)), 200),
    *(" n'", "n't", "日本語", "😀😀😀", " 😀 ", "\0\0\0", " \0 ", "\U0010ffffab", " ? ", "▁ ▁"),
    *("", "a", "ab", "abcd", "\ud800ab"),  # which no text holds
]))  # fmt: skip
ENCODERS = {
    "float32": encoder_for(TrigramTokenizer(KNOWN, 7), eighth=False),
    "int8": encoder_for(TrigramTokenizer(KNOWN, 1000), eighth=True),
    "none known": encoder_for(TrigramTokenizer([], 5), eighth=True),
}
every_encoder = pytest.mark.parametrize("encoder", ENCODERS.values(), ids=ENCODERS)
SENTENCE = sentences_of([*FRAGMENTS, *KNOWN, *LINES])


@every_encoder
@settings(max_examples=150)
@given(sentences=st.lists(SENTENCE, min_size=1, max_size=8))
def test_any_text_has_the_same_rows_and_the_same_vectors(
    encoder: Encoder, sentences: list[str]
) -> None:
    assert_same(encoder, sentences)


def test_rows_by_hand() -> None:
    vocabulary = TrigramTokenizer([" a ", "a b", " b "], 4)
    ids, _ = compiled(encoder_for(vocabulary, eighth=False), ["A", " a\u00a0 b ", "\t", "ab"])
    rows = [part.tolist() for part in np.split(ids.flat, ids.offsets[1:-1])]
    assert rows == [[0], [0, 1, 2], [], [vocabulary.bucket(" ab"), vocabulary.bucket("ab ")]]


@pytest.mark.parametrize("buckets", range(2, 8))
def test_three_null_characters_are_a_trigram_like_any_other(buckets: int) -> None:
    for known in ([], ["\0\0\0"], ["a b", "\0\0\0", " \0\0"]):
        encoder = encoder_for(TrigramTokenizer(known, buckets), eighth=False)
        assert_same(encoder, ["\0\0\0", "\0\0\0\0", "a b"])


def test_every_character_means_the_same_alone_and_among_others() -> None:
    sentences = [f"{chr(code)} a{chr(code)}b" for code in range(LIMIT + 0x100)]
    encoder = ENCODERS["int8"]
    expected, found = plainly(encoder, sentences)[0], compiled(encoder, sentences)[0]
    np.testing.assert_array_equal(found.offsets, expected.offsets)
    np.testing.assert_array_equal(found.flat, expected.flat)


@pytest.mark.parametrize("text", ["a", "日", "the man ", "😀", " ", "\u0301"])
def test_a_sentence_of_very_many_characters(text: str) -> None:
    long = text * (100_000 // len(text))
    assert_same(ENCODERS["float32"], [long, "the man", "x" + long])


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
    sentences = [" ".join(rng.choice([*FRAGMENTS, *KNOWN], n)) for n in rng.integers(0, 9, 1000)]
    for encoder in ENCODERS.values():
        assert_same(encoder, sentences)


def test_a_usual_sentence_never_takes_the_plain_path(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without this test, the others would pass if nothing were compiled."""

    def must_not_be_asked(self: TrigramTokenizer, text: str) -> list[int]:
        raise AssertionError(text)

    sentences = [*LINES, "Él doesn’t “pay” 1,000 €!", "日本 😀", "", "?!", "\ud800 ▁ \0"]
    encoder = ENCODERS["float32"]
    expected = plainly(encoder, sentences)[1]
    monkeypatch.setattr(TrigramTokenizer, "ids", must_not_be_asked)
    assert compiled(encoder, sentences)[1].tobytes() == expected.tobytes()
    with pytest.raises(AssertionError, match="e\u0301"):
        compiled(encoder, ["e\u0301"])


def test_a_large_vocabulary_is_found_whole() -> None:
    letters = [chr(code) for code in range(0x4E00, 0x4E00 + 30)]
    known = [a + b + c for a in letters for b in letters for c in letters]
    encoder = encoder_for(TrigramTokenizer(known, 1), eighth=True, dim=1)
    ids, _ = compiled(encoder, known)
    assert ids.flat[1::3].tolist() == list(range(len(known)))
    assert set(ids.flat[::3].tolist()) == {len(known)}  # with a space before, none is known


def test_thousands_of_real_sentences_in_four_languages() -> None:
    for language in ("en", "es", "de", "ru"):
        sentences = real_sentences(language, 1500)
        known = frequent((entry for text in sentences[:500] for entry in trigrams(text)), 2000)
        assert_same(encoder_for(TrigramTokenizer(known, 11), eighth=True, dim=2), sentences)
