"""The section of a report on the worst pairs, and on what made their scores."""

from __future__ import annotations

import math
from collections.abc import Sequence

from runs.report import svg
from runs.report.findings import Findings, Miss, Part
from runs.report.markup import element, said
from runs.report.page_parts import paragraph, signed, spoken
from sts.data.records import ENGLISH

PARTS = 8
"""Features that are shown for a bad pair; the rest are summed."""


def misses(findings: Findings) -> str:
    """The worst pairs, a card each, all bars on one scale."""
    if not findings.misses:
        return ""
    intro = (
        f"The {len(findings.misses)} pairs whose score is furthest from the gold. On the scale, "
        "the stroke is the gold and the dot the prediction."
    )
    if any(dataset.languages != ENGLISH for dataset in findings.task.datasets):
        intro += " What was Spanish is shown as it was translated and scored."
    if findings.misses[0].parts:
        intro += (
            " Below each: how far the features moved it, in points, from the score of a pair "
            f"whose features all stand in the middle ({findings.misses[0].base:.2f}); "
            "sampled Shapley values, which add up to the prediction."
        )
    drawn = [_drawn_parts(miss) for miss in findings.misses]
    reach = svg.reach_of([bar for rows in drawn for bar in rows])
    cards = [
        element("li", _miss(miss), _parts(miss, rows, reach))
        for miss, rows in zip(findings.misses, drawn, strict=True)
    ]
    return paragraph(said(intro)) + element("ol", *cards, class_="misses")


def _miss(miss: Miss) -> str:
    gap = miss.predicted - miss.gold
    heading = element(
        "h3",
        element("span", element("b", said(miss.dataset)), f", line {miss.line}"),
        element("span", f"gold {miss.gold:g}, predicted {miss.predicted:.2f} ({signed(gap)})"),
    )
    sentences = element("blockquote", paragraph(said(miss.left)), paragraph(said(miss.right)))
    label = f"gold {miss.gold:g}, predicted {miss.predicted:.2f}, on a scale from 0 to 5"
    return heading + sentences + svg.track(miss.gold, miss.predicted, label)


def _drawn_parts(miss: Miss) -> list[svg.Bar]:
    """The largest parts of a score, and all others in one."""
    rows = [
        svg.Bar(part.feature, part.points, signed(part.points), note=_value(part))
        for part in miss.parts[:PARTS]
    ]
    others = [part.points for part in miss.parts[PARTS:]]
    if others:
        total = math.fsum(others)
        rows.append(svg.Bar(f"{len(others)} others", total, signed(total)))
    return rows


def _parts(miss: Miss, rows: Sequence[svg.Bar], reach: tuple[float, float]) -> str:
    if not rows:
        return ""
    label = spoken(f"From {miss.base:.2f} to the prediction", rows)
    return svg.bars(rows, label, left=178, reach=reach)


def _value(part: Part) -> str:
    return "missing" if math.isnan(part.value) else f"{part.value:.2f}"
