"""Assertions about the similarity of two sentences, for tests of your own."""

from __future__ import annotations

from pathlib import Path

from semaniacs.runs.recipes import DEFAULT
from semaniacs.runs.report.explanation import as_table
from semaniacs.runs.scorer import Scorer, load
from semaniacs.sts.data.pairs import HIGHEST, LOWEST


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
        StsError: as for :meth:`semaniacs.runs.scorer.Scorer.score`.
    """
    __tracebackhide__ = True
    _check(a, b, model, "at_least", at_least)


def assert_different(
    a: str, b: str, at_most: float = 2.0, model: str | Path | Scorer = DEFAULT
) -> None:
    """Check that two sentences have a score of at most ``at_most``; see :func:`assert_similar`."""
    __tracebackhide__ = True
    _check(a, b, model, "at_most", at_most)


def _check(a: str, b: str, model: str | Path | Scorer, name: str, limit: float) -> None:
    """Raise an AssertionError with the contributions, if the model has features."""
    __tracebackhide__ = True
    if not LOWEST <= limit <= HIGHEST:
        raise ValueError(f"{name}={limit}: expected a score from {LOWEST:g} to {HIGHEST:g}")
    scorer = model if isinstance(model, Scorer) else load(model)
    score = scorer.score(a, b)
    if score < limit if name == "at_least" else score > limit:
        details = as_table([scorer.explain(a, b)]) if scorer.features else [a, b]
        expected = f"expected {name.replace('_', ' ')} {limit:g}"
        message = f"{scorer.name} says {score:.4f}, {expected}"
        raise AssertionError("\n".join([message, "", *details]))
