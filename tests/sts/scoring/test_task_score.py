"""The averages of a task, by hand and against the results that were published."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import scipy.stats

from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.scoring import submission
from semaniacs.sts.scoring.task_score import score_dataset, score_task, weighted_mean


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


def test_without_any_gold_every_average_is_undefined() -> None:
    for gold in ({}, {"a": np.full(3, np.nan)}):
        score = score_task({"a": np.arange(3.0)}, gold)
        assert np.isnan([score.weighted_mean, score.mean, score.spearman_all]).all()
        assert [one.scored for one in score.datasets.values()] == [0] * len(gold)
    assert math.isnan(weighted_mean([0.5, 0.7], [0, 0]))


def test_a_data_set_without_gold_has_no_part_in_the_averages() -> None:
    gold = {"a": np.array([1, 2, 4.0]), "none": np.full(2, np.nan)}
    predicted = {"a": np.array([3, 1, 2.0]), "none": np.array([1.0, 2.0])}
    alone = score_task({"a": predicted["a"]}, {"a": gold["a"]})
    both = score_task(predicted, gold)
    assert (both.weighted_mean, both.mean, both.spearman_all) == (
        alone.weighted_mean,
        alone.mean,
        alone.spearman_all,
    )
    predicted["a"][:] = 2.5  # undefined where there is gold: the averages must not hide it
    assert math.isnan(score_task(predicted, gold).weighted_mean)


# The figures that the organisers published for their baseline, and what the submission scores.

BASELINE = {
    2015: ([0.4453, 0.6647, 0.6517, 0.5312, 0.6039], 0.5871, 4),
    2016: ([0.41133, 0.54073, 0.69601, 0.82615, 0.03844], 0.51334, 5),
}
SUBMISSION = ([0.44901, 0.62411, 0.69109, 0.79864, 0.59779], 0.63087)


def official(data: Path, year: int) -> dict[str, Pairs]:
    return {dataset.name: load(dataset, data) for dataset in get_task(f"sts{year}").datasets}


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
