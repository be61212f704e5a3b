"""The fingerprint is equal for equal encoders, and for no others."""

from __future__ import annotations

from typing import Any

import numpy as np

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.table import Table, quantize
from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.tokenizers.trigrams import TrigramTokenizer
from embeddings.tokenizers.wordpiece import to_wordpiece
from embeddings.tokenizers.words import WordTokenizer
from tests.embeddings.models import learned
from tests.embeddings.toy import KNOWN, make_encoder

TABLE = np.random.default_rng(0).standard_normal((9, 5)).astype(np.float32)


def test_words_buckets_and_numbers_count() -> None:
    vocabularies = [
        WordTokenizer(KNOWN, 3),
        WordTokenizer(KNOWN[::-1], 3),
        WordTokenizer([*KNOWN, "x"], 2),
        WordTokenizer(["".join(KNOWN[:2]), *KNOWN[2:], "x"], 3),
    ]
    prints = [fingerprint(Encoder(v, TABLE)) for v in vocabularies]
    prints += [fingerprint(make_encoder(seed=1))]
    assert len(set(prints)) == 5
    assert fingerprint(make_encoder()) == prints[0]


def test_the_kind_of_tokenizer_counts() -> None:
    known = ["abc", "bcd", "cde"]
    words, trigrams = WordTokenizer(known, 6), TrigramTokenizer(known, 6)
    assert fingerprint(Encoder(words, TABLE)) != fingerprint(Encoder(trigrams, TABLE))


def test_what_follows_the_mean_counts() -> None:
    linear = make_encoder()
    prints = {
        fingerprint(Encoder(linear.tokenizer, linear.rows, limit)) for limit in (None, 0.5, 1.0)
    }
    assert len(prints) == 3


def test_what_is_done_with_unknown_tokens_counts() -> None:
    text = to_wordpiece(WordTokenizer(["a", "b"], 1)).to_str()
    settings: list[dict[str, Any]] = [
        {"keep_unknown": True},
        {"keep_unknown": False},
        {"keep_unknown": False, "longest": 7},
    ]
    made = [HuggingFaceTokenizer(text, **chosen) for chosen in settings]
    assert len({fingerprint(Encoder(one, TABLE[: len(one)])) for one in made}) == 3


def test_the_sentencepiece_model_counts() -> None:
    """Two models over the same list of pieces segment a sentence differently."""
    models = learned(80), learned(100)
    known = list(dict.fromkeys(p for m in models for p in SentencePieceTokenizer(m).pieces))
    made = [SentencePieceTokenizer(model, known, 4) for model in models]
    table = np.zeros((len(made[0]), 2), np.float32)
    assert len({fingerprint(Encoder(one, table)) for one in made}) == 2


def test_an_int8_table_counts_as_the_numbers_that_it_stands_for() -> None:
    tokenizer = WordTokenizer([f"w{i}" for i in range(19_999)], 1)
    rows = np.random.default_rng(0).standard_normal((20_000, 3)).astype(np.float32)
    encoder = Encoder(tokenizer, quantize(rows))
    found = fingerprint(encoder)
    assert "dense" not in vars(encoder.rows)  # no second table is made
    assert found == fingerprint(Encoder(tokenizer, Table(encoder.table)))


def test_the_bundled_vectors_are_those_that_the_taught_languages_extend() -> None:
    extended = loading.metadata_of("bitext-teacher")["start"]
    assert fingerprint(loading.load_static("paragram")) == extended
