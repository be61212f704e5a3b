"""The study of conflicts: figures by hand, and what is tried."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from features.regressors.conflicts import ConflictColumns
from runs.recipes.ensemble2026 import FUSION
from runs.studies.scores import conflict_weights
from runs.studies.scores.conflict_weights import Material, Scored
from sts.errors import StsError

COLUMNS = ("c", "rest", "length")
HALVED = ConflictColumns((("c", 0.5),), "rest", power=1.0, length="length", words=4.0, decay=1.0)


def scored(scores: list[float], sure: list[float], gold: list[float]) -> Scored:
    """Sentences of four words in which all else agrees."""
    features = np.array([[c, 1.0, np.log1p(4.0)] for c in sure])
    return Scored(features, np.array(scores), np.array(gold))


MATERIAL = Material(
    COLUMNS,
    {2012: [scored([4.0, 4.0, 2.0], [1.0, 0.0, 0.0], [2.0, 4.0, 2.0])]},
    closer=scored([3.0, 3.0, 3.0], [0.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    farther=scored([4.0, 4.0, 2.0], [1.0, 0.0, 0.0], [0.0, 0.0, 0.0]),
    phenomena=["numbers", "numbers", "roles"],
    labelled=scored([4.0, 3.0], [1.0, 0.0], [0.0, 5.0]),
)


def test_the_figures_by_hand() -> None:
    found = conflict_weights.try_setting(MATERIAL, HALVED)
    assert found["2012"] == found["mean"] == pytest.approx(1.0)  # 2, 4, 2 beside 2, 4, 2
    assert found["behaviour"] == 0.75  # one of two, one of one
    assert found["AUC"] == 1.0


def test_nothing_is_lowered_without_weights() -> None:
    found = conflict_weights.try_setting(MATERIAL, replace(HALVED, weights=(("c", 0.0),)))
    assert found["2012"] == pytest.approx(0.5)  # 4, 4, 2 beside 2, 4, 2
    assert found["behaviour"] == 0.5
    assert found["AUC"] == 0.0


def test_a_run_without_these_columns_is_refused() -> None:
    with pytest.raises(StsError, match="no columns of conflict"):
        conflict_weights.try_setting(MATERIAL, replace(HALVED, weights=(("d", 0.5),)))


def test_what_runs_is_among_what_is_tried() -> None:
    assert FUSION.conflicts is not None
    tried = conflict_weights.settings(FUSION.conflicts)
    assert [*tried][-1] == "by kind: what runs"
    assert tried["by kind: what runs"] == FUSION.conflicts
    assert {weight for _, weight in tried["none"].weights} == {0.0}
    figures = dict.fromkeys(conflict_weights.HEADER[3:], 0.5)
    found = {name: {"words": how.words, "decay": 1.0} | figures for name, how in tried.items()}
    text = conflict_weights.weights_table(found)
    assert text.count("\n") == len(tried) + 1
    assert text.splitlines()[-1].startswith("| **by kind: what runs** | 10 | 1 | .5000 |")
