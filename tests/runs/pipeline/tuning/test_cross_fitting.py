"""A training pair is never described or scored by a model that saw it, or a later year."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from semaniacs.runs.pipeline.tuning.cross_fitting import (
    Describe,
    Matrix,
    forward_chained,
    held_out_mask,
    out_of_fold,
    predict_out_of_fold,
    split_sources,
)
from semaniacs.sts.data.pairs import Pairs, concatenate
from semaniacs.sts.errors import StsError


def data_set(name: str, size: int) -> Pairs:
    """Pairs of a data set, of which every two share their left sentence."""
    left = tuple(f"{name} a {i // 2}" for i in range(size))
    right = tuple(f"{name} b {i}" for i in range(size))
    return Pairs(name, left, right, np.linspace(0, 5, size))


class Memory:
    """Models that learn sentences by heart: the features are whether one knows a pair, and of how many."""

    def __init__(self) -> None:
        self.trained_on: list[set[str]] = []

    def train(self, sets: Sequence[Pairs]) -> Describe:
        pairs = concatenate(sets)
        known = {*pairs.left, *pairs.right}
        self.trained_on.append(known)

        def describe(some: Pairs) -> Matrix:
            seen = [float(bool({a, b} & known)) for a, b in zip(some.left, some.right, strict=True)]
            return np.column_stack([seen, np.full(len(some), len(pairs))])

        return describe


# By source


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


# By year: in the first one, by a model of the other half


SETS = [data_set("one", 10), data_set("two", 6), data_set("three", 4), data_set("four", 3)]
YEARS = [2012, 2012, 2013, 2015]


def test_no_pair_is_described_by_a_model_that_saw_it_or_a_later_year() -> None:
    memory = Memory()
    found = forward_chained(SETS, YEARS, SETS, memory.train, seed=0)
    assert [len(matrix) for matrix in found] == [10, 6, 4, 3]
    assert not any(matrix[:, 0].any() for matrix in found)
    assert {*found[0][:, 1]} | {*found[1][:, 1]} == {8.0}  # two halves of sixteen
    assert {*found[2][:, 1]} == {16.0}
    assert {*found[3][:, 1]} == {20.0}
    assert len(memory.trained_on) == 4  # no later set is ever trained on
    assert not any("four" in sentence for known in memory.trained_on for sentence in known)


def test_pairs_in_other_words_are_described_by_the_models_of_their_year() -> None:
    again = [pairs.with_sentences(pairs.right, pairs.left) for pairs in SETS]
    found = forward_chained(SETS, YEARS, [*SETS, *again], Memory().train, seed=0)
    for one, other in zip(found[:4], found[4:], strict=True):
        np.testing.assert_array_equal(one, other)


def test_halves_share_no_sentence() -> None:
    pairs = data_set("one", 21)
    first = held_out_mask(pairs, 0.5, 3)
    assert 8 <= first.sum() <= 11
    left = np.array(pairs.left)
    assert not {*left[first]} & {*left[~first]}
