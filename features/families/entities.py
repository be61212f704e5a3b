"""Names of people, places and organisations."""

from __future__ import annotations

from functools import lru_cache

from features.measures.formulas import f1
from features.measures.information import information
from features.registry import pairwise
from sts.text.analysis import Sentence
from sts.text.tokenizer import STOP_WORDS

CACHED = 1 << 16
Found = frozenset[str]


Names = tuple[tuple[str, ...], ...]
"""The names in a sentence, each as its lower-cased words."""


def _capitalised(token: str) -> bool:
    """Whether a token may stand in a name; "The" may not, "WHO" may."""
    if not token[:1].isupper():
        return False
    return (len(token) > 1 and token.isupper()) or token.lower() not in STOP_WORDS


@lru_cache(maxsize=CACHED)
def entities(sentence: Sentence) -> Names:
    """The names in a sentence: runs of capitalised words.

    A single word at the beginning counts only if it is tagged as a proper noun.
    """
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    for place, token in enumerate((*sentence.tokens, "")):
        if _capitalised(token):
            run.append(token)
            continue
        first = place == len(run) and sentence.tags[:1] != ("NNP",)
        if len(run) > 1 or (run and not first):
            found.append(tuple(word.lower().replace(".", "") for word in run))
        run = []
    return tuple(found)


def _left_alone(own: Names, other: Names) -> Found:
    """Words of names that the other side neither has nor abbreviates nor spells out."""
    theirs = {word for name in other for word in name}
    initials = {_initials(name) for name in other if len(name) > 1}
    return frozenset(
        word
        for name in own
        if len(name) == 1 or _initials(name) not in theirs
        for word in name
        if word not in theirs and word not in initials
    )


def _initials(name: tuple[str, ...]) -> str:
    return "".join(word[:1] for word in name)


@pairwise("entity_match", "agreement", "Han et al. (2013), UMBC, 4: named entities")
def entity_match(a: Sentence, b: Sentence) -> float:
    """F1 of the names shared, by information; 1 if there is none, 0 if one side has none.

    An acronym stands for a name with its initials.
    """
    left, right = entities(a), entities(b)
    if not left and not right:
        return 1.0
    return f1(_kept(left, right), _kept(right, left))


def _kept(own: Names, other: Names) -> float:
    total = sum(information(word) for word in sorted({word for name in own for word in name}))
    lost = sum(information(word) for word in sorted(_left_alone(own, other)))
    return 1 - lost / total if total > 0 else 0.0


@pairwise("entity_conflict", "agreement", "Dagan et al. (2006), RTE: names that differ")
def entity_conflict(a: Sentence, b: Sentence) -> float:
    """1 if each side names something that the other does not; else 0."""
    left, right = entities(a), entities(b)
    return float(bool(_left_alone(left, right)) and bool(_left_alone(right, left)))
