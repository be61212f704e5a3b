"""Ranking of four pairs a group, by hand and against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from sts.errors import DataError
from sts.scoring.ranking import (
    accuracy_by_degree,
    compare_rankings,
    find_groups,
    score_ranking,
)


def test_find_groups_puts_degree_four_first() -> None:
    groups = find_groups(list("abbbbaaa"), [1, 4, 3, 2, 1, 2, 4, 3])
    assert groups.tolist() == [[6, 7, 5, 0], [1, 2, 3, 4]]


def test_a_group_by_hand() -> None:
    # Ranks 2 4 3 1 against 4 3 2 1: rho = 1 - 6 * 6 / 60 = .4; the top is of degree 3.
    found = score_ranking(np.array([0.7, 0.9, 0.8, 0.6]), np.array([[0, 1, 2, 3]]))
    assert (found.groups, found.r_precision) == (1, 0.0)
    assert found.spearman == pytest.approx(0.4)


@pytest.mark.parametrize(
    ("scores", "r_precision"),
    [([3, 3, 1, 0], 1 / 2), ([2, 2, 2, 0], 1 / 3), ([1, 1, 1, 1], 1 / 4), ([1, 2, 2, 0], 0)],
)
def test_ties_on_top_share(scores: list[float], r_precision: float) -> None:
    found = score_ranking(np.array(scores, float), np.array([[0, 1, 2, 3]]))
    assert found.r_precision == pytest.approx(r_precision)
    if len(set(scores)) > 1:
        assert found.spearman == pytest.approx(stats.spearmanr(scores, [4, 3, 2, 1]).statistic)
    else:
        assert found.spearman == 0


def test_means_over_groups_and_their_comparison() -> None:
    groups = np.arange(40).reshape(10, 4)
    perfect = np.tile([4.0, 3, 2, 1], 10)
    reverse = np.tile([1.0, 2, 3, 4], 10)
    mixed = np.concatenate([perfect[:20], reverse[20:]])
    assert score_ranking(mixed, groups).r_precision == 0.5
    assert score_ranking(mixed, groups).spearman == pytest.approx(0)
    compared = compare_rankings(perfect, mixed, groups, resamples=500)
    assert compared["r_precision"].value == 0.5
    assert compared["r_precision"].real
    assert compared["spearman"].value == pytest.approx(1)
    assert not compare_rankings(mixed, mixed, groups, resamples=100)["spearman"].real


def test_accuracy_by_degree() -> None:
    scores = np.array([5.0, 4, 1, 1, 2, 3, 3, 0])
    found = accuracy_by_degree(scores, np.arange(8).reshape(2, 4), 3)
    assert found == {4: 0.5, 3: 0, 2: 0.5, 1: 1}


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
