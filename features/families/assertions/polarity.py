"""Whether two sentences assert and deny the same, by the scope of their denials.

Without a parser and by rules: irony, and a denial whose word is said by unlike words on the two
sides, are not known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from features.families.assertions.denial import EITHER, Item, may_deny, said
from features.families.assertions.may_conflict import ENOUGH, is_candidate, named
from features.families.assertions.wording import corrected_tags
from features.measures.formulas import set_f1
from features.registry import pairwise
from sts.text.analysis import Sentence

SCOPE = "after Chapman et al. (2001), NegEx; Morante and Blanco (2012), scope of negation"


class Ends(NamedTuple):
    """Names in a sentence, without regard to scope: cheap, and enough for most pairs.

    Attributes:
        names: of all its content words.
        upper, lower: the axes whose upper, whose lower end it names.
        denies: whether it may deny anything.
    """

    names: frozenset[str]
    upper: frozenset[str]
    lower: frozenset[str]
    denies: bool


@lru_cache(maxsize=1 << 16)
def ends_of(sentence: Sentence) -> Ends:
    """Return the names in a sentence."""
    found = [end for ends in map(named, sentence.tokens, corrected_tags(sentence)) for end in ends]
    return Ends(
        frozenset([name for name, _ in found]),
        frozenset([name for name, sign in found if sign > 0]),
        frozenset([name for name, sign in found if sign < 0]),
        may_deny(frozenset(map(str.lower, sentence.tokens))),
    )


def _may_conflict(a: Ends, b: Ends) -> bool:
    """Whether the scope of denials is worth looking at."""
    if len(a.names & b.names) < ENOUGH * min(len(a.names), len(b.names)):
        return False
    return a.denies or b.denies or not (a.upper.isdisjoint(b.lower) and a.lower.isdisjoint(b.upper))


CONVERSES = frozenset(
    """
    buy/sell lend/borrow send/receive teach/learn win/lose victory/defeat more/less above/below
    north/south east/west ahead/behind left/right forward/backward import/export
    """.split()
)
"""Axes whose two ends say the same when the things they relate trade places."""


class Truths(NamedTuple):
    """Truth of each name in a sentence, see :func:`bases`.

    Attributes:
        net: whether the upper end of the axis is asserted (1), denied (2) or either (3).
        items: the words of that name.
        denied: the names that a denial reaches.
    """

    net: dict[str, int]
    items: dict[str, list[Item]]
    denied: frozenset[str]


@lru_cache(maxsize=1 << 16)
def truths(sentence: Sentence) -> Truths:
    """Return the truth of each name in a sentence."""
    net: dict[str, int] = {}
    items: dict[str, list[Item]] = {}
    for item in said(sentence):
        for name, sign in item.ends:
            turned = sign < 0 and item.truth != EITHER
            net[name] = net.get(name, 0) | (EITHER ^ item.truth if turned else item.truth)
            items.setdefault(name, []).append(item)
    denied = frozenset(n for n, some in items.items() if any(item.direct for item in some))
    return Truths(net, items, denied)


class Conflict(NamedTuple):
    """A name of which one sentence asserts what the other denies, and the words that say so."""

    name: str
    left: Item
    right: Item

    @property
    def opposite(self) -> bool:
        """Whether the words are opposites, rather than that one of them is denied."""
        signs = (dict(item.ends)[self.name] for item in (self.left, self.right))
        return "/" in self.name and len(set(signs)) == 2


@lru_cache(maxsize=1 << 16)
def conflicts_of(a: Sentence, b: Sentence) -> tuple[tuple[Conflict, ...], float]:
    """The conflicts of a pair, and the share of the shorter side's other words in common."""
    if not _may_conflict(ends_of(a), ends_of(b)):
        return (), 0.0
    left, right = truths(a), truths(b)
    shared = left.net.keys() & right.net.keys()
    clashing = sorted(name for name in shared if not left.net[name] & right.net[name])
    # A noun that one side denies is none if both deny the same predicate: "no charges were filed".
    agreed = any(
        left.net.get(name) == right.net.get(name) != EITHER and not left.items[name][0].noun
        for name in left.denied | right.denied
    )
    found = {
        (x.word, y.word): Conflict(name, x, y)
        for name in clashing
        if not ((x := left.items[name][0]).noun and agreed and "/" not in name)
        for y in right.items[name][:1]
    }
    if _is_reversed(left, right, set(clashing)):
        than = "than" in a.words and "than" in b.words
        found = {words: c for words, c in found.items() if not than and c.name not in CONVERSES}
    return tuple(found.values()), in_common(left, right, set(clashing)) if found else 0.0


def _is_reversed(left: Truths, right: Truths, without: set[str]) -> bool:
    """Whether the nouns in common come in another order: "A sold B", "B bought from A"."""
    nouns = [
        [name for name, items in side.items.items() if items[0].noun and name in other.net]
        for side, other in ((left, right), (right, left))
    ]
    mine, others = ([name for name in side if name not in without] for side in nouns)
    both = set(mine) & set(others)
    return [n for n in mine if n in both] != [n for n in others if n in both]


def in_common(left: Truths, right: Truths, clashing: set[str]) -> float:
    """The share of the shorter side's words that stand in the other; 1 if there are none."""
    mine, others = (
        {item.ends for some in side.items.values() for item in some
         if clashing.isdisjoint(name for name, _ in item.ends)}
        for side in (left, right)
    )  # fmt: skip
    if not mine or not others:
        return 1.0
    names, other_names = ({name for ends in some for name, _ in ends} for some in (mine, others))
    shared = (
        sum(any(name in other_names for name, _ in ends) for ends in mine),
        sum(any(name in names for name, _ in ends) for ends in others),
    )
    return min(1.0, max(shared) / min(len(mine), len(others)))


def in_order(a: Sentence, b: Sentence) -> tuple[Sentence, Sentence]:
    """The two in one order whichever way round they come, so that the rules are symmetric."""
    return (a, b) if a.text <= b.text else (b, a)


def strongest(a: Sentence, b: Sentence, found: Sequence[tuple[float, str]]) -> float:
    """The strength of the strongest conflict, times the other words in common; else 0."""
    common = in_common(truths(a), truths(b), set()) if found else 0.0
    return common * max(found)[0] if common >= ENOUGH else 0.0


def _strength(a: Sentence, b: Sentence, opposite: bool) -> float:
    found, common = conflicts_of(*in_order(a, b))
    wanted = any(conflict.opposite == opposite for conflict in found)
    return common if wanted and common >= ENOUGH else 0.0


@pairwise("polarity_conflict", "polarity", SCOPE, where=is_candidate)
def polarity_conflict(a: Sentence, b: Sentence) -> float:
    """Share of other words in common if one side denies a word that the other asserts; else 0."""
    return _strength(a, b, opposite=False)


@pairwise("polarity_match", "polarity", SCOPE)
def polarity_match(a: Sentence, b: Sentence) -> float:
    """F1 of the words denied on both sides; 1 if neither denies any, 0 if only one side does."""
    return set_f1(_denied(a), _denied(b))


@pairwise(
    "opposite_words",
    "polarity",
    "Mohammad et al. (2013), contrasting words; our own list",
    where=is_candidate,
)
def opposite_words(a: Sentence, b: Sentence) -> float:
    """Share of other words in common if the sides say opposite words of one thing; else 0.

    A denied word counts as its opposite: "not open" and "closed" are none.
    """
    return _strength(a, b, opposite=True)


def _denied(sentence: Sentence) -> frozenset[str]:
    if not ends_of(sentence).denies:
        return frozenset()
    net, _, denied = truths(sentence)
    return frozenset(name for name in denied if net[name] != EITHER)


def conflicts(a: Sentence, b: Sentence) -> list[str]:
    """Return the words that one sentence denies and the other asserts."""
    return [
        f"opposites: {x.word} ↔ {y.word}"
        if conflict.opposite
        else f"denied on one side only: {x.word if x.word == y.word else f'{x.word} / {y.word}'}"
        for conflict in conflicts_of(a, b)[0]
        for x, y in [(conflict.left, conflict.right)]
    ]
