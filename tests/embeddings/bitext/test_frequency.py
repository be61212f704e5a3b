"""Rows scaled by smooth inverse frequency."""

from __future__ import annotations

import numpy as np

from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.bitext.multilingual import Multilingual, scaled_by_frequency
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer

BITEXT = Bitext(("en", "es"), [("a dog", "un perro"), ("a cat", "un gato")])
WORDS = ["a", "un", "dog", "perro", "never"]


def model() -> Multilingual:
    table = np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)
    return Multilingual(dict.fromkeys(("en", "es"), Encoder(WordTokenizer(WORDS, 1), table)))


def test_a_row_is_scaled_by_its_share_of_both_sides() -> None:
    start = model()
    scaled = scaled_by_frequency(start, [BITEXT], 0.1)
    assert scaled.of("en") is scaled.of("es")
    # Of eight running words "a" and "un" are two each, "dog" and "perro" one, unknown ones two.
    expected = 0.1 / (0.1 + np.array([2, 2, 1, 1, 0, 2]) / 8)
    lengths = [np.linalg.norm(e.of("en").table, axis=1) for e in (scaled, start)]
    np.testing.assert_allclose(lengths[0] / lengths[1], expected, rtol=0.01)  # rounded to int8
    directions = np.einsum("nd,nd->n", scaled.of("en").table, start.of("en").table)
    np.testing.assert_allclose(directions / lengths[0] / lengths[1], 1, atol=1e-3)
