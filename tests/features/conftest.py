"""A tiny world for features: two-dimensional word vectors whose cosines one can see."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.transformer.plain_forward import Shape
from semaniacs.features.batch import Batch
from semaniacs.features.contextual_rows import Contextual
from semaniacs.features.lexicon import WordNet
from semaniacs.features.registry import get_feature
from semaniacs.features.resources import NETWORK, Resources
from tests.features.support import MakeBatch, Value, make_batch, make_encoder


class TinyResources(Resources):
    """Resources with word spaces and a transformer given by hand."""

    def missing(self, name: str) -> str | None:
        return None if name in (*self.spaces, NETWORK) else super().missing(name)


class TinyTransformer:
    """A word has one state after the third layer and one after the last, in any context.

    Words: [CLS] and [SEP], which are zero, cat, dog, ship; others are [UNK].
    """

    digest = "tiny"
    shape = Shape(layers=6, heads=1, epsilon=0.0)
    words = ("[CLS]", "[SEP]", "[UNK]", "cat", "dog", "ship")
    states: ClassVar[dict[int, list[tuple[float, float]]]] = {
        3: [(0, 0), (0, 0), (0.3, -0.5), (1, 0), (0, 1), (0.6, 0.8)],
        6: [(0, 0), (0, 0), (0.3, -0.5), (1, 0), (0.6, 0.8), (0, 2)],
    }

    def __init__(self) -> None:
        self.tokenizer = self
        self.asked: list[str] = []

    def id_to_token(self, number: int) -> str:
        return self.words[number]

    def layers(self, sentences: Sequence[str], layers: Sequence[int]) -> tuple[list[Any], Any]:
        self.asked += sentences
        ids = []
        for sentence in sentences:
            known = [w if w in self.words else "[UNK]" for w in sentence.lower().split()]
            numbers = [self.words.index(word) for word in ("[CLS]", *known, "[SEP]")]
            ids.append(np.array(numbers, np.int32))
        tables = [np.array(self.states[layer], np.float32) for layer in layers]
        return ids, [[table[numbers] for numbers in ids] for table in tables]


def tiny_encoder(**vectors: tuple[float, ...]) -> Encoder:
    return make_encoder([*vectors.values(), (0.3, -0.5)], *vectors)


class TinyReader:
    """In place of a network that reads both: .9 for the same tokens, else .25."""

    digest = "tiny"
    first = 3

    def compare(self, pairs: Sequence[tuple[str, ...]]) -> NDArray[np.float64]:
        return np.array([0.9 if a.split() == b.split() else 0.25 for a, b in pairs])


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> TinyResources:
    resources = TinyResources(
        {
            "paraphrase1": tiny_encoder(cat=(1, 0), dog=(0.6, 0.8)),
            "paraphrase2": tiny_encoder(cat=(1, 0), dog=(0, 1)),
            "paragram": tiny_encoder(cat=(1, 0), dog=(0.6, 0.8), ship=(0, 2), port=(-1, 0)),
            "paragram-small": tiny_encoder(cat=(1, 0), dog=(0, 1)),
        }
    )
    resources.spaces = {
        "lsa-news": tiny_encoder(cat=(2, 0), dog=(0, 3), ship=(-1, 0.37)),
        "lsa-daily": tiny_encoder(cat=(1, 0), dog=(3, 4), ship=(-1, 0.37)),
        "w2v": tiny_encoder(
            cat=(1, 0), dog=(0.6, 0.8), ship=(0, 2), port=(-1, -0.37), sleeps=(0, 1), runs=(3, 4)
        ),
    }
    encoder: Any = TinyTransformer()
    reader: Any = TinyReader()
    resources.network = Contextual(encoder, reader, tmp_path_factory.mktemp("contextual"))
    return resources


@pytest.fixture(scope="session")
def batch_of(tiny: TinyResources) -> MakeBatch:
    """A batch in the tiny world."""

    def make(left: Sequence[str], right: Sequence[str]) -> Batch:
        return make_batch(left, right, tiny)

    return make


@pytest.fixture(scope="session")
def value(batch_of: MakeBatch) -> Value:
    """One feature of one pair in the tiny world."""

    def compute(name: str, left: str, right: str) -> float:
        column = get_feature(name).compute(batch_of([left], [right]))
        assert column.shape == (1,)
        assert column.dtype == np.float64
        return float(column[0])

    return compute


@pytest.fixture(scope="session")
def wordnet(tiny: TinyResources) -> WordNet:
    return tiny.wordnet
