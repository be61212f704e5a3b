"""Explanations: the contribution of each feature to the score of a pair."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import zip_longest

import numpy as np

from semaniacs.features.registry import get_feature, plain_name
from semaniacs.features.word_matches import NearestWord, nearest_words
from semaniacs.runs.pipeline.contradictions import contradictions_in
from semaniacs.runs.pipeline.fitted_heads import FittedColumns
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import Languages, all_in
from semaniacs.runs.report.decisive_words import DecisiveWords, decisive_words
from semaniacs.runs.tables.format import text_table
from semaniacs.sts.data.pairs import Pairs

SHOWN = 8
"""Number of features that the table names; the others are summed in one line."""

_DIGITS = 4

_IF_ANY = ("interval", "compared", "nearest_words")
"""Fields that JSON has only if a pair has them."""

RULE = "rule"
"""Group of rules that are not learned: the same text scores 5, and no other pair does."""


@dataclass(frozen=True)
class Contribution:
    """Points that one feature, or one rule, adds to a score; a missing value is None."""

    feature: str
    group: str
    value: float | None
    contribution: float


@dataclass(frozen=True)
class ExplainedPair:
    """A pair, its score and the contributions that add up to it.

    Attributes:
        base: score of a pair whose features are all at the medians of the training pairs; it and
            all contributions add up to the score, in [0, 5].
        contributions: one for each feature, and for each rule that moved the score; the largest
            absolute value first.
        interval: range that contains the human score with probability 0.9, if the model has one.
        differences: contradictions between the sentences, in sentences; across languages in words.
        decisive_words: differences in words without which the score would change most.
        compared: sentences as the features read them, with one spelling for each word and one
            form for each amount; None if they are unchanged.
        nearest_words: for each word of the left sentence, if the model has vectors and no features.
    """

    left: str
    right: str
    score: float
    base: float
    contributions: tuple[Contribution, ...] = field(repr=False)
    interval: tuple[float, float] | None = None
    differences: tuple[str, ...] = ()
    decisive_words: tuple[DecisiveWords, ...] = ()
    compared: tuple[str, str] | None = None
    nearest_words: tuple[NearestWord, ...] = ()

    def __str__(self) -> str:
        return "\n".join(as_table([self]))


def explain_pairs(
    model: Model,
    pairs: Pairs,
    *,
    repeats: int = 8,
    seed: int = 0,
    languages: Languages | None = None,
    words: bool = True,
) -> list[ExplainedPair]:
    """Explain the score of each pair by the features of the model; gold is not used.

    ``repeats`` and ``seed`` are those of :func:`semaniacs.features.regressors.shapley.explain`.
    ``words`` is whether to find the decisive words, for which up to 24 other pairs are scored. A
    model without features is explained by its vectors of single words.
    """
    if not isinstance(model.head, FittedColumns):
        return _explain_by_words(model, pairs, languages)
    found = model.explain(pairs, repeats=repeats, seed=seed, languages=languages)
    scores = found.scores.tolist()
    decisive: list[tuple[DecisiveWords, ...]] = [() for _ in scores]
    if words:
        decisive = decisive_words(model, pairs, scores, languages)
    bounds = None if model.intervals is None else np.stack(model.intervals.around(found.scores))
    both = [*zip(pairs.left, pairs.right, strict=True)]
    compared = found.compared or both
    sides = [one for one, _ in compared], [other for _, other in compared]
    codes = languages or all_in(model.languages[0], pairs)
    told = contradictions_in(model, *sides, codes)
    explained = []
    for row, (given, seen) in enumerate(zip(both, compared, strict=True)):
        values = found.values[row].tolist()
        rules = {name: float(points[row]) for name, points in found.rules.items()}
        parts = contributions_of(found.columns, values, found.contributions[row].tolist(), rules)
        explained.append(
            ExplainedPair(
                *given,
                scores[row],
                found.base,
                parts,
                None if bounds is None else (float(bounds[0, row]), float(bounds[1, row])),
                told[row],
                decisive[row],
                None if seen == given else seen,
            )
        )
    return explained


def _explain_by_words(
    model: Model, pairs: Pairs, languages: Languages | None
) -> list[ExplainedPair]:
    """Compare each pair word by word, and show numbers and negation that differ."""
    codes = languages or all_in(model.languages[0], pairs)
    scores = model.predict(pairs, codes).tolist()
    told = contradictions_in(model, pairs.left, pairs.right, codes)
    explained = []
    rows = zip(pairs.left, pairs.right, scores, told, *codes, strict=True)
    for left, right, score, found, *both in rows:
        words = nearest_words(left, right, model.encoders_of(both[0], both[1]))
        explained.append(
            ExplainedPair(left, right, score, score, (), differences=found, nearest_words=words)
        )
    return explained


def contributions_of(
    names: Sequence[str],
    values: Sequence[float],
    parts: Sequence[float],
    rules: Mapping[str, float] | None = None,
) -> tuple[Contribution, ...]:
    """Name the k features of one pair, and the rules that moved its score, the largest first."""
    named = [
        Contribution(name, get_feature(name).group, None if np.isnan(value) else value, part)
        for name, value, part in zip(names, values, parts, strict=True)
    ]
    named += [Contribution(rule, RULE, None, part) for rule, part in (rules or {}).items() if part]
    return tuple(sorted(named, key=lambda one: -abs(one.contribution)))


def as_json(explained: Sequence[ExplainedPair]) -> list[str]:
    """Format one line of JSON per pair; a missing value is null."""
    records = [
        {name: value for name, value in asdict(one).items() if value or name not in _IF_ANY}
        for one in explained
    ]
    return [json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records]


def as_table(explained: Sequence[ExplainedPair], shown: int = SHOWN) -> list[str]:
    """Format the sentences of each pair, what differs, and a table from the base to the score."""
    lines: list[str] = []
    for one in explained:
        lines += ["", one.left, one.right]
        if one.compared is not None:
            lines += ["", "compared as", *one.compared]
        said = [*one.differences, *(f"decisive words: {words}" for words in one.decisive_words)]
        lines += ["", *said] if said else []
        lines += ["", *(_words if one.nearest_words else _table)(one, shown).split("\n")]
        if one.interval is not None:
            low, high = one.interval
            lines.append(f"90 % interval of people's scores: {low:.1f} to {high:.1f}")
    return lines[1:]


def _table(one: ExplainedPair, shown: int) -> str:
    """Format the base, the largest contributions in figures and words, the others, and the score."""
    top, others = one.contributions[:shown], one.contributions[shown:]
    parts = [part.contribution for part in top]
    rows = [(part.feature, _value(part)) for part in top]
    words = ["", "", *(plain_name(part.feature) for part in top)]
    if others:
        parts.append(sum(part.contribution for part in others))
        rows.append((f"{len(others)} other{'s' * (len(others) > 1)}", ""))
    base, *figures = figures_that_add_up(one.base, parts)
    score = round(one.score, _DIGITS)
    table = text_table(
        ("feature", "value", "contribution"),
        [
            ("base", "", f"{base:.{_DIGITS}f}"),
            *((*row, f"{figure:+.{_DIGITS}f}") for row, figure in zip(rows, figures, strict=True)),
            ("score", "", f"{score:.{_DIGITS}f}"),
        ],
    )
    told = zip_longest(table.split("\n"), words, fillvalue="")
    return "\n".join(f"{line}  {said}".rstrip() for line, said in told)


def _words(one: ExplainedPair, _: int) -> str:
    """Format the nearest word of each word, and the score."""
    rows = [(found.word, found.nearest, f"{found.cosine:.2f}") for found in one.nearest_words]
    header = ("word", "nearest", "cosine")
    return text_table(header, [*rows, ("score", "", f"{one.score:.{_DIGITS}f}")], left=2)


def _value(part: Contribution) -> str:
    if part.group == RULE:
        return ""
    return "missing" if part.value is None else f"{part.value:.{_DIGITS}f}"


def figures_that_add_up(base: float, parts: Sequence[float]) -> list[float]:
    """Round the base and the parts to four digits so that they add up to the rounded score.

    Each is the difference of two rounded running totals.
    """
    totals = np.round(np.cumsum([base, *parts]), _DIGITS)
    return [float(figure) for figure in np.round(np.diff(totals, prepend=0.0), _DIGITS)]
