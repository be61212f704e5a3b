"""Charts as PNG bytes: the same numbers give the same bytes."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import Any


def bar_chart(labels: Sequence[str], values: Sequence[float], *, title: str) -> bytes:
    """Horizontal bars, the first label on top."""
    figure, axes = _figure(height=1.2 + 0.28 * len(labels))
    axes.barh(range(len(labels)), values, color="#3b6ea5")
    axes.set_yticks(range(len(labels)), labels)
    axes.invert_yaxis()
    axes.axvline(0, color="#333333", linewidth=0.8)
    axes.set_title(title)
    return _png(figure)


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
    axes.scatter(x, y, color="#3b6ea5")
    axes.set_xscale("log")
    axes.margins(x=0.25, y=0.15)
    for number, (label, right, up) in enumerate(zip(labels, x, y, strict=True)):
        offset = (0, -14 if number % 2 else 6)  # neighbours in the list are often neighbours here
        axes.annotate(label, (right, up), offset, textcoords="offset points", ha="center", size=8)
    axes.set_xlabel(x_label)
    axes.set_title(title)
    axes.grid(alpha=0.3)
    return _png(figure)


def _figure(height: float) -> tuple[Any, Any]:
    # Figure without pyplot: no window, no global state.
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7, height), layout="constrained")
    return figure, figure.subplots()


def _png(figure: Any) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=120, metadata={"Software": None})
    return buffer.getvalue()
