"""Charts as PNG bytes: the same numbers give the same bytes."""

from __future__ import annotations

import io
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLUE, DARK = "#3b6ea5", "#333333"


@dataclass(frozen=True)
class Panel:
    """One of the charts that stand side by side.

    Attributes:
        title: what the numbers are.
        labels: n names, the first on top.
        values: n numbers; NaN leaves the place empty.
        intervals: the two ends of a line through each value; none without.
        dots: a dot a value and a broken line through 0, instead of bars from 0.
    """

    title: str
    labels: Sequence[str]
    values: Sequence[float]
    intervals: Sequence[tuple[float, float]] = ()
    dots: bool = False


def line_chart(
    x: Sequence[float], lines: Mapping[str, Sequence[float]], *, title: str, x_label: str
) -> bytes:
    """One labelled line a series over common x values."""
    figure, axes = _figure(height=4)
    for label, values in lines.items():
        axes.plot(x, values, marker="o", markersize=3, label=label)
    axes.set_xlabel(x_label)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    axes.legend()
    return _png(figure)


def scatter_chart(
    labels: Sequence[str], x: Sequence[float], y: Sequence[float], *, title: str, x_label: str
) -> bytes:
    """One named point each over a logarithmic x axis."""
    figure, axes = _figure(height=4)
    axes.scatter(x, y, color=BLUE)
    axes.set_xscale("log")
    axes.margins(x=0.25, y=0.15)
    for number, (label, right, up) in enumerate(zip(labels, x, y, strict=True)):
        offset = (0, -14 if number % 2 else 6)  # neighbours in the list are often neighbours here
        axes.annotate(label, (right, up), offset, textcoords="offset points", ha="center", size=8)
    axes.set_xlabel(x_label)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    return _png(figure)


def grouped_chart(
    labels: Sequence[str],
    bars: Mapping[str, Sequence[float]],
    marks: Mapping[str, Sequence[float]],
    *,
    title: str,
) -> bytes:
    """Return a group of bars for each label, one bar per series; a mark across a bar beside it."""
    figure, axes = _figure(height=4)
    wide = 0.8 / len(bars)
    for number, (series, values) in enumerate(bars.items()):
        places = np.arange(len(labels)) + (number - (len(bars) - 1) / 2) * wide
        axes.bar(places, values, wide * 0.9, label=series)
        if series in marks:
            axes.hlines(marks[series], places - wide / 2, places + wide / 2, DARK, linewidth=2)
    axes.set_xticks(range(len(labels)), labels, rotation=20, size=8)
    axes.set_ylabel("Pearson's r")
    axes.set_title(title)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    figure.legend(loc="outside lower center", ncols=len(bars))
    return _png(figure)


def panel_chart(panels: Sequence[Panel], *, title: str) -> bytes:
    """Panels side by side; labels that are those of the panel to the left are not repeated."""
    rows = max(len(panel.labels) for panel in panels)
    before = [None, *(panel.labels for panel in panels[:-1])]
    fresh = [panel.labels != left for panel, left in zip(panels, before, strict=True)]
    width = sum(3.6 if is_fresh else 2.1 for is_fresh in fresh)
    figure, axes = _figure(1.4 + 0.19 * rows, width, len(panels))
    for panel, is_fresh, place in zip(panels, fresh, np.atleast_1d(axes), strict=True):
        _draw_panel(place, panel)
        place.set_yticks(range(len(panel.labels)), panel.labels if is_fresh else [], size=8)
    figure.suptitle(title, size=10)
    return _png(figure)


def _draw_panel(axes: Any, panel: Panel) -> None:
    places = range(len(panel.values))
    if panel.dots:
        axes.axvline(0, color=DARK, linewidth=0.8, linestyle="--")
        axes.plot(panel.values, places, "o", color=BLUE, markersize=4)
    else:
        axes.barh(places, panel.values, color=BLUE)
        axes.axvline(0, color=DARK, linewidth=0.8)
    for place, (low, high) in enumerate(panel.intervals):
        if math.isfinite(low) and math.isfinite(high):
            axes.plot([low, high], [place, place], color=DARK, linewidth=1)
    axes.set_ylim(len(places) - 0.4, -0.6)
    axes.set_title(panel.title, size=9)
    axes.tick_params(axis="x", labelsize=7)
    axes.locator_params(axis="x", nbins=5)
    axes.grid(axis="x", alpha=0.3)
    axes.set_axisbelow(True)


def heat_map(labels: Sequence[str], matrix: NDArray[np.float64], *, title: str) -> bytes:
    """An (n, n) matrix of numbers in [-1, 1]: red below 0, blue above, blank where undefined."""
    side = 3 + 0.14 * len(labels)
    figure, axes = _figure(side, side + 1)
    image = axes.imshow(matrix, cmap="RdBu", vmin=-1, vmax=1)
    axes.set_xticks(range(len(labels)), labels, rotation=90, size=6)
    axes.set_yticks(range(len(labels)), labels, size=6)
    axes.set_title(title, size=10)
    figure.colorbar(image, shrink=0.6)
    return _png(figure)


def _figure(height: float, width: float = 7, columns: int = 1) -> tuple[Any, Any]:
    # Figure without pyplot: no window, no global state.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height), layout="constrained")
    return figure, figure.subplots(1, columns)


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    return buffer.getvalue()
