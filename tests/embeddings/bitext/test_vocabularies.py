"""Where training on bitext starts: vocabularies, random rows, nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from semaniacs.embeddings.bitext.bitext_configuration import EncoderName, Shape
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.lstm import RecurrentEncoder
from semaniacs.embeddings.bitext.vocabularies import BUCKETS, starting_point
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from semaniacs.embeddings.tokenizers.trigrams import TrigramTokenizer
from tests.embeddings.bitext.synthetic import made_up

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
