"""The ranking against the scorer, the paired comparison, Holm's correction and scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from semaniacs.sts.errors import ValuesError
from semaniacs.sts.scoring.bootstrap import paired_bootstrap, resample_clusters
from semaniacs.sts.scoring.shared_task.leaderboard import holm, rank, rank_labelled
from semaniacs.sts.scoring.task_score import score_task

RNG = np.random.default_rng(0)
GOLD = {"a": RNG.uniform(0, 5, 80), "b": RNG.uniform(0, 5, 50)}
GOLD["b"][::7] = np.nan
SYSTEMS = [
    {
        name: np.nan_to_num(gold) + noise * RNG.standard_normal(len(gold))
        for name, gold in GOLD.items()
    }
    for noise in (2.0, 0.5, 2.2, 1.0)
]
BOARD = rank(SYSTEMS, GOLD, resamples=500)


def test_the_order_and_the_figures_are_the_scorers() -> None:
    assert [line.system for line in BOARD.lines][:2] == [1, 3]
    for place, line in enumerate(BOARD.lines):
        assert line.score == score_task(SYSTEMS[line.system], GOLD)
        assert line.rank == place + 1
        assert line.interval[0] < line.score.weighted_mean < line.interval[1]
        for name, (low, high) in line.intervals.items():
            assert low < line.score.datasets[name].pearson < high


def test_every_comparison_is_that_of_two_alone() -> None:
    every, best = BOARD.every_two(), BOARD.against_the_best()
    assert len(every) == 6 and [one.b for one in best] == [1, 2, 3]
    for found in (every, best):
        for one in found:
            a, b = (SYSTEMS[BOARD.lines[place].system] for place in (one.a, one.b))
            alone = paired_bootstrap(a, b, GOLD, resamples=500).weighted_mean
            assert one.difference.value == pytest.approx(alone.value)
            assert one.difference.p_value == alone.p_value
        corrected = holm([one.difference.p_value for one in found])
        assert [one.p_corrected for one in found] == corrected


def test_equals_share_a_rank() -> None:
    board = rank([SYSTEMS[0], SYSTEMS[1], SYSTEMS[0]], GOLD, resamples=100)
    assert [(line.rank, line.system) for line in board.lines] == [(1, 1), (2, 0), (2, 2)]
    assert board.every_two()[-1].difference.p_value == 1


def test_a_data_set_without_gold_takes_no_part() -> None:
    gold = GOLD | {"c": np.full(3, np.nan)}
    systems = [system | {"c": np.arange(3.0)} for system in SYSTEMS]
    board = rank(systems, gold, resamples=500)
    assert [line.interval for line in board.lines] == [line.interval for line in BOARD.lines]
    assert "c" not in board.lines[0].intervals


def test_holm_by_hand() -> None:
    # In order .005 · 4, .01 · 3, .03 · 2, .04 · 1, and the last is raised to the one before.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.3, 0.7, 0.6]) == pytest.approx([0.9, 1, 1])
    assert holm([0.04]) == [0.04]
    assert holm([]) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.2))
def test_holm_rejects_what_the_step_down_test_rejects(p: list[float], alpha: float) -> None:
    rejected = 0
    for step, value in enumerate(sorted(p)):  # Holm's own description
        if value * (len(p) - step) > alpha:
            break
        rejected += 1
    adjusted = holm(p)
    assert sum(one <= alpha for one in adjusted) == rejected
    assert np.all(np.array(adjusted) >= p)


# Labelled pairs

COINS = np.random.default_rng(1)
LABELS = {"a": COINS.integers(0, 2, 60) == 1, "b": COINS.integers(0, 2, 40) == 1}
LABELLED = [
    {
        name: np.round(label + noise * COINS.standard_normal(len(label)), 1)
        for name, label in LABELS.items()
    }
    for noise in (2.0, 0.5, 1.0)
]


def test_the_order_and_the_figures_of_labels_are_those_of_the_pairs() -> None:
    board = rank_labelled(LABELLED, LABELS, 0.5, resamples=300)
    assert [(line.rank, line.system) for line in board.lines] == [(1, 1), (2, 2), (3, 0)]
    for line in board.lines:
        expected = {n: roc_auc_score(LABELS[n], LABELLED[line.system][n]) for n in LABELS}
        found = {n: score.auc for n, score in line.score.datasets.items()}
        assert found == pytest.approx(expected)
        assert line.score.auc == pytest.approx((60 * expected["a"] + 40 * expected["b"]) / 100)
        assert line.interval[0] < line.score.auc < line.interval[1]
        taken = LABELLED[line.system]["a"] >= 0.5
        assert line.score.datasets["a"].accuracy == np.mean(taken == LABELS["a"])


def test_the_interval_is_that_of_pairs_drawn_one_by_one() -> None:
    truth, scores = LABELS["a"], LABELLED[0]["a"]
    board = rank_labelled([{"a": scores}], {"a": truth}, resamples=4000)

    def measure(rows: np.ndarray) -> np.ndarray:
        return np.array([[roc_auc_score(truth[rows], scores[rows])]])

    [drawn] = resample_clusters(measure, np.arange(60), resamples=1500, seed=3)
    assert board.lines[0].interval == pytest.approx(drawn.interval(0), abs=0.02)


def test_a_system_beside_itself_is_no_better() -> None:
    board = rank_labelled([LABELLED[0], LABELLED[1], LABELLED[0]], LABELS, resamples=200)
    assert [line.rank for line in board.lines] == [1, 2, 2]
    assert board.every_two()[-1].difference.p_value == 1
    assert board.against_the_best()[0].p_corrected < 0.05


def test_one_class_is_refused() -> None:
    with pytest.raises(ValuesError, match="all 60 pairs have label 1"):
        rank_labelled(LABELLED, {"a": np.ones(60, bool)})
