"""The columns of the recipes are those of the papers, in their order."""

from __future__ import annotations

from features.registry import all_features, get_feature
from runs.recipes import ensemble2026, hokamp2016


def test_the_columns_are_numbered_as_in_the_paper() -> None:
    takelab, own = hokamp2016.COLUMNS[:21], hokamp2016.COLUMNS[21:]
    for number, name in enumerate(takelab, start=1):
        assert get_feature(name).source.endswith(f"TakeLab f{number}")
    assert len(own) == 10
    assert all("Table 6" in get_feature(name).source for name in own)


def test_the_ensemble_begins_with_the_papers_columns() -> None:
    assert ensemble2026.COLUMNS[:31] == hokamp2016.COLUMNS
    assert set(ensemble2026.COLUMNS) < set(ensemble2026.CONTEXTUAL_COLUMNS)


def test_each_column_is_a_feature_and_stands_there_once() -> None:
    columns = ensemble2026.CONTEXTUAL_COLUMNS
    assert len(set(columns)) == len(columns)
    assert set(columns) <= {feature.name for feature in all_features()}
