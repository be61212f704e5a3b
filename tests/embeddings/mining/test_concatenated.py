"""Models side by side."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder import Encoder, cosine
from embeddings.loading import load
from embeddings.mining.concatenated import ConcatenatedEncoder, mining_encoder
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import UnknownNameError

SENTENCES = ["A dog runs.", "Un perro corre.", "", "Stocks fell on Friday."]


def toy(seed: int, dim: int) -> Encoder:
    words = ["a", "dog", "runs", "stocks", "fell"]
    table = np.random.default_rng(seed).normal(size=(len(words) + 4, dim))
    return Encoder(WordTokenizer(words, 4), table.astype(np.float32))


def test_the_cosine_is_the_mean_of_the_cosines() -> None:
    one, other = toy(0, 5), toy(1, 8)
    joined = ConcatenatedEncoder([one, other])
    vectors = joined.encode(SENTENCES)
    assert vectors.shape == (4, joined.dim) == (4, 13)
    both = [cosine(e.encode(SENTENCES[:2]), e.encode(SENTENCES[3:] * 2)) for e in (one, other)]
    found = cosine(vectors[:2], vectors[[3, 3]])
    np.testing.assert_allclose(found, np.mean(both, axis=0), atol=1e-6)
    assert not vectors[2].any()


def test_models_are_joined_by_name(tmp_path: Path) -> None:
    joined = mining_encoder("paragram+paragram-small", "en")
    assert joined.dim == sum(load(n).dim for n in ("paragram", "paragram-small"))
    assert mining_encoder("paragram", None) is load("paragram")
    with pytest.raises(UnknownNameError, match="paragran"):
        mining_encoder("paragram+paragran", None)
