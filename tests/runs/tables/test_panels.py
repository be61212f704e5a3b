"""Panels and heat maps: readable at any size, the same bytes every time."""

from __future__ import annotations

import math
import struct
from typing import Any

import numpy as np
import pytest

from runs.tables.charts import Panel, heat_map, panel_chart


def size(png: bytes) -> tuple[int, int]:
    """Width and height, from the header chunk."""
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def panel(n: int, **more: Any) -> Panel:
    return Panel("t", [f"group {i}" for i in range(n)], [1 / (i + 1) for i in range(n)], **more)


@pytest.mark.parametrize("dots", [False, True])
def test_panels_are_the_same_every_time(dots: bool) -> None:
    panels = [panel(3, dots=dots), panel(3, dots=dots, intervals=[(0, 1)] * 3)]
    assert panel_chart(panels, title="t") == panel_chart(panels, title="t")
    assert panel_chart(panels, title="t") != panel_chart(panels[:1], title="t")


def test_panels_grow_with_their_rows_and_their_number() -> None:
    small, tall = (size(panel_chart([panel(n)] * 2, title="t")) for n in (18, 75))
    wide = size(panel_chart([panel(18)] * 4, title="t"))
    assert small[0] == tall[0] < wide[0]
    assert tall[1] - small[1] > 57 * 20  # pixels a row: more than the height of a label


def test_labels_of_their_own_take_room() -> None:
    other = Panel("t", ["a", "b", "c"], [1, 2, 3])
    assert size(panel_chart([panel(3), other], title="t")) > size(
        panel_chart([panel(3), panel(3)], title="t")
    )


def test_what_is_undefined_is_left_out() -> None:
    intervals = [(math.nan, math.nan), (0.0, 1.0)]
    for dots in (False, True):
        panel_chart([Panel("t", ["a", "b"], [math.nan, 0.5], intervals, dots)], title="t")
    panel_chart([Panel("t", ["a"], [math.nan], [intervals[0]], True)], title="t")


def test_a_heat_map_grows_with_its_labels() -> None:
    few, many = (
        size(heat_map([f"feature {i}" for i in range(n)], np.eye(n), title="t")) for n in (5, 75)
    )
    assert many[0] - few[0] > 70 * 12
    matrix = np.array([[1.0, np.nan], [np.nan, -1.0]])
    assert heat_map("ab", matrix, title="t") == heat_map("ab", matrix, title="t")
    assert heat_map("ab", matrix, title="t") != heat_map("ab", -matrix, title="t")
