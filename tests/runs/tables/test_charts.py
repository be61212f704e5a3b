"""Charts: readable at any size, and the same numbers give the same picture, byte for byte."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from runs.tables.charts import Panel, heat_map, line_chart, panel_chart, scatter_chart


def size(png: bytes) -> tuple[int, int]:
    """Width and height, from the header chunk."""
    assert png.startswith(b"\x89PNG\r\n\x1a\n")
    assert png.endswith(b"IEND\xaeB`\x82")
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


def lines(top: float = 0.8) -> bytes:
    return line_chart(
        range(3), {"one": [0.1, 0.5, top], "two": [0.2, 0.1, 0.0]}, title="t", x_label="epochs"
    )


def points(top: float = 0.8) -> bytes:
    return scatter_chart(["a", "días – b"], [10, 1000], [0.1, top], title="t", x_label="speed")


@pytest.mark.parametrize("draw", [lines, points])
def test_lines_and_points_are_the_same_every_time(draw: Callable[..., bytes]) -> None:
    assert draw() == draw()
    assert draw() != draw(top=0.7)
    assert size(draw()) == size(lines())


def test_a_curve_may_be_a_single_point() -> None:
    size(line_chart([0], {"one": [0.5]}, title="t", x_label="x"))


def test_nothing_of_the_machine_is_in_the_file() -> None:
    for chart in (points(), lines(), panel_chart([panel(2)], title="t")):
        assert b"tEXt" not in chart
        assert b"tIME" not in chart


def test_no_window_system_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    lines()
    assert "matplotlib.pyplot" not in sys.modules
