"""Charts as SVG: whole, escaped, and with everything where its number says."""

from __future__ import annotations

import math
import re
from xml.etree.ElementTree import Element, fromstring

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.report.markup import element, said, written
from runs.report.svg import MARKS, Bar, Point, Range, bars, mark, ranges, reach_of, scatter, track

NAN = math.nan
EVIL = """<script>alert("x")</script> & 'more'"""


def of_class(picture: str, kind: str) -> list[Element]:
    return [e for e in fromstring(picture).iter() if kind in (e.get("class") or "").split()]


def number(found: Element, name: str) -> float:
    return float(found.get(name) or NAN)


# --- elements


def test_attributes_are_named_and_escaped() -> None:
    assert element("a", "text", class_="b", aria_label='"<&>"', tabindex=0) == (
        '<a class="b" aria-label="&quot;&lt;&amp;&gt;&quot;" tabindex="0">text</a>'
    )
    assert element("td") == "<td></td>"
    assert said(EVIL) == (
        "&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt; &amp; &#x27;more&#x27;"
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(1.0, "1"), (0.125, "0.12"), (-0.001, "0"), (100.0, "100"), (7, "7"), ("1.50", "1.50")],
)
def test_numbers_are_short(value: str | float, text: str) -> None:
    assert written(value) == text


# --- scatter


def test_the_corners_of_a_scatter() -> None:
    picture = scatter([Point(0, 0, "low"), Point(5, 5, "high"), Point(5, 0, "off")], "s", "x", "y")
    low, high, off = of_class(picture, "dot")
    (identity,) = of_class(picture, "identity")
    assert [number(low, "cx"), number(low, "cy")] == [
        number(identity, "x1"),
        number(identity, "y1"),
    ]
    assert [number(high, "cx"), number(high, "cy")] == [
        number(identity, "x2"),
        number(identity, "y2"),
    ]
    assert number(off, "cx") == number(high, "cx") > number(low, "cx")
    assert number(off, "cy") == number(low, "cy") > number(high, "cy")  # SVG counts downwards
    assert [e.text for e in fromstring(picture).iter("title")] == ["low", "high", "off"]


def test_what_a_dot_says_is_text() -> None:
    picture = scatter([Point(1, 2, EVIL)], EVIL, EVIL, EVIL)
    assert "<script" not in picture
    root = fromstring(picture)
    assert root.get("aria-label") == EVIL
    assert root.get("role") == "img"
    assert next(root.iter("title")).text == EVIL


def test_nothing_to_scatter() -> None:
    assert of_class(scatter([], "s", "x", "y"), "dot") == []


# --- bars


def test_bars_go_from_zero_to_their_side() -> None:
    picture = bars([Bar("a", 2.0, "2"), Bar("b", -1.0, "-1"), Bar("c", 0.0, "0")], "some")
    (up, nothing), (down,) = of_class(picture, "plus"), of_class(picture, "minus")
    zero = number(of_class(picture, "zero")[0], "x1")
    assert number(up, "x") == number(nothing, "x") == zero
    assert number(down, "x") + number(down, "width") == pytest.approx(zero, abs=0.02)
    assert number(up, "width") == pytest.approx(2 * number(down, "width"), abs=0.03)
    assert number(nothing, "width") == 0.5


def test_charts_of_one_reach_share_a_scale() -> None:
    small, large = [Bar("a", 1.0, "1")], [Bar("a", 4.0, "4"), Bar("b", -2.0, "-2")]
    assert reach_of(large) == (-2.0, 4.0)
    drawn = [bars(rows, "x", reach=reach_of(large)) for rows in (small, large)]
    widths = [number(of_class(picture, "plus")[0], "width") for picture in drawn]
    assert widths[1] == pytest.approx(4 * widths[0], abs=0.05)
    zeros = {number(of_class(picture, "zero")[0], "x1") for picture in drawn}
    assert len(zeros) == 1


def test_an_interval_is_drawn_where_there_is_one() -> None:
    picture = bars([Bar("a", 1.0, "1", low=-1.0, high=3.0), Bar("b", 1.0, "1")], "x")
    (interval,) = of_class(picture, "interval")
    zero = number(of_class(picture, "zero")[0], "x1")
    assert number(interval, "x1") < zero < number(interval, "x2")


def test_a_long_name_is_cut_and_said_in_full() -> None:
    name = "a_feature_with_quite_a_long_name_indeed"
    root = fromstring(bars([Bar(name, 1.0, "1", note="0.5")], "x"))
    shown = next(root.iter("text")).text or ""
    assert shown.endswith("…")
    assert name.startswith(shown[:-1])
    assert next(root.iter("title")).text == name


def test_a_bar_without_a_value() -> None:
    picture = bars([Bar("a", NAN, "–"), Bar("b", 1.0, "1")], "x")
    assert "nan" not in picture
    assert number(of_class(picture, "plus")[0], "width") == 0


def test_no_bars() -> None:
    assert of_class(bars([], "nothing"), "plus") == []


# --- ranges


def test_a_range_and_the_marks_beside_it() -> None:
    rows = [Range("a", 0.5, 0.42, 0.58, ((0, 0.5), (2, 0.71))), Range("b", 0.6, NAN, NAN)]
    picture = ranges(rows, "scores")
    first, second = of_class(picture, "ours")
    (whisker,) = of_class(picture, "whisker")
    assert number(whisker, "x1") < number(first, "cx") < number(whisker, "x2")
    assert number(first, "cx") < number(second, "cx")
    places = {e.get("class"): e.get("transform") or "" for e in of_class(picture, "mark")}
    at = re.search(r"translate\(([\d.]+)", places["mark mark0"])
    assert at is not None
    assert float(at[1]) == number(first, "cx")
    shown = [e.text for e in fromstring(picture).iter("text")]
    assert [text for text in shown if text not in ("a", "b")] == [".4", ".5", ".6", ".7", ".8"]


def test_a_correlation_that_is_undefined() -> None:
    picture = ranges([Range("a", NAN, NAN, NAN)], "nothing")
    assert "nan" not in picture
    assert of_class(picture, "ours") == of_class(picture, "whisker") == []


def test_below_zero_there_is_an_axis_too() -> None:
    shown = [e.text for e in fromstring(ranges([Range("a", -0.15, -0.2, 0.1)], "x")).iter("text")]
    assert shown[:4] == ["-.2", "-.1", "0", ".1"]


@pytest.mark.parametrize("kind", range(len(MARKS)))
def test_every_mark_is_a_shape_of_its_own(kind: int) -> None:
    assert f'd="{MARKS[kind]}"' in mark(kind, 1.0, 2.0)
    assert len(set(MARKS)) == len(MARKS)


# --- a track


def test_a_track_leads_from_gold_to_prediction() -> None:
    picture = track(4.0, 1.0, "too low")
    (gold,), (way,) = of_class(picture, "gold"), of_class(picture, "way")
    dot = next(fromstring(picture).iter("circle"))
    assert number(way, "x1") == number(gold, "x1") > number(way, "x2") == number(dot, "cx")
    assert dot.get("class") == "minus"
    assert next(fromstring(track(1.0, 4.0, "")).iter("circle")).get("class") == "plus"


# --- anything at all

numbers = st.floats(-1e6, 1e6)
scores = st.floats(0, 5)
names = st.text(st.characters(codec="utf-8", exclude_categories=("C",)), max_size=40)


@given(st.lists(st.tuples(names, numbers), max_size=6), st.lists(st.tuples(scores, scores, names)))
def test_every_chart_is_whole_and_keeps_to_its_width(
    rows: list[tuple[str, float]], points: list[tuple[float, float, str]]
) -> None:
    drawn = [
        bars([Bar(name, value, name) for name, value in rows], "bars"),
        scatter([Point(*point) for point in points], "scatter", "x", "y"),
    ]
    for picture in drawn:
        root = fromstring(picture)
        width = float((root.get("viewBox") or "").split()[2])
        for found in root.iter():
            for key in ("x", "x1", "x2", "cx"):
                assert -0.01 <= float(found.get(key, "0")) <= width
            end = float(found.get("x", "0")) + float(found.get("width", "0"))
            assert end <= width
