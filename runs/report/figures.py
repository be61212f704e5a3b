"""The figures of a report: drawn by matplotlib, written as SVG that stands inside the page.

Every figure is 340 units wide, about the width of a phone, so that its text can be read there.
matplotlib draws in the colours of the light page; in the SVG they become the variables of the
style sheet, so that a figure changes with the page in the dark and in print. The same numbers
give the same bytes.
"""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

from markupsafe import Markup

from sts.data.pairs import HIGHEST, LOWEST

WIDTH, ROW, LETTERS = 340, 20, 11.5
"""Width of a figure, height of a row in a chart of bars, and size of the text."""

LEFT, RIGHT = 126, 56
"""Space for the names and for the numbers beside bars."""

COLOURS = {
    "ink": "#1c2127",
    "soft": "#58616b",
    "line": "#d7dbe0",
    "faint": "#e9ebee",
    "plus": "#1e5fa6",
    "minus": "#b0441d",
    "mark": "#5a4a9c",
}
"""Colours of the light page by the name of their variable in ``report.css``."""

MARKERS = ("^", "|", "D")
"""A triangle, a stroke and a diamond: told apart without colour."""

DOTS, ROWS = "dots", "row-"
"""Identifiers of what has titles: the dots of a scatter chart, and the parts of a row of bars."""


@dataclass(frozen=True)
class Bar:
    """A bar from zero to ``value``.

    Attributes:
        shown: the number at the end of the row.
        note: a word between the name and the bar.
        title: shows when the row is pointed at; the name by default.
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
class Interval:
    """A value with its interval, and the values of others in the same row.

    Attributes:
        low, high: the interval; NaN draws none.
        others: (place in :data:`MARKERS`, value) of others.
    """

    name: str
    value: float
    low: float
    high: float
    others: tuple[tuple[int, float], ...] = ()


def scatter_figure(
    gold: Sequence[float], predicted: Sequence[float], titles: Sequence[str], label: str
) -> Markup:
    """Predicted against gold scores, both from 0 to 5, with the diagonal on which they agree.

    Args:
        gold, predicted: n scores in [0, 5].
        titles: of each dot, shown when it is pointed at.
        label: what the figure shows, for those who do not see it.
    """
    figure, axes = _figure(WIDTH + 8, (34, 6, 8, 44))
    ends, ticks = (LOWEST, HIGHEST), range(int(LOWEST), int(HIGHEST) + 1)
    axes.set(xlim=ends, ylim=ends, xticks=ticks, yticks=ticks)
    axes.grid(color=COLOURS["faint"], linewidth=1, clip_on=False)
    axes.set_xlabel("gold", color=COLOURS["soft"], size=LETTERS)
    axes.set_ylabel("predicted", color=COLOURS["soft"], size=LETTERS)
    axes.plot(ends, ends, color=COLOURS["soft"], linestyle=(0, (5, 4)), linewidth=1, clip_on=False)
    axes.scatter(gold, predicted, color=COLOURS["plus"], clip_on=False, gid=DOTS)
    return to_svg(figure, label, titles)


def bar_figure(
    rows: Sequence[Bar], label: str, left: float = LEFT, limits: tuple[float, float] | None = None
) -> Markup:
    """A row a bar, from zero to the right or, if it is negative, to the left.

    Args:
        rows: from the top.
        label: what the figure shows, for those who do not see it; the rows are added.
        left: space for the names and notes.
        limits: the lowest and the highest value, so that several figures share a scale; by
            default those of the rows. Zero is always within.
    """
    figure, axes = _figure(max(len(rows), 1) * ROW, (left, 0, RIGHT, 0))
    low, high = limits or limits_of(rows)
    axes.set(xlim=(low, high if high > low else low + 1), ylim=(max(len(rows), 1) - 0.5, -0.5))
    axes.set(xticks=[], yticks=[])
    for place, row in enumerate(rows):
        colour, gid = COLOURS["minus" if row.value < 0 else "plus"], f"{ROWS}{place}"
        length = row.value if math.isfinite(row.value) else 0.0
        axes.barh(place, length, 0.6, color=colour, clip_on=False, gid=gid, zorder=2)
        ends, line = (row.low, row.high), (place, place)
        axes.plot(ends, line, color=COLOURS["ink"], linewidth=1.2, clip_on=False)
        space = left - 40 if row.note else left
        _text(axes, -left, place, _shortened(row.name, space), gid=gid)
        _text(axes, -8, place, row.note, ha="right", color=COLOURS["soft"])
        _text(axes, WIDTH - left, place, row.shown, ha="right", gid=gid)
    axes.axvline(0, color=COLOURS["soft"], linewidth=0.8, clip_on=False)
    titles = [row.title or row.name for row in rows]
    values = "; ".join(f"{row.name} {row.shown}" for row in rows)
    return to_svg(figure, f"{label}: {values}", titles)


def limits_of(rows: Iterable[Bar]) -> tuple[float, float]:
    """The lowest and the highest value or end of an interval, zero among them."""
    ends = [end for row in rows for end in (row.value, row.low, row.high) if math.isfinite(end)]
    return min([0.0, *ends]), max([0.0, *ends])


def error_figure(gold: float, predicted: float) -> Markup:
    """A scale from 0 to 5 with the gold score (a stroke) and the predicted one (a dot)."""
    figure, axes = _figure(38, (8, 9, 8, 28))
    axes.set(xlim=(LOWEST, HIGHEST), ylim=(-1, 1), yticks=[])
    axes.set_xticks(range(int(LOWEST), int(HIGHEST) + 1))
    axes.tick_params(axis="x", labelcolor=COLOURS["soft"], pad=9)
    colour = COLOURS["minus" if predicted < gold else "plus"]
    line = {"clip_on": False, "solid_capstyle": "butt"}
    axes.plot((LOWEST, HIGHEST), (0, 0), color=COLOURS["line"], linewidth=1, **line)
    axes.plot((gold, predicted), (0, 0), color=colour, linewidth=3, alpha=0.45, **line)
    axes.plot(gold, 0, "|", color=COLOURS["ink"], markersize=14, markeredgewidth=3, clip_on=False)
    axes.plot(predicted, 0, "o", color=colour, markersize=10, markeredgewidth=0, clip_on=False)
    return to_svg(figure, f"gold {gold:g}, predicted {predicted:.2f}, on a scale from 0 to 5")


def interval_figure(rows: Sequence[Interval], label: str) -> Markup:
    """A row an interval, with the values of others in it, over an axis in tenths.

    The axis begins near the lowest value, because places are compared here, not lengths.
    """
    values = [v for r in rows for v in (r.low, r.high, r.value, *(v for _, v in r.others))]
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    low, high = math.floor(min(finite) * 10), math.ceil(max(finite) * 10)
    tenths = range(low, max(high, low + 1) + 1)
    figure, axes = _figure(len(rows) * (ROW + 8) + 20, (LEFT, 0, 12, 20))
    axes.set(xlim=(tenths[0] / 10, tenths[-1] / 10), ylim=(len(rows) - 0.5, -0.5), yticks=[])
    labels = [f"{tenth / 10:g}".replace("0.", ".") for tenth in tenths]
    axes.set_xticks([tenth / 10 for tenth in tenths], labels)
    axes.grid(axis="x", color=COLOURS["faint"], linewidth=1, clip_on=False)
    ours = {"color": COLOURS["plus"], "clip_on": False}
    for place, row in enumerate(rows):
        _text(axes, -LEFT, place, _shortened(row.name, LEFT))
        axes.plot((row.low, row.high), (place, place), linewidth=3, alpha=0.4, **ours)
        for kind, value in row.others:
            style: dict[str, Any] = {"markersize": 11 if kind == 1 else 7, "markeredgewidth": 1.6}
            style |= {"color": COLOURS["mark"], "markerfacecolor": "none", "clip_on": False}
            axes.plot(value, place, MARKERS[kind], **style)
        axes.plot(row.value, place, "o", markersize=9, markeredgewidth=0, **ours)
    return to_svg(figure, label)


def to_svg(figure: Any, label: str, titles: Sequence[str] = ()) -> Markup:
    """A figure of matplotlib as an SVG element for the page.

    Args:
        figure: what is written.
        label: what it shows, for those who do not see it.
        titles: of the dots of a scatter chart or of the rows of bars, in order; each shows when
            its dot or row is pointed at.
    """
    from matplotlib import rc_context

    file = io.StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": "report"}):
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(file, format="svg", metadata=metadata)
    root = ElementTree.fromstring(file.getvalue())
    _simplify(root)
    _add_titles(root, titles)
    root.attrib = {"viewBox": root.attrib["viewBox"], "role": "img", "aria-label": label}
    text = ElementTree.tostring(root, encoding="unicode")
    for name, colour in COLOURS.items():
        text = text.replace(f": {colour}", f": var(--{name})")
    return Markup(text)


def _figure(height: float, margins: tuple[float, float, float, float]) -> tuple[Any, Any]:
    """A figure of :data:`WIDTH` units and its axes inside margins: left, top, right, bottom."""
    from matplotlib.figure import Figure  # without pyplot: no window, no global state

    left, top, right, bottom = margins
    figure = Figure(figsize=(WIDTH / 72, height / 72), frameon=False)
    box = (WIDTH - left - right) / WIDTH, (height - top - bottom) / height
    axes = figure.add_axes((left / WIDTH, bottom / height, *box), frameon=False)
    axes.set_axisbelow(True)
    axes.tick_params(bottom=False, left=False, labelsize=LETTERS, labelcolor=COLOURS["ink"])
    return figure, axes


def _text(axes: Any, x: float, row: float, text: str, **style: Any) -> None:
    """Text in the middle of a row, ``x`` units right of where the axes begin."""
    place = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
    style = {"size": LETTERS, "color": COLOURS["ink"], "parse_math": False} | style
    axes.annotate(text, (0, row), (x, -0.35 * LETTERS), **place, **style)


def _shortened(name: str, space: float) -> str:
    """As much of a name as fits, with a sign that some is missing."""
    letters = int(space / 6.3)
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


_SVG, _LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"


def _simplify(root: ElementTree.Element) -> None:
    """Leave out what a page has no use for: namespaces, fonts, definitions, long fractions.

    What refers to a definition takes its place: an identifier may stand in a page only once.
    """
    shapes = {element.get("id"): element for element in root.iter(f"{_SVG}path")}
    for group in root.iter(f"{_SVG}g"):
        if group.get("id") == DOTS:
            for element in group.iter(f"{_SVG}use"):
                element.tag, x, y = "circle", element.attrib["x"], element.attrib["y"]
                element.attrib = {"class": "dot", "cx": x, "cy": y, "r": "3"}
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.text, element.tail, attributes = (element.text or "").strip(), "", element.attrib
        if element.tag == "use":
            shape = shapes[attributes.pop(_LINK).removeprefix("#")].attrib["d"]
            place = f"translate({attributes.pop('x')} {attributes.pop('y')})"
            element.tag, element.attrib = "path", attributes | {"d": shape, "transform": place}
        if element.tag == "text":
            attributes["style"] = re.sub("font-family:[^;]*;? ?", "", attributes["style"])
            if attributes["transform"].startswith("rotate(-0 "):
                del attributes["transform"]
        for key in {"d", "x", "y", "cx", "cy", "transform"} & element.attrib.keys():
            element.attrib[key] = re.sub(r"(\.\d\d)\d+", r"\1", element.attrib[key])
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag == "defs"]:
            parent.remove(child)


def _add_titles(root: ElementTree.Element, titles: Sequence[str]) -> None:
    """Give every dot and every part of a row its title, and drop the identifiers."""
    titled = {f"{ROWS}{place}": title for place, title in enumerate(titles)}
    dots = iter(titles)
    for element in list(root.iter()):
        name = element.attrib.pop("id", "")
        title = next(dots) if element.get("class") == "dot" else titled.get(name)
        if title is not None:
            child = ElementTree.Element("title")
            child.text = title
            element.insert(0, child)
