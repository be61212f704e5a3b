"""Structure of sentences: roles, modifiers and comparisons that agree or are exchanged.

The sentences are read by the rules of ``phrases``, ``clauses`` and ``relations``. A pair is read
only if nearly all of its content words are shared, and the words are in another order, or all the
same, or differ in a word that tells direction (from, by, before, taller, sell). A sentence that
cannot be read gives no conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import NamedTuple
from zlib import crc32

import numpy as np

from semaniacs.features.batch import Batch, Column, once
from semaniacs.features.families.word_alignment import align
from semaniacs.features.measures.clauses import Words
from semaniacs.features.measures.comparisons import comparisons_of
from semaniacs.features.measures.counts import bags_of
from semaniacs.features.measures.relations import (
    TELLING,
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
from semaniacs.features.registry import columnwise
from semaniacs.sts.text.analysis import Sentence


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


ABNEY = "rules of our own over phrases, after Abney (1991)"
LYONS = "Lyons (1977), 9.1: converses"

LEAST, ENOUGH = 0.5, 0.75
"""Share of the lemmas of content words in common from which a pair is read: the first if one side
lacks at most one of them and the other at most two, as when "bought" became "sold"."""


@once
def comparable(batch: Batch) -> Column:
    """(n,) 1 for the pairs that are read, see above; else 0."""
    bags = bags_of(batch, "lemmas", 1)
    left, right = batch.sides(bags.totals())
    shared, both = bags.shared(batch), left + right
    few = (np.minimum(left, right) - shared <= 1) & (np.maximum(left, right) - shared <= 2)
    alike = (2 * shared >= ENOUGH * both) | (few & (2 * shared >= LEAST * both))
    # A sum of one number per word differs if the words that tell direction do.
    told = batch.view("all lemmas").weigh(
        lambda word: float(crc32(word.encode()) if word in TELLING else 0)
    )
    all_words = bags_of(batch, "all lemmas", 1)
    before, after = batch.sides(all_words.totals(told))
    left, right = batch.sides(all_words.totals())
    same = left + right == 2 * all_words.shared(batch)
    return np.asarray(alike & ((align(batch).order < 1) | (before != after) | same), np.float64)


@once
def read(batch: Batch) -> list[tuple[Sentence, Sentence]]:
    """The pairs that are read, in order."""
    places = np.flatnonzero(comparable(batch)).tolist()
    return [(batch.left[place], batch.right[place]) for place in places]


@once
def conflicting(batch: Batch) -> list[frozenset[str]]:
    """The kinds of conflict in each pair that is read."""
    return [frozenset(c.kind for c in find_conflicts(a, b)) for a, b in read(batch)]


def for_all_pairs(batch: Batch, values: Sequence[float]) -> Column:
    """(n,) the values of the pairs that are read; 0 for the others."""
    column = np.zeros(len(batch))
    column[comparable(batch) > 0] = values
    return column


def share_kept(a: Sequence[Relation], b: Sequence[Relation]) -> float:
    """Share of the relations of both sides that the other tells the same way round; 0 of none."""
    both = len(a) + len(b)
    return (len(kept(a, b)) + len(kept(b, a))) / both if both else 0.0


def _match(batch: Batch, relations_of: Callable[[Sentence], tuple[Relation, ...]]) -> Column:
    """Share of the relations that both tell alike, be it from the other side (bought, sold)."""
    pairs = ((relations_of(a), relations_of(b)) for a, b in read(batch))
    return for_all_pairs(batch, [share_kept(a, b) for a, b in pairs])


columnwise("role_match", "structure", LYONS)(partial(_match, relations_of=roles_of))
columnwise("comparison_match", "structure", LYONS)(partial(_match, relations_of=comparisons_of))


CONFLICTS = {
    "role_conflict": (ABNEY, "role"),
    "role_moved": (ABNEY, "role moved"),
    "modifier_conflict": (ABNEY, "modifier"),
    "modifier_moved": (ABNEY, "modifier moved"),
    "direction_conflict": (ABNEY, "path"),
    "comparison_conflict": (LYONS, "comparison"),
    "time_order_conflict": (LYONS, "time"),
    "cause_conflict": (ABNEY, "cause", "condition"),
    "place_conflict": (LYONS, "place", "lack"),
}
"""The columns that are 1 for a conflict of one of some kinds: their source and these kinds."""


def _conflict(batch: Batch, kinds: Sequence[str]) -> Column:
    found = [float(not found.isdisjoint(kinds)) for found in conflicting(batch)]
    return for_all_pairs(batch, found)


for _name, (_source, *_kinds) in CONFLICTS.items():
    columnwise(_name, "structure", _source)(partial(_conflict, kinds=_kinds))


MOVED = frozenset(("role moved", "modifier moved"))
"""Kinds of conflict that are told by one word alone."""


@columnwise("structure_conflict", "structure", ABNEY)
def structure_conflict(batch: Batch) -> Column:
    """1 if any of the above is exchanged, ½ if one word alone has moved, else 0."""
    return for_all_pairs(
        batch, [1.0 if found - MOVED else len(found) and 0.5 for found in conflicting(batch)]
    )
