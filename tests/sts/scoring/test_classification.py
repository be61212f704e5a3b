"""Figures of labelled pairs, against scikit-learn and by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

from semaniacs.sts.errors import StsError
from semaniacs.sts.scoring.classification import (
    best_f1_threshold,
    best_threshold,
    roc_auc,
    score_classification,
)

CASES = st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=40).filter(
    lambda rows: len({label for label, _ in rows}) == 2
)


@given(CASES)
def test_as_scikit_learn(rows: list[tuple[bool, int]]) -> None:
    labels, scores = (np.array(column, float) for column in zip(*rows, strict=True))
    assert roc_auc(labels, scores) == pytest.approx(metrics.roc_auc_score(labels, scores))
    expected = metrics.average_precision_score(labels, scores)
    found = score_classification(labels, scores, 3)
    assert found.average_precision == pytest.approx(expected)
    assert found.accuracy == pytest.approx(metrics.accuracy_score(labels, scores >= 3))
    assert found.majority == pytest.approx(np.bincount(labels.astype(int)).max() / len(labels))
    for value, measure in (
        (found.precision, metrics.precision_score),
        (found.recall, metrics.recall_score),
        (found.f1, metrics.f1_score),
    ):
        assert value == pytest.approx(measure(labels, scores >= 3, zero_division=0))


@given(CASES)
def test_no_score_is_a_better_threshold(rows: list[tuple[bool, int]]) -> None:
    labels, scores = (np.array(column, float) for column in zip(*rows, strict=True))
    every = sorted(set(scores))
    every.append(np.nextafter(every[-1], np.inf))
    for choose, name in ((best_threshold, "accuracy"), (best_f1_threshold, "f1")):
        values = [getattr(score_classification(labels, scores, t), name) for t in every]
        assert choose(labels, scores) == every[int(np.argmax(np.round(values, 12)))]


def test_by_hand() -> None:
    # Falling: 1 at 4; 1 and 0 tied at 3; 0 at 2; 1 at 1; 0 at 0.
    labels, scores = [1, 1, 0, 0, 1, 0], [4, 3, 3, 2, 1, 0]
    # Above their zeros: 3 of 3; 2 of 3 and a tie; 1 of 3 -> 6.5 of 9.
    assert roc_auc(labels, scores) == 6.5 / 9
    # Precision 1 at 4, 2/3 at 3, 3/5 at 1.
    found = score_classification(labels, scores, 3)
    assert found.average_precision == pytest.approx((1 + 2 / 3 + 3 / 5) / 3)
    # At 3 one third of the zeros is accepted, and one third of the ones refused.
    assert found.equal_error_rate == pytest.approx(1 / 3)
    # 4 of 6 are right at 4, at 3 and at 1: the smallest counts.
    assert best_threshold(labels, scores) == 1


def test_the_line_between_two_thresholds() -> None:
    # One tie of all: the curve is the diagonal, where both errors are a half.
    rates = {
        (0, 1, 1): ([2, 2, 2], 0.5),
        (0, 0, 1, 1): ([0, 1, 2, 3], 0),
        (1, 1, 0, 0): ([0, 1, 2, 3], 1),
    }
    for labels, (scores, rate) in rates.items():
        assert score_classification(labels, scores, 1).equal_error_rate == rate


@pytest.mark.parametrize("choose", [best_threshold, best_f1_threshold, roc_auc])
def test_one_class_has_no_threshold(choose: object) -> None:
    with pytest.raises(StsError, match="all 3 pairs have label 1"):
        choose([1, 1, 1], [0.1, 0.2, 0.3])  # type: ignore[operator]


@pytest.mark.parametrize(
    ("labels", "scores", "said"),
    [([0, 1], [1.0], "2 labels for 1"), ([0, 2], [0, 1], "label 2"), ([0, 1], [0, np.nan], "NaN")],
)
def test_bad_input(labels: list[int], scores: list[float], said: str) -> None:
    with pytest.raises(StsError, match=said):
        roc_auc(labels, scores)
