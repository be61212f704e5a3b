"""Golden values of everything that is cached under a version number written by hand.

When a value here moves on purpose, raise ``VERSION`` in the file that caches it, so that old
entries are computed again, and write the new value here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.bitext import named_encoders
from semaniacs.embeddings.bitext.bitext_configuration import BitextTraining, Shape
from semaniacs.embeddings.bitext.corpus import Bitext
from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning, Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.loading import load_multilingual
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.training.losses import PAIR_LOSSES
from semaniacs.embeddings.training.pair_training import Corpus, train
from semaniacs.embeddings.transformer import cached_teacher
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import train_bi_encoder
from semaniacs.embeddings.transformer.fine_tuning.reader_training import train_reader
from semaniacs.features import contextual_rows
from semaniacs.runs.pipeline.tuning import bitext, encoders, networks
from tests.embeddings.transformer import tiny
from tests.features.conftest import TinyReader, TinyTransformer

LEFT, RIGHT, GOLD = tiny.pairs(12)


def tuned_encoder(_: Path) -> Any:
    rows = np.random.default_rng(0).standard_normal((4, 4)).astype(np.float32)
    start = Encoder(WordTokenizer(["cat", "dog", "house"], 1), rows)
    pairs = [("a cat", "the cat"), ("a dog", "dogs"), ("house", "a house")]
    corpus = Corpus(pairs, [text for pair in pairs for text in pair])
    return train(start, [corpus], Training(epochs=2, batch=3)).table[:3]


def tuned_network(_: Path) -> Any:
    how = FineTuning(epochs=1, batch=6, learning_rate=3e-3, frozen=0, dropout=0.0)
    model = train_bi_encoder(tiny.network(), LEFT, RIGHT, GOLD, how, PAIR_LOSSES["cosent"](), None)
    return model.predict(LEFT[:4], RIGHT[:4])


def reading_network(_: Path) -> Any:
    how = CrossAttentionTuning(
        epochs=2, batch=6, learning_rate=3e-3, frozen=1, dropout=0.0, head_rate=3.0
    )
    return train_reader(tiny.network(), LEFT, RIGHT, GOLD, how).predict(LEFT[:4], RIGHT[:4])


def bitext_encoder(folder: Path) -> Any:
    pairs = [("a dog", "un perro"), ("a cat", "un gato")]
    recipe = replace(
        named_encoders.WORD,
        shape=Shape("WORD", size=20, dim=8),
        training=BitextTraining(epochs=1, batch=2),
    )
    path = folder / "made.safetensors"
    named_encoders.make(recipe, [Bitext(("en", "es"), pairs)], path)
    model = load_multilingual(path)
    return [
        model.of("en").encode(["a dog"], normalize=True)[0, :4],
        model.of("es").encode(["un perro"], normalize=True)[0, :4],
    ]


def teacher(_: Path) -> Any:
    return tiny.network().encode(LEFT[:2])[:, :4]


def columns(folder: Path) -> Any:
    encoder: Any = TinyTransformer()
    reader: Any = TinyReader()
    return contextual_rows.Contextual(encoder, reader, folder).rows([("cat dog", "dog")])


TUNED = [
    *(0.1187, -0.1262, 0.6478, 0.0989),
    *(-0.5341, 0.3719, 1.3037, 0.9408),
    *(-0.6967, -1.2733, -0.6336, 0.0406),
]
TEACHER = [-0.3155, 0.0313, -0.399, -0.602, -0.4456, 0.1992, -0.4105, -0.5257]
TAUGHT = [0.5799, 0.024, -0.2433, -0.5301, -0.5012, 0.2871, 0.3382, 0.2883]
COLUMNS = [0.8944, 0.8961, 0.7921, 3.8868, 0.8667, 0.7071, 0.7401, 0.4803, 9.7169, 0.25]


@pytest.mark.parametrize(
    ("compute", "version", "golden"),
    [
        (tuned_encoder, encoders.VERSION, (1, TUNED)),
        (tuned_network, networks.VERSION, (2, [0.9914, 0.989, 0.9294, 0.9177])),
        (reading_network, networks.VERSION, (2, [0.6509, 0.6475, 0.6185, 0.619])),
        (bitext_encoder, bitext.VERSION, (1, TAUGHT)),
        (teacher, cached_teacher.VERSION, (1, TEACHER)),
        (columns, contextual_rows.VERSION, (4, COLUMNS)),
    ],
)
def test_a_cached_value_moves_only_with_its_version(
    compute: Callable[[Path], Any], version: int, golden: tuple[int, list[float]], tmp_path: Path
) -> None:
    np.testing.assert_allclose(np.ravel(compute(tmp_path)), golden[1], atol=2e-3)
    assert version == golden[0]
