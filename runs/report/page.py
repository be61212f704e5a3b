"""A report as one HTML page that needs nothing else: no script, no font, no network.

What is in it comes from :mod:`runs.report.findings`, how it looks from ``report.css``.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from runs.report.findings import Findings
from runs.report.markup import element, said
from runs.report.page_features import ablation, importance
from runs.report.page_misses import misses
from runs.report.page_parts import figure, interval, paragraph
from runs.report.page_scores import compared, scatters, scores, unknown
from sts.files import read_text

STYLE = Path(__file__).parent / "report.css"


def page(findings: Findings, command: str) -> str:
    """The whole page.

    Args:
        findings: all that is shown.
        command: what makes the page again.
    """
    title = f"{findings.run.name} on {findings.task.name}"
    sections = [
        (name, heading, content)
        for name, heading, content in (
            ("scores", "Scores", scores(findings)),
            ("predicted", "Predicted against gold", scatters(findings)),
            ("importance", "What the fusion rests on", importance(findings)),
            ("ablation", "What each group brings", ablation(findings)),
            ("worst", "The worst pairs", misses(findings)),
            ("unknown", "Unknown words", unknown(findings)),
            ("signature", "Signature", _signature(findings)),
        )
        if content
    ]
    body = "\n".join(
        (
            _header(findings),
            _jumps([(name, heading) for name, heading, _ in sections]),
            element("main", *(_section(*section) for section in sections)),
            _footer(findings, command),
        )
    )
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"{element('title', said(title))}\n<style>\n{read_text(STYLE)}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _section(name: str, heading: str, content: str) -> str:
    title = element("h2", said(heading), id=f"{name}-heading")
    return element("section", title, content, "\n", id=name, aria_labelledby=f"{name}-heading")


def _jumps(sections: Sequence[tuple[str, str]]) -> str:
    links = [
        element("li", element("a", said(heading), href=f"#{name}")) for name, heading in sections
    ]
    return element("nav", element("ul", *links), aria_label="On this page")


def _header(findings: Findings) -> str:
    score, (low, high) = findings.score, findings.interval
    pairs = sum(len(test.pairs) for test in findings.tests.values())
    scored = sum(dataset.scored for dataset in score.datasets.values())
    headline = element(
        "div",
        element("strong", said(figure(score.weighted_mean, 4))),
        element(
            "span",
            f"weighted mean of Pearson’s <i>r</i>, 95 % interval {said(interval(low, high))}",
        ),
        class_="headline",
    )
    facts = [
        ("mean of the data sets", figure(score.mean, 4)),
        ("Spearman, all pairs", figure(score.spearman_all, 4)),
        ("pairs", f"{scored:,} scored of {pairs:,}"),
        ("data sets", str(len(findings.tests))),
    ]
    return element(
        "header",
        element("h1", element("code", said(findings.run.name)), " on ", said(findings.task.name)),
        paragraph(said(f"{findings.task.title}. The run: {findings.run.about}."), kind="soft"),
        headline,
        _comparison(findings),
        element("dl", *(_fact(*fact) for fact in facts), class_="facts"),
    )


def _fact(name: str, value: str) -> str:
    return element("div", element("dt", said(name)), element("dd", said(value)))


def _comparison(findings: Findings) -> str:
    """One sentence: how others stood on the same task."""
    others = [
        f"{other.system} {figure(other.average)}"
        for other in compared(findings)
        if other is not None
    ]
    return paragraph(said(f"For comparison: {', '.join(others)}.")) if others else ""


def _footer(findings: Findings, command: str) -> str:
    return element(
        "footer",
        paragraph("Made by ", element("code", said(command)), "."),
        paragraph(
            said(f"Sentences and gold: {findings.task.citation} Terms: {findings.task.licence}.")
        ),
    )


def _signature(findings: Findings) -> str:
    content = dict(findings.signature)
    if findings.studied is not None:
        content["studied"] = {"task": findings.studied.task, "inputs": findings.studied.inputs}
    text = json.dumps(content, indent=2, ensure_ascii=False)
    return paragraph("Everything that these scores rest on.") + element(
        "details", element("summary", "Show it in full"), element("pre", said(text))
    )
