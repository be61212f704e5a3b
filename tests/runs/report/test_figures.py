"""The figures of a report: everything stands where its number says, named and escaped."""

from __future__ import annotations

import math
import re
from itertools import pairwise
from xml.etree.ElementTree import Element, fromstring

import pytest

from runs.report.figures import (
    WIDTH,
    Bar,
    Interval,
    bar_figure,
    error_figure,
    interval_figure,
    limits_of,
    scatter_figure,
)

NAN = math.nan
EVIL = """<script>alert("x")</script> & 'more'"""


def paths(figure: str, colour: str, kind: str) -> list[tuple[float, float]]:
    """The lowest and the highest x of every path that is filled or drawn in a colour."""
    found = []
    for element in fromstring(figure).iter("path"):
        if f"{kind}: var(--{colour})" in (element.get("style") or "") and element.get("d"):
            numbers = list(map(float, re.findall(r"-?[\d.]+", element.get("d") or "")))
            found.append((min(numbers[::2]), max(numbers[::2])))
    return found


def markers(figure: str, colour: str) -> list[float]:
    """The x of every marker of a colour."""
    return [
        float(re.findall(r"[\d.]+", element.get("transform") or "")[0])
        for element in fromstring(figure).iter("path")
        if f"var(--{colour})" in (element.get("style") or "") and element.get("transform")
    ]


def texts(figure: str) -> list[str]:
    return [element.text or "" for element in fromstring(figure).iter("text")]


def dots(figure: str) -> list[Element]:
    return list(fromstring(figure).iter("circle"))


def test_the_corners_of_a_scatter() -> None:
    figure = scatter_figure([0, 5, 5], [0, 5, 0], ["low", "high", "off"], "s")
    low, high, off = ((float(d.attrib["cx"]), float(d.attrib["cy"])) for d in dots(figure))
    ((left, right),) = [ends for ends in paths(figure, "soft", "stroke") if ends[1] > ends[0]]
    assert (low[0], high[0]) == (left, right)
    assert off == (high[0], low[1])
    assert low[1] > high[1]  # SVG counts downwards
    assert [title.text for title in fromstring(figure).iter("title")] == ["low", "high", "off"]


def test_many_dots_are_as_few_dots() -> None:
    scores = [n / 200 for n in range(1000)]
    figure = scatter_figure(scores, scores, [EVIL] * 1000, EVIL)
    assert len(dots(figure)) == 1000
    assert all(float(a.attrib["cx"]) < float(b.attrib["cx"]) for a, b in pairwise(dots(figure)))
    root = fromstring(figure)
    assert {title.text for title in root.iter("title")} == {EVIL}
    assert (root.get("aria-label"), root.get("role")) == (EVIL, "img")
    assert "<script" not in figure
    assert dots(scatter_figure([], [], [], "nothing")) == []


def test_bars_go_from_zero_to_their_side() -> None:
    rows = [Bar("a", 2.0, "2", note="x"), Bar("b", -1.0, "-1"), Bar("c", NAN, "–")]
    figure = bar_figure(rows, "some")
    (up, nothing), (down,) = paths(figure, "plus", "fill"), paths(figure, "minus", "fill")
    assert up[0] == down[1] == nothing[0] == nothing[1]
    assert up[1] - up[0] == pytest.approx(2 * (down[1] - down[0]), abs=0.03)
    assert sorted(texts(figure)) == sorted(["a", "2", "x", "b", "-1", "c", "–"])
    assert fromstring(figure).get("aria-label") == "some: a 2; b -1; c –"
    assert "nan" not in figure


def test_figures_of_one_scale() -> None:
    small, large = [Bar("a", 1.0, "1")], [Bar("a", 4.0, "4"), Bar("b", -2.0, "-2")]
    assert limits_of(large) == (-2.0, 4.0)
    (one,), (four,) = (
        paths(bar_figure(rows, "x", limits=limits_of(large)), "plus", "fill")
        for rows in (small, large)
    )
    assert one[0] == four[0]
    assert four[1] - four[0] == pytest.approx(4 * (one[1] - one[0]), abs=0.05)


def test_an_interval_is_drawn_where_there_is_one() -> None:
    figure = bar_figure([Bar("a", 1.0, "1", low=-1.0, high=3.0), Bar("b", 1.0, "1")], "x")
    ((low, high),) = paths(figure, "ink", "stroke")
    ((zero, end), _) = paths(figure, "plus", "fill")
    assert low < zero < end < high


def test_a_long_name_is_cut_and_said_in_full() -> None:
    name = "a_feature_with_quite_a_long_name_indeed"
    figure = bar_figure([Bar(name, 1.0, "1", note="0.5")], "x")
    (shown,) = [text for text in texts(figure) if text.endswith("…")]
    assert name.startswith(shown[:-1])
    assert {title.text for title in fromstring(figure).iter("title")} == {name}


def test_an_interval_and_the_values_of_others() -> None:
    rows = [Interval("a", 0.5, 0.42, 0.58, ((0, 0.5), (2, 0.71))), Interval("b", 0.6, NAN, NAN)]
    figure = interval_figure(rows, "scores")
    first, second = markers(figure, "plus")
    ((low, high),) = [ends for ends in paths(figure, "plus", "stroke") if ends[1] - ends[0] > 10]
    assert low < first < high
    assert first < second
    assert markers(figure, "mark")[0] == first
    assert [t for t in texts(figure) if t not in "ab"] == [".4", ".5", ".6", ".7", ".8"]
    empty = interval_figure([Interval("a", NAN, NAN, NAN)], "nothing")
    assert markers(empty, "plus") == []
    below = texts(interval_figure([Interval("a", -0.15, -0.2, 0.1)], "x"))
    assert [text for text in below if text != "a"] == ["-.2", "-.1", "0", ".1"]


@pytest.mark.parametrize(("gold", "predicted", "colour"), [(4, 1, "minus"), (1, 4, "plus")])
def test_an_error_leads_from_gold_to_prediction(gold: int, predicted: int, colour: str) -> None:
    figure = error_figure(gold, predicted)
    ((low, high),) = [ends for ends in paths(figure, colour, "stroke") if ends[1] > 10]
    ends = (*markers(figure, "ink"), *markers(figure, colour))
    assert ends == ((high, low) if colour == "minus" else (low, high))
    assert f"gold {gold}, predicted {predicted}.00" in (fromstring(figure).get("aria-label") or "")


def test_the_same_numbers_give_the_same_bytes_without_identifiers() -> None:
    rows = [Bar("a", 1.0, "1")]
    assert bar_figure(rows, "x") == bar_figure(rows, "x")
    assert " id=" not in bar_figure(rows, "x")
    assert f'viewBox="0 0 {WIDTH} 20"' in bar_figure(rows, "x")
