"""Whether something happened, will, may, must, almost did, or is only wanted or asked.

Each predicate has a status, from the modal verb, adverb or verb before it in its clause. Who says
so ("according to") and irony are not known; "can" is taken for ability, which contradicts no fact.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from semaniacs.features import lexicon
from semaniacs.features.families.polarity import (
    ENOUGH,
    ends_of,
    in_order,
    is_candidate,
    strongest,
    truths,
)
from semaniacs.features.measures.denial import LIGHT, Token, bases, is_content, reworded
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence, lemma

PAST, PRESENT, FUTURE, MAY, CAN, MUST, WANTED, ALMOST, UNREAL, ASKED, FORMER, UNKNOWN = (
    "did", "does", "will", "may", "can", "must", "wanted", "almost", "would have", "asked", "used to", "to",
)  # fmt: skip

_STRENGTH = {
    frozenset(pair): strength
    for strength, pairs in {
        1.0: [(ALMOST, PAST), (ALMOST, PRESENT), (ALMOST, FUTURE)],
        0.9: [(UNREAL, PAST), (UNREAL, FUTURE)],
        0.8: [(FUTURE, PAST), (WANTED, PAST), (MAY, MUST), (MUST, PAST), (CAN, MUST)],
        0.7: [(MAY, PAST), (MAY, PRESENT), (UNREAL, PRESENT), (FORMER, PRESENT), (FORMER, FUTURE)],
        0.6: [(WANTED, PRESENT), (ASKED, PAST), (ASKED, PRESENT), (ASKED, FUTURE), (MUST, WANTED)],
        0.5: [(MAY, FUTURE), (MAY, WANTED), (ALMOST, MAY)],
    }.items()
    for pair in pairs
}
"""How much two statuses of one thing are at odds; not at all where the pair is not listed."""

_MODALS = lexicon.table("status before a verb")
_BEFORE_TO = lexicon.table("status before to")
_BEFORE_ING = lexicon.table("status before -ing")
_RESET = lexicon.words("status ends")
_TENSES = lexicon.table("tense")


_BEFORE_VERB = frozenset(_MODALS) | frozenset("to not did do does he she they we i you".split())


class Status(NamedTuple):
    """The statuses of a predicate, and the word that names it in its sentence."""

    kinds: frozenset[str]
    word: str


@lru_cache(maxsize=1 << 16)
def statuses(sentence: Sentence) -> dict[str, Status]:
    """The statuses of the predicates of a sentence, by name, see :func:`bases`."""
    tokens = reworded(sentence)
    found: dict[str, set[str]] = {}
    spoken: dict[str, str] = {}
    status = tense = ""
    for place, token in enumerate(tokens):
        word, tag = token
        after = tokens[place + 1] if place + 1 < len(tokens) else Token("", "")
        if word in _RESET:
            status = tense = ""
        elif word in _MODALS and _is_modal(word, after):
            status = _MODALS[word]
        elif word == "have" and tokens[place - 1].word in ("would", "could", "should"):
            status = UNREAL
        elif word in _TENSES and after.word != "to":
            tense = _TENSES[word]
        elif opened := _opens(tokens, place):
            status = status if status not in ("", FUTURE) else opened
        elif word == "to" and after.tag == "VB" and not status:
            status = UNKNOWN  # "the first to arrive", "Bezos to buy the Post"
        elif _is_predicate(tokens, place, bool(tense or status)):
            own = status or tense or (PAST if tag in ("VBD", "VBN") else PRESENT)
            for name, _ in bases(word, tag):
                found.setdefault(name, set()).add(own)
                spoken.setdefault(name, word)
            status = ""
    if len(tokens) > 2 and tokens[-1].word == "?" and tokens[0].tag[:1] in "VM":
        found = {name: {ASKED} for name in found}
    return {name: Status(frozenset(some), spoken[name]) for name, some in found.items()}


def _is_predicate(tokens: tuple[Token, ...], place: int, led: bool) -> bool:
    """Whether a token is a verb, or an adjective led by an auxiliary, and no attribute of a noun."""
    word, tag = tokens[place]
    if word in LIGHT or not is_content(word, tag):
        return False
    if place and tokens[place - 1].word in _BEFORE_VERB and (led or tokens[place - 1].word != "to"):
        return tag[:1] == "V" or _looks_bare(tokens[place])
    if tag[:1] not in "VJ":
        return False
    after = tokens[place + 1].tag if place + 1 < len(tokens) else ""
    before = tokens[place - 1].tag if place else ""
    if tag[:1] == "J" or tag in ("VBN", "VBG"):
        attribute = after[:1] == "N" or before in ("DT", "PRP$", "JJ", "CD")
        return not attribute and (tag[:1] == "V" or led)
    return True


def _is_modal(word: str, after: Token) -> bool:
    """Whether "may" is no month, and "almost" of an event rather than of a number."""
    if word in ("almost", "nearly"):
        return after.tag[:1] == "V"
    if word != "may" or after.word in ("be", "have"):
        return True
    return after.tag in ("RB", "VBN") or _looks_bare(after)


def _opens(tokens: tuple[Token, ...], place: int) -> str | None:
    """The status of what follows "try to", "plan to", "consider …ing"; None if it has none."""
    word, tag = tokens[place]
    after = [token.word for token in tokens[place + 1 : place + 2]]
    if after == ["to"] and place + 2 < len(tokens) and _looks_bare(tokens[place + 2]):
        if word in ("about", "set", "due", "going"):
            return FUTURE
        return FORMER if word == "used" else _BEFORE_TO.get(lemma(word, "VB"))
    if after and after[0].endswith("ing") and tag[:1] == "V":
        return _BEFORE_ING.get(lemma(word, tag))
    return None


def _looks_bare(token: Token) -> bool:
    """Whether a token after "to" or a modal is a verb, though it may be tagged otherwise."""
    known = token.tag in ("VBP", "VBD", "NN", "JJ") and lemma(token.word, "VB") == token.word
    return token.tag == "VB" or known


@lru_cache(maxsize=1 << 16)
def _found(a: Sentence, b: Sentence) -> tuple[tuple[float, str], ...]:
    names = ends_of(a).names, ends_of(b).names
    if len(names[0] & names[1]) < ENOUGH * min(map(len, names)):
        return ()
    left, right = statuses(a), statuses(b)
    if "?" in a.tokens and "?" in b.tokens:
        return ()
    found = []
    for name in sorted(left.keys() & right.keys()):
        one, other = left[name], right[name]
        differ = one.kinds.isdisjoint(other.kinds) and UNKNOWN not in one.kinds | other.kinds
        if differ and name not in truths(a).denied | truths(b).denied:
            pairs = [(x, y) for x in sorted(one.kinds) for y in sorted(other.kinds)]
            strength = min(_STRENGTH.get(frozenset(pair), 0.0) for pair in pairs)
            if strength:
                said = " / ".join(dict.fromkeys((one.word, other.word)))
                found.append((strength, f"{said}: {pairs[0][0]} ↔ {pairs[0][1]}"))
    return tuple(found)


@pairwise(
    "factuality_conflict",
    "factuality",
    "after Saurí and Pustejovsky (2009), FactBank, degrees of factuality",
    where=is_candidate,
)
def factuality_conflict(a: Sentence, b: Sentence) -> float:
    """How much the statuses of one event are at odds, times the other words in common; else 0."""
    return strongest(a, b, _found(*in_order(a, b)))


def conflicts(a: Sentence, b: Sentence) -> list[str]:
    """Which events have happened in one sentence and not quite in the other, in words."""
    return [f"status of {text}" for _, text in _found(a, b)]
