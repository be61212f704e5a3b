"""Contradictions between two sentences, in words: "traded: Florida ↔ New York"."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from semaniacs.features import lexicon
from semaniacs.features.families import polarity
from semaniacs.features.families.clause_order import clause_differences
from semaniacs.features.families.head_nouns import head_differences
from semaniacs.features.families.lists import list_differences
from semaniacs.features.families.names import name_differences
from semaniacs.features.families.numbers import calendar_differences, quantity_differences
from semaniacs.features.families.order import traded
from semaniacs.features.families.sign_conflicts import sign_differences
from semaniacs.features.families.small_words import (
    NEGATIONS,
    apart,
    edit_differences,
    exchanged,
    question_differences,
)
from semaniacs.features.registry import FeatureColumns
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.text.analysis import Sentence, analyse, lemma
from semaniacs.sts.text.tokenizer import STOP_WORDS, is_word, names_in_case, tokenize


def _traded(a: Sentence, b: Sentence) -> list[str]:
    pairs = traded(a, b) or list(filter(None, [exchanged(a, b)]))
    return [f"traded: {one} ↔ {other}" for one, other in pairs]


def _edited(a: Sentence, b: Sentence) -> Sequence[Any]:
    return () if exchanged(a, b) else edit_differences(a, b)


_TELLERS: Sequence[tuple[Callable[[Sentence, Sentence], Sequence[Any]], tuple[str, ...]]] = (
    (polarity.conflicts, ("polarity_conflict", "opposite_words")),
    (polarity.exclusive_conflicts, ("exclusive_words",)),
    (quantity_differences, ("quantity_conflict",)),
    (calendar_differences, ("calendar_conflict",)),
    (sign_differences, ("sign_conflict",)),
    (name_differences, ("name_conflict",)),
    (head_differences, ("head_noun_conflict",)),
    (_edited, ("single_edit_conflict",)),
    (question_differences, ("question_conflict",)),
    (_traded, ("traded", "single_edit_conflict")),
    (list_differences, ("list_conflict",)),
    (clause_differences, ("clause_conflict",)),
)
"""Function that words a conflict, and the columns of which one must report it."""

_SENTENCES = {
    "quantity_conflict": "The amounts differ",
    "calendar_conflict": "The dates or times differ",
    "name_conflict": "The names differ",
    "polarity_conflict": "",
    "exclusive_words": "Only one of these can be true",
    "question_conflict": "Only one of the two asks",
    "traded": "Words are exchanged",
    "single_edit_conflict": "The words differ",
    "list_conflict": "",
    "clause_conflict": "",
}
"""Beginning of a sentence by the first column of a conflict, the clearest first; "" is in the words."""


def _told(left: str, right: str, values: Mapping[str, float]) -> Iterator[tuple[str, str]]:
    """Yield the first column of each conflict, and its words."""
    analysed = analyse([left, right])
    for tell, columns in _TELLERS:
        if any(values.get(name, 0.0) > 0 for name in columns):
            for text in tell(analysed[left], analysed[right]):
                yield columns[0], str(text)


_EXACT = {"quantity_conflict", "calendar_conflict", "list_conflict", "clause_conflict"}
_EXACT |= {"denied", "condition"}
"""Columns about amounts, dates, items and the order of clauses; and what one alone denies or limits."""

_ASIDE = NEGATIONS | {"do", "does", "did", "ever", "any", "some"}


class Contradiction(NamedTuple):
    """A contradiction: the column that is sure of it, a sentence that says it, and a condition in it."""

    column: str
    sentence: str
    condition: str = ""

    @property
    def exact(self) -> bool:
        """Whether a network reads worse than the rule that found it."""
        return self.column in _EXACT


def difference_sentences(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, ...]]:
    """Return for each of n pairs of English sentences what contradicts, in sentences."""
    return [tuple(one.sentence for one in found) for found in contradictions(left, right)]


def contradictions(left: Sequence[str], right: Sequence[str]) -> list[tuple[Contradiction, ...]]:
    """Return for each of n pairs of English sentences what contradicts; a pair may have none.

    The clearest comes first, such as "The amounts differ: 3 million ≠ 3 billion."; no model is
    needed.
    """
    names = [name for _, columns in _TELLERS for name in columns]
    features = FeatureColumns(names, written_alike=True)
    matrix = features.compute(Pairs("pairs", tuple(left), tuple(right), np.full(len(left), np.nan)))
    rows = np.flatnonzero((matrix > 0).any(axis=1)).tolist()
    sides = features.compared([left[row] for row in rows], [right[row] for row in rows])
    found: list[tuple[Contradiction, ...]] = [()] * len(left)
    for row, pair in zip(rows, sides, strict=True):
        told = dict(reversed([*_told(*pair, dict(zip(names, matrix[row].tolist(), strict=True)))]))
        found[row] = tuple(
            Contradiction(name, _sentence(begin, told[name]))
            for name, begin in _SENTENCES.items()
            if name in told
        )
    alone = map(denied_alone, left, right), map(condition_alone, left, right)
    return [
        tuple(said._replace(column="denied") for said in others) or one
        if one
        else others or another
        for one, another, others in zip(*alone, found, strict=True)
    ]


def denied_alone(left: str, right: str) -> tuple[Contradiction, ...]:
    """Return a contradiction if one sentence is the other with a denial, whatever the words are."""
    sides = map(analyse([left, right]).get, (left, right))
    words = [[*zip(side.words, side.word_tags, strict=True)] for side in sides if side]
    if sum(word in NEGATIONS for side in words for word, _ in side) != 1:
        return ()
    rests = [[lemma(*word) for word in side if word[0] not in _ASIDE] for side in words]
    return (Contradiction("denied", "Denied on one side only."),) if rests[0] == rests[1] else ()


_BEGINS = (
    r"\b(?:(?:only )?(?:(?<!as )if|unless|until|provided|except)|only (?:when|after|with|for))\b"
)
_CONDITION = re.compile(rf"{_BEGINS}[^.,;:!?]*", re.IGNORECASE)
_LIMITS = lexicon.words("limits what is said")


def condition_alone(left: str, right: str) -> tuple[Contradiction, ...]:
    """Return a contradiction if one sentence has a condition, and the other says the rest without any."""
    for one, other in ((left, right), (right, left)):
        for found in _CONDITION.findall(one) if _LIMITS.isdisjoint(other.lower().split()) else ():
            texts = found, one.replace(found, " "), other
            own, rest, said = ({*side.lemmas} for side in map(analyse(texts).__getitem__, texts))
            if 3 * len(own & said) < len(own) and 5 * len(rest & said) >= 3 * len(rest) > 0:
                told = f"Only one of them has the condition: {found.strip()}."
                return (Contradiction("condition", told, found.strip()),)
    return ()


def as_compared(left: Sequence[str], right: Sequence[str]) -> list[tuple[str, str]]:
    """Return both texts of n pairs as they are compared: "14" is written as "fourteen" is."""
    return FeatureColumns((), written_alike=True).compared(left, right)


def words_apart(left: str, right: str) -> tuple[str, ...]:
    """Return which words one sentence has alone, in sentences; forms of a content word are the same.

    Without such a content word, small ones in the place of others are told (my, his), another order, or letters in
    another case.
    """
    found = analyse([left, right])
    sides = [_words(found[text], content=True) for text in (left, right)]
    if not all(sides):
        return ()
    if {name for name, _ in sides[0]}.isdisjoint(name for name, _ in sides[1]):
        return ("They have no word in common.",)
    small = [_words(found[text], content=False) for text in (left, right)]
    for words, enough in ((sides, any), (small, all)):
        own = _own(*words), _own(*words[::-1])
        if enough(own):
            told = zip(("first", "second"), own, strict=True)
            return tuple(f"Only the {side} has: {', '.join(some)}." for side, some in told if some)
    order, other = ([name for name, _ in side] for side in sides)
    if order != other:
        return ("The same words stand in another order.",)
    cased, others = (sorted({*names_in_case(text)}) for text in (left, right))
    differ = cased != others and sorted(map(str.lower, cased)) == sorted(map(str.lower, others))
    return (
        (f"The letter case differs: {', '.join(cased)} ≠ {', '.join(others)}.",) if differ else ()
    )


def _own(words: list[tuple[str, str]], others: list[tuple[str, str]]) -> list[str]:
    """Return the words that one side alone has; if only the other has such, those it has more often."""
    names = {name for name, _ in others}
    alone = {name: word for name, word in words if name not in names}
    if not alone and not {name for name, _ in words} >= names:
        more = Counter(name for name, _ in words) - Counter(name for name, _ in others)
        written = {word.lower() for _, word in others}
        alone = {n: word for n, word in words if n in more and word.lower() not in written}
    return [*alone.values()]


def replaced_words(left: str, right: str) -> tuple[str, str] | None:
    """Return the one or two words that two sentences, else alike, have in each other's place; if any.

    A content word of its own is among both, and three or more words are the same.
    """
    texts = [[*filter(is_word, tokenize(text))] for text in (left, right)]
    one, other = apart(*([word.lower() for word in side] for side in texts))
    same = len(texts[0]) - len(one)
    said = [{lemma(word, "VB") for word in some} - STOP_WORDS for some in (one, other)]
    if max(len(one), len(other)) > 2 or same < 3 or not all(said) or said[0] == said[1]:
        return None
    begin = next(at for at in range(same + 1) if texts[0][at].lower() != texts[1][at].lower())
    both = zip(texts, (one, other), strict=True)
    first, second = (" ".join(side[begin : begin + len(some)]) for side, some in both)
    return first, second


_CUT = frozenset(("ca", "wo", "sha"))  # what is left of can't, won't and shan't
_SMALL = ("PRP", "PRP$", "IN", "CC", "WP", "TO")  # tags of small words that may change what is said


def _words(sentence: Sentence, *, content: bool) -> list[tuple[str, str]]:
    """Return the lemmas of the content words, or of small ones, and the words as they are written."""
    tagged = zip(sentence.tokens, sentence.tags, strict=True)
    return [
        (lemma(token.lower(), tag), token)
        for token, tag in tagged
        if is_word(token)
        and (token.lower() not in STOP_WORDS if content else tag in _SMALL)
        and token.lower() not in _CUT
    ]


def _sentence(begin: str, text: str) -> str:
    """Return a sentence, such as "The dates or times differ: Monday ≠ Tuesday."."""
    text = re.sub(r"(?<=[$€£¥]) (?=\d)|(?<=\d) (?=: \d)|(?<=\d :) (?=\d)", "", text)
    text = text.removeprefix("traded: ").removeprefix("exclude each other: ")
    text = f"{begin}: {text}" if begin else text[:1].upper() + text[1:]
    return f"{text}."
