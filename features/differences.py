"""Contradictions between two sentences, in words: "traded: Florida ↔ New York"."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from semaniacs.features.families import factuality, polarity, quantifiers
from semaniacs.features.families.names import name_differences
from semaniacs.features.families.numbers import calendar_differences, quantity_differences
from semaniacs.features.families.order import traded
from semaniacs.features.families.small_words import edit_differences, question_differences
from semaniacs.features.families.structure import conflicts
from semaniacs.sts.text.analysis import Sentence, analyse


def _traded(a: Sentence, b: Sentence) -> list[str]:
    return [f"traded: {one} ↔ {other}" for one, other in traded(a, b)]


_TELLERS: Sequence[tuple[Callable[[Sentence, Sentence], Sequence[Any]], tuple[str, ...]]] = (
    (polarity.conflicts, ("polarity_conflict", "opposite_words")),
    (quantifiers.conflicts, ("quantifier_conflict",)),
    (factuality.conflicts, ("factuality_conflict",)),
    (polarity.exclusive_conflicts, ("exclusive_words",)),
    (quantity_differences, ("quantity_conflict",)),
    (calendar_differences, ("calendar_conflict",)),
    (name_differences, ("name_conflict",)),
    (edit_differences, ("single_edit_conflict",)),
    (question_differences, ("question_conflict",)),
    (conflicts, ("structure_conflict",)),
    (_traded, ("traded",)),
)
"""Function that words a conflict, and the columns of which one must report it."""


def differences(left: str, right: str, values: Mapping[str, float]) -> tuple[str, ...]:
    """The contradictions between two sentences that their columns are sure of, each once.

    Args:
        left, right: the sentences.
        values: the columns of the pair by name, as :class:`semaniacs.features.registry.FeatureColumns` has
            computed them; what no column of it speaks of is not told.
    """
    found: list[str] = []
    analysed = analyse([left, right])
    for tell, columns in _TELLERS:
        if any(values.get(name, 0.0) > 0 for name in columns):
            found += map(str, tell(analysed[left], analysed[right]))
    return tuple(dict.fromkeys(found))
