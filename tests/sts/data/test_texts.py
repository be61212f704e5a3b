"""Columns of sentences from lists, arrays and tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from semaniacs.sts.data.pairs import gold_of, texts_of
from semaniacs.sts.errors import StsError

TEXTS = ["a dog", "", "ein Hund"]


class Arrow:
    """A column as pyarrow has it."""

    def to_pylist(self) -> list[Any]:
        return ["a dog", None, "ein Hund"]


COLUMNS = [TEXTS, tuple(TEXTS), np.array(TEXTS), np.array(TEXTS, object), Arrow(), iter(TEXTS)]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: type(column).__name__)
def test_a_column_of_any_kind(column: Any) -> None:
    texts, here = texts_of(column, "left")
    assert texts == TEXTS
    assert here.tolist() == [True, False, True]


def test_columns_of_pandas() -> None:
    pandas = pytest.importorskip("pandas")
    for kind in ("object", "string"):
        series = pandas.Series(["a dog", None, "ein Hund"], index=[7, 7, 9], dtype=kind)
        assert texts_of(series, "left")[0] == TEXTS
    assert gold_of(pandas.Series([1, 2.5])).tolist() == [1.0, 2.5]


@pytest.mark.parametrize("missing", [None, float("nan"), np.float64("nan"), " \t"])
def test_what_is_missing_or_blank_is_not_there(missing: Any) -> None:
    assert texts_of(["a", missing], "left")[1].tolist() == [True, False]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ("a dog", "left is one str; expected a list of sentences"),
        (b"a dog", "left is one bytes"),
        (["a", 3], r"left\[1\] is 3; expected a string"),
        ([["a"]], r"left\[0\] is \['a'\]"),
    ],
)
def test_what_is_no_column_is_refused(values: Any, message: str) -> None:
    with pytest.raises(StsError, match=message):
        texts_of(values, "left")


@pytest.mark.parametrize("value", [-0.1, 5.1, float("nan"), None, "4", True])
def test_gold_outside_the_scale_is_refused(value: Any) -> None:
    with pytest.raises(StsError, match=r"gold\[1\] is .*; expected a number from 0 to 5"):
        gold_of([5, value])


@pytest.mark.parametrize("values", [{"a", "b"}, frozenset({"a"}), {"a": 1}])
def test_what_has_no_order_is_no_column(values: Any) -> None:
    kind = type(values).__name__
    with pytest.raises(StsError, match=f"left is a {kind}; expected a column in an order"):
        texts_of(values, "left")
    with pytest.raises(StsError, match=f"gold is a {kind}; expected a column in an order"):
        gold_of(values)
