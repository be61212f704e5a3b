"""Assertions about the similarity of sentences, for tests of your own."""

from __future__ import annotations

from itertools import repeat
from numbers import Real
from pathlib import Path
from typing import Any

from semaniacs.features.contradictions.answers import beside_questions
from semaniacs.runs.pipeline.contradictions import contradictions_of, differences_of
from semaniacs.runs.recipes import DEFAULT
from semaniacs.runs.scorer import Scorer, load
from semaniacs.sts.data.pairs import HIGHEST, LOWEST, cells_of, texts_of
from semaniacs.sts.errors import StsError, ValuesError, warn_caller

_LONGEST = 200
"""Most characters of a line of a message."""

ModelOrName = str | Path | Scorer


def assert_similar(
    a: Any,
    b: Any,
    at_least: float | None = None,
    model: ModelOrName = DEFAULT,
    *,
    threshold: float | None = None,
    strict: bool = False,
    question: str | None = None,
) -> None:
    """Check that two sentences have a score of at least ``at_least``.

    Args:
        a: the sentence.
        b: what it is compared with; of a list of references the best score counts.
        at_least, threshold: from 0 (unrelated) to 5 (the same meaning), under either name; 4 by
            default.
        model: name of a run that ships, a folder that ``fit`` wrote, or a scorer.
        strict: whether a contradiction that is told, such as another amount, date, name or a denial,
            fails whatever the score; for long answers, whose score one detail hardly lowers.
        question: what both answer, so that an answer of few words may match a whole sentence.

    Raises:
        AssertionError: the score is lower, and the message says what differs; or a
            sentence is blank, missing or no string.
        ValueError: the limit is no number from 0 to 5 or was given twice, ``a`` is a list, or
            there is no reference.
        StsError: as for :meth:`semaniacs.runs.scorer.Scorer.score`.
    """
    __tracebackhide__ = True
    _check(a, b, model, "at_least", [at_least, threshold], 4.0, strict, question)


def assert_different(
    a: Any,
    b: Any,
    at_most: float | None = None,
    model: ModelOrName = DEFAULT,
    *,
    threshold: float | None = None,
    strict: bool = False,
    question: str | None = None,
) -> None:
    """Check that a score is at most ``at_most`` (3 by default); see :func:`assert_similar`.

    With ``strict``, what contradicts is different whatever the score.
    """
    __tracebackhide__ = True
    _check(a, b, model, "at_most", [at_most, threshold], 3.0, strict, question)


def _check(
    a: Any,
    b: Any,
    model: ModelOrName,
    name: str,
    limits: list[float | None],
    usual: float,
    strict: bool,
    question: str | None,
) -> None:
    """Raise an AssertionError if a sentence is blank or a score is beyond the limit."""
    __tracebackhide__ = True
    limit, *more = [one for one in limits if one is not None] or [usual]
    try:
        if more:
            raise ValuesError(f"{name}={limit} and threshold={more[0]}; give one of them")
        if not isinstance(limit, Real) or not LOWEST <= limit <= HIGHEST:
            raise ValuesError(f"{name}={limit!r}: expected a score from {LOWEST:g} to {HIGHEST:g}")
        if name == "at_least" and limit <= 1:
            warn_caller(f"at_least={limit:g}: scores go from 0 to 5, not to 1; the default is 4")
        failure = _failure(a, b, model, name, limit, strict, question)
    except (StsError, UserWarning) as error:  # a test shows its own lines, not ours
        raise error.with_traceback(None) from None
    if failure:
        raise AssertionError("\n".join(failure))


def _failure(
    a: Any, b: Any, model: ModelOrName, name: str, limit: float, strict: bool, question: str | None
) -> list[str]:
    """Return the lines that say why a check fails; none if it passes."""
    similar = name == "at_least"
    expected = f"expected {name.replace('_', ' ')} {limit:g}"
    expected += (" and no" if similar else " or a") + " contradiction" if strict else ""
    sides = []
    for place, side in (("a", a), ("b", b)):
        one = isinstance(side, str | bytes | dict) or not hasattr(side, "__iter__")
        sides.append([side] if one else cells_of(side, place))
        for row, value in enumerate(sides[-1]):
            if not (isinstance(value, str) and texts_of([value], place)[1].all()):
                where = place if one else f"{place}[{row}]"
                return [f"{where} is {value!r:.80}, not a sentence; {expected}"]
    if len(sides[0]) != 1 or not sides[1]:
        raise ValuesError(
            "expected one sentence, then one or a list of references to compare it with"
        )
    pairs = [(left, right) for left in sides[0] for right in sides[1]]
    scorer = model if isinstance(model, Scorer) else load(model)
    left, right = map(list, zip(*pairs, strict=True))
    scores = scorer.score(*beside_questions(repeat(question or ""), left, right)).tolist()
    told = contradictions_of(scorer.model, left, right) if strict else [()] * len(pairs)
    agreed = [not said for said in told]
    above = [score >= limit and agrees for score, agrees in zip(scores, agreed, strict=True)]
    order = above if similar else agreed
    at = max(range(len(pairs)), key=lambda place: (order[place], scores[place]))
    if order[at] if similar else not order[at] or scores[at] <= limit:
        return []
    of = f" (the best of {len(pairs)} references)" if len(pairs) > 1 else ""
    details = [*pairs[at], *differences_of(scorer.model, [left[at]], [right[at]])[0]]
    more = "decisive words and features: semaniacs explain LEFT RIGHT"
    if scorer.source not in (None, DEFAULT):
        more += f" --model {scorer.source}"
    said = f"{scorer.name} says {scores[at]:.4f}{of}, {expected}"
    return [said, "", *map(_shortened, details), more]


def _shortened(text: str) -> str:
    """Return the beginning and the end of a long text, with … in the middle."""
    half = _LONGEST // 2
    return text if len(text) <= _LONGEST else f"{text[:half]}…{text[-half:]}"
