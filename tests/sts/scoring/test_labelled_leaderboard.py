"""The ranking for labelled pairs against scikit-learn, draw by draw."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

from semaniacs.sts.errors import ValuesError
from semaniacs.sts.scoring.bootstrap import resample_clusters
from semaniacs.sts.scoring.shared_task.labelled_leaderboard import rank_labelled

RNG = np.random.default_rng(1)
LABELS = {"a": RNG.integers(0, 2, 60) == 1, "b": RNG.integers(0, 2, 40) == 1}
SYSTEMS = [
    {name: np.round(label + noise * RNG.standard_normal(len(label)), 1) for name, label in LABELS.items()}
    for noise in (2.0, 0.5, 1.0)
]  # fmt: skip


def test_the_order_and_the_figures_are_those_of_the_pairs() -> None:
    board = rank_labelled(SYSTEMS, LABELS, 0.5, resamples=300)
    assert [(line.rank, line.system) for line in board.lines] == [(1, 1), (2, 2), (3, 0)]
    for line in board.lines:
        expected = {n: roc_auc_score(LABELS[n], SYSTEMS[line.system][n]) for n in LABELS}
        found = {n: score.auc for n, score in line.score.datasets.items()}
        assert found == pytest.approx(expected)
        assert line.score.auc == pytest.approx((60 * expected["a"] + 40 * expected["b"]) / 100)
        assert line.interval[0] < line.score.auc < line.interval[1]
        taken = SYSTEMS[line.system]["a"] >= 0.5
        assert line.score.datasets["a"].accuracy == np.mean(taken == LABELS["a"])


def test_the_interval_is_that_of_pairs_drawn_one_by_one() -> None:
    truth, scores = LABELS["a"], SYSTEMS[0]["a"]
    board = rank_labelled([{"a": scores}], {"a": truth}, resamples=4000)

    def measure(rows: np.ndarray) -> np.ndarray:
        return np.array([[roc_auc_score(truth[rows], scores[rows])]])

    [drawn] = resample_clusters(measure, np.arange(60), resamples=1500, seed=3)
    assert board.lines[0].interval == pytest.approx(drawn.interval(0), abs=0.02)


def test_a_system_beside_itself_is_no_better() -> None:
    board = rank_labelled([SYSTEMS[0], SYSTEMS[1], SYSTEMS[0]], LABELS, resamples=200)
    assert [line.rank for line in board.lines] == [1, 2, 2]
    assert board.every_two()[-1].difference.p_value == 1
    assert board.against_the_best()[0].p_corrected < 0.05


def test_one_class_is_refused() -> None:
    with pytest.raises(ValuesError, match="all 60 pairs have label 1"):
        rank_labelled(SYSTEMS, {"a": np.ones(60, bool)})
