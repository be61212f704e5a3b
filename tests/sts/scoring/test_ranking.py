"""Ranking of four pairs per group, by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.scoring.ranking import accuracy_by_degree, find_groups, r_precisions, spearmans


def test_find_groups_puts_degree_four_first() -> None:
    groups = find_groups(list("abbbbaaa"), [1, 4, 3, 2, 1, 2, 4, 3])
    assert groups.tolist() == [[6, 7, 5, 0], [1, 2, 3, 4]]


def test_a_group_by_hand() -> None:
    # Ranks 2 4 3 1 against 4 3 2 1: rho = 1 - 6 * 6 / 60 = .4; the top is of degree 3.
    scores = np.array([[0.7, 0.9, 0.8, 0.6]])
    assert r_precisions(scores) == 0
    assert spearmans(scores) == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("scores", "r_precision"),
    [([3, 3, 1, 0], 1 / 2), ([2, 2, 2, 0], 1 / 3), ([1, 1, 1, 1], 1 / 4), ([1, 2, 2, 0], 0)],
)
def test_ties_on_top_share(scores: list[float], r_precision: float) -> None:
    assert r_precisions(np.array([scores])) == pytest.approx(r_precision)
    if len(set(scores)) > 1:
        expected = stats.spearmanr(scores, [4, 3, 2, 1]).statistic
        assert spearmans(np.array([scores], float)) == pytest.approx(expected)
    else:
        assert spearmans(np.array([scores], float)) == 0


def test_accuracy_by_degree() -> None:
    scores = np.array([5.0, 4, 1, 1, 2, 3, 3, 0])
    found = accuracy_by_degree(scores, np.arange(8).reshape(2, 4), 3)
    assert found == {4: 0.5, 3: 0, 2: 0.5, 1: 1}
    with pytest.raises(StsError, match="a score is NaN"):
        accuracy_by_degree(scores * np.nan, np.arange(8).reshape(2, 4), 3)


@pytest.mark.parametrize(
    ("names", "degrees", "said"),
    [
        ("aaaabbb", [4, 3, 2, 1, 4, 3, 2], r"groups.tsv:6: group 'b' has 3 pairs; expected 4"),
        ("aaaaa", [4, 3, 2, 1, 1], r"groups.tsv:2: group 'a' has 5 pairs"),
        ("aaaa", [4, 3, 3, 1], r"groups.tsv:2: group 'a' has the degrees 4, 3, 3, 1"),
        ("", [], "no groups"),
    ],
)
def test_groups_of_other_than_four(names: str, degrees: list[int], said: str) -> None:
    lines = [row + 2 for row in range(len(names))]
    with pytest.raises(DataError, match=said):
        find_groups(list(names), degrees, "groups.tsv", lines)
