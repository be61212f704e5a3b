"""Assertions about the similarity of two sentences, for tests of your own."""

from __future__ import annotations

from pathlib import Path

from runs.recipes.by_name import DEFAULT
from runs.report.explanation import as_table
from runs.scorer import Scorer, load
from sts.data.pairs import HIGHEST, LOWEST


def assert_similar(
    a: str, b: str, at_least: float = 4.0, model: str | Path | Scorer = DEFAULT
) -> None:
    """Check that two sentences have a score of at least ``at_least``.

    Args:
        a, b: the sentences; their order does not matter.
        at_least: from 0 (unrelated) to 5 (the same meaning).
        model: name of a run that ships, a folder that ``fit`` wrote, or a scorer.

    Raises:
        AssertionError: the score is lower; the message names the largest contributions.
        ValueError: ``at_least`` is not from 0 to 5.
        StsError: as for :meth:`runs.scorer.Scorer.score`.
    """
    __tracebackhide__ = True
    scorer, score = _score(a, b, model, "at_least", at_least)
    if score < at_least:
        raise AssertionError(_told(scorer, a, b, score, f"at least {at_least:g}"))


def assert_different(
    a: str, b: str, at_most: float = 2.0, model: str | Path | Scorer = DEFAULT
) -> None:
    """Check that two sentences have a score of at most ``at_most``; see :func:`assert_similar`."""
    __tracebackhide__ = True
    scorer, score = _score(a, b, model, "at_most", at_most)
    if score > at_most:
        raise AssertionError(_told(scorer, a, b, score, f"at most {at_most:g}"))


def _score(
    a: str, b: str, model: str | Path | Scorer, name: str, limit: float
) -> tuple[Scorer, float]:
    if not LOWEST <= limit <= HIGHEST:
        raise ValueError(f"{name}={limit}: expected a score from {LOWEST:g} to {HIGHEST:g}")
    scorer = model if isinstance(model, Scorer) else load(model)
    return scorer, scorer.score(a, b)


def _told(scorer: Scorer, a: str, b: str, score: float, expected: str) -> str:
    """Format the failure, and the contributions if the model has features."""
    told = as_table([scorer.explain(a, b)]) if scorer.features else [a, b]
    return "\n".join([f"{scorer.name} says {score:.4f}, expected {expected}", "", *told])
