"""Words that a score depends on: what it would be without one difference between two sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import Languages
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.text.tokenizer import same_text_key

SHOWN = 3
"""Largest number of differences that are named for a pair."""

LEAST = 0.3
"""Points by which the score must change without the difference."""

MOST = 24
"""Largest number of differences of a pair that are tried: the first ones."""

LONGEST = 3
"""Words of a difference; a longer one is tried word by word."""

HEAD = 3
"""Letters in which two words must agree to be aligned, as ``play`` and ``playing``."""

_MARKS = re.escape(".,;:!?\"'()[]{}…“”„«»‘’`")
_WORD = re.compile(rf"(?:\.(?=\d))?[^\s{_MARKS}](?:\S*[^\s{_MARKS}])?")
"""A word: text between blanks, without the marks around it."""


@dataclass(frozen=True)
class DecisiveWords:
    """One difference in words, and the score of the pair without it.

    Attributes:
        left, right: words of the left sentence and those that the right one has instead, either
            may be empty; `` … `` is between two places whose words are exchanged.
        score: score of the pair if both sentences had the same words there.
    """

    left: str
    right: str
    score: float

    def __str__(self) -> str:
        if not self.right:
            said = f'"{self.left}" in the first sentence only'
        elif not self.left:
            said = f'"{self.right}" in the second sentence only'
        elif same_text_key(self.left) == same_text_key(self.right):
            said = f'"{self.right}" in another place'
        else:
            said = f'"{self.right}" instead of "{self.left}"'
        return f"{said} ({self.score:.1f} without this difference)"


class _Text:
    """A sentence, the places (start, end) of its words, and a key of each word."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places = [match.span() for match in _WORD.finditer(text)]
        self.keys = [same_text_key(text[start:end]) for start, end in self.places]

    def part(self, start: int, end: int) -> str:
        """Return the text from one word to another, which is excluded."""
        return self.text[self.places[start][0] : self.places[end - 1][1]] if start < end else ""


class _Span(NamedTuple):
    """Words of one text, and those of the other that are in their place; one may be none."""

    start: int
    end: int
    other_start: int
    other_end: int


_Difference = tuple[_Span, ...]
"""One span, or two whose words are exchanged."""


def decisive_words(
    model: Model, pairs: Pairs, scores: Sequence[float], languages: Languages | None = None
) -> list[tuple[DecisiveWords, ...]]:
    """Return for each of n pairs the differences that change its score most, the largest first.

    One sentence is scored again with one of its differences undone: words are replaced by those of
    the other sentence, removed or inserted; words that are exchanged between two places change
    places. Which sentence is changed does not depend on which is given first. All are scored in
    one call, at most :data:`MOST` of a pair. Pairs in two languages, and pairs with no word in
    common, have none.
    """
    found: list[tuple[int, str, str]] = []
    changed: list[tuple[str, str]] = []
    for row, (left, right) in enumerate(zip(pairs.left, pairs.right, strict=True)):
        if languages is not None and languages[0][row] != languages[1][row]:
            continue
        one, other = map(_Text, sorted((left, right)))
        for difference in _differences(one, other):
            words = _words(one, other, difference)
            found.append((row, *(words if one.text == left else words[::-1])))
            changed.append((one.text, _undone(one, other, difference)))
    if not changed:
        return [() for _ in scores]
    rows = [row for row, _, _ in found]
    codes = languages and ([languages[0][row] for row in rows], [languages[1][row] for row in rows])
    firsts, seconds = tuple(one for one, _ in changed), tuple(other for _, other in changed)
    tried = Pairs(pairs.name, firsts, seconds, np.full(len(changed), np.nan))
    by_row: list[list[DecisiveWords]] = [[] for _ in scores]
    for (row, left, right), score in zip(found, model.predict(tried, codes).tolist(), strict=True):
        if abs(score - scores[row]) >= LEAST:
            by_row[row].append(DecisiveWords(left, right, score))
    return [
        tuple(sorted(words, key=lambda one: -abs(one.score - score))[:SHOWN])
        for words, score in zip(by_row, scores, strict=True)
    ]


def _differences(one: _Text, other: _Text) -> list[_Difference]:
    """Return the exchanges, then the other spans in which two texts differ, in their order."""
    steps = list(islice(_steps(one, other), MOST))
    exchanged: list[_Difference] = []
    used: set[_Span] = set()
    for pair in combinations(steps, 2):
        was = [key for span in pair for key in one.keys[span.start : span.end]]
        now = [key for span in pair for key in other.keys[span.other_start : span.other_end]]
        if used.isdisjoint(pair) and sorted(was) == sorted(now):
            exchanged.append(pair)
            used.update(pair)
    spans: list[_Span] = []
    for step in steps:
        if step in used:
            continue
        joined = _joined(spans[-1], step) if spans else None
        if joined is not None:
            spans[-1] = joined
        else:
            spans.append(step)
    return exchanged + [(span,) for span in spans]


def _joined(span: _Span, after: _Span) -> _Span | None:
    """Return two spans as one; None if they are not adjacent, or if it would be too long."""
    joined = _Span(span.start, after.end, span.other_start, after.other_end)
    adjacent = (span.end, span.other_end) == (after.start, after.other_start)
    size = max(joined.end - joined.start, joined.other_end - joined.other_start)
    return joined if adjacent and size <= LONGEST else None


def _steps(one: _Text, other: _Text) -> Iterator[_Span]:
    """Yield the steps of the shortest edit; none if the texts have no word in common."""
    from rapidfuzz.distance import Levenshtein

    if set(one.keys).isdisjoint(other.keys):
        return
    heads = [[key[:HEAD] for key in text.keys] for text in (one, other)]
    for step in Levenshtein.opcodes(*heads):
        span = _Span(step.src_start, step.src_end, step.dest_start, step.dest_end)
        words, others = range(span.start, span.end), range(span.other_start, span.other_end)
        if len(words) != len(others) or (step.tag == "replace" and len(words) <= LONGEST):
            yield span
            continue
        for i, j in zip(words, others, strict=True):
            if one.keys[i] != other.keys[j]:
                yield _Span(i, i + 1, j, j + 1)


def _words(one: _Text, other: _Text, difference: _Difference) -> tuple[str, str]:
    """Return the words of both texts in the places of a difference."""
    was = [one.part(span.start, span.end) for span in difference]
    now = [other.part(span.other_start, span.other_end) for span in difference]
    return " … ".join(filter(None, was)), " … ".join(filter(None, now))


def _undone(one: _Text, other: _Text, difference: _Difference) -> str:
    """Return the other text with the words of the first in the places of a difference."""
    edits = []
    for span in difference:
        words = one.part(span.start, span.end)
        places = other.places[span.other_start : span.other_end]
        before = other.places[span.other_start - 1][1] if span.other_start else 0
        if words and places:
            edits.append((places[0][0], places[-1][1], words))
        elif words:
            edits.append((before, before, f" {words}" if before else f"{words} "))
        else:
            edits.append((before, places[-1][1], ""))
    text = other.text
    for start, end, words in sorted(edits, reverse=True):
        text = text[:start] + words + text[end:]
    return text.strip()
