"""Bootstrap intervals against SciPy, by hand, and by how often they are wrong."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np
import pytest
import scipy.stats

from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import StsError
from semaniacs.sts.scoring.bootstrap import bootstrap_weighted_mean, compare, paired_bootstrap
from semaniacs.sts.scoring.correlation import pearson
from semaniacs.sts.scoring.task_score import score_dataset, score_task


def noisy(n: int, seed: int = 0) -> tuple[Scores, Scores]:
    """Gold scores and predictions that agree fairly well."""
    rng = np.random.default_rng(seed)
    gold = rng.uniform(0, 5, n)
    return np.clip(gold + rng.standard_normal(n), 0, 5), gold


def test_the_interval_covers_the_weighted_mean_and_is_the_same_every_time() -> None:
    columns = {"a": noisy(200), "b": noisy(60, seed=1)}
    predicted = {name: pair[0] for name, pair in columns.items()}
    gold = {name: pair[1] for name, pair in columns.items()}
    low, high = bootstrap_weighted_mean(predicted, gold)
    assert -1 <= low < score_task(predicted, gold).weighted_mean < high <= 1
    assert (low, high) == bootstrap_weighted_mean(predicted, gold)
    assert (low, high) != bootstrap_weighted_mean(predicted, gold, seed=1)
    narrow_low, narrow_high = bootstrap_weighted_mean(predicted, gold, confidence=0.5)
    assert low < narrow_low < narrow_high < high


def test_the_interval_agrees_with_scipy() -> None:
    predicted, gold = noisy(150)
    ours = bootstrap_weighted_mean({"a": predicted}, {"a": gold}, resamples=3000)
    theirs = scipy.stats.bootstrap(
        (predicted, gold),
        pearson,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=3000,
        rng=0,
    ).confidence_interval
    assert ours == pytest.approx(tuple(theirs), abs=0.01)


# Two systems compared


def two_systems(n: int, lead: float, seed: int = 0) -> tuple[Scores, Scores, Scores]:
    """Two systems that err together and each for itself, B more by ``lead``, and the gold."""
    rng = np.random.default_rng(seed)
    gold, shared, own, other = rng.standard_normal((4, n))
    return gold + shared + 0.3 * own, gold + shared + (0.3 + lead) * other, gold


def columns_of(*systems: tuple[Scores, Scores, Scores]) -> list[dict[str, Scores]]:
    """A, B and gold by data set, as :func:`paired_bootstrap` takes them."""
    return [{f"set{i}": three[part] for i, three in enumerate(systems)} for part in range(3)]


def test_the_difference_agrees_with_scipy() -> None:
    a, b, gold = two_systems(150, lead=0.3)

    def difference(a: Scores, b: Scores, gold: Scores) -> float:
        return float(
            scipy.stats.pearsonr(a, gold).statistic - scipy.stats.pearsonr(b, gold).statistic
        )

    ours = paired_bootstrap(*columns_of((a, b, gold)), resamples=4000).datasets["set0"]
    theirs = scipy.stats.bootstrap(
        (a, b, gold),
        difference,
        paired=True,
        vectorized=False,
        method="percentile",
        n_resamples=4000,
        rng=0,
    )
    assert ours.value == pytest.approx(difference(a, b, gold), abs=1e-12)
    assert (ours.low, ours.high) == pytest.approx(tuple(theirs.confidence_interval), abs=0.005)
    b_holds = float(np.mean(theirs.bootstrap_distribution <= 0))
    assert ours.b_holds == pytest.approx(b_holds, abs=0.02)


def test_a_difference_by_hand() -> None:
    up = np.arange(30.0)
    mixed = np.array([0, 1, 2, 3.0]), np.array([1, 0, 3, 2.0]), np.array([0, 1, 2, 3.0])
    found = paired_bootstrap(*columns_of((up, -up, up), mixed), resamples=99)
    first, second = found.datasets.values()
    assert (first.a, first.b, first.low, first.high) == pytest.approx((1, -1, 2, 2))
    assert (first.a_holds, first.b_holds, first.resamples) == (1, 0, 99)
    assert first.p_value == pytest.approx(2 / 100)
    # Around the mean, Σ ab = 1.5 · .5 + .5 · 1.5 + .5 · 1.5 + 1.5 · .5 = 3 and Σ a² = Σ b² = 5.
    assert (second.a, second.b) == pytest.approx((1, 3 / 5))
    assert found.weighted_mean.value == pytest.approx((30 * 2 + 4 * 0.4) / 34)
    assert first.real and found.weighted_mean.real


def test_a_system_does_not_differ_from_itself() -> None:
    a, _, gold = two_systems(200, lead=0.3)
    found = paired_bootstrap(*columns_of((a, a.copy(), gold)), resamples=300)
    for one in (found.weighted_mean, found.datasets["set0"]):
        assert (one.value, one.low, one.high) == (0, 0, 0)
        assert (one.a_holds, one.b_holds, one.p_value, one.real) == (1, 1, 1, False)


def test_the_other_way_round_is_the_same_with_the_other_sign() -> None:
    a, b, gold = columns_of(two_systems(80, 0.2), two_systems(50, 0.1, seed=1))
    there = paired_bootstrap(a, b, gold, resamples=500).weighted_mean
    back = paired_bootstrap(b, a, gold, resamples=500).weighted_mean
    assert (back.a, back.b) == (there.b, there.a)
    assert (back.a_holds, back.b_holds) == (there.b_holds, there.a_holds)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low), abs=1e-12)
    assert back.p_value == there.p_value


def test_the_figures_are_those_of_the_scorer() -> None:
    a, b, gold = columns_of(two_systems(80, 0.2), two_systems(50, 0.1, seed=1))
    gold["set0"][::7] = np.nan
    a["set0"][::7] = np.nan  # an unscored pair is not looked at
    found = paired_bootstrap(a, b, gold, resamples=100)
    assert found.weighted_mean.b == score_task(b, gold).weighted_mean
    assert list(found.datasets) == ["set0", "set1"]
    for name, one in found.datasets.items():
        assert one.a == score_dataset(a[name], gold[name]).pearson
    assert np.isfinite([found.weighted_mean.low, found.weighted_mean.high]).all()


def test_one_in_twenty_equal_systems_seems_to_differ() -> None:
    trials = (
        paired_bootstrap(*columns_of(two_systems(80, 0, seed)), resamples=300).weighted_mean
        for seed in range(200)
    )
    assert 0.015 <= np.mean([one.real for one in trials]) <= 0.1


def test_a_resample_without_a_correlation_is_left_out() -> None:
    three = np.array([0, 1, 5.0]), np.array([1, 0, 5.0]), np.array([0, 0, 5.0])
    found = paired_bootstrap(*columns_of(three, two_systems(40, 0.2)), resamples=2000)
    small = found.datasets["set0"]
    # Gold is constant where the third pair is never or always drawn: (8 + 1) of 27.
    assert small.resamples == pytest.approx(2000 * 18 / 27, rel=0.05)
    assert found.weighted_mean.resamples == small.resamples
    assert found.datasets["set1"].resamples == 2000
    assert np.isfinite([small.low, small.high, small.p_value]).all()


@pytest.mark.parametrize("part", [0, 1, 2])
def test_systems_without_a_correlation_cannot_be_compared(part: int) -> None:
    columns = columns_of(two_systems(20, 0.2))
    columns[part]["set0"][:] = 2.5
    with pytest.raises(ValueError, match="'set0' is undefined"):
        paired_bootstrap(*columns)


def test_without_a_defined_correlation_there_is_no_interval() -> None:
    same = {"a": np.full(4, 2.5)}
    for gold in ({"a": np.arange(4.0)}, {"a": np.full(4, np.nan)}, {}):
        assert all(map(math.isnan, bootstrap_weighted_mean(same, gold)))


def test_two_lists_of_scores_are_compared() -> None:
    good, gold = noisy(80)
    poor = noisy(80, seed=3)[0]
    found = compare(list(good), list(poor), list(gold), resamples=500)
    same = paired_bootstrap({"x": good}, {"x": poor}, {"x": gold}, resamples=500)
    assert found == same.datasets["x"]
    assert found.a == pytest.approx(pearson(good, gold))
    assert found.real
    assert compare(iter(good), (n for n in poor), iter(gold), resamples=500) == found
    assert f"value={found.value:.4g}, low={found.low:.4g}" in repr(found)
    assert f"p_value={found.p_value:.4g}" in repr(found)
    for kind in (ValueError, StsError):
        with pytest.raises(kind, match="80 and 79 scores for 80 gold scores"):
            compare(good, poor[1:], gold)
    with pytest.raises(StsError, match="is undefined: two different scores needed"):
        compare(good, [1.0] * 80, gold)
    with pytest.raises(ValueError, match="b: could not convert string to float: 'x'"):
        compare(good, ["x"] * 80, gold)
    gold[0] = np.nan
    compare([np.nan, *good[1:]], poor, gold, resamples=9)
    with pytest.raises(StsError, match=r"b\[79\] is nan; expected a number"):
        compare(good, [*poor[:79], np.nan], gold)
    with pytest.warns(UserWarning, match="9 pairs are too few for an interval and a p-value"):
        compare(good[:10], poor[:10], gold[:10])
    for wrong, options, says in (
        ([], {}, "no pair has gold; expected two or more"),
        ([None, math.nan], {}, "no pair has gold"),
        (None, {}, r"a has the shape \(\); expected a list of numbers"),
        ([1, 2], {"seed": "x"}, "seed is 'x'; expected a whole number from 0 on"),
        ([1, 2], {"resamples": 0}, "resamples is 0; expected a whole number from 1 on"),
    ):
        with pytest.raises(ValueError, match=says):
            compare(*[cast(Any, wrong)] * 3, **cast(Any, options))
