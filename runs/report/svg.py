"""Charts as inline SVG: strings made of numbers, without a library, a script or a clock.

Every chart is drawn 340 units wide, about the width of a phone, so that its text
stays readable there. Colours and fonts are the page's, by class; a drawing alone
shows all it has in black.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from runs.report.markup import Attribute, element, said, written
from sts.data.pairs import HIGHEST, LOWEST

WIDTH = 340
ROW = 20
"""Height of one row of a chart with names."""

LEFT, RIGHT = 126, 56
"""Room for the names and for the figures of such a chart."""

Scale = Callable[[float], float]


@dataclass(frozen=True)
class Point:
    """A dot of a scatter chart; ``title`` shows when it is pointed at."""

    x: float
    y: float
    title: str


@dataclass(frozen=True)
class Bar:
    """A bar from zero to ``value``.

    Attributes:
        shown: the figure at the end of the row.
        note: a word between the name and the bar.
        title: shows when the row is pointed at.
        low, high: an interval of the value; NaN draws none.
    """

    name: str
    value: float
    shown: str
    note: str = ""
    title: str = ""
    low: float = math.nan
    high: float = math.nan


@dataclass(frozen=True)
class Range:
    """An interval with its value, and others' values on the same line.

    Attributes:
        low, high: the interval; NaN draws none.
        marks: (kind, value) of others, see :func:`mark`.
    """

    name: str
    value: float
    low: float
    high: float
    marks: tuple[tuple[int, float], ...] = ()


def drawing(height: float, label: str, *children: str, width: float = WIDTH) -> str:
    """The whole picture, with what is said in its place; nothing if words beside it say it."""
    box = f"0 0 {written(float(width))} {written(float(height))}"
    if not label:
        return element("svg", *children, viewBox=box, aria_hidden="true")
    return element("svg", *children, viewBox=box, role="img", aria_label=label)


def text(x: float, y: float, content: str, **attributes: Attribute) -> str:
    """Text that stands on the line at ``y``."""
    return element("text", said(content), x=x, y=y, **attributes)


def line(x1: float, y1: float, x2: float, y2: float, kind: str) -> str:
    """A straight line of a class."""
    return element("line", x1=x1, y1=y1, x2=x2, y2=y2, class_=kind)


def _titled(title: str) -> str:
    return element("title", said(title)) if title else ""


def scatter(points: Sequence[Point], label: str, x: str, y: str) -> str:
    """Scores against scores: a dot each, both axes from 0 to 5, and the line on which they agree.

    Args:
        points: where x and y are in [0, 5]; none is moved aside.
        label: said in place of the picture.
        x, y: what the axes show.
    """
    left, top, side = 34, 6, WIDTH - 34 - 8
    bottom = top + side

    def across(value: float) -> float:
        return left + side * (value - LOWEST) / (HIGHEST - LOWEST)

    def up(value: float) -> float:
        return bottom - side * (value - LOWEST) / (HIGHEST - LOWEST)

    parts = []
    for tick in range(int(LOWEST), int(HIGHEST) + 1):
        parts.append(line(across(tick), top, across(tick), bottom, "grid"))
        parts.append(line(left, up(tick), left + side, up(tick), "grid"))
        parts.append(text(across(tick), bottom + 15, str(tick), text_anchor="middle"))
        parts.append(text(left - 7, up(tick) + 4, str(tick), text_anchor="end"))
    parts.append(line(across(LOWEST), up(LOWEST), across(HIGHEST), up(HIGHEST), "identity"))
    parts.append(text(left + side / 2, bottom + 33, x, text_anchor="middle", class_="axis"))
    middle = written(top + side / 2)
    turned = f"rotate(-90 10 {middle})"
    parts.append(text(10, top + side / 2, y, text_anchor="middle", class_="axis", transform=turned))
    parts += [
        element("circle", _titled(p.title), cx=across(p.x), cy=up(p.y), r=3, class_="dot")
        for p in points
    ]
    return drawing(bottom + 40, label, *parts)


def bars(
    rows: Sequence[Bar],
    label: str,
    left: int = LEFT,
    reach: tuple[float, float] | None = None,
) -> str:
    """A row a bar, from zero to the right or, if it is negative, to the left.

    Args:
        rows: from the top.
        label: said in place of the picture.
        left: room for the names and notes.
        reach: the lowest and the highest value that there is room for, so that several
            charts share a scale; by default those of the rows. Zero is always within.
    """
    low, high = reach or reach_of(rows)
    scale = (WIDTH - left - RIGHT) / ((high - low) or 1.0)
    zero = left - low * scale
    parts = [_bar(row, number * ROW, zero, scale, left) for number, row in enumerate(rows)]
    height = max(len(rows), 1) * ROW
    return drawing(height, label, *parts, line(zero, 0, zero, height, "zero"))


def reach_of(rows: Sequence[Bar]) -> tuple[float, float]:
    """The lowest and the highest value or end of an interval, zero among them."""
    ends = [end for row in rows for end in (row.value, row.low, row.high) if math.isfinite(end)]
    return min([0.0, *ends]), max([0.0, *ends])


def _bar(row: Bar, top: int, zero: float, scale: float, left: int) -> str:
    room = left - 40 if row.note else left
    long = max(abs(row.value) * scale, 0.5) if math.isfinite(row.value) else 0.0
    begin = zero - long if row.value < 0 else zero
    kind = "minus" if row.value < 0 else "plus"
    return element(
        "g",
        _titled(row.title or row.name),
        text(0, top + 14, shortened(row.name, room)),
        text(left - 8, top + 14, row.note, text_anchor="end", class_="note") if row.note else "",
        element("rect", x=begin, y=top + 4, width=long, height=ROW - 8, class_=kind),
        _interval(row, top + ROW / 2, zero, scale),
        text(WIDTH, top + 14, row.shown, text_anchor="end", class_="figure"),
    )


def _interval(row: Bar, y: float, zero: float, scale: float) -> str:
    if math.isnan(row.low) or math.isnan(row.high):
        return ""
    return line(zero + row.low * scale, y, zero + row.high * scale, y, "interval")


def track(gold: float, predicted: float, label: str) -> str:
    """A scale from 0 to 5 with the gold score (a stroke), the prediction (a dot), and the way."""
    left, right, y = 8, WIDTH - 8, 9

    def across(value: float) -> float:
        return left + (right - left) * (value - LOWEST) / (HIGHEST - LOWEST)

    ticks = [
        text(across(tick), y + 20, str(tick), text_anchor="middle", class_="note")
        for tick in range(int(LOWEST), int(HIGHEST) + 1)
    ]
    kind = "minus" if predicted < gold else "plus"
    return drawing(
        y + 28,
        label,
        line(left, y, right, y, "zero"),
        *ticks,
        line(across(gold), y, across(predicted), y, f"way {kind}"),
        line(across(gold), y - 7, across(gold), y + 7, "gold"),
        element("circle", cx=across(predicted), cy=y, r=5, class_=kind),
    )


def ranges(rows: Sequence[Range], label: str) -> str:
    """A row an interval, with others' values marked on it, over an axis in tenths.

    The axis begins near the lowest value: places are compared here, not lengths.
    """
    low, high = _tenths(rows)
    row_height = ROW + 8
    bottom = len(rows) * row_height

    def across(value: float) -> float:
        return LEFT + (WIDTH - LEFT - 12) * (value - low) / (high - low)

    parts = []
    for tick in range(round(low * 10), round(high * 10) + 1):
        x = across(tick / 10)
        parts.append(line(x, 0, x, bottom, "grid"))
        parts.append(
            text(x, bottom + 15, f"{tick / 10:g}".replace("0.", "."), text_anchor="middle")
        )
    for number, row in enumerate(rows):
        parts.append(_range(row, (number + 0.5) * row_height, across))
    return drawing(bottom + 20, label, *parts)


def _tenths(rows: Sequence[Range]) -> tuple[float, float]:
    """The tenths between which everything finite lies."""
    values = [v for row in rows for v in (row.low, row.high, row.value, *(m[1] for m in row.marks))]
    known = [v for v in values if math.isfinite(v)] or [0.0, 1.0]
    low, high = math.floor(min(known) * 10), math.ceil(max(known) * 10)
    return low / 10, max(high, low + 1) / 10


def _range(row: Range, y: float, across: Scale) -> str:
    parts = [text(0, y + 4, shortened(row.name, LEFT))]
    if math.isfinite(row.low) and math.isfinite(row.high):
        parts.append(line(across(row.low), y, across(row.high), y, "whisker"))
    parts += [mark(kind, across(value), y) for kind, value in row.marks]
    if math.isfinite(row.value):
        parts.append(element("circle", cx=across(row.value), cy=y, r=4.5, class_="ours"))
    return element("g", *parts)


MARKS = ("M0 -5.5 5 4 -5 4Z", "M0 -8V8", "M0 -5 5 0 0 5 -5 0Z")
"""A triangle, a stroke and a diamond around (0, 0): told apart without colour."""


def mark(kind: int, x: float, y: float) -> str:
    """One of ``MARKS``, in the middle of (x, y)."""
    place = f"translate({written(float(x))} {written(float(y))})"
    return element("path", d=MARKS[kind], transform=place, class_=f"mark mark{kind}")


def shortened(name: str, room: float) -> str:
    """As much of a name as fits, with a sign that some is missing."""
    letters = int(room / 6.3)
    return name if len(name) <= letters else f"{name[: letters - 1]}…"
