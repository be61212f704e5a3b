"""Rows that a transformer makes, with one whose states one can see."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from semaniacs.features.contextual_rows import Contextual, ReadTogether
from semaniacs.features.families.vectors import BY_STATES
from semaniacs.features.registry import all_features, get_feature
from semaniacs.features.resources import Resources

COLUMNS = tuple(BY_STATES)
PAIRS = [
    ("cat dog", "ship"), ("cat", "cat"), ("", "cat"), ("", ""), ("a cat", "the dog dog"),
    ("ship " * 40, "cat"),
]  # fmt: skip


@pytest.fixture
def contextual(tiny: Any, tmp_path: Path) -> Contextual:
    """The tiny transformer, which has seen nothing yet."""
    return Contextual(type(tiny.minilm.transformer)(), tmp_path)


def asked_by(contextual: Contextual) -> list[str]:
    asked: list[str] = contextual.transformer.asked  # type: ignore[attr-defined]
    return asked


def test_the_columns_are_the_group() -> None:
    group = [feature for feature in all_features() if feature.group == "contextual"]
    tuned = {name.replace("minilm", "minilm_tuned") for name in COLUMNS if "middle" not in name}
    assert {feature.name for feature in group} == {*COLUMNS, *tuned, "minilm_cross"}
    needs = {feature.name: feature.needs for feature in group}
    assert all(needs[name] == ("minilm",) for name in COLUMNS)
    assert all(needs[name] == ("minilm_tuned",) for name in tuned)
    assert needs["minilm_cross"] == ("minilm_cross",)


def test_rows_are_in_range_finite_and_in_order(contextual: Contextual) -> None:
    rows = contextual.rows(PAIRS)
    assert rows.shape == (len(PAIRS), len(COLUMNS))
    for name, column in zip(COLUMNS, rows.T, strict=True):
        feature = get_feature(name)
        assert np.isfinite(column).all(), name
        assert feature.low - 1e-6 <= column.min(), name
        assert column.max() <= feature.high + 1e-6, name
    np.testing.assert_array_equal(contextual.rows(PAIRS[::-1]), rows[::-1])


def test_a_pair_turned_round(contextual: Contextual) -> None:
    turned = contextual.rows([(b, a) for a, b in PAIRS])
    np.testing.assert_allclose(turned, contextual.rows(PAIRS), atol=1e-5)


# What was made is kept


def test_rows_are_kept_on_disk(contextual: Contextual, tmp_path: Path) -> None:
    rows = contextual.rows(PAIRS)
    later = Contextual(type(contextual.transformer)(), tmp_path)  # type: ignore[call-arg]
    np.testing.assert_array_equal(later.rows(PAIRS), rows)
    assert asked_by(later) == []


class SharesWords:
    """In place of a transformer that reads both sentences: the share of words in common."""

    digest = "shares words"

    def __init__(self) -> None:
        self.asked: list[str] = []

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = ""
    ) -> NDArray[np.float64]:
        self.asked += [f"{a}|{b}" for a, b in zip(left, right, strict=True)]
        words = [(set(a.split()), set(b.split())) for a, b in zip(left, right, strict=True)]
        return np.array([len(a & b) / max(1, len(a | b)) for a, b in words])


def test_what_is_read_together_is_kept(tmp_path: Path) -> None:
    model: Any = SharesWords()
    scores = ReadTogether(model, tmp_path).scores([*PAIRS, PAIRS[0]])
    np.testing.assert_allclose(scores, [0, 1, 0, 0, 0, 0, 0])
    assert len(model.asked) == len(PAIRS)
    later: Any = SharesWords()
    np.testing.assert_array_equal(ReadTogether(later, tmp_path).scores(PAIRS), scores[:-1])
    assert later.asked == []
    later.digest = "another"
    ReadTogether(later, tmp_path).scores(PAIRS[:1])
    assert later.asked == ["cat dog|ship"]


# The transformer itself, where it is installed


def test_the_real_transformer(tmp_path: Path) -> None:
    from semaniacs.embeddings.transformer import weights
    from semaniacs.embeddings.transformer.bert_folder import read_transformer

    path = weights.find_transformer()
    if path is None:
        pytest.skip(f"the transformer is not installed: {Resources().missing('minilm')}")
    transformer = read_transformer(path)
    contextual = Contextual(transformer, tmp_path)
    pairs = [("A dog runs.", "A dog is running."), ("A dog runs.", "Stocks fell.")]
    rows = contextual.rows(pairs)
    a, b, c = transformer.encode(["A dog runs.", "A dog is running.", "Stocks fell."])
    np.testing.assert_allclose(rows[:, COLUMNS.index("minilm")], [a @ b, a @ c], atol=1e-5)
    better = [name for name in COLUMNS if not name.endswith("gap")]
    columns = [COLUMNS.index(name) for name in better]
    assert (rows[0, columns] > rows[1, columns] + 0.2).all()
