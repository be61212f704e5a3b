"""The sections of a report on features: what they weigh, and what each group brings."""

from __future__ import annotations

import math

from runs.report import svg
from runs.report.findings import Findings
from runs.report.markup import element
from runs.report.page_parts import bar_chart, figure, paragraph, signed
from runs.studies.studied import Loss

SHOWN = 30
"""Features that a chart has room for."""


def importance(findings: Findings) -> str:
    """What the fusion learned from each feature, and what it loses when one is shuffled."""
    if not findings.weights:
        return ""
    return element("div", _gains(findings), _shuffled(findings), class_="pair-of-charts")


def _gains(findings: Findings) -> str:
    if not any(weight.share for weight in findings.weights):
        return ""  # no part of the fusion is a tree
    rows = [
        svg.Bar(
            weight.feature,
            weight.share,
            f"{100 * weight.share:.1f} %",
            title=f"{weight.feature} ({weight.group}): {weight.source}",
        )
        for weight in findings.weights[:SHOWN]
    ]
    others = [weight.share for weight in findings.weights[SHOWN:]]
    if others:
        total = math.fsum(others)
        rows.append(svg.Bar(f"{len(others)} others", total, f"{100 * total:.1f} %"))
    caption = "Share of the training error that the trees’ splits on a feature took away"
    return bar_chart(caption, rows, left=150)


def _shuffled(findings: Findings) -> str:
    if findings.studied is None:
        return ""
    losses = findings.studied.shuffled
    caption = (
        f"Weighted mean lost on {findings.studied.task} when a feature is shuffled among the "
        "pairs, and one standard deviation"
    )
    if len(losses) > SHOWN:
        caption += f"; the {SHOWN} largest of {len(losses)}"
    return bar_chart(caption, [_loss(loss) for loss in losses[:SHOWN]], left=150)


def _loss(loss: Loss) -> svg.Bar:
    shown = signed(loss.loss, 4)
    interval = f" ({signed(loss.low, 4)} to {signed(loss.high, 4)})"
    title = f"{loss.name}: {shown}{'' if math.isnan(loss.low) else interval}"
    return svg.Bar(loss.name, loss.loss, shown, title=title, low=loss.low, high=loss.high)


def ablation(findings: Findings) -> str:
    """What the fusion loses without each group of features, and what each group does alone."""
    studied = findings.studied
    if studied is None:
        return _unstudied(findings)
    lost = [_loss(loss) for loss in studied.without]
    alone = [svg.Bar(group, score, figure(score, 4)) for group, score in studied.alone]
    grown = [svg.Bar(f"+ {group}", score, figure(score, 4)) for group, score in studied.grown]
    mean = f"Weighted mean on {studied.task}"
    intro = paragraph(
        "The fusion is learned again without each group, and with it alone; a thin line is "
        "the 95 % interval of the loss. Where a bar goes to the left, the fusion did better "
        "without the group: it is noise there, or others say the same."
    )
    charts = (
        bar_chart(f"Weighted mean lost on {studied.task} without a group of features", lost),
        bar_chart(f"{mean} with the group alone", alone),
        bar_chart(f"{mean} as groups are added, the best first", grown),
    )
    return intro + element("div", *charts, class_="panels")


def _unstudied(findings: Findings) -> str:
    """What to do for the studies, for a run that has features but was not studied."""
    if not findings.weights:
        return ""
    return paragraph(
        "Not studied: the report was made with ",
        element("code", "--quick"),
        ", or the data sets that a study needs are not in the folder given with ",
        element("code", "--data"),
        ".",
        kind="box",
    )
