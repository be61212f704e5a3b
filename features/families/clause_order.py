"""Two clauses that trade places around a word that says which comes first: A because B, B because A.

Only for sentences with one such word. Not covered: "since", "when" and "while", which do not say it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from semaniacs.features.batch import both
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence, content_lemmas

_ALIKE = 0.5
"""Share of the words of two clauses in common from which they are the same one, maybe with a pronoun."""

_TIME = "the earlier event in one sentence is the later one in the other"
_REASON = "the reason in one sentence is the result in the other"
_CONDITION = "the condition in one sentence is the result in the other"

_WORDS = {
    "before": (_TIME, False),
    "after": (_TIME, True),
    "because": (_REASON, True),
    "so": (_REASON, False),
    "if": (_CONDITION, True),
}
"""The sentence if the clauses trade places, and whether the one behind the word comes first."""


class _Clauses(NamedTuple):
    """Two clauses: the sentence if they trade places, the words of the earlier one and of the other."""

    told: str
    first: frozenset[str]
    second: frozenset[str]


@lru_cache(maxsize=1 << 14)
def _clauses(sentence: Sentence) -> _Clauses | None:
    """Return the clauses around the word that relates them; None without one, and with several."""
    words = [token.lower() for token in sentence.tokens]
    places = [at for at, word in enumerate(words) if word in _WORDS]
    if len(places) != 1:
        return None
    (at,) = places
    before, behind = slice(0, at), slice(at + 1, None)
    if not at and "," in words:
        comma = words.index(",")
        behind, before = slice(1, comma), slice(comma, None)
    told, is_first = _WORDS[words[at]]
    sides = (behind, before) if is_first else (before, behind)
    content = (content_lemmas(sentence.tokens[side], sentence.tags[side]) for side in sides)
    return _Clauses(told, *map(frozenset, content))


def clause_differences(a: Sentence, b: Sentence) -> list[str]:
    """Return that two clauses traded places, if they did: what was the reason is the result."""
    one, other = _clauses(a), _clauses(b)
    if not one or not other or one.told != other.told:
        return []
    crossed = min(_alike(one.first, other.second), _alike(one.second, other.first))
    straight = (_alike(one.first, other.first) + _alike(one.second, other.second)) / 2
    return [one.told] if crossed >= _ALIKE > straight else []


def _alike(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(len(one), len(other), 1)


def _relates(token: str) -> bool:
    return token.lower() in _WORDS


@pairwise("clause_conflict", "agreement", "our own", where=both(_relates))
def clause_conflict(a: Sentence, b: Sentence) -> float:
    """1 if two clauses trade places around "before", "because" or "if"; else 0."""
    return float(bool(clause_differences(a, b)))
