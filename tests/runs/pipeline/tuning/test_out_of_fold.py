"""A training pair is never described by a model that saw it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from semaniacs.runs.pipeline.tuning.cross_fitting import (
    Describe,
    Matrix,
    out_of_fold,
    predict_out_of_fold,
    split_sources,
)
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import StsError


def data_set(name: str, size: int) -> Pairs:
    """Pairs whose sentences say which data set they are of."""
    left, right = ([f"{name} {side} {i}" for i in range(size)] for side in "ab")
    return Pairs(name, tuple(left), tuple(right), np.linspace(0, 5, size))


TRAINING = [
    data_set("MSRpar-train", 7),
    data_set("MSRvid-train", 6),
    data_set("MSRpar", 5),
    data_set("surprise.OnWN", 4),
    data_set("OnWN", 3),
    data_set("headlines", 9),
    data_set("images", 2),
    data_set("belief", 1),
    data_set("deft-news", 1),
]


class Memory:
    """A model that learns its training pairs by heart: the feature is 1 for a pair it knows."""

    def __init__(self) -> None:
        self.trained_on: list[list[str]] = []

    def train(self, data_sets: Sequence[Pairs]) -> Describe:
        self.trained_on.append([pairs.name for pairs in data_sets])
        known = {pair for p in data_sets for pair in zip(p.left, p.right, strict=True)}

        def describe(pairs: Pairs) -> Matrix:
            both = zip(pairs.left, pairs.right, strict=True)
            return np.array([[float(pair in known), len(known)] for pair in both])

        return describe


def test_no_pair_is_described_by_a_model_that_saw_it() -> None:
    memory = Memory()
    features = out_of_fold(TRAINING, TRAINING, memory.train)
    assert [len(matrix) for matrix in features] == [len(pairs) for pairs in TRAINING]
    assert not any(matrix[:, 0].any() for matrix in features)
    known = {pairs.name: matrix[0, 1] for pairs, matrix in zip(TRAINING, features, strict=True)}
    assert known["MSRpar"] == known["MSRpar-train"] <= sum(map(len, TRAINING)) - 12
    assert known["OnWN"] == known["surprise.OnWN"]
    assert len(memory.trained_on) == 5
    everything = memory.train(TRAINING)
    assert all(everything(pairs)[:, 0].all() for pairs in TRAINING)


def test_the_same_pairs_in_other_words_stay_in_their_fold() -> None:
    rewritten = [
        pairs.with_sentences([f"{s}!" for s in pairs.left], pairs.right) for pairs in TRAINING
    ]
    known = out_of_fold(TRAINING, TRAINING, Memory().train)
    features = out_of_fold(TRAINING, [*TRAINING, *rewritten], Memory().train)
    for first, second, expected in zip(features[:9], features[9:], known, strict=True):
        np.testing.assert_array_equal(first[:, 1], expected[:, 1])
        np.testing.assert_array_equal(second[:, 1], expected[:, 1])


def test_folds_by_hand() -> None:
    # Sizes: MSRpar 12, headlines 9, OnWN 7, MSRvid 6, images 2, belief 1, deft-news 1.
    few = {"images", "belief", "deft-news"}
    split = split_sources(TRAINING)
    assert split == [{"MSRpar"}, {"headlines"}, {"OnWN"}, {"MSRvid"}, few]
    assert split_sources(TRAINING[::-1]) == split
    assert split_sources(TRAINING[:2]) == [{"MSRpar"}, {"MSRvid"}]


class MeanOfGold:
    """Says of every pair the mean gold of what it learned from."""

    def fit(self, _: np.ndarray, gold: np.ndarray) -> MeanOfGold:
        self.mean = gold.mean()
        return self

    def predict(self, matrix: np.ndarray) -> np.ndarray:
        return np.full(len(matrix), self.mean)


def test_a_training_pair_is_scored_without_the_data_sets_of_its_source() -> None:
    named = (("x-train", 1.0), ("y", 2.0), ("x", 1.0), ("z", 4.0))
    sets = [Pairs(name, ("a", "b"), ("c", "d"), np.full(2, gold)) for name, gold in named]
    scores = predict_out_of_fold(MeanOfGold, sets, np.zeros((8, 1)))
    assert scores.tolist() == [3, 3, 2, 2, 3, 3, 4 / 3, 4 / 3]
    with pytest.raises(StsError, match="one source"):
        predict_out_of_fold(MeanOfGold, sets[:1], np.zeros((2, 1)))
