"""Names of people, places and organisations."""

from __future__ import annotations

from functools import lru_cache
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch
from features.measures.formulas import f1
from features.measures.information import information
from features.registry import pairwise
from sts.text.analysis import Sentence
from sts.text.tokenizer import STOP_WORDS

Names = tuple[tuple[str, ...], ...]
"""The names in a sentence, each as its lower-cased words."""

Flags = NDArray[np.bool_]


@lru_cache(maxsize=1 << 18)
def capitalised(token: str) -> bool:
    """Whether a token may be part of a name: "Paris" and "WHO" may, "paris" and "The" may not."""
    acronym = len(token) > 1 and token.isupper()
    return token[:1].isupper() and (acronym or token.lower() not in STOP_WORDS)


@lru_cache(maxsize=1 << 16)
def entities(sentence: Sentence) -> Names:
    """The names in a sentence: runs of capitalised words.

    A single capitalised word at the beginning of the sentence counts only if it is tagged as a
    proper noun.
    """
    found: list[tuple[str, ...]] = []
    run: list[str] = []
    for place, token in enumerate((*sentence.tokens, "")):
        if capitalised(token):
            run.append(token)
            continue
        first = place == len(run) and sentence.tags[:1] != ("NNP",)
        if len(run) > 1 or (run and not first):
            found.append(tuple(word.lower().replace(".", "") for word in run))
        run = []
    return tuple(found)


class _Told(NamedTuple):
    """The names in a sentence.

    Attributes:
        names: each as its words.
        words: of all of them.
        initials: of the names of several words.
        information: of the words, in nats.
    """

    names: Names
    words: frozenset[str]
    initials: frozenset[str]
    information: float


@lru_cache(maxsize=1 << 16)
def _told(sentence: Sentence) -> _Told:
    names = entities(sentence)
    words = frozenset(chain.from_iterable(names))
    initials = frozenset([_initials(name) for name in names if len(name) > 1])
    return _Told(names, words, initials, _information(words))


def _information(words: frozenset[str]) -> float:
    return sum(map(information, sorted(words)))


def _unmatched(own: _Told, other: _Told) -> frozenset[str]:
    """The words of names that the other side has neither as words, nor as initials, nor in full."""
    if own.words <= other.words:
        return frozenset()
    spelled = (n for n in own.names if len(n) == 1 or _initials(n) not in other.words)
    return frozenset(chain.from_iterable(spelled)) - other.words - other.initials


def _initials(name: tuple[str, ...]) -> str:
    return "".join(word[:1] for word in name)


def both_with_capitals(batch: Batch) -> Flags:
    """(n,) the pairs of which both sides may name something."""
    left, right = batch.sides(batch.may_hold(capitalised))
    return np.asarray(left & right)


def _with_capitals(batch: Batch) -> Flags:
    left, right = batch.sides(batch.may_hold(capitalised))
    return np.asarray(left | right)


@pairwise("entity_match", "agreement", "Han et al. (2013), UMBC, 4: named entities",
          where=_with_capitals, elsewhere=1.0)  # fmt: skip
def entity_match(a: Sentence, b: Sentence) -> float:
    """F1 of the words of names shared, weighted by information.

    It is 1 if neither side has a name, 0 if only one side has. An acronym matches a name that has
    its initials.
    """
    left, right = _told(a), _told(b)
    if not left.names and not right.names:
        return 1.0
    return f1(_share_matched(left, right), _share_matched(right, left))


def _share_matched(own: _Told, other: _Told) -> float:
    """The share of the information of the words of names that the other side has; 0 if none."""
    total = own.information
    return 1 - _information(_unmatched(own, other)) / total if total > 0 else 0.0


@pairwise("entity_conflict", "agreement", "Dagan et al. (2006), RTE: names that differ",
          where=both_with_capitals)  # fmt: skip
def entity_conflict(a: Sentence, b: Sentence) -> float:
    """1 if each side names something that the other does not; else 0."""
    left, right = _told(a), _told(b)
    return float(bool(_unmatched(left, right)) and bool(_unmatched(right, left)))
