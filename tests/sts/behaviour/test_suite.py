"""The figures of the behaviour suite on scores whose answers are known."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from semaniacs.sts.behaviour.suite import accuracies, try_behaviour
from semaniacs.sts.behaviour.triples import Triple, shipped_triples
from semaniacs.sts.data.pairs import Scores
from tests.sts.behaviour.test_triples import shared_words


def words_in_common(left: Sequence[str], right: Sequence[str]) -> Scores:
    return np.array([5 * shared_words(a, b) for a, b in zip(left, right, strict=True)])


def test_a_count_of_common_words_gets_every_triple_wrong() -> None:
    found = try_behaviour(shipped_triples("development"), words_in_common)
    assert (found.overall.value, found.overall.low, found.overall.high) == (0, 0, 0)
    assert set(found.phenomena) == {t.phenomenon for t in shipped_triples("development")}
    assert found.identity == found.symmetry == 1
    for name in ("upper case", "lower case", "no full stop"):
        assert found.invariances[name].kept == found.invariances[name].share == 1
    assert 0 < found.invariances["typo"].kept < 1


def test_what_is_kept_by_hand() -> None:
    triples = [Triple("x", "He left early.", "a", "b"), Triple("x", "Go", "c", "d")]
    score = {
        ("He left early.", "He left early."): 4.0,
        ("He left early.", "Go"): 1.0,
        ("He left early.", "He left eralY."): 0.0,
        ("He left early.", "He left eraly."): 2.5,
        ("He left early.", "a"): 2.0,
        ("a", "He left early."): 2.0,
        ("He left early.", "b"): 1.0,
        ("Go", "Go"): 5.0,
        ("Go", "c"): 2.0,
        ("c", "Go"): 2.5,
        ("Go", "d"): 2.0,  # a tie
    }
    found = try_behaviour(
        triples,
        lambda left, right: np.array(
            [score.get(pair, 0.0) for pair in zip(left, right, strict=True)]
        ),
    )
    assert found.overall.value == found.identity == found.symmetry == 0.5
    assert list(found.closer) == [2, 2] and list(found.farther) == [1, 2]
    typo = found.invariances["typo"]
    # (2.5 - 1) / (4 - 1) is half, and half is what a typo must keep
    assert (typo.sentences, typo.kept, typo.share) == (1, 0.5, 1.0)
    capitals = found.invariances["upper case"]
    # (0 - 1) / (4 - 1) and 0 / 5
    assert (capitals.sentences, capitals.kept) == (2, pytest.approx(-1 / 6))
    assert found.invariances["contraction"].sentences == 0
    assert math.isnan(found.invariances["contraction"].share)


def test_the_overall_figure_is_the_mean_of_the_phenomena() -> None:
    by_name, overall = accuracies(["a", "b", "a", "a", "a"], np.array([1, 1, 0, 0, 0], bool))
    assert {name: accuracy.value for name, accuracy in by_name.items()} == {"a": 0.25, "b": 1.0}
    assert overall.value == 0.625
    assert (by_name["b"].low, by_name["b"].high) == (1, 1)


def test_the_interval_is_that_of_resampled_triples() -> None:
    right = np.arange(40) % 4 > 0
    found = accuracies(["x"] * 40, right)[1]
    drawn = np.random.default_rng(1).choice(right, (20_000, 40)).mean(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert found.low == pytest.approx(low, abs=0.026) and found.high == pytest.approx(
        high, abs=0.026
    )
