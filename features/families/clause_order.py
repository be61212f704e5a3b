"""Two clauses that trade places around a word that says which comes first: A because B, B because A.

Only for sentences with one such word. Not covered: "since", "when" and "while", which do not say it.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from semaniacs.features.batch import both
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence, lemma
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word

_ALIKE = 0.5
"""Share of the words of two clauses in common from which they are the same one, maybe with a pronoun."""

_TIME, _REASON, _CONDITION = (
    f"{what} in one sentence is {other} in the other"
    for what, other in (
        ("the earlier event", "the later one"),
        ("the reason", "the result"),
        ("the condition", "the result"),
    )
)

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
    (at,), tagged = places, [*zip(words, sentence.tags, strict=True)]
    before, behind = tagged[:at], tagged[at + 1 :]
    if not before and "," in words:
        behind, before = tagged[at + 1 : words.index(",")], tagged[words.index(",") :]
    told, is_first = _WORDS[words[at]]
    sides = (behind, before) if is_first else (before, behind)
    return _Clauses(told, *map(_content, sides))


def _content(tagged: list[tuple[str, str]]) -> frozenset[str]:
    content = (word for word in tagged if is_word(word[0]) and word[0] not in STOP_WORDS)
    return frozenset(lemma(*word) for word in content)


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
