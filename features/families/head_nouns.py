"""Things that one side names alone, the other as part of another thing: printer, printer cartridge.

A compound is a noun right behind another one, by their tags. Not covered: compounds in one word, and
those of names ("New York", "New York City").
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from semaniacs.features import lexicon
from semaniacs.features.batch import Batch, Flags
from semaniacs.features.measures.counts import bags_of
from semaniacs.features.measures.mended_tags import retag
from semaniacs.features.measures.sameness import Difference, worst
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence, lemma, readings

ENOUGH = 0.5  # share of the longer side's other words that both have
SHORT = 4  # tokens up to which a phrase needs no verb, the end included
_ADDS_LITTLE = lexicon.words("head that adds little")
_PEOPLE = lexicon.words("ending of a person")
_NOUNS = ("NN", "NNS")
_FINITE = ("VBZ", "VBD", "VBP", "MD")


@lru_cache(maxsize=1 << 16)
def _heads(sentence: Sentence) -> dict[str, set[str]]:
    """Return the nouns right behind each noun: "" for none, "?" for one that may be a verb."""
    words = [token.lower() for token in sentence.tokens]
    tags = *retag(words, sentence.tags), ""
    found: dict[str, set[str]] = {}
    for at, behind in enumerate((*words[1:], ""), 1):
        if tags[at - 1] in _NOUNS:
            unclear = "?" if tags[at] in _NOUNS else ""
            head = lemma(behind, "NN") if _is_head(behind, tags, at) else unclear
            if head or tags[max(at - 2, 0) : at - 1] not in (("NN",), ("NNS",)):
                found.setdefault(lemma(words[at - 1], tags[at - 1]), set()).add(head)
    return found


def _is_head(word: str, tags: tuple[str, ...], at: int) -> bool:
    """Whether a word behind a noun is another noun; if it can be a verb, there must be another verb."""
    kinds, after = readings(word), (*tags, "")[at + 1]
    if "NOUN" not in kinds or tags[at] not in (*_NOUNS, "JJ", "VB", "VBP") or after in _NOUNS:
        return False
    noun = (
        "VERB" not in kinds
        or (len(tags) <= SHORT and tags[at] != "NNS")
        or not {*tags[:at]}.isdisjoint(_FINITE)
    )
    return after in _FINITE or (noun and not after.isalpha())


def head_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """Return the things that one side names where the other has something of theirs or for them."""
    return (*_added(a, b), *(Difference(d.right, d.left, d.grade) for d in _added(b, a)))


def _added(a: Sentence, b: Sentence) -> Iterator[Difference]:
    mine, theirs, words = _heads(a), _heads(b), set(b.lemmas)
    for noun in mine.keys() - words:  # photograph, photographer
        for person in [f"{noun.rstrip('ey')}{end}" for end in _PEOPLE]:
            if person in theirs.keys() - set(a.lemmas) and mine[noun] == theirs[person] == {""}:
                yield from _if_alike(a, b, noun, person)
    if not mine.keys() <= words:  # the lid on the pan, the pan cover
        return
    for noun in sorted(mine.keys() & theirs.keys() - _ADDS_LITTLE):
        (head, *more), barred = theirs[noun], {"", "?", *a.lemmas, *_ADDS_LITTLE}
        if mine[noun] == {""} and not more and head not in barred:
            yield from _if_alike(a, b, noun, f"{noun} {head}")


def _if_alike(a: Sentence, b: Sentence, one: str, other: str) -> Iterator[Difference]:
    """Yield a difference if enough of the other words are the same."""
    left, right = set(a.lemmas) - {*one.split()}, set(b.lemmas) - {*other.split()}
    same = len(left & right) / max(len(left), len(right)) if left or right else 1.0
    if same >= ENOUGH:
        yield Difference(one, other, same)


def _is_candidate(batch: Batch) -> Flags:
    """(n,) whether at most a third of the fewer words of a side, but for one, are not on the other."""
    bags = bags_of(batch, "lemmas", 1)
    return np.asarray(3 * (bags.shared(batch) + 1) >= 2 * np.minimum(*batch.sides(bags.totals())))


@pairwise(
    "head_noun_conflict",
    "agreement",
    "after Downing (1977): the last noun of a compound tells what is spoken of",
    where=_is_candidate,
)
def head_noun_conflict(a: Sentence, b: Sentence) -> float:
    """Share of the other words in common if one side adds a head noun to a noun; else 0."""
    return worst(head_differences(a, b))
