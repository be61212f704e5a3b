"""A person's own pairs, and which features moved each score away from the base."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from features.registry import get_feature
from features.regressors.shapley import explain
from runs.pipeline.models import FusionModel
from runs.pipeline.own_pairs import load_shipped, read_own_pairs
from runs.pipeline.recipe import Run
from runs.recipes.registry import DEFAULT
from runs.tables.format import text_table
from sts.data.pairs import Pairs
from sts.errors import StsError

SHOWN = 8
"""Features that the table names; the rest share a line."""

_DIGITS = 4


@dataclass(frozen=True)
class Contribution:
    """What one feature adds to a score.

    Attributes:
        feature, group: its names.
        value: of the feature, for this pair; None if it is missing here.
        contribution: in points of score, above 0 if it raises the score.
    """

    feature: str
    group: str
    value: float | None
    contribution: float


@dataclass(frozen=True)
class ExplainedPair:
    """A pair and its score, taken apart.

    Attributes:
        left, right: the sentences.
        score: in [0, 5]; ``base`` and all contributions add up to it.
        base: the score of a pair whose features all stand at the medians of the training pairs.
        contributions: of every feature, the largest, up or down, first.
    """

    left: str
    right: str
    score: float
    base: float
    contributions: tuple[Contribution, ...]


def explain_own_pairs(run: Run, source: str, translator: str | None = None) -> list[ExplainedPair]:
    """Explain each pair of a two-column TSV file, or of stdin if ``source`` is ``-``.

    Spanish sentences are translated first if a translator is named.

    Raises:
        StsError: the run fuses nothing or does not ship fitted, or the file is malformed.
    """
    if run.fusion is None:
        raise StsError(
            f"run {run.name!r} is a cosine alone and has no features to explain it by; "
            f"use --run {DEFAULT}"
        )
    pairs = read_own_pairs(source, translator)
    model = load_shipped(run)
    if not isinstance(model, FusionModel):
        raise TypeError(f"a {type(model).__name__} fuses no features")
    return explain_pairs(model, pairs)


def explain_pairs(model: FusionModel, pairs: Pairs) -> list[ExplainedPair]:
    """The score of each pair and what every feature of the model adds to it."""
    matrix = model.extractor.transform(pairs)
    explanation = explain(model.fusion, matrix)
    names = [str(name) for name in model.extractor.get_feature_names_out()]
    return [
        ExplainedPair(
            pairs.left[row],
            pairs.right[row],
            float(explanation.scores[row]),
            explanation.base,
            contributions_of(names, matrix[row].tolist(), explanation.contributions[row].tolist()),
        )
        for row in range(len(pairs))
    ]


def contributions_of(
    names: Sequence[str], values: Sequence[float], parts: Sequence[float]
) -> tuple[Contribution, ...]:
    """Name the k features of one pair, the largest contribution first, ties in their order."""
    named = [
        Contribution(name, get_feature(name).group, None if np.isnan(value) else value, part)
        for name, value, part in zip(names, values, parts, strict=True)
    ]
    return tuple(sorted(named, key=lambda one: -abs(one.contribution)))


def as_json(explained: Sequence[ExplainedPair]) -> list[str]:
    """A line of JSON for each pair; a missing value is null."""
    return [json.dumps(asdict(one), ensure_ascii=False, allow_nan=False) for one in explained]


def as_table(explained: Sequence[ExplainedPair], shown: int = SHOWN) -> list[str]:
    """For each pair its sentences and a table from the base to the score, an empty line between."""
    lines: list[str] = []
    for one in explained:
        lines += ["", one.left, one.right, "", *_table(one, shown).split("\n")]
    return lines[1:]


def _table(one: ExplainedPair, shown: int) -> str:
    """The base, the features that moved the score most, the others in one line, the score."""
    top, others = one.contributions[:shown], one.contributions[shown:]
    parts = [part.contribution for part in top]
    rows = [(part.feature, part.group, _value(part.value)) for part in top]
    if others:
        parts.append(sum(part.contribution for part in others))
        rows.append((f"{len(others)} other{'s' * (len(others) > 1)}", "", ""))
    base, *figures = figures_that_add_up(one.base, parts)
    score = round(one.score, _DIGITS)
    return text_table(
        ("feature", "group", "value", "contribution"),
        [
            ("base", "", "", f"{base:.{_DIGITS}f}"),
            *((*row, f"{figure:+.{_DIGITS}f}") for row, figure in zip(rows, figures, strict=True)),
            ("score", "", "", f"{score:.{_DIGITS}f}"),
        ],
    )


def _value(value: float | None) -> str:
    return "missing" if value is None else f"{value:.{_DIGITS}f}"


def figures_that_add_up(base: float, parts: Sequence[float]) -> list[float]:
    """The base and the parts in four digits whose sum is the rounded score, to the last digit.

    Each is the difference of two rounded running totals. Rounding each for itself
    would leave a table whose column comes to almost the score.
    """
    totals = np.round(np.cumsum([base, *parts]), _DIGITS)
    return [float(figure) for figure in np.round(np.diff(totals, prepend=0.0), _DIGITS)]
