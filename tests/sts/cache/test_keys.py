"""Canonical JSON and keys."""

from __future__ import annotations

from dataclasses import dataclass, field, make_dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.sts.cache import key
from semaniacs.sts.tensors import canonical, digest


@dataclass(frozen=True)
class Inner:
    rate: float = 0.1
    stop: int | None = None


@dataclass(frozen=True)
class Recipe:
    name: str
    about: str = field(default="", metadata={"identity": False})
    inner: Inner = Inner()
    columns: tuple[str, ...] = ()


RECIPE = Recipe("a", "what it is", Inner(0.5), ("x", "y"))


def test_a_record_is_its_fields_by_name() -> None:
    assert canonical(RECIPE) == {"name": "a", "inner": {"rate": 0.5}, "columns": ["x", "y"]}


def test_prose_and_the_name_of_the_class_change_no_digest() -> None:
    renamed = make_dataclass("Other", [("rate", float, 0.1), ("stop", Any, None)])
    assert digest(replace(RECIPE, about="What it is.")) == digest(RECIPE)
    assert digest(renamed(0.5)) == digest(Inner(0.5))


def test_a_new_field_with_a_neutral_default_changes_no_digest() -> None:
    new = [("rate", float, 0.1), ("stop", Any, None), ("anchor", Any, None), ("weight", float, 0.0)]
    later = make_dataclass("Later", new)
    assert digest(later(0.5)) == digest(Inner(0.5))
    assert digest(later(0.5, weight=0.1)) != digest(Inner(0.5))


def test_a_default_that_means_something_is_part_of_the_digest() -> None:
    assert canonical(Inner()) == {"rate": 0.1}


@pytest.mark.parametrize(
    "other",
    [
        replace(RECIPE, name="b"),
        replace(RECIPE, columns=("y", "x")),
        replace(RECIPE, inner=Inner(0.5, 0)),
    ],
)
def test_whatever_differs_differs_in_the_digest(other: Recipe) -> None:
    assert digest(other) != digest(RECIPE)


def test_arrays_count_by_shape_type_and_numbers() -> None:
    one = np.arange(6.0)
    assert digest(one) == digest(np.arange(12.0)[:6])
    assert len({digest(a) for a in (one, one.reshape(2, 3), one.astype("f4"), one + 1)}) == 4


@pytest.mark.parametrize("value", [{1, 2}, object(), Path("x")])
def test_what_has_no_canonical_form_is_refused(value: object) -> None:
    with pytest.raises(TypeError, match="no canonical form"):
        digest(value)


def test_a_key_depends_on_inputs_configuration_version_and_libraries() -> None:
    base = key(1, ("numpy",), inputs=["a"], configuration=RECIPE)
    assert base == key(1, ("numpy",), inputs=("a",), configuration=RECIPE)
    others = [
        key(1, ("numpy",), inputs=["b"], configuration=RECIPE),
        key(1, ("numpy",), inputs=["a"]),
        key(2, ("numpy",), inputs=["a"], configuration=RECIPE),
        key(1, ("numpy", "click"), inputs=["a"], configuration=RECIPE),
        key(1, ("not-installed",), inputs=["a"], configuration=RECIPE),
    ]
    assert len({base, *others}) == 6
