"""A report as one HTML page that needs nothing else: no script, no font, no network.

What is in it comes from :mod:`runs.report.findings`. ``templates/report.html`` lays it out, and
escapes all text; :mod:`runs.report.figures` draws.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from features.registry import get_feature
from runs.report.explanation import Contribution
from runs.report.figures import (
    Bar,
    Interval,
    bar_figure,
    error_figure,
    interval_figure,
    limits_of,
    scatter_figure,
)
from runs.report.findings import Findings, LargeError, ScoredDataSet
from runs.studies.contribution.study import Loss
from runs.tables.published import Published, published_on
from sts.data.schema import ENGLISH, SPANISH

TEMPLATES = Path(__file__).parent / "templates"

IMPORTANCES, CONTRIBUTIONS = 30, 8
"""Features that a chart of importance, and the chart of one pair, have room for."""

MARKED = ("paper", "median", "winner")
"""Kinds of published systems that the chart of scores marks, by the place of their marker."""


def page(findings: Findings, command: str) -> str:
    """The whole page.

    Args:
        findings: all that is shown.
        command: what makes the page again.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"number": number, "signed": signed, "interval": interval}
    languages = {dataset.languages for dataset in findings.task.datasets}
    return environment.get_template("report.html").render(
        command=command,
        findings=findings,
        marked=marked_systems(findings),
        published=published_on(findings.task.name),
        spanish=SPANISH in languages,
        translated=languages != {ENGLISH} and findings.run is not None,
        pairs=sum(len(scored.pairs) for scored in findings.datasets.values()),
        score_figure=_score_figure(findings),
        scatters={name: _scatter(findings, name) for name in findings.datasets},
        importance=[*_gini(findings), *_permutation(findings)],
        ablation=_ablation(findings),
        errors=_errors(findings),
        legend=_legend(findings),
        signature=_signature(findings),
    )


def number(value: float, decimals: int = 3) -> str:
    """A number; a dash if it is undefined."""
    if math.isnan(value):
        return "–"
    # What was published as .8015 is below it in binary and would come out as 0.801.
    return f"{value + 1e-9:.{decimals}f}"


def interval(ends: tuple[float, float]) -> str:
    """From low to high; a dash if either is undefined."""
    return "–" if any(map(math.isnan, ends)) else "{:.3f}–{:.3f}".format(*ends)


def signed(value: float, decimals: int = 2) -> str:
    """With its sign, and a minus that is as wide as a plus; a dash if it is undefined."""
    return "–" if math.isnan(value) else f"{value:+.{decimals}f}".replace("-", "−")


def marked_systems(findings: Findings) -> list[Published | None]:
    """The published systems that the chart of scores marks: of each kind one, or None.

    Of the paper's runs it is the one that the run repeats, or else the last.
    """
    published = published_on(findings.task.name)
    papers = [other for other in published if other.kind == "paper"]
    same = [other for other in papers if other.run == findings.name]
    found = [next(iter([*same, *reversed(papers)]), None)]
    for kind in MARKED[1:]:
        found.append(next((other for other in published if other.kind == kind), None))
    return found


def _score_figure(findings: Findings) -> Markup:
    others = [(k, other) for k, other in enumerate(marked_systems(findings)) if other is not None]
    rows = [
        Interval(
            name,
            findings.score.datasets[name].pearson,
            *scored.interval,
            tuple((k, other.datasets[name]) for k, other in others if name in other.datasets),
        )
        for name, scored in findings.datasets.items()
    ]
    averages = tuple((k, other.average) for k, other in others)
    mean = findings.score.weighted_mean
    rows.append(Interval("weighted mean", mean, *findings.interval, averages))
    values = "; ".join(f"{row.name} {number(row.value)}" for row in rows)
    return interval_figure(rows, f"Pearson by data set with 95 % intervals: {values}")


def _scatter(findings: Findings, name: str) -> Markup:
    scored, score = findings.datasets[name], findings.score.datasets[name]
    rows = [row for row, gold in enumerate(scored.gold.tolist()) if not math.isnan(gold)]
    label = f"{name}: predicted against gold scores of {score.scored} pairs, r = {number(score.pearson)}"
    titles = [_pair_title(scored, row) for row in rows]
    return scatter_figure(
        scored.gold[rows].tolist(), scored.predicted[rows].tolist(), titles, label
    )


def _pair_title(scored: ScoredDataSet, row: int) -> str:
    return (
        f"{scored.pairs.left[row]}\n{scored.pairs.right[row]}\n"
        f"gold {scored.gold[row]:g}, predicted {scored.predicted[row]:.2f}"
    )


Chart = tuple[str, Markup]
"""A caption and the figure below it."""


def _chart(caption: str, rows: Sequence[Bar], **options: Any) -> Chart:
    return caption, bar_figure(rows, caption, **options)


def _gini(findings: Findings) -> list[Chart]:
    """Nothing if no part of the fusion is a tree."""
    found = [(get_feature(name), share) for name, share in findings.importances.items()]
    if not any(share for _, share in found):
        return []
    rows = [
        Bar(
            feature.name,
            share,
            f"{share:.1%}".replace("%", " %"),
            title=f"{feature.name} ({feature.group}): {feature.source}",
        )
        for feature, share in found[:IMPORTANCES]
    ]
    rows += _others([share for _, share in found[IMPORTANCES:]], "{:.1%}")
    caption = "Gini importance: share of the training error that the trees’ splits took away"
    return [_chart(caption, rows, left=150)]


def _permutation(findings: Findings) -> list[Chart]:
    if findings.studies is None:
        return []
    losses = findings.studies.permutation
    caption = (
        f"Permutation importance: loss of the weighted mean on {findings.studies.task} when a "
        "feature is shuffled among the pairs, and one standard deviation"
    )
    if len(losses) > IMPORTANCES:
        caption += f"; the {IMPORTANCES} largest of {len(losses)}"
    return [_chart(caption, [_loss(loss) for loss in losses[:IMPORTANCES]], left=150)]


def _ablation(findings: Findings) -> list[Chart]:
    studies = findings.studies
    if studies is None:
        return []
    mean = f"Weighted mean on {studies.task}"
    alone = [Bar(group, score, number(score, 4)) for group, score in studies.alone]
    added = [Bar(f"+ {group}", score, number(score, 4)) for group, score in studies.cumulative]
    return [
        _chart(
            f"Loss of the weighted mean on {studies.task} without a group of features",
            [_loss(loss) for loss in studies.without],
        ),
        _chart(f"{mean} with the group alone", alone),
        _chart(f"{mean} as groups are added, the best first", added),
    ]


def _loss(loss: Loss) -> Bar:
    shown = signed(loss.loss, 4)
    ends = "" if math.isnan(loss.low) else f" ({signed(loss.low, 4)} to {signed(loss.high, 4)})"
    title = f"{loss.name}: {shown}{ends}"
    return Bar(loss.name, loss.loss, shown, title=title, low=loss.low, high=loss.high)


def _errors(findings: Findings) -> list[Mapping[str, Any]]:
    """Every large error with its figures, all bars on one scale."""
    rows = [_contributions(error.explained.contributions) for error in findings.errors]
    limits = limits_of(bar for bars in rows for bar in bars)
    return [
        {
            "pair": error.explained,
            "where": error,
            "track": error_figure(error.gold, error.explained.score),
            "contributions": _contribution_figure(error, bars, limits) if bars else None,
        }
        for error, bars in zip(findings.errors, rows, strict=True)
    ]


def _legend(findings: Findings) -> dict[str, str]:
    """What each feature in a chart looks at, in the order of the charts."""
    shown = [*findings.importances][:IMPORTANCES]
    if findings.studies is not None:
        shown += [loss.name for loss in findings.studies.permutation[:IMPORTANCES]]
    for error in findings.errors:
        shown += [one.feature for one in error.explained.contributions[:CONTRIBUTIONS]]
    features = [get_feature(name) for name in dict.fromkeys(shown)]
    return {feature.name: feature.about or feature.source for feature in features}


def _contributions(contributions: Sequence[Contribution]) -> list[Bar]:
    """The largest contributions to a score, and the sum of all others."""
    rows = [
        Bar(
            one.feature,
            one.contribution,
            signed(one.contribution),
            note="missing" if one.value is None else f"{one.value:.2f}",
        )
        for one in contributions[:CONTRIBUTIONS]
    ]
    return rows + _others([one.contribution for one in contributions[CONTRIBUTIONS:]], "{:+.2f}")


def _others(values: Sequence[float], form: str) -> list[Bar]:
    """One bar for all values that have none of their own."""
    total = math.fsum(values)
    shown = form.format(total).replace("-", "−").replace("%", " %")
    return [Bar(f"{len(values)} others", total, shown)] if values else []


def _contribution_figure(
    error: LargeError, bars: Sequence[Bar], limits: tuple[float, float]
) -> Markup:
    label = f"From {error.explained.base:.2f} to the prediction"
    return bar_figure(bars, label, left=178, limits=limits)


def _signature(findings: Findings) -> str:
    content = dict(findings.signature)
    if findings.studies is not None:
        content["studies"] = {"task": findings.studies.task, "inputs": findings.studies.inputs}
    return json.dumps(content, indent=2, ensure_ascii=False)
