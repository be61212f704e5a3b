"""Names of people, places and organisations: which are shared, and which replace one another.

Titles are left out. A part of a name, initials, an acronym, a nation's adjective and another
spelling count as the same name. Not covered: names without capitals, headlines with a capital on
every word, and two names of one thing that no table lists.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from rapidfuzz.distance import OSA

from semaniacs.features import lexicon
from semaniacs.features.batch import both
from semaniacs.features.measures.amounts import TITLED
from semaniacs.features.measures.sameness import Difference, worst
from semaniacs.features.measures.spelling import folded
from semaniacs.features.registry import pairwise
from semaniacs.sts.text.analysis import Sentence, information, readings
from semaniacs.sts.text.tokenizer import STOP_WORDS

Names = tuple[tuple[str, ...], ...]  # the names in a sentence, each as its lower-cased words


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


_TITLES = lexicon.words("title")
_DAYS = lexicon.table("short day or month")
_DATES = {*_DAYS, *_DAYS.values(), "today", "yesterday", "tomorrow", "tonight"}
_ALSO = {frozenset(names.split()) for names in lexicon.phrases("same name")}
STEM = 4  # letters that a land and its people have in common

RARE = 13.8
"""Information of a word in nats from which it may be another one in another spelling: 10⁻⁶."""

ALIKE = 0.6  # share of the other words that both sides need, where only one neighbour is the same


class Name(NamedTuple):
    """Words of a name that the other side does not have, and what stands before and after."""

    text: str
    words: tuple[str, ...]
    before: str
    after: str


@lru_cache(maxsize=1 << 16)
def _named(sentence: Sentence) -> frozenset[str]:
    """The lower-cased words of the names of a sentence; none where every word has a capital."""
    found = set(chain.from_iterable(entities(sentence)))
    if sentence.tags[:1] == ("NNP",) and sentence.tokens[0][0].isupper():
        found.add(sentence.tokens[0].lower())
    if not found:
        return frozenset()
    capitals = [token[0].isupper() for token in sentence.tokens if token[0].isalpha()]
    if sum(capitals) > TITLED * len(capitals) and len(capitals) > 4:
        return frozenset()
    return frozenset(filter(_may_name, found))


@lru_cache(maxsize=1 << 16)
def _may_name(word: str) -> bool:
    """Whether a word of a name is no title, function word or date."""
    common = word in _TITLES or word in STOP_WORDS
    return not common and word.isalpha() and word not in _DATES


def name_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """The names that differ where the words around them agree: "Paris ≠ London"."""
    mine, theirs = _named(a), _named(b)
    if not mine or not theirs:
        return ()
    left = _unmatched_names(a, mine, b, theirs)
    right = _unmatched_names(b, theirs, a, mine) if left else ()
    if not right:
        return ()
    rest = _rest(a, b, mine | theirs)
    graded = ((_grade(x, y, rest), x, y) for x in left for y in right)
    return tuple(Difference(x.text, y.text, grade) for grade, x, y in graded if grade)


def _unmatched_names(
    own: Sentence, names: frozenset[str], other: Sentence, theirs: frozenset[str]
) -> tuple[Name, ...]:
    lone = names - _plain_words(other)
    alone = {w for w in lone if not any(_related(w, v) for v in theirs)}
    if not alone:
        return ()
    initials = _initials_names(other)
    alone -= {word for word in alone if len(word) < 6 and any(word in said for said in initials)}
    alone -= {word for word in alone if any(_stands_for(own, word, short) for short in theirs)}
    return tuple(_runs(own, alone))


@lru_cache(maxsize=1 << 16)
def _plain_words(sentence: Sentence) -> frozenset[str]:
    return frozenset([word.replace(".", "") for word in sentence.words])


@lru_cache(maxsize=1 << 16)
def _initials_names(sentence: Sentence) -> tuple[str, str]:
    words, content = sentence.words, sentence.content
    return "".join(word[0] for word in words), "".join(word[0] for word in content)


def _stands_for(own: Sentence, word: str, short: str) -> bool:
    """Whether an acronym of the other side has the word's first letter among its words'."""
    letters = word[0] in short and 1 < len(short) < 6
    return letters and any(short in said for said in _initials_names(own))


def _runs(sentence: Sentence, alone: set[str]) -> Iterator[Name]:
    words = [t for t in sentence.tokens if t.lower() not in _TITLES and t != "."]
    low = [word.lower().replace(".", "") for word in words]
    begin = 0
    while begin < len(words):
        end = begin
        while end < len(words) and low[end] in alone:
            end += 1
        if end > begin:
            before = low[begin - 1] if begin else "^"
            after = low[end] if end < len(low) else "$"
            yield Name(" ".join(words[begin:end]), tuple(low[begin:end]), before, after)
        begin = end + 1


def _related(a: str, b: str) -> bool:
    """Whether two words may be one name: Russia and Russian, J and John, Gaddafi and Qaddafi."""
    if a == b or frozenset((a, b)) in _ALSO:
        return True
    a, b = folded(a), folded(b)
    short = min(len(a), len(b))
    if short < STEM:
        return a.startswith(b) or b.startswith(a)
    if a[:STEM] == b[:STEM]:
        return True
    both = information(a) < RARE and information(b) < RARE
    return OSA.distance(a, b) <= (2 if short > STEM + 1 and not both else 1 - both)


@lru_cache(maxsize=1 << 16)
def _common(word: str) -> bool:
    return not word.isalpha() or word in STOP_WORDS or bool(readings(word))


def _rest(a: Sentence, b: Sentence, names: frozenset[str]) -> float:
    left, right = (set(s.lemmas) - names for s in (a, b))
    return len(left & right) / len(left | right) if left | right else 1.0


def _grade(x: Name, y: Name, rest: float) -> float:
    """1 where both neighbours are the same, 0.7 where one is and the rest agrees; else 0."""
    if all(map(_common, (*x.words, *y.words))) and (x.before != y.before or _common(x.before)):
        return 0.0  # "House" and "Parliament"; but "John Smith" and "John Brown" are names
    same = (x.before == y.before) + (x.after == y.after)
    if same == 2 and rest >= ALIKE / 2:
        return 1.0
    return 0.7 if same and rest >= ALIKE else 0.0


@pairwise(
    "name_conflict",
    "agreement",
    "after Dagan et al. (2006), RTE: names that differ",
    where=both(capitalised),
)
def name_conflict(a: Sentence, b: Sentence) -> float:
    """1 if a name is replaced by another in the same place, less if only partly so; else 0."""
    return worst(name_differences(a, b))
