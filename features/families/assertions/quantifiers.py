"""How many of what: all, most, some, few, none; only and except; at least and at most.

A quantifier is a share and a sign: "no one came" is *all did not*, "few came" is *most did not*,
"not all came" is *some did not*. So "no student failed" is "every student passed", and "few" is
against "most". Floating quantifiers far from their noun and numbers without a bound are not known.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from features import lexicon
from features.batch import Batch, Flags, once
from features.families.assertions.axes import bases
from features.families.assertions.may_conflict import with_one_on_each_side
from features.families.assertions.polarity import ends_of, in_order, strongest, truths
from features.families.assertions.wording import Token, reworded
from features.registry import pairwise
from sts.text.analysis import Sentence
from sts.text.tokenizer import is_word

SHARES = "after Barwise and Cooper (1981), generalized quantifiers; MacCartney (2009), 5"

ALL, MOST, MANY, SOME = "all", "most", "many", "some"

_WORDS = {word: (share, int(sign)) for word, (share, sign) in lexicon.fields("share").items()}
_PERSONS = frozenset("everyone everybody someone somebody nobody".split())
_THINGS = frozenset("everything something nothing".split())
_PLACES = frozenset("everywhere nowhere somewhere".split())
_TIMES = lexicon.words("quantified time")

_STRENGTH = lexicon.numbers("shares at odds")
"""How much two shares of one thing are at odds."""


class Quantity(NamedTuple):
    """A share of something.

    Attributes:
        share: all, most, many, half or some.
        sign: −1 if it is the share of which the sentence is denied.
        names: what it is a share of; empty if the sentence does not say.
        word: the quantifier as it was written.
    """

    share: str
    sign: int
    names: frozenset[str]
    word: str


class Restriction(NamedTuple):
    """A noun that alone is meant, or that is excepted.

    Attributes:
        kind: "only" or "except".
        names: of the noun, see :func:`bases`.
        noun: as it was written.
    """

    kind: str
    names: frozenset[str]
    noun: str


class Bound(NamedTuple):
    """A number and whether it is the least (+1), the most (−1) or exact (0)."""

    side: int
    number: str


class Quantities(NamedTuple):
    """All that a sentence says of how many."""

    shares: tuple[Quantity, ...]
    restrictions: tuple[Restriction, ...]
    bounds: tuple[Bound, ...]


_NOTHING = Quantities((), (), ())
_BOUND = lexicon.whole_numbers("bound")
_ONLY = lexicon.words("only")
CUES = frozenset(_WORDS) | _ONLY | lexicon.words("quantifier cue")


@lru_cache(maxsize=1 << 16)
def quantities(sentence: Sentence) -> Quantities:
    """The quantifiers of a sentence with what they are about."""
    if CUES.isdisjoint(sentence.words):
        return _NOTHING
    tokens = reworded(sentence)
    return Quantities(_shares(tokens), _restrictions(tokens), _bounds(tokens))


def _shares(tokens: tuple[Token, ...]) -> tuple[Quantity, ...]:
    found = []
    for place, (word, _) in enumerate(tokens):
        if word not in _WORDS or _is_no_share(tokens, place):
            continue
        share, sign = _WORDS[word]
        before = tokens[place - 1].word if place else ""
        if before == "not":
            share, sign = {ALL: (SOME, -sign), MANY: (MOST, -1), MOST: (MOST, -1)}.get(
                share, (share, sign)
            )
        elif before in ("almost", "nearly", "virtually", "practically") and share == ALL:
            share = MOST
        elif before == "only" and share == SOME:
            share, sign = MOST, -1
        elif before == "quite" and word == "few":
            share, sign = MANY, 1
        elif before == "a" and word in ("few", "little"):
            share, sign = SOME, 1
        if sign < 0 and any(
            token.word.startswith("fail") for token in tokens[place + 1 : place + 2]
        ):
            sign = 1  # "never fails to"
        found.append(Quantity(share, sign, _target(tokens, place), word))
    return tuple(found)


def _is_no_share(tokens: tuple[Token, ...], place: int) -> bool:
    word = tokens[place].word
    after = tokens[place + 1] if place + 1 < len(tokens) else Token("", "")
    before = tokens[place - 1].word if place else ""
    if word == "all" and (after.word == "except" or before in ("at", "above", "after")):
        return True
    if word == "most" and (after.tag[:2] in ("JJ", "RB") or before in ("at", "the")):
        return True  # the superlative
    if word in ("majority", "minority"):
        return after.word != "of"
    if word in ("no", "some") and (after.tag == "CD" or not after.tag[:1].isalpha()):
        return True  # "No. 7", "some 200 people", the answer no
    return after.word in ("-", "other", "over") or before in ("how", "so", "too", "as", "very")


def _target(tokens: tuple[Token, ...], place: int) -> frozenset[str]:
    """The names of the noun that a quantifier is about; empty for a pronoun."""
    word = tokens[place].word
    for words, name in (
        (_PERSONS, "=person"),
        (_THINGS, "<thing>"),
        (_PLACES, "<place>"),
        (_TIMES, "<time>"),
    ):
        if word in words:
            return frozenset((name,))
    return _named(_noun_after(tokens, place + 1))


def _noun_after(tokens: tuple[Token, ...], place: int) -> Token | None:
    """Return the head of the noun phrase that begins here; None if there is none."""
    head: Token | None = None
    for token in tokens[place : place + 6]:
        word, tag = token
        noun = tag[:2] == "NN" or (tag == "CD" and word.isalpha())
        if head and not noun:
            break
        if noun:
            head = token
        elif tag[:1] in "VM" or not is_word(word) or (tag == "IN" and word != "of"):
            break
    return head


def _restrictions(tokens: tuple[Token, ...]) -> tuple[Restriction, ...]:
    found = []
    for place, (word, _) in enumerate(tokens):
        before = tokens[place - 1].word if place else ""
        if word == "except" or (word == "but" and before in ("all", "nobody", "no")):
            noun, kind = _noun_after(tokens, place + 1), "except"
            if not any(token.word in ("all", "every", "any", "always") for token in tokens[:place]):
                denied = any(
                    token.word in ("no", "not", "never", "nobody") for token in tokens[:place]
                )
                kind = "only" if denied else "except"
        elif word == "alone" and place:
            noun, kind = _if_noun(tokens[place - 1]), "only"
        elif word in ("only", "solely", "exclusively") and before not in ("the", "an", "if", "not"):
            noun, kind = _noun_after(tokens, place + 1), "only"
            if any(token.word == "not" for token in tokens[place : place + 5]):
                kind = "except"  # "only John did not come"
        elif word == "only" and before == "the":
            kind = "except" if any(token.word == "not" for token in tokens[place:]) else "only"
            noun = _last_noun(tokens[:place])
        else:
            continue
        if noun:
            found.append(Restriction(kind, _named(noun), noun.word))
    return tuple(found)


def _last_noun(tokens: tuple[Token, ...]) -> Token | None:
    nouns = [token for token in tokens if token.tag[:2] == "NN"]
    return nouns[-1] if nouns else None


def _if_noun(token: Token) -> Token | None:
    return token if token.tag[:2] == "NN" else None


def _named(token: Token | None) -> frozenset[str]:
    """Return the names of a token, see :func:`bases`; none for None."""
    return frozenset(name for name, _ in bases(*token)) if token else frozenset()


def _bounds(tokens: tuple[Token, ...]) -> tuple[Bound, ...]:
    found = []
    for place, (word, tag) in enumerate(tokens):
        if tag != "CD" and not word[:1].isdigit():
            continue
        before = [token.word for token in tokens[max(0, place - 3) : place]]
        for cue, side in _BOUND.items():
            if before[-len(cue.split()) :] == cue.split():
                negated = before[: -len(cue.split())][-1:] in (["not"], ["no"])
                found.append(Bound(-side if negated else side, word))
    return tuple(found)


@lru_cache(maxsize=1 << 16)
def _found(a: Sentence, b: Sentence) -> tuple[tuple[float, str], ...]:
    """Each conflict of how many: how strong it is, and in words."""
    left, right = quantities(a), quantities(b)
    found = []
    if left.shares and right.shares and left.shares != right.shares:
        found += _share_conflicts(a, b, left.shares, right.shares)
    if left.restrictions != right.restrictions:
        found += [
            (1.0, f"{x.kind} ↔ {y.kind}: {' / '.join(dict.fromkeys((x.noun, y.noun)))}")
            for x in left.restrictions
            for y in right.restrictions
            if x.names & y.names and x.kind != y.kind
        ]
    found += _moved(a, b, left.restrictions, right.restrictions)
    for bound in left.bounds if left.bounds != right.bounds else ():
        for other in right.bounds:
            if bound.number == other.number and bound.side != other.side:
                strength = 1.0 if bound.side * other.side < 0 else 0.5
                found.append(
                    (
                        strength,
                        f"bounds of {bound.number}: {_SIDES[bound.side]} ↔ {_SIDES[other.side]}",
                    )
                )
    return tuple(found)


def _moved(
    a: Sentence, b: Sentence, left: tuple[Restriction, ...], right: tuple[Restriction, ...]
) -> list[tuple[float, str]]:
    """Whether "only" is of one thing here and of another there: "only John ate", "ate only cake"."""
    if len(left) != 1 or len(right) != 1 or left[0].kind != right[0].kind:
        return []
    mine, other = left[0].names, right[0].names
    if mine & other or not (mine & truths(b).net.keys() and other & truths(a).net.keys()):
        return []
    return [(0.8, f"{left[0].kind}: {left[0].noun} ↔ {right[0].noun}")]


_SIDES = {1: "at least", -1: "at most", 0: "exactly"}


def _share_conflicts(
    a: Sentence, b: Sentence, left: tuple[Quantity, ...], right: tuple[Quantity, ...]
) -> list[tuple[float, str]]:
    found = []
    for x in left:
        about = [y for y in right if x.names & y.names or not (x.names and y.names)]
        if not about or any(x.share == y.share and x.sign == y.sign for y in about):
            continue
        y = about[0]
        if any(
            x.names & z.names and (z.share, z.sign) == (y.share, y.sign) for z in left if z is not x
        ):
            continue
        turned = _predicates(a, b)
        if x.sign * y.sign * turned < 0 and not _same_predicate(a, b):
            continue  # "all were broken", "none was left intact"
        strength = _strength(x, y, turned)
        if strength > 0:
            found.append((strength, f"quantifiers: {x.word} ↔ {y.word}"))
    return found


def _same_predicate(a: Sentence, b: Sentence) -> bool:
    """Whether they share a word that is no noun, or have none."""
    left, right = (
        {name for name, items in truths(side).items.items() if not items[0].noun} for side in (a, b)
    )
    return bool(left & right) or not (left and right)


def _strength(x: Quantity, y: Quantity, predicates: int) -> float:
    first, second = sorted((x.share, y.share))
    return _STRENGTH[f"{first} {second} {x.sign * y.sign * predicates}"]


def _predicates(a: Sentence, b: Sentence) -> int:
    """−1 if the two sentences name opposite ends of an axis, whatever they deny; else 1."""
    x, y = ends_of(a), ends_of(b)
    turned = (x.upper & y.lower) - x.lower | (x.lower & y.upper) - x.upper
    return -1 if turned else 1


@once
def _both_say_how_many(batch: Batch) -> Flags:
    """(n,) the pairs whose sides both say how many."""
    view = batch.view("words")
    return with_one_on_each_side(batch, view.sequences, [word in CUES for word in view.words])


@pairwise("quantifier_conflict", "quantifiers", SHARES, where=_both_say_how_many)
def quantifier_conflict(a: Sentence, b: Sentence) -> float:
    """How much the shares of one thing are at odds, times the other words in common; else 0."""
    return strongest(a, b, _found(*in_order(a, b)))


def conflicts(a: Sentence, b: Sentence) -> list[str]:
    """Which quantifiers, restrictions and bounds are at odds, in words."""
    return [text for _, text in _found(a, b)]
