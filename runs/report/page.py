"""A report as one HTML page that needs nothing else: no script, no font, no network.

Its content comes from :mod:`semaniacs.runs.report.findings`. ``templates/report.html`` and ``charts.html`` lay
it out, and escape all text.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from semaniacs.features.contradictions.differences import difference_sentences
from semaniacs.features.registry import get_feature, plain_name
from semaniacs.runs.contribution.ablation import Kind
from semaniacs.runs.contribution.importance import FeatureImportance
from semaniacs.runs.report.explanation import Contribution
from semaniacs.runs.report.findings import Findings, Studies
from semaniacs.runs.tables.published import Published, published_on
from semaniacs.sts.data.catalog import ENGLISH, SPANISH

TEMPLATES = Path(__file__).parent / "templates"

IMPORTANCES, CONTRIBUTIONS = 30, 8
"""Largest number of features in a chart of importance, and in the chart of one pair."""

MARKED = ("paper", "median", "winner")
"""Kinds of published systems that the chart of scores marks, in the order of the markers."""


class Bar(NamedTuple):
    """A bar from zero to ``value``; ``shown`` is the number at the end of the row.

    ``note`` follows the name, ``title`` shows when the row is pointed at, and low and high are an
    interval, which is not drawn if it is NaN.
    """

    name: str
    value: float
    shown: str
    note: str = ""
    title: str = ""
    low: float = math.nan
    high: float = math.nan


class Interval(NamedTuple):
    """A value with its interval, and (marker, value) of other systems in the same row."""

    name: str
    value: float
    low: float
    high: float
    others: tuple[tuple[int, float], ...] = ()


Chart = tuple[str, Sequence[Bar], float, float]
"""Caption, bars, lowest and highest value."""


def page(findings: Findings, command: str) -> str:
    """Return the whole page; ``command`` makes it again."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"number": number, "signed": signed, "interval": interval}
    environment.globals["place"] = place
    languages = {dataset.languages for dataset in findings.task.datasets}
    bars = [_contributions(error.explained.contributions) for error in findings.errors]
    pairs = [(error.explained.left, error.explained.right) for error in findings.errors]
    differ = difference_sentences([left for left, _ in pairs], [right for _, right in pairs])
    low, high = limits_of(bar for one in bars for bar in one)
    signature = dict(findings.signature)
    if findings.studies is not None:
        signature["studies"] = {"task": findings.studies.task, "inputs": findings.studies.inputs}
    return environment.get_template("report.html").render(
        command=command,
        findings=findings,
        marked=marked_systems(findings),
        published=published_on(findings.task.name),
        spanish=SPANISH in languages,
        translated=languages != {ENGLISH} and findings.run is not None,
        pairs=sum(len(scored.pairs) for scored in findings.datasets.values()),
        score_chart=_score_chart(findings),
        scatters={name: _scatter(findings, name) for name in findings.datasets},
        importance=_importance(findings),
        ablation=_ablation(findings.studies) if findings.studies else [],
        errors=list(zip(findings.errors, bars, differ, strict=True)),
        error_low=low,
        error_high=high,
        legend=_legend(findings),
        signature=json.dumps(signature, indent=2, ensure_ascii=False),
    )


def place(value: float, low: float, high: float) -> float:
    """Return the place of a value between two others, in percent; 0 if it is undefined."""
    return 0.0 if math.isnan(value) else round(100 * (value - low) / ((high - low) or 1), 2)


def limits_of(rows: Iterable[Bar]) -> tuple[float, float]:
    """Return the lowest and the highest value or end of an interval, zero among them."""
    ends = [end for row in rows for end in (row.value, row.low, row.high) if math.isfinite(end)]
    return min([0.0, *ends]), max([0.0, *ends])


def number(value: float, decimals: int = 3) -> str:
    """Format a number; a dash if it is undefined."""
    if math.isnan(value):
        return "–"
    # What was published as .8015 is below it in binary and would come out as 0.801.
    return f"{value + 1e-9:.{decimals}f}"


def interval(ends: tuple[float, float]) -> str:
    """Format low and high; a dash if either is undefined."""
    return "–" if any(map(math.isnan, ends)) else "{:.3f}–{:.3f}".format(*ends)


def signed(value: float, decimals: int = 2) -> str:
    """Format a number with its sign; a dash if it is undefined."""
    return "–" if math.isnan(value) else f"{value:+.{decimals}f}".replace("-", "−")


def marked_systems(findings: Findings) -> list[Published | None]:
    """Return the published systems that the chart of scores marks: of each kind one, or None.

    Of the paper's runs it is the one that the run repeats, or else the last.
    """
    published = published_on(findings.task.name)
    found: list[Published | None] = []
    for kind in MARKED:
        ones = [other for other in published if other.kind == kind]
        if kind == "paper":
            ones.reverse()
            ones.sort(key=lambda other: other.run != findings.name)
        found.append(ones[0] if ones else None)
    return found


def _score_chart(findings: Findings) -> tuple[list[Interval], str, float, float, list[float]]:
    """Return rows, a text for those who do not see them, both ends and the ticks of the axis.

    The axis begins near the lowest value, because places are compared here, not lengths.
    """
    others = [(k, other) for k, other in enumerate(marked_systems(findings)) if other is not None]
    rows = []
    for name, scored in findings.datasets.items():
        marks = tuple((k, o.datasets[name]) for k, o in others if name in o.datasets)
        pearson = findings.score.datasets[name].pearson
        rows.append(Interval(name, pearson, *scored.interval, marks))
    averages = tuple((k, other.average) for k, other in others)
    mean = findings.score.weighted_mean
    rows.append(Interval("weighted mean", mean, *findings.interval, averages))
    spoken = "; ".join(f"{row.name} {number(row.value)}" for row in rows)
    values = [v for r in rows for v in (r.low, r.high, r.value, *(v for _, v in r.others))]
    finite = [value for value in values if math.isfinite(value)] or [0.0, 1.0]
    first = math.floor(min(finite) * 10)
    ticks = [t / 10 for t in range(first, max(math.ceil(max(finite) * 10), first + 1) + 1)]
    label = f"Pearson by data set with 95 % intervals: {spoken}"
    return rows, label, ticks[0], ticks[-1], ticks


def _scatter(findings: Findings, name: str) -> tuple[list[tuple[float, float, str]], str]:
    """Return (gold, predicted, title) of each scored pair, and a text for those who do not see it."""
    scored, score = findings.datasets[name], findings.score.datasets[name]
    label = f"{name}: predicted against gold scores of {score.scored} pairs, r = {number(score.pearson)}"
    dots = []
    for left, right, gold, predicted in zip(
        scored.pairs.left, scored.pairs.right, scored.gold, scored.predicted.tolist(), strict=True
    ):
        if not math.isnan(gold):
            title = f"{left}\n{right}\ngold {gold:g}, predicted {predicted:.2f}"
            dots.append((float(gold), predicted, title))
    return dots, label


def _chart(caption: str, rows: Sequence[Bar]) -> Chart:
    return caption, rows, *limits_of(rows)


def _importance(findings: Findings) -> list[Chart]:
    """Return the charts of Gini importance, if a tree is part of the fusion, and of permutation."""
    found, charts = [*findings.importances.items()], []
    if any(share for _, share in found):
        rows = []
        for name, share in found[:IMPORTANCES]:
            feature = get_feature(name)
            title = f"{name} ({feature.group}): {feature.source}"
            rows.append(Bar(name, share, f"{100 * share:.1f} %", title=title))
        rows += _others([share for _, share in found[IMPORTANCES:]], "{:.1%}")
        caption = "Gini importance: share of the training error that the trees’ splits took away"
        charts.append(_chart(caption, rows))
    if findings.studies is not None:
        losses = _by_permutation(findings.studies)
        caption = (
            f"Permutation importance: loss of the weighted mean on {findings.studies.task} when a "
            "feature is shuffled among the pairs, and one standard deviation"
        )
        if len(losses) > IMPORTANCES:
            caption += f"; the {IMPORTANCES} largest of {len(losses)}"
        ends = ((r, r.permutation, r.spread) for r in losses[:IMPORTANCES])
        bars = [_loss(r.feature, loss, loss - spread, loss + spread) for r, loss, spread in ends]
        charts.append(_chart(caption, bars))
    return charts


def _by_permutation(studies: Studies) -> list[FeatureImportance]:
    """Return the features by their permutation importance, the largest first."""

    def place(row: FeatureImportance) -> tuple[bool, float, str]:
        return math.isnan(row.permutation), -row.permutation, row.feature

    return sorted(studies.importances.rows, key=place)


def _ablation(studies: Studies) -> list[Chart]:
    def means(kind: Kind, sign: str = "") -> list[Bar]:
        cells = studies.ablation.of(kind)
        return [Bar(sign + cell.group, cell.score, number(cell.score, 4)) for cell in cells]

    found = ((cell.group, cell.result.weighted_mean) for cell in studies.ablation.of("without"))
    losses = [_loss(group, -mean.difference, -mean.high, -mean.low) for group, mean in found]
    mean = f"Weighted mean on {studies.task}"
    return [
        _chart(f"Loss of the weighted mean on {studies.task} without a group of features", losses),
        _chart(f"{mean} with the group alone", means("alone")),
        _chart(f"{mean} as groups are added, the best first", means("cumulative", "+ ")),
    ]


def _loss(name: str, loss: float, low: float, high: float) -> Bar:
    shown = signed(loss, 4)
    ends = "" if math.isnan(low) else f" ({signed(low, 4)} to {signed(high, 4)})"
    return Bar(name, loss, shown, title=f"{name}: {shown}{ends}", low=low, high=high)


def _legend(findings: Findings) -> dict[str, str]:
    """Return what each feature in a chart compares, in the order of the charts."""
    shown = [*findings.importances][:IMPORTANCES]
    if findings.studies is not None:
        shown += [row.feature for row in _by_permutation(findings.studies)[:IMPORTANCES]]
    features = [get_feature(name) for name in dict.fromkeys(shown)]
    return {feature.name: feature.about or feature.source for feature in features}


def _contributions(contributions: Sequence[Contribution]) -> list[Bar]:
    """Return the largest contributions to a score, and the sum of all others."""
    rows = []
    for one in contributions[:CONTRIBUTIONS]:
        note = "missing" if one.value is None else f"{one.value:.2f}"
        shown = signed(one.contribution)
        rows.append(Bar(plain_name(one.feature), one.contribution, shown, note, one.feature))
    return rows + _others([one.contribution for one in contributions[CONTRIBUTIONS:]], "{:+.2f}")


def _others(values: Sequence[float], form: str) -> list[Bar]:
    """Return one bar for all values that have none of their own."""
    total = math.fsum(values)
    shown = form.format(total).replace("-", "−").replace("%", " %")
    return [Bar(f"{len(values)} others", total, shown)] if values else []
