"""Maps, thresholds and intervals: against scipy, scikit-learn and draws whose truth is known."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, binomtest

from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.scoring.calibration import (
    Intervals,
    MonotoneMap,
    fewest_pairs,
    find_threshold,
    lower_bound,
    mapped_left_out,
)


def test_a_map_finds_the_scale_and_never_turns_round() -> None:
    rng = np.random.default_rng(0)
    scores = rng.uniform(0, 4.9, 2000)
    gold = np.clip(0.5 * scores + rng.normal(0, 0.2, 2000), 0, 5)
    found = MonotoneMap.fit(scores, gold)
    grid = np.linspace(0.5, 4.5, 50)
    np.testing.assert_allclose(found(grid), grid / 2, atol=0.1)
    assert (np.diff(found(np.linspace(0, 5, 500))) >= 0).all()
    assert found(np.array([5.0, np.nan]))[0] == 5
    assert np.isnan(found(np.array([np.nan])))[0]
    unseen = mapped_left_out(scores, gold, np.arange(2000, dtype=np.int32))
    assert 0.14 < np.abs(unseen - gold).mean() < 0.18  # the mean of |N(0, .2)| is .16
    one_group = mapped_left_out(scores, gold, np.zeros(2000, np.int32))
    assert np.isnan(one_group).all()  # nothing is left to fit a map to
    assert len(MonotoneMap.fit(scores[:50], gold[:50]).scores) > 1
    with pytest.raises(StsError, match="49 pairs are too few for a map of scores: label 50"):
        MonotoneMap.fit(scores[:49], gold[:49])


@pytest.mark.parametrize(
    ("right", "pairs", "confidence"), [(45, 45, 0.9), (99, 100, 0.95), (3, 9, 0.8)]
)
def test_the_lower_bound_is_that_of_clopper_and_pearson(
    right: int, pairs: int, confidence: float
) -> None:
    bound = lower_bound(right, pairs, confidence)
    assert bound == pytest.approx(beta.ppf(1 - confidence, right, pairs - right + 1))
    exact = binomtest(right, pairs, alternative="greater")
    assert bound == pytest.approx(exact.proportion_ci(confidence, "exact").low)
    assert lower_bound(0, pairs, confidence) == 0


@pytest.mark.parametrize(
    ("precision", "confidence", "pairs"), [(0.95, 0.9, 45), (0.9, 0.9, 22), (0.5, 0.5, 1)]
)
def test_so_many_pairs_it_takes(precision: float, confidence: float, pairs: int) -> None:
    assert fewest_pairs(precision, confidence) == pairs
    assert lower_bound(pairs, pairs, confidence) >= precision - 1e-12
    assert pairs == 1 or lower_bound(pairs - 1, pairs - 1, confidence) < precision


def test_a_threshold_breaks_its_word_no_more_often_than_it_says() -> None:
    rng = np.random.default_rng(0)
    found = broken = 0
    for _ in range(1000):
        scores = rng.uniform(0, 5, 300)
        labels = rng.random(300) < scores / 5  # the precision above t is (5 + t) / 10
        try:
            threshold = find_threshold(scores, labels, 0.85, 0.9)
        except StsError:
            continue
        found += 1
        broken += (5 + threshold.score) / 10 < 0.85
    assert found > 500
    assert 0 < broken / 1000 <= 0.1


def test_the_threshold_is_the_lowest_before_the_first_that_fails() -> None:
    scores = np.linspace(5, 0, 101)
    labels = np.arange(101) < 60
    found = find_threshold(scores, labels, 0.9, 0.9)
    assert (found.pairs, found.right) == (59, 59)  # 22, 25, 28, … 53, 59; of 65 only 60 are right
    assert found.score == scores[58]
    assert "of 59 labelled pairs above it 59 are right" in str(found)
    tied = find_threshold(np.repeat([4.0, 1.0], 50), np.arange(100) < 50, 0.9)
    assert (tied.pairs, tied.right) == (50, 50)


@pytest.mark.parametrize(
    ("labels", "options", "said"),
    [
        ([True] * 5 + [False] * 5, (0.95, 0.9), "10 labelled pairs are too few.*at least 45"),
        ([True] * 100, (0.95, 0.9), "all 100 labels are 1"),
        ([False] * 100, (0.95, 0.9), "all 100 labels are 0"),
        ([True, False] * 50, (0.95, 0.9), "no threshold has precision 0.95"),
        ([True, False] * 50, (1.0, 0.9), "precision 1; expected a number between 0 and 1"),
        ([True, False] * 50, (0.9, 0.0), "confidence 0"),
    ],
)
def test_too_little_is_refused(labels: list[bool], options: tuple[float, float], said: str) -> None:
    with pytest.raises(StsError, match=said):
        find_threshold(np.linspace(5, 0, len(labels)), np.array(labels), *options)


@pytest.mark.parametrize(("pairs", "bins"), [(20, 1), (99, 1), (100, 2), (499, 9), (2000, 10)])
def test_intervals_of_few_pairs_have_few_bins_and_hold_as_often(pairs: int, bins: int) -> None:
    rng = np.random.default_rng(pairs)
    held = []
    for _ in range(200):
        scores, noise = rng.uniform(1, 4, (2, pairs + 100))
        found = Intervals.fit(scores[:pairs], scores[:pairs] + (noise[:pairs] - 2.5) / 2)
        low, high = found.around(scores[pairs:])
        gold = scores[pairs:] + (noise[pairs:] - 2.5) / 2
        held.append(((low <= gold) & (gold <= high)).mean())
    assert len(found.centres) == bins
    assert np.mean(held) == pytest.approx(0.9, abs=0.015)


def test_intervals_cover_new_pairs_wherever_their_score_is(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)

    def draw(n: int) -> tuple[np.ndarray, np.ndarray]:
        scores = rng.uniform(0, 5, n)
        spread = 0.2 + 0.3 * np.abs(scores - 2.5)
        return scores, scores + rng.normal(0, spread)

    found = Intervals.fit(*draw(20_000))
    scores, gold = draw(20_000)
    inside = (gold > 0.5) & (gold < 4.5)  # bounds are clipped to the scale
    for level in (0.5, 0.8, 0.9):
        low, high = found.around(scores, level)
        assert ((low <= scores) & (scores <= high)).all()
        held = (low <= gold) & (gold <= high)
        for part in (scores < 2, (scores >= 2) & (scores < 3), scores >= 3):
            assert held[part & inside].mean() == pytest.approx(level, abs=0.09)
    found.save(tmp_path / "a.safetensors")
    again = Intervals.load(tmp_path / "a.safetensors")
    np.testing.assert_array_equal(again.around(scores), found.around(scores))
    low, high = found.around(np.array([5.0, np.nan]))
    assert low[0] == high[0] == 5
    assert np.isnan([low[1], high[1]]).all()
    with pytest.raises(StsError, match="level 1; expected"):
        found.around(scores, 1.0)
    with pytest.raises(StsError, match="too few"):
        Intervals.fit(scores[:5], gold[:5])
    with pytest.raises(DataError):
        Intervals.load(tmp_path / "none.safetensors")
