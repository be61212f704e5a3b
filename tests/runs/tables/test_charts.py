"""Charts: the same numbers give the same picture, byte for byte."""

from __future__ import annotations

import struct
import sys

import pytest

from runs.tables.charts import bar_chart, line_chart

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def size(png: bytes) -> tuple[int, int]:
    """Width and height, from the header chunk."""
    assert png.startswith(SIGNATURE)
    assert png.endswith(b"IEND\xaeB`\x82")
    width, height = struct.unpack(">II", png[16:24])
    return width, height


def bars(n: int, top: float = 1.0) -> bytes:
    return bar_chart([f"group {i}" for i in range(n)], [top / (i + 1) for i in range(n)], title="t")


def lines(top: float = 0.8) -> bytes:
    return line_chart(
        range(3), {"one": [0.1, 0.5, top], "two": [0.2, 0.1, 0.0]}, title="t", x_label="epochs"
    )


def test_a_chart_is_the_same_every_time() -> None:
    assert bars(3) == bars(3)
    assert lines() == lines()


def test_other_numbers_are_another_chart() -> None:
    assert bars(3) != bars(3, top=2.0)
    assert lines() != lines(top=0.7)


def test_bars_have_room() -> None:
    (width, low), (same, high) = size(bars(2)), size(bars(31))
    assert width == same
    assert high > 4 * low
    assert size(lines())[0] == width


@pytest.mark.parametrize("values", [[0.0], [-0.25], [0.0, -1.0, 1.0]])
def test_bars_may_point_either_way(values: list[float]) -> None:
    size(bar_chart(["días"] * len(values), values, title="a title with – a dash"))


def test_a_curve_may_be_a_single_point() -> None:
    size(line_chart([0], {"one": [0.5]}, title="t", x_label="x"))


def test_nothing_of_the_machine_is_in_the_file() -> None:
    for chart in (bars(2), lines()):
        assert b"tEXt" not in chart
        assert b"tIME" not in chart


def test_no_window_system_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "matplotlib.pyplot", raising=False)
    bars(1)
    assert "matplotlib.pyplot" not in sys.modules
