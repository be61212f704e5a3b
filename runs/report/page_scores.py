"""The sections of a report that every run has: scores, scatter charts, unknown words."""

from __future__ import annotations

import math

from runs.report import svg
from runs.report.findings import Findings
from runs.report.markup import element, said
from runs.report.page_parts import figure, interval, paragraph, row, table
from runs.tables.published import Published, published_on
from sts.data.records import SPANISH

_MARKED = ("paper", "median", "winner")
"""The kinds of published systems that the chart of scores marks, by the number of their mark."""


def scores(findings: Findings) -> str:
    """The scores by data set, next to those of others: a chart, and a table."""
    chart = element(
        "figure",
        element("figcaption", "Pearson’s <i>r</i> by data set"),
        _legend(findings),
        _score_chart(findings),
        class_="chart",
    )
    others = any(compared(findings))
    reading = paragraph(
        "The band is where this run’s score lies in 95 % of 1,000 draws of as many pairs, with "
        "replacement.",
        " A system whose mark lies within it may owe its distance to the choice of the pairs."
        if others
        else "",
    )
    side = element("div", reading, _sources(findings), class_="small")
    return element("div", chart, side, class_="pair-of-charts") + _score_table(findings)


def _legend(findings: Findings) -> str:
    ours = svg.drawing(16, "", element("circle", cx=8, cy=8, r=5, class_="ours"), width=16)
    items = [element("li", ours, "this run, with its 95 % interval")]
    for kind, other in enumerate(compared(findings)):
        if other is not None:
            drawn = svg.drawing(16, "", svg.mark(kind, 8, 8), width=16)
            items.append(element("li", drawn, said(other.system)))
    return element("ul", *items, class_="legend")


def _score_chart(findings: Findings) -> str:
    others = compared(findings)
    rows = [
        svg.Range(
            name,
            findings.score.datasets[name].pearson,
            *test.interval,
            tuple(
                (kind, other.datasets[name])
                for kind, other in enumerate(others)
                if other is not None and name in other.datasets
            ),
        )
        for name, test in findings.tests.items()
    ]
    averages = [(kind, other.average) for kind, other in enumerate(others) if other is not None]
    whole = findings.score.weighted_mean
    rows.append(svg.Range("weighted mean", whole, *findings.interval, tuple(averages)))
    spoken = "; ".join(f"{row.name} {figure(row.value)}" for row in rows)
    return svg.ranges(rows, f"Pearson by data set with 95 % intervals: {spoken}")


def _score_table(findings: Findings) -> str:
    published = published_on(findings.task.name)
    header = ["data set", "scored", "this run", "95 % interval", "Spearman"]
    header += [other.system for other in published]
    rows = []
    for name, test in findings.tests.items():
        score = findings.score.datasets[name]
        cells = [
            element("td", f"{score.scored:,}"),
            element("td", figure(score.pearson), class_="ours"),
            element("td", interval(*test.interval), class_="interval"),
            element("td", figure(score.spearman)),
        ]
        cells += [element("td", figure(o.datasets.get(name, math.nan))) for o in published]
        rows.append(row(name, cells))
    scored = sum(score.scored for score in findings.score.datasets.values())
    total = [
        element("td", f"{scored:,}"),
        element("td", figure(findings.score.weighted_mean), class_="ours"),
        element("td", interval(*findings.interval), class_="interval"),
        element("td", figure(findings.score.spearman_all)),
        *(element("td", figure(other.average)) for other in published),
    ]
    caption = (
        "Pearson’s <i>r</i>, and Spearman’s <i>ρ</i> of this run; in the last line the "
        "<i>r</i> are weighted by scored pairs, and <i>ρ</i> is over all pairs in one list."
    )
    return table("Scores by data set", header, rows, caption, row("weighted mean", total))


def _sources(findings: Findings) -> str:
    published = published_on(findings.task.name)
    by_source: dict[str, list[str]] = {}
    for other in published:
        by_source.setdefault(other.source, []).append(other.system)
    lines = [f"{', '.join(systems)}: {source}" for source, systems in by_source.items()]
    return paragraph(said(f"{'. '.join(lines)}."), kind="soft") if lines else ""


def compared(findings: Findings) -> list[Published | None]:
    """The published systems of the chart: the paper's run, the median and the winner."""
    published = published_on(findings.task.name)
    papers = [other for other in published if other.kind == "paper"]
    same = [other for other in papers if other.run == findings.run.name]
    found = [next(iter([*same, *reversed(papers)]), None)]
    for kind in _MARKED[1:]:
        found.append(next((other for other in published if other.kind == kind), None))
    return found


def scatters(findings: Findings) -> str:
    """Predicted against gold scores, a panel a data set."""
    spanish = any(dataset.languages == SPANISH for dataset in findings.task.datasets)
    intro = paragraph(
        "A dot is a pair; on the dashed line it has the score that people gave it. "
        "<i>r</i> asks for a straight line, not for this one.",
        " The gold of Spanish tasks goes to 4." if spanish else "",
    )
    panels = [_scatter(findings, name) for name in findings.tests]
    return intro + element("div", *panels, class_="panels")


def _scatter(findings: Findings, name: str) -> str:
    test, score = findings.tests[name], findings.score.datasets[name]
    points = [
        svg.Point(
            float(gold),
            float(predicted),
            f"{left}\n{right}\ngold {gold:g}, predicted {predicted:.2f}",
        )
        for left, right, gold, predicted in zip(
            test.pairs.left, test.pairs.right, test.gold, test.predicted, strict=True
        )
        if not math.isnan(gold)
    ]
    r = figure(score.pearson)
    caption = element(
        "figcaption",
        element("strong", said(name)),
        f", <i>r</i> = {said(r)}, {score.scored:,} pairs",
    )
    label = f"{name}: predicted against gold scores of {score.scored} pairs, r = {r}"
    return element("figure", caption, svg.scatter(points, label, "gold", "predicted"))


def unknown(findings: Findings) -> str:
    """How many words of each data set the vectors do not know, and which."""
    rows = [
        row(
            name,
            [
                element("td", f"{unknown.words:,}"),
                element("td", f"{unknown.unknown:,}"),
                element("td", _percent(unknown.unknown, unknown.words)),
                element("td", said(", ".join(unknown.examples)), class_="words"),
            ],
        )
        for name, unknown in findings.unknown.items()
    ]
    words = sum(unknown.words for unknown in findings.unknown.values())
    missing = sum(unknown.unknown for unknown in findings.unknown.values())
    total = [
        element("td", f"{words:,}"),
        element("td", f"{missing:,}"),
        element("td", _percent(missing, words)),
        element("td"),
    ]
    header = ["data set", "running words", "unknown", "rate", "most frequent of them"]
    caption = "Words of all pairs, scored or not, that have no row of their own in the vectors."
    return table("Unknown words", header, rows, caption, row("all", total))


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / max(1, whole):.2f} %"
