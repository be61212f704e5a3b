"""A small encoder of words for tests, and one that was tuned from it."""

from __future__ import annotations

import numpy as np

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer

KNOWN = ["the", "cat", "naïve", "слово", "n't", "\ud800"]


def make_encoder(seed: int = 0) -> Encoder:
    table = np.random.default_rng(seed).standard_normal((len(KNOWN) + 3, 5)).astype(np.float32)
    return Encoder(WordTokenizer(KNOWN, buckets=3), table)


def make_tuned(start: Encoder) -> Encoder:
    table = start.table.copy()
    table[[1, 4, 7]] += np.float32(0.3)
    return Encoder(start.tokenizer, table)
