"""What the sections of a report are made of: paragraphs, tables, bar charts and figures."""

from __future__ import annotations

import math
from collections.abc import Sequence

from runs.report import svg
from runs.report.markup import element, said


def paragraph(*content: str, kind: str = "") -> str:
    """A paragraph of elements and escaped text, of a class of the style sheet or of none."""
    return element("p", *content, class_=kind) if kind else element("p", *content)


def table(name: str, header: Sequence[str], rows: Sequence[str], note: str, last: str) -> str:
    """A table and a note below it.

    The table stands in a box of its own, which scrolls sideways where the screen is narrow.

    Args:
        name: of the table, for those who do not see it.
        header: a text a column.
        rows: see :func:`row`; ``last`` is set apart from them.
        note: elements and escaped text.
    """
    top = [element("th", said(cell), scope="col") for cell in header]
    inner = element(
        "table",
        element("caption", said(name), class_="unseen"),
        element("thead", element("tr", *top)),
        element("tbody", *rows),
        element("tfoot", last),
    )
    box = element("div", inner, class_="scroll", tabindex=0, role="region", aria_label=name)
    return box + paragraph(note, kind="soft small")


def row(name: str, cells: Sequence[str]) -> str:
    """A row of cells, which are elements, after its name, which is text."""
    return element("tr", element("th", said(name), scope="row"), *cells)


def bar_chart(caption: str, rows: Sequence[svg.Bar], left: int = svg.LEFT) -> str:
    """Bars below their caption; ``left`` is the room for their names."""
    drawing = svg.bars(rows, spoken(caption, rows), left)
    return element("figure", element("figcaption", said(caption)), drawing, class_="chart")


def spoken(caption: str, rows: Sequence[svg.Bar]) -> str:
    """What is said in place of bars: the caption, every name, every figure."""
    return f"{caption}: {'; '.join(f'{row.name} {row.shown}' for row in rows)}"


def figure(value: float, decimals: int = 3) -> str:
    """A number; a dash if it is undefined."""
    if math.isnan(value):
        return "–"
    # What was published as .8015 is below it in binary and would come out as 0.801.
    return f"{value + 1e-9:.{decimals}f}"


def interval(low: float, high: float) -> str:
    """From low to high; a dash if either is undefined."""
    return "–" if math.isnan(low) or math.isnan(high) else f"{low:.3f}–{high:.3f}"


def signed(value: float, decimals: int = 2) -> str:
    """With its sign, and a minus that is as wide as a plus; a dash if it is undefined."""
    return "–" if math.isnan(value) else f"{value:+.{decimals}f}".replace("-", "−")
