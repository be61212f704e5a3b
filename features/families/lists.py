"""Lists of three things or more, of which the other side leaves out some.

A list is words between commas, with "and" or "or" before the last ones, or behind a colon. Not
covered: things that the other side names in other words, and items on lines of their own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from semaniacs.features.batch import both
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence, content_lemmas
from semaniacs.sts.text.tokenizer import is_word

_LAST = frozenset(("and", "or", "&"))
_BETWEEN = _LAST | {",", ";"}
_LONGEST = 4  # tokens of an item
_ENDS = ("VB", "IN", "TO", "MD")  # tags that end the last item: "Ann, Bob and Carl came"


class Item(NamedTuple):
    """An item of a list: its words, and the lemmas of its content words."""

    text: str
    lemmas: frozenset[str]


def _may_list(token: str) -> bool:
    return token.lower() in _BETWEEN


@lru_cache(maxsize=1 << 14)
def lists(sentence: Sentence) -> tuple[tuple[Item, ...], ...]:
    """Return the items of each list of a sentence; a list has two or more."""
    found, parts, begin = [], list[range](), 0
    words = [token.lower() for token in sentence.tokens]
    for at, word in enumerate(words):
        if word not in _BETWEEN:
            continue
        if at > begin:
            first = not parts or at - begin > _LONGEST
            parts = [range(max(begin, at - 2), at)] if first else [*parts, range(begin, at)]
        begin = at + 1
        if word in _LAST and parts:
            found.append((*parts, _last(sentence, begin)))
            parts = []
    opens = words[max(0, parts[0].start - 1) : parts[0].stop] if parts else []
    if ":" in opens or (len(parts) > 1 and not parts[0].start):
        found.append((*parts, _last(sentence, begin)))
    items = (tuple(_item(sentence, part) for part in some) for some in found)
    filled = (tuple(item for item in some if item.lemmas) for some in items)
    return tuple(some for some in filled if len(some) > 1)


def _last(sentence: Sentence, begin: int) -> range:
    """Return the places of the last item, which ends at a mark or a verb, or after three tokens."""
    end = begin
    for token, tag in zip(sentence.tokens[begin:], sentence.tags[begin:], strict=True):
        if end == begin + 3 or not is_word(token) or (end > begin and tag[:2] in _ENDS):
            break
        end += 1
    return range(begin, end)


def _item(sentence: Sentence, places: range) -> Item:
    tokens, tags = (side[places.start : places.stop] for side in (sentence.tokens, sentence.tags))
    return Item(" ".join(tokens).lstrip(":_ "), frozenset(content_lemmas(tokens, tags)))


def list_differences(a: Sentence, b: Sentence) -> list[str]:
    """Return which items one side alone lists, if it lists two others that the other side lists too.

    Where both have some, they may be the same things in other words.
    """
    only = [_left_out(one, other) for one, other in ((a, b), (b, a))]
    if all(only):
        return []
    told = zip(("first", "second"), only, strict=True)
    return [f"only the {side} lists: {', '.join(items)}" for side, items in told if items]


def _left_out(own: Sentence, other: Sentence) -> list[str]:
    theirs = [frozenset().union(*(item.lemmas for item in items)) for items in lists(other)]
    said = {*other.lemmas, *other.words}
    for items in lists(own) if theirs else ():
        shared = [item for item in items if item.lemmas <= said]
        lone = [item for item in items if item.lemmas.isdisjoint(said)]
        listed = max(sum(not item.lemmas.isdisjoint(words) for item in shared) for words in theirs)
        if lone and listed > 1:
            return [item.text for item in lone]
    return []


@pairwise("list_conflict", "agreement", "our own", where=both(_may_list))
def list_conflict(a: Sentence, b: Sentence) -> float:
    """1 if one side leaves out an item of a list of the other; else 0."""
    return float(bool(list_differences(a, b)))
