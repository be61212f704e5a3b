"""Assertions about the similarity of two sentences, for a person's own tests."""

from __future__ import annotations

from pathlib import Path

from runs.recipes.by_name import DEFAULT
from runs.report.explanation import as_table
from runs.scorer import Scorer, load
from sts.data.pairs import HIGHEST, LOWEST


def assert_similar(
    a: str, b: str, at_least: float = 4.0, model: str | Path | Scorer = DEFAULT
) -> None:
    """Pass if two sentences have a score of ``at_least``.

    Args:
        a, b: the sentences; their order does not matter.
        at_least: from 0 (unrelated) to 5 (the same meaning).
        model: the name of a run that ships, a folder that ``fit`` wrote, or a scorer.

    Raises:
        AssertionError: the score is lower; it names the features that moved it most.
        ValueError: ``at_least`` is no score.
        StsError: as for :meth:`runs.scorer.Scorer.score`.
    """
    __tracebackhide__ = True
    scorer, score = _score(a, b, model, "at_least", at_least)
    if score < at_least:
        raise AssertionError(_told(scorer, a, b, score, f"at least {at_least:g}"))


def assert_different(
    a: str, b: str, at_most: float = 2.0, model: str | Path | Scorer = DEFAULT
) -> None:
    """Pass if two sentences have a score of ``at_most``; otherwise as :func:`assert_similar`."""
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
    """The failure, and why the score is what it is, if the model can explain itself."""
    told = as_table([scorer.explain(a, b)]) if scorer.features else [a, b]
    return "\n".join([f"{scorer.name} says {score:.4f}, expected {expected}", "", *told])
