"""How many of what: all, most, some, few, none; only and except; at least and at most.

A quantifier is a share and a sign: "no one came" is *all did not*, "few came" is *most did not*,
"not all came" is *some did not*. So "no student failed" is "every student passed", and "few" is
against "most". Floating quantifiers far from their noun and numbers without a bound are not known.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.batch import both
from semaniacs.features.families.polarity import ends_of, in_order, strongest, truths
from semaniacs.features.measures.denial import Token, bases, reworded
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence
from semaniacs.sts.text.tokenizer import as_word, is_word

Tokens = tuple[Token, ...]
Names = frozenset[str]

ALL, MOST, MANY, SOME = "all", "most", "many", "some"

_WORDS = {word: (share, int(sign)) for word, (share, sign) in lexicon.fields("share").items()}
_UNNAMED = {
    word: frozenset((name,))
    for words, name in (
        ("everyone everybody someone somebody nobody".split(), "=person"),
        ("everything something nothing".split(), "<thing>"),
        ("everywhere nowhere somewhere".split(), "<place>"),
        (lexicon.words("quantified time"), "<time>"),
    )
    for word in words
}
"""Names of the things counted by quantifiers that are no attribute of a noun."""

_STRENGTH = lexicon.numbers("shares at odds")
_BOUND = lexicon.whole_numbers("bound")
_ONLY = lexicon.words("only")
CUES = frozenset(_WORDS) | _ONLY | lexicon.words("quantifier cue")


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
    names: Names
    word: str


class Restriction(NamedTuple):
    """A noun that alone is meant ("only"), or that is excepted ("except"), with its names."""

    kind: str
    names: Names
    noun: str


class Bound(NamedTuple):
    """A number and whether it is the least (+1), the most (−1) or exact (0)."""

    side: int
    number: str


class Quantities(NamedTuple):
    """The shares, restrictions and bounds of a sentence."""

    shares: tuple[Quantity, ...]
    restrictions: tuple[Restriction, ...]
    bounds: tuple[Bound, ...]


@lru_cache(maxsize=1 << 16)
def quantities(sentence: Sentence) -> Quantities:
    """Return the quantifiers of a sentence with what they are about."""
    if CUES.isdisjoint(sentence.words):
        return Quantities((), (), ())
    tokens = reworded(sentence)
    return Quantities(_shares(tokens), _restrictions(tokens), _bounds(tokens))


def _word(tokens: Tokens, place: int) -> str:
    return tokens[place].word if 0 <= place < len(tokens) else ""


def _has(tokens: Tokens, *words: str) -> bool:
    return any(token.word in words for token in tokens)


def _shares(tokens: Tokens) -> tuple[Quantity, ...]:
    found = []
    for place, (word, _) in enumerate(tokens):
        if word not in _WORDS or _is_no_share(tokens, place):
            continue
        share, sign = _WORDS[word]
        before = _word(tokens, place - 1)
        if before == "not":
            if share == ALL:
                share, sign = SOME, -sign
            elif share in (MANY, MOST):
                share, sign = MOST, -1
        elif before in ("almost", "nearly", "virtually", "practically") and share == ALL:
            share = MOST
        elif before == "only" and share == SOME:
            share, sign = MOST, -1
        elif before == "quite" and word == "few":
            share, sign = MANY, 1
        elif before == "a" and word in ("few", "little"):
            share, sign = SOME, 1
        if sign < 0 and _word(tokens, place + 1).startswith("fail"):
            sign = 1  # "never fails to"
        names = _UNNAMED.get(word) or _named(_noun_after(tokens, place + 1))
        found.append(Quantity(share, sign, names, word))
    return tuple(found)


def _is_no_share(tokens: Tokens, place: int) -> bool:
    word, before = tokens[place].word, _word(tokens, place - 1)
    after = tokens[place + 1] if place + 1 < len(tokens) else Token("", "")
    if word == "all" and (after.word == "except" or before in ("at", "above", "after")):
        return True
    if word == "most" and (after.tag[:2] in ("JJ", "RB") or before in ("at", "the")):
        return True  # the superlative
    if word in ("majority", "minority"):
        return after.word != "of"
    if word in ("no", "some") and (after.tag == "CD" or not after.tag[:1].isalpha()):
        return True  # "No. 7", "some 200 people", the answer no
    return after.word in ("-", "other", "over") or before in ("how", "so", "too", "as", "very")


def _noun_after(tokens: Tokens, place: int) -> Token | None:
    """Return the head of the noun phrase that begins here; None if there is none."""
    head: Token | None = None
    for token in tokens[place : place + 6]:
        word, tag = token
        if tag[:2] == "NN" or (tag == "CD" and word.isalpha()):
            head = token
        elif head or tag[:1] in "VM" or not is_word(word) or (tag == "IN" and word != "of"):
            break
    return head


def _named(token: Token | None) -> Names:
    return frozenset(name for name, _ in bases(*token)) if token else frozenset()


def _restrictions(tokens: Tokens) -> tuple[Restriction, ...]:
    found = []
    for place, (word, _) in enumerate(tokens):
        before = _word(tokens, place - 1)
        if word == "except" or (word == "but" and before in ("all", "nobody", "no")):
            noun, kind = _noun_after(tokens, place + 1), "except"
            all_but = _has(tokens[:place], "all", "every", "any", "always")
            if not all_but and _has(tokens[:place], "no", "not", "never", "nobody"):
                kind = "only"
        elif word == "alone" and place:
            noun, kind = _last_noun(tokens[place - 1 : place]), "only"
        elif word in ("only", "solely", "exclusively") and before not in ("the", "an", "if", "not"):
            noun = _noun_after(tokens, place + 1)  # "only John did not come" excepts him
            kind = "except" if _has(tokens[place : place + 5], "not") else "only"
        elif word == "only" and before == "the":
            noun = _last_noun(tokens[:place])
            kind = "except" if _has(tokens[place:], "not") else "only"
        else:
            continue
        if noun:
            found.append(Restriction(kind, _named(noun), noun.word))
    return tuple(found)


def _last_noun(tokens: Tokens) -> Token | None:
    return next((token for token in reversed(tokens) if token.tag[:2] == "NN"), None)


def _bounds(tokens: Tokens) -> tuple[Bound, ...]:
    found = []
    for place, (word, tag) in enumerate(tokens):
        if tag != "CD" and not word[:1].isdigit():
            continue
        before = [token.word for token in tokens[max(0, place - 3) : place]]
        for cue, side in _BOUND.items():
            said = cue.split()
            if before[-len(said) :] == said:
                negated = before[: -len(said)][-1:] in (["not"], ["no"])
                found.append(Bound(-side if negated else side, word))
    return tuple(found)


_SIDES = {1: "at least", -1: "at most", 0: "exactly"}


@lru_cache(maxsize=1 << 16)
def _found(a: Sentence, b: Sentence) -> tuple[tuple[float, str], ...]:
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
    if len(left.restrictions) == len(right.restrictions) == 1:
        x, y = left.restrictions[0], right.restrictions[0]
        both_named = x.names & truths(b).net.keys() and y.names & truths(a).net.keys()
        if x.kind == y.kind and not x.names & y.names and both_named:
            # "only" of one thing here and of another there: "only John ate", "ate only cake"
            found.append((0.8, f"{x.kind}: {x.noun} ↔ {y.noun}"))
    for bound in left.bounds if left.bounds != right.bounds else ():
        for other in right.bounds:
            if bound.number == other.number and bound.side != other.side:
                strength = 1.0 if bound.side * other.side < 0 else 0.5
                sides = f"{_SIDES[bound.side]} ↔ {_SIDES[other.side]}"
                found.append((strength, f"bounds of {bound.number}: {sides}"))
    return tuple(found)


def _share_conflicts(
    a: Sentence, b: Sentence, left: tuple[Quantity, ...], right: tuple[Quantity, ...]
) -> list[tuple[float, str]]:
    turned = _turned_predicates(a, b)
    found = []
    for x in left:
        about = [y for y in right if x.names & y.names or not (x.names and y.names)]
        if not about or any(x[:2] == y[:2] for y in about):
            continue
        y = about[0]
        if any(x.names & z.names and z[:2] == y[:2] for z in left if z is not x):
            continue
        sign = x.sign * y.sign * turned
        if sign < 0 and not _same_predicate(a, b):
            continue  # "all were broken", "none was left intact"
        first, second = sorted((x.share, y.share))
        strength = _STRENGTH[f"{first} {second} {sign}"]
        if strength > 0:
            found.append((strength, f"quantifiers: {x.word} ↔ {y.word}"))
    return found


def _same_predicate(a: Sentence, b: Sentence) -> bool:
    left, right = (
        {name for name, items in truths(side).items.items() if not items[0].noun} for side in (a, b)
    )
    return bool(left & right) or not (left and right)


def _turned_predicates(a: Sentence, b: Sentence) -> int:
    """−1 if the two sentences name opposite ends of an axis, whatever they deny; else 1."""
    x, y = ends_of(a), ends_of(b)
    return -1 if (x.upper & y.lower) - x.lower | (x.lower & y.upper) - x.upper else 1


def _is_cue(token: str) -> bool:
    return as_word(token) in CUES


@pairwise(
    "quantifier_conflict",
    "quantifiers",
    "after Barwise and Cooper (1981), generalized quantifiers; MacCartney (2009), 5",
    where=both(_is_cue),
)
def quantifier_conflict(a: Sentence, b: Sentence) -> float:
    """How much the shares of one thing are at odds, times the other words in common; else 0."""
    return strongest(a, b, _found(*in_order(a, b)))


def conflicts(a: Sentence, b: Sentence) -> list[str]:
    """Return which quantifiers, restrictions and bounds are at odds, in words."""
    return [text for _, text in _found(a, b)]
