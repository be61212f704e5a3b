"""Conflicts in the structure of two sentences, in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from features.measures.grammar.clauses import Words
from features.measures.grammar.comparing import comparisons_of
from features.measures.grammar.relations import (
    VERBAL,
    Links,
    Relation,
    exchanged,
    kept,
    links,
    moved,
    refilled,
    roles_of,
    traded,
)
from sts.text.analysis import Sentence


class Conflict(NamedTuple):
    """A conflict: its kind ("role", "comparison", "modifier moved", …) and what it is, in words."""

    kind: str
    words: str


@lru_cache(maxsize=1 << 14)
def find_conflicts(a: Sentence, b: Sentence) -> tuple[Conflict, ...]:
    """Every conflict of two sentences, each kind's in the order of ``a``, without repetition."""
    alike = [r.first | r.second for r in kept(comparisons_of(a), comparisons_of(b))]
    found = *_of_relations(a, b), *_of_links(links(a), links(b), alike)
    return tuple(dict.fromkeys(found))


def conflicts(a: Sentence, b: Sentence) -> list[str]:
    """Return the conflicts in short words: "bite: dog → man, here man → dog"."""
    return [conflict.words for conflict in find_conflicts(a, b)]


def _of_relations(a: Sentence, b: Sentence) -> Iterator[Conflict]:
    for read in (roles_of, comparisons_of):
        one, other = read(a), read(b)
        found = exchanged(one, other) or [_turned(r) for r in exchanged(other, one)]
        yield from (Conflict(relation.kind, _told(relation)) for relation in found)


def _turned(relation: Relation) -> Relation:
    return relation._replace(first=relation.second, second=relation.first)


def _told(relation: Relation) -> str:
    first, second = (_join(side) for side in (relation.first, relation.second))
    return f"{relation.name.split()[0]}: {first} → {second}, here {second} → {first}"


def _join(words: Iterable[str]) -> str:
    return " ".join(sorted(words)) or "…"


def _of_links(a: Links, b: Links, alike: list[Words]) -> Iterator[Conflict]:
    for one, other in traded(a, b):
        kind = "role" if one.kind in VERBAL else "modifier"
        said = f"{one.governor}: {one.dependent}, {other.governor}: {other.dependent}"
        yield Conflict(kind, f"{said}, here exchanged")
    for one, other in moved(a, b):
        if one.kind not in VERBAL:
            said = f"{one.dependent}: of {one.governor}, here of {other.governor}"
            yield Conflict("modifier moved", said)
    for one, other in refilled(a, b):
        if any({one.dependent, other.dependent} <= words for words in alike):
            continue  # Ann has more than Bob, Bob has fewer than Ann
        said = f"{one.governor}: {one.kind} {one.dependent}, here {other.dependent}"
        yield Conflict("modifier moved" if one.kind == "owner" else "role moved", said)
