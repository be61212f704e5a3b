"""Words of one kind that exclude each other: red and blue, cat and dog, French and German.

The groups are made by hand; what is in none, and things that may be both, are not known.
"""

from __future__ import annotations

from functools import lru_cache

from features import lexicon
from features.batch import Batch, Flags, once
from features.families.assertions.may_conflict import with_one_on_each_side
from features.families.assertions.polarity import in_common, truths
from features.registry import pairwise
from sts.text.analysis import Sentence, lemma

KINDS = "after MacCartney (2009), 5: alternation; our own groups"

ENOUGH = 0.6
"""Share of the shorter side's other words in common from which a difference counts."""


_KIND: dict[str, tuple[tuple[int, str], ...]] = {}
for _number, _line in enumerate(lexicon.phrases("exclusive group")):
    for _entry in _line.split():
        for _word in _entry.split("/"):
            _KIND[_word] = (*_KIND.get(_word, ()), (_number, _entry))


@lru_cache(maxsize=1 << 18)
def _kinds(token: str, tag: str) -> tuple[tuple[int, str], ...]:
    """The groups of a token, each with its member's name."""
    if tag[:1] not in "NJR":
        return ()
    word = token.lower()
    return _KIND.get(word) or _KIND.get(lemma(word, tag), ())


@lru_cache(maxsize=1 << 16)
def members(sentence: Sentence) -> frozenset[tuple[int, str]]:
    """The members of the groups that a sentence names: (group, member)."""
    return frozenset([m for some in map(_kinds, sentence.tokens, sentence.tags) for m in some])


def _exchanged(a: Sentence, b: Sentence) -> list[tuple[str, str]]:
    """Members of one group of which each side names exactly one that the other does not."""
    left, right = members(a), members(b)
    if not left or not right or left == right:
        return []
    mine, others = left - right, right - left
    found = []
    for group in sorted({group for group, _ in mine} & {group for group, _ in others}):
        x, y = ([name for number, name in side if number == group] for side in (mine, others))
        if len(x) == 1 and len(y) == 1:
            found.append((x[0], y[0]))
    return found


@once
def _both_name_a_member(batch: Batch) -> Flags:
    """(n,) the pairs whose sides both name a member of a group."""
    tokens, sequences = batch.tagged_tokens
    return with_one_on_each_side(batch, sequences, [bool(_kinds(*t)) for t in tokens])


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
    return common if common >= ENOUGH else 0.0


def conflicts(a: Sentence, b: Sentence) -> list[str]:
    """Which words of one kind stand in each other's place, in words."""
    return [f"exclude each other: {x} ↔ {y}" for x, y in _exchanged(a, b)]
