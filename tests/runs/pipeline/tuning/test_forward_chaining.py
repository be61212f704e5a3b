"""A pair is described by a model of the years before its own, in the first year by one of the other half."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from semaniacs.runs.pipeline.tuning.cross_fitting import (
    Describe,
    Matrix,
    forward_chained,
    held_out_mask,
)
from semaniacs.sts.data.pairs import Pairs, concatenate


def data_set(name: str, size: int) -> Pairs:
    """Pairs of which every two share their left sentence."""
    left = tuple(f"{name} a {i // 2}" for i in range(size))
    right = tuple(f"{name} b {i}" for i in range(size))
    return Pairs(name, left, right, np.linspace(0, 5, size))


SETS = [data_set("one", 10), data_set("two", 6), data_set("three", 4), data_set("four", 3)]
YEARS = [2012, 2012, 2013, 2015]


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
