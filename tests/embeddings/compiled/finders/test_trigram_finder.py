"""Character trigrams, compiled."""

from __future__ import annotations

import pytest

from embeddings.tokenizers.trigrams import TrigramTokenizer, frequent, trigrams
from tests.embeddings.twins import (
    assert_same,
    compiled,
    compiled_rows,
    encoder_for,
    real_sentences,
)


def test_rows_by_hand() -> None:
    tokenizer = TrigramTokenizer([" a ", "a b", " b "], 4)
    rows = compiled_rows(tokenizer, ["A", " a\u00a0 b ", "\t", "ab"])
    assert rows == [[0], [0, 1, 2], [], [tokenizer.bucket(" ab"), tokenizer.bucket("ab ")]]


@pytest.mark.parametrize("buckets", range(2, 8))
def test_three_null_characters_are_a_trigram_like_any_other(buckets: int) -> None:
    for known in ([], ["\0\0\0"], ["a b", "\0\0\0", " \0\0"]):
        encoder = encoder_for(TrigramTokenizer(known, buckets), int8=False)
        assert_same(encoder, ["\0\0\0", "\0\0\0\0", "a b"])


def test_a_large_vocabulary_is_found_whole() -> None:
    letters = [chr(code) for code in range(0x4E00, 0x4E00 + 30)]
    known = [a + b + c for a in letters for b in letters for c in letters]
    encoder = encoder_for(TrigramTokenizer(known, 1), int8=True, dim=1)
    ids, _ = compiled(encoder, known)
    assert ids.flat[1::3].tolist() == list(range(len(known)))
    assert set(ids.flat[::3].tolist()) == {len(known)}  # with a space before, none is known


def test_thousands_of_real_sentences_in_four_languages() -> None:
    for language in ("en", "es", "de", "ru"):
        sentences = real_sentences(language, 1500)
        known = frequent((entry for text in sentences[:500] for entry in trigrams(text)), 2000)
        assert_same(encoder_for(TrigramTokenizer(known, 11), int8=True, dim=2), sentences)
