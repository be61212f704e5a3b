"""A tiny world for features: two-dimensional word vectors whose cosines one can see."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from gensim.models import KeyedVectors

from embeddings.encoders import Encoder
from embeddings.vocabulary import Vocabulary
from features.registry import Batch, get_feature
from features.resources import Resources
from features.wordnet import WordNet, find_files
from sts.text import analyse, tag

Value = Callable[[str, str, str], float]


@pytest.fixture(scope="session", autouse=True)
def lexicon() -> None:
    """TextBlob leaves its lexicon open when it reads it, once; that is not ours to mend."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        tag(["one"])


class TinyResources(Resources):
    """Resources with word spaces given by hand; WordNet where it is installed."""

    def missing(self, name: str) -> str | None:
        return None if name in self.spaces else super().missing(name)


def make_space(**vectors: tuple[float, ...]) -> Any:
    space = KeyedVectors(len(next(iter(vectors.values()))))
    space.add_vectors(list(vectors), np.array(list(vectors.values()), np.float32))
    return space


def make_encoder(**vectors: tuple[float, ...]) -> Encoder:
    """An encoder of these words; all others share one row."""
    rows = [*vectors.values(), (0.3, -0.5)]
    return Encoder(Vocabulary(vectors, 1), np.array(rows, np.float32))


@pytest.fixture(scope="session")
def tiny() -> TinyResources:
    resources = TinyResources(
        {
            "paraphrase1": make_encoder(cat=(1, 0), dog=(0.6, 0.8)),
            "paraphrase2": make_encoder(cat=(1, 0), dog=(0, 1)),
        }
    )
    resources.spaces = {
        "lsa-news": make_space(cat=(2, 0), dog=(0, 3), ship=(-1, 0.37)),
        "lsa-daily": make_space(cat=(1, 0), dog=(3, 4), ship=(-1, 0.37)),
        "w2v": make_space(
            cat=(1, 0), dog=(0.6, 0.8), ship=(0, 2), port=(-1, -0.37), sleeps=(0, 1), runs=(3, 4)
        ),
    }
    return resources


@pytest.fixture(scope="session")
def value(tiny: TinyResources) -> Value:
    """One feature of one pair."""

    def compute(name: str, left: str, right: str) -> float:
        analysed = analyse([left, right])
        column = get_feature(name).compute(Batch([analysed[left]], [analysed[right]], tiny))
        assert column.shape == (1,)
        assert column.dtype == np.float64
        return float(column[0])

    return compute


@pytest.fixture(scope="session")
def wordnet(tiny: TinyResources) -> WordNet:
    if find_files() is None:
        pytest.skip(f"WordNet is not installed: {tiny.missing('wordnet')}")
    return tiny.wordnet
