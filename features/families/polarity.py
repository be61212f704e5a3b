"""Assertions and denials of two sentences, and words that exclude each other.

Without a parser and by rules: irony, and a denial whose word is said by unlike words on the two
sides, are not known. Groups of words that exclude each other (red and blue, cat and dog) are made
by hand; what is in none, and things that may be both, are not known.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import takewhile
from typing import NamedTuple

import numpy as np

from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features import lexicon
from semaniacs.features.batch import Batch, Flags, once, set_f1
from semaniacs.features.families.small_words import PERSON
from semaniacs.features.measures.counts import count
from semaniacs.features.measures.denial import (
    EITHER,
    Item,
    bases,
    is_content,
    may_deny,
    reworded,
    said,
)
from semaniacs.features.measures.mended_tags import corrected_tags
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence, analyse, lemma
from semaniacs.sts.text.tokenizer import STOP_WORDS
from semaniacs.sts.text.word_lists import exclusive_members

ENOUGH = 0.5  # share of the shorter side's names in common from which a pair is read
ENOUGH_OTHERS = 0.6  # share of the other words in common from which a difference counts


@lru_cache(maxsize=1 << 18)
def named(token: str, tag: str) -> tuple[tuple[str, int], ...]:
    """Return the names of a token, see :func:`bases`; none if it is no content word."""
    word = token.lower()
    return bases(word, tag) if is_content(word, tag) else ()


@once
def is_candidate(batch: Batch) -> Flags:
    """(n,) whether the side with fewer names shares enough of them with the other."""
    tokens, (flat, offsets) = batch.tagged_tokens
    numbers: dict[str, int] = {}
    names = [[numbers.setdefault(name, len(numbers)) for name, _ in named(*t)] for t in tokens]
    of_token = Ragged.of(names).take(flat.astype(np.int64))
    bags = count(Ragged(of_token.flat, of_token.offsets[offsets]), 1).distinct()
    fewer = np.minimum(*batch.sides(bags.totals()))
    return np.asarray(bags.shared(batch) >= ENOUGH * fewer)


SCOPE = "after Chapman et al. (2001), NegEx; Morante and Blanco (2012), scope of negation"


class Ends(NamedTuple):
    """Names in a sentence, axes whose upper and lower end it names, and whether it may deny."""

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
    if len(a.names & b.names) < ENOUGH * min(len(a.names), len(b.names)):
        return False
    return a.denies or b.denies or not (a.upper.isdisjoint(b.lower) and a.lower.isdisjoint(b.upper))


CONVERSES, _OF_EVENTS = map(lexicon.words, ("converse axis", "converse axis of events"))
"""Axes whose two ends say the same when the things they relate trade places. Those of events conflict
only behind the same noun: heavy rain caused delays, there were delays due to heavy rain."""


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


OPEN, _CLAIM = "leaves open", Item("", (("leaves open", 1),), EITHER, False, False)
_OPENING = re.compile("|".join(lexicon.phrases(OPEN)), re.IGNORECASE)
_DOUBTING = re.compile("|".join(lexicon.phrases("doubts")), re.IGNORECASE)


def _left_open(a: Sentence, b: Sentence) -> float:
    """Return the share of words in common if one side alone leaves open what both say; else 0."""
    rests = [_OPENING.sub(" ", s.text).strip() for s in (a, b)]
    open_left, open_right = rests[0] != a.text.strip(), rests[1] != b.text.strip()
    if open_left == open_right or _DOUBTING.search((a if open_right else b).text):
        return 0.0
    left, right = (set(s.lemmas) - STOP_WORDS for s in map(analyse(rests).get, rests) if s)
    common = len(left & right) / max(len(left), len(right), 1)
    return common if common >= ENOUGH_OTHERS else 0.0


@lru_cache(maxsize=1 << 16)
def conflicts_of(a: Sentence, b: Sentence) -> tuple[tuple[Conflict, ...], float]:
    """The conflicts of a pair, and the share of the shorter side's other words in common."""
    if common := _left_open(a, b):
        return (Conflict(OPEN, _CLAIM, _CLAIM),), common
    if not _may_conflict(ends_of(a), ends_of(b)):
        return (), 0.0
    left, right = truths(a), truths(b)
    clashing = {
        name: clash
        for name in sorted(left.net.keys() & right.net.keys())
        if (clash := _clash(left, right, name))
    }
    # A noun that one side denies is none if both deny the same predicate: "no charges were filed".
    agreed = any(
        left.net.get(name) == right.net.get(name) != EITHER and not left.items[name][0].noun
        for name in left.denied | right.denied
    )
    if any(map(_sets_apart, (a, b), (b, a))):
        return (), 0.0
    found = {
        (x.word, y.word): Conflict(name, x, y)
        for name, (x, y) in clashing.items()
        if not (x.noun and agreed and "/" not in name)
        if name not in _OF_EVENTS or _before(a, x) & _before(b, y)
    }
    if _is_reversed(left, right, set(clashing)) or _people_trade(a, b):
        than = "than" in a.words and "than" in b.words
        found = {words: c for words, c in found.items() if not than and c.name not in CONVERSES}
    return tuple(found.values()), in_common(left, right, set(clashing)) if found else 0.0


def _clash(left: Truths, right: Truths, name: str) -> tuple[Item, Item] | None:
    """Return the words of a name of which one is asserted and the other denied; None if there are none.

    Words that both sides say equally often are compared one by one: he did not kill, but had killed.
    """
    items, others = left.items[name], right.items[name]
    if not left.net[name] & right.net[name]:
        return items[0], others[0]
    if "/" in name or len(items) != len(others) or len(items) == 1:
        return None
    pairs = zip(items, others, strict=True)
    verbs = ((x, y) for x, y in pairs if not (x.noun or y.noun))
    return next(((x, y) for x, y in verbs if not x.truth & y.truth), None)


def _before(sentence: Sentence, item: Item) -> set[str]:
    """Return the names of the last noun before a word."""
    before = takewhile(lambda other: other is not item, said(sentence))
    nouns = [other for other in before if other.noun]
    return {name for name, _ in nouns[-1].ends} if nouns else set()


def _sets_apart(a: Sentence, b: Sentence) -> bool:
    """Whether one side says of "only" some what the other says of all but these."""
    other = {token.word for token in reworded(b)} if "only" in a.words else set()
    return "except" in other and "only" not in other


def _is_reversed(left: Truths, right: Truths, without: set[str]) -> bool:
    """Whether the nouns in common come in another order: "A sold B", "B bought from A"."""
    nouns = [
        [name for name, items in side.items.items() if items[0].noun and name in other.net]
        for side, other in ((left, right), (right, left))
    ]
    mine, others = ([name for name in side if name not in without] for side in nouns)
    both = set(mine) & set(others)
    return [n for n in mine if n in both] != [n for n in others if n in both]


def _people_trade(a: Sentence, b: Sentence) -> bool:
    """Whether people in common come in another order: "I lent Ann", "Ann borrowed from me"."""
    left, right = map(_people, (a, b))
    return [p for p in left if p in right] != [p for p in right if p in left]


@lru_cache(maxsize=1 << 16)
def _people(sentence: Sentence) -> tuple[str, ...]:
    """Return the nouns and the pronouns of a sentence, each once, those that own something last."""
    words = [*zip(sentence.words, sentence.word_tags, strict=True)]
    words.sort(key=lambda word: word[1] == "PRP$")
    named = (PERSON.get(w) or lemma(w, t) for w, t in words if w in PERSON or t[:1] == "N")
    return tuple(dict.fromkeys(named))


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
    doubts, other_doubts = map(_doubts, (a, b))
    return [_in_words(c, doubts - other_doubts) for c in conflicts_of(a, b)[0]]


def _doubts(sentence: Sentence) -> int:
    """Return whether a sentence leaves open or denies all that it goes on to say."""
    said = " ".join([token.word for token in reworded(sentence)])
    return bool(_OPENING.search(sentence.text)) or "not true that" in said


def _in_words(conflict: Conflict, doubts: int) -> str:
    x, y = conflict.left.word, conflict.right.word
    if conflict.opposite:
        return f"opposites: {x} ↔ {y}"
    if doubts:
        return f"only the {'second' if doubts > 0 else 'first'} says that it is so"
    return f"denied on one side only: {x if x == y else f'{x} / {y}'}"


RELATIVES = lexicon.words("relative")
"""Words for people in relation to others: Ann is Bob's mother, Bob is Ann's son."""

KINDS = "after MacCartney (2009), 5: alternation; our own groups"

_KIND = exclusive_members("exclusive group")


@lru_cache(maxsize=1 << 18)
def _kinds(token: str, tag: str) -> tuple[tuple[str, str], ...]:
    if tag[:1] not in "NJR":
        return ()
    word = token.lower()
    return _KIND.get(token) or _KIND.get(word) or _KIND.get(lemma(word, tag), ())


@lru_cache(maxsize=1 << 16)
def members(sentence: Sentence) -> frozenset[tuple[str, str]]:
    """The members of the groups that a sentence names: (group, member)."""
    return frozenset([m for some in map(_kinds, sentence.tokens, sentence.tags) for m in some])


def _exchanged(a: Sentence, b: Sentence) -> list[tuple[str, str]]:
    """Members of one group of which each side names exactly one that the other does not."""
    left, right = members(a), members(b)
    if not left or not right or left == right:
        return []
    mine, others = left - right, right - left
    related = _is_reversed(truths(a), truths(b), set()) or _people_trade(a, b)
    found = []
    for group in sorted({group for group, _ in mine} & {group for group, _ in others}):
        x, y = ([name for number, name in side if number == group] for side in (mine, others))
        both_relate = related and RELATIVES.issuperset(f"{x[0]}/{y[0]}".split("/"))
        if len(x) == 1 and len(y) == 1 and not both_relate:
            found.append((x[0], y[0]))
    return found


def _both_name_a_member(batch: Batch) -> Flags:
    tokens, (flat, offsets) = batch.tagged_tokens
    named = np.array([bool(_kinds(*token)) for token in tokens], bool)
    found = np.concatenate([[0], np.cumsum(named[flat])])
    left, right = batch.sides(np.diff(found[offsets]) > 0)
    return np.asarray(left & right)


@pairwise("exclusive_words", "exclusive", KINDS, where=_both_name_a_member)
def exclusive_words(a: Sentence, b: Sentence) -> float:
    """Share of other words in common if each side names another thing of one kind; else 0."""
    pairs = _exchanged(a, b)
    if not pairs:
        return 0.0
    named = {name for pair in pairs for entry in pair for name in entry.split("/")}
    left, right = truths(a), truths(b)
    clashing = {
        name
        for side in (left, right)
        for name, items in side.items.items()
        if any(item.word in named or lemma(item.word, "NN") in named for item in items)
    }
    common = in_common(left, right, clashing)
    return common if common >= ENOUGH_OTHERS else 0.0


def exclusive_conflicts(a: Sentence, b: Sentence) -> list[str]:
    """Which words of one kind stand in each other's place, in words."""
    return [f"exclude each other: {x} ↔ {y}" for x, y in _exchanged(a, b)]
