"""Where training on bitext starts: vocabularies, random rows, nothing else."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from embeddings.bitext.bitext_configuration import EncoderName, Shape
from embeddings.bitext.corpus import Bitext
from embeddings.bitext.lstm import RecurrentEncoder
from embeddings.bitext.vocabularies import BUCKETS, make_vocabularies, starting_point
from embeddings.encoder import Encoder
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.tokenizers.trigrams import TrigramTokenizer
from embeddings.tokenizers.words import WordTokenizer
from tests.embeddings.bitext.synthetic import made_up
from tests.embeddings.models import learned

BITEXTS = [made_up(30), Bitext(("en", "yy"), [("badat Rome", "XYZ Rome"), ("fegit", "xyz")])]


@pytest.mark.parametrize(
    ("name", "vocabulary", "encoder"),
    [
        ("SP", SentencePieceTokenizer, Encoder),
        ("TRIGRAM", TrigramTokenizer, Encoder),
        ("WORD", WordTokenizer, Encoder),
        ("LSTM-SP", SentencePieceTokenizer, RecurrentEncoder),
    ],
)
def test_each_encoder_by_name(name: EncoderName, vocabulary: type, encoder: type) -> None:
    start = starting_point(BITEXTS, Shape(name, size=60, dim=6))
    assert start.languages == ("en", "xx", "yy")
    made = start.of("en")
    assert (type(made.tokenizer), type(made), made.dim) == (vocabulary, encoder, 6)
    assert start.of("xx") is made and start.of("yy") is made
    assert made.table.shape == (len(made.tokenizer.known) + BUCKETS, 6)
    assert made.encode(["badat rome", ""]).shape == (2, 6)


@pytest.mark.parametrize("name", ["SP", "TRIGRAM", "WORD"])
def test_random_baselines_are_the_same_again(name: EncoderName) -> None:
    shape = Shape(name, size=60, dim=40, deviation=0.3)
    first, again = (starting_point(BITEXTS, shape).of("en").table for _ in range(2))
    assert first.tobytes() == again.tobytes() and first.dtype == np.float32
    other = starting_point(BITEXTS, Shape(name, 60, 40, deviation=0.3, seed=1)).of("en").table
    assert not np.any(first == other)
    assert abs(first.mean()) < 0.03 and abs(first.std() - 0.3) < 0.02


def test_words_are_the_most_frequent() -> None:
    texts = {code: [s for b in BITEXTS for i in (0, 1) if b.languages[i] == code for s in b.side(i)]
             for code in ("en", "xx", "yy")}  # fmt: skip
    counts = Counter(w for side in texts.values() for s in side for w in s.lower().split())
    known = make_vocabularies(texts, Shape("WORD", 10))["en"].known
    assert len(known) == 10
    assert sorted(counts[word] for word in known) == sorted(counts.values())[-10:]
    assert "xyz" in make_vocabularies(texts, Shape("WORD", 1000))["yy"]  # in lower case, once
    assert "xyz" in make_vocabularies(texts, Shape("TRIGRAM", 1000))["yy"]


def test_models_apart_share_the_rows_of_equal_pieces() -> None:
    start = starting_point(BITEXTS[:1], Shape(size=40, dim=4, separate=True))
    english, foreign = start.of("en"), start.of("xx")
    assert isinstance(english.tokenizer, SentencePieceTokenizer)
    assert isinstance(foreign.tokenizer, SentencePieceTokenizer)
    assert english.tokenizer.model != foreign.tokenizer.model
    assert english.table is foreign.table
    one, other = english.tokenizer.pieces, foreign.tokenizer.pieces
    assert english.tokenizer.known == foreign.tokenizer.known
    assert sorted(english.tokenizer.known) == sorted({*one, *other})
    assert set(one) & set(other) and set(one) - set(other) and set(other) - set(one)


@pytest.mark.parametrize("name", ["SP", "LSTM-SP"])
def test_a_model_that_is_given_is_used(name: EncoderName) -> None:
    start = starting_point(BITEXTS, Shape(name, dim=4), learned())
    vocabulary = start.of("yy").tokenizer
    assert isinstance(vocabulary, SentencePieceTokenizer) and vocabulary.model == learned()
    assert start.of("en") is start.of("xx")


@pytest.mark.parametrize("model", [b"", b"no model"])
def test_what_is_no_model_is_refused(model: bytes) -> None:
    with pytest.raises(ValueError, match="no SentencePiece model"):
        starting_point(BITEXTS, Shape(), model)


def test_too_little_text_is_refused() -> None:
    with pytest.raises(ValueError, match="no character"):
        starting_point([Bitext(("en", "xx"), [("\u200b", "\u200b")])], Shape())
    with pytest.raises(ValueError, match="no 5 pieces can be learned .*smaller than required"):
        starting_point(BITEXTS, Shape(size=5))
