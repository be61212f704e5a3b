"""The fingerprint is equal for equal encoders, and for no others."""

from __future__ import annotations

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder, fingerprint
from semaniacs.embeddings.table import Table, quantize
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.tokenizers.trigrams import TrigramTokenizer
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
