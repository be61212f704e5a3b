"""The scorer against SciPy, against hand-made numbers and against the published ones."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import assume, given
from hypothesis import strategies as st

from sts.data.pairs import Pairs, Scores, read_pairs
from sts.scoring import correlation, submission
from sts.scoring.correlation import (
    bootstrap_weighted_mean,
    paired_bootstrap,
    pearson,
    score_dataset,
    score_task,
    spearman,
    weighted_mean,
)

TIED = st.integers(0, 10).map(lambda step: step / 2)
COLUMNS = st.lists(st.tuples(TIED, TIED), min_size=2, max_size=40).map(np.array)


@given(COLUMNS)
def test_correlations_agree_with_scipy(columns: Scores) -> None:
    a, b = columns.T
    assume(len(set(a)) > 1 and len(set(b)) > 1)
    assert pearson(a, b) == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-12)
    assert spearman(a, b) == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-12)


@given(COLUMNS)
def test_correlations_are_symmetric_and_bounded(columns: Scores) -> None:
    a, b = columns.T
    for measure in (pearson, spearman):
        np.testing.assert_equal(measure(a, b), measure(b, a))
        assert math.isnan(measure(a, b)) or -1 <= measure(a, b) <= 1


def test_correlations_agree_with_scipy_on_real_numbers() -> None:
    rng = np.random.default_rng(0)
    a = rng.standard_normal(1000)
    b = a + rng.standard_normal(1000)
    assert pearson(a, b) == pytest.approx(scipy.stats.pearsonr(a, b).statistic, abs=1e-12)
    assert spearman(a, b) == pytest.approx(scipy.stats.spearmanr(a, b).statistic, abs=1e-12)
    assert pearson(a, 3 * a + 7) == pytest.approx(1)
    assert spearman(a, -np.exp(a)) == pytest.approx(-1)


@pytest.mark.parametrize("measure", [pearson, spearman])
@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([], []),
        ([1], [2]),
        ([2, 2, 2], [1, 2, 3]),
        ([1, 2, 3], [0.1, 0.1, 0.1]),
        ([1, 1], [1, 1]),
        ([1, math.nan, 3], [1, 2, 3]),
        ([1, 2, 3], [3, math.nan, 1]),
    ],
)
def test_an_undefined_correlation_is_nan(
    measure: Callable[[Scores, Scores], float], a: list[float], b: list[float]
) -> None:
    assert math.isnan(measure(np.array(a, float), np.array(b, float)))


def test_arrays_of_two_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"\(2,\) and \(3,\)"):
        pearson(np.zeros(2), np.zeros(3))


def test_unscored_pairs_do_not_count() -> None:
    gold = np.array([1, np.nan, 2, np.nan, 4, 5.0])
    predicted = np.array([1, 99, 2, -99, 3, 1.0])
    score = score_dataset(predicted, gold)
    assert (score.pairs, score.scored) == (6, 4)
    # Means 3 and 1.75: Σ ab = 1.5 - .25 + 1.25 - 1.5 = 1, Σ a² = 10, Σ b² = 2.75.
    assert score.pearson == pytest.approx(1 / math.sqrt(10 * 2.75))
    # Ranks 1 2 3 4 and 1.5 3 4 1.5: Σ ab = 1.5 - .25 + .75 - 1.5 = .5, Σ a² = 5, Σ b² = 4.5.
    assert score.spearman == pytest.approx(0.5 / math.sqrt(5 * 4.5))


def test_the_three_averages_by_hand() -> None:
    gold = {"up": np.array([1, 2, 3.0, np.nan]), "down": np.array([4.0, 5.0])}
    predicted = {"down": np.array([2, 1.0]), "up": np.array([3, 4, 5, 0.0])}
    score = score_task(predicted, gold)
    assert list(score.datasets) == ["up", "down"]
    assert score.weighted_mean == pytest.approx((3 * 1 + 2 * -1) / 5)
    assert score.mean == pytest.approx(0)
    together = scipy.stats.spearmanr([3, 4, 5, 2, 1], [1, 2, 3, 4, 5]).statistic
    assert score.spearman_all == pytest.approx(together)
    assert weighted_mean([0.5, 0.8], [100, 300]) == pytest.approx(0.725)


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
        (predicted, gold), pearson, paired=True, vectorized=False, method="percentile",
        n_resamples=3000, rng=0,
    ).confidence_interval  # fmt: skip
    assert ours == pytest.approx(tuple(theirs), abs=0.01)


def test_the_interval_shrinks_with_the_root_of_n() -> None:
    widths = []
    for n in (100, 1600):
        predicted, gold = noisy(n)
        low, high = bootstrap_weighted_mean({"a": predicted}, {"a": gold}, resamples=500)
        widths.append(high - low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.35)


def test_the_interval_never_draws_an_unscored_pair() -> None:
    predicted, gold = noisy(100)
    predicted[::3] = gold[::3] = np.nan
    assert np.isfinite(bootstrap_weighted_mean({"a": predicted}, {"a": gold})).all()


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
        (a, b, gold), difference, paired=True, vectorized=False, method="percentile",
        n_resamples=4000, rng=0,
    )  # fmt: skip
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
    assert (back.a, back.b, back.a_holds, back.b_holds) == (
        there.b, there.a, there.b_holds, there.a_holds
    )  # fmt: skip
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


def test_the_draws_follow_the_seed_and_not_the_size_of_the_blocks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = columns_of(two_systems(90, 0.2))
    first = paired_bootstrap(*columns, resamples=400)
    assert paired_bootstrap(*columns, resamples=400, seed=1) != first
    monkeypatch.setattr(correlation, "_AT_ONCE", 1000)
    assert paired_bootstrap(*columns, resamples=400) == first


def test_a_wider_confidence_is_a_wider_interval() -> None:
    columns = columns_of(two_systems(90, 0.2))
    wide, narrow = (
        paired_bootstrap(*columns, resamples=400, confidence=c).weighted_mean for c in (0.95, 0.5)
    )
    assert wide.low < narrow.low < narrow.high < wide.high


def test_what_both_systems_share_cancels_out() -> None:
    a, b, gold = columns_of(two_systems(300, lead=0.1))
    paired = paired_bootstrap(a, b, gold, resamples=500).weighted_mean
    alone = bootstrap_weighted_mean(a, gold, resamples=500)
    assert paired.high - paired.low < (alone[1] - alone[0]) / 2


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


# The figures that the organisers published for their baseline, and what the submission scores.

NAMES = {
    2015: ("answers-forums", "answers-students", "belief", "headlines", "images"),
    2016: ("answer-answer", "headlines", "plagiarism", "postediting", "question-question"),
}
BASELINE = {
    2015: ([0.4453, 0.6647, 0.6517, 0.5312, 0.6039], 0.5871, 4),
    2016: ([0.41133, 0.54073, 0.69601, 0.82615, 0.03844], 0.51334, 5),
}
SUBMISSION = ([0.44901, 0.62411, 0.69109, 0.79864, 0.59779], 0.63087)


def official(data: Path, year: int) -> dict[str, Pairs]:
    folder = data / str(year)
    return {
        name: read_pairs(
            name, folder / f"STS.{year}.input.{name}.txt", folder / f"STS.{year}.gs.{name}.txt"
        )
        for name in NAMES[year]
    }


def token_cosine(left: str, right: str) -> float:
    """Cosine of the binary vectors of the white-space tokens."""
    a, b = set(left.split()), set(right.split())
    return len(a & b) / math.sqrt(len(a) * len(b))


@pytest.mark.parametrize("year", [2015, 2016])
def test_the_published_baseline(sts_data: Path, year: int) -> None:
    task = official(sts_data, year)
    predicted = {
        name: np.array([token_cosine(a, b) for a, b in zip(pairs.left, pairs.right, strict=True)])
        for name, pairs in task.items()
    }
    score = score_task(predicted, {name: pairs.gold for name, pairs in task.items()})
    values, average, digits = BASELINE[year]
    assert [round(s.pearson, digits) for s in score.datasets.values()] == values
    assert round(score.weighted_mean, digits) == average


def test_the_published_submission(sts_data: Path) -> None:
    task = official(sts_data, 2016)
    folder = sts_data / "submissions" / "2016-LIPN-IIMAS"
    predicted = {
        name: submission.read(
            folder / submission.file_name(2016, "LIPN-IIMAS.SOPA", name), len(pairs)
        )
        for name, pairs in task.items()
    }
    score = score_task(predicted, {name: pairs.gold for name, pairs in task.items()})
    assert [round(s.pearson, 5) for s in score.datasets.values()] == SUBMISSION[0]
    assert round(score.weighted_mean, 5) == SUBMISSION[1]
