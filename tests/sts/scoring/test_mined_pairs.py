"""The mining score against scikit-learn, the threshold against trying every one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import precision_recall_fscore_support

from semaniacs.sts.scoring.mined_pairs import best_threshold, score_mined

LABELS = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=30)
MINED = st.lists(st.tuples(st.integers(0, 6), st.booleans()), min_size=1, max_size=20)


@given(LABELS)
def test_the_score_is_that_of_scikit_learn(labels: list[tuple[bool, bool]]) -> None:
    mined = {i for i, (found, _) in enumerate(labels) if found}
    gold = {i for i, (_, right) in enumerate(labels) if right}
    score = score_mined(mined, gold)
    found, right = zip(*labels, strict=True)
    expected = precision_recall_fscore_support(right, found, average="binary", zero_division=0)
    assert (score.precision, score.recall, score.f1) == pytest.approx(expected[:3])
    assert (score.mined, score.gold, score.correct) == (len(mined), len(gold), len(mined & gold))


def test_the_score_by_hand() -> None:
    score = score_mined([("a", "x"), ("b", "y"), ("c", "z"), ("d", "w")], [("a", "x"), ("b", "q")])
    assert (score.precision, score.recall) == (1 / 4, 1 / 2)
    assert score.f1 == pytest.approx(1 / 3)


@given(MINED, st.integers(0, 5))
def test_no_threshold_is_better(pairs: list[tuple[int, bool]], missed: int) -> None:
    scores = np.array([score / 4 for score, _ in pairs])
    correct = np.array([right for _, right in pairs])
    assume(correct.any())
    gold = int(correct.sum()) + missed

    def f1(threshold: float) -> Fraction:
        passed = scores >= threshold
        return Fraction(2 * int(correct[passed].sum()), int(passed.sum()) + gold)

    best = best_threshold(scores, correct, gold)
    lowest = scores[scores >= best].min()
    assert f1(best) == max(map(f1, scores))
    assert all(f1(score) < f1(best) for score in scores if score > lowest)
    assert not any(best <= score < lowest for score in scores)


def test_the_threshold_lies_in_the_middle_of_the_gap() -> None:
    scores = np.array([0.2, 0.9, 0.8, 0.4, 0.3])
    correct = np.array([False, True, True, False, False])
    assert best_threshold(scores, correct, 2) == pytest.approx(0.6)
    # One more to be had by taking all: precision 3/5, recall 1, F1 3/4, against 2 · 2/5.
    assert best_threshold(scores, correct | (scores == 0.2), 3) == pytest.approx(0.6)
    assert best_threshold(scores, np.ones(5, bool), 5) == 0.2


def test_pairs_of_one_score_pass_together() -> None:
    scores, correct = np.array([0.5, 0.5, 0.1]), np.array([True, False, False])
    assert best_threshold(scores, correct, 1) == pytest.approx(0.3)


def test_between_neighbouring_floats_there_is_no_middle() -> None:
    scores = np.array([np.nextafter(1.0, 2.0), 1.0])
    assert best_threshold(scores, np.array([True, False]), 1) == scores[0]


def test_without_a_correct_pair_there_is_no_best() -> None:
    with pytest.raises(ValueError, match="no mined pair is gold"):
        best_threshold(np.ones(3), np.zeros(3, bool), 2)
