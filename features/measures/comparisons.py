"""Comparisons, orders in time, causes and places: relations that one word expresses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from semaniacs.features import lexicon
from semaniacs.features.measures.clauses import Words
from semaniacs.features.measures.phrases import MONTHS, Phrase, parts_of_speech, phrases
from semaniacs.features.measures.relations import OPPOSITES, PLACES, Relation
from semaniacs.sts.text.analysis import Sentence, lemma, readings

NOTHING: Words = frozenset(("",))  # stands for a side that is not told: a train from Paris

_EVENTS = {
    word: (kind, name, int(sign))
    for word, (kind, name, sign) in lexicon.fields("between events").items()
}
"""Words between two events: the kind and name of the relation, and −1 if they are told in reverse."""

_EMPTY = lexicon.words("empty in comparisons")
"""Lemmas that say nothing about who or what is compared."""

_EMPTY_ADVERBS = frozenset("first then still already just".split())
_UNITS = lexicon.words("unit before after")
"""Words that can precede "after" at the beginning of a sentence: hours after he left."""

_SIDES = lexicon.table("side of a way")
_CLAUSE = (["noun", "verb"], ["noun", "be"])
_DATES = MONTHS | frozenset("spring summer autumn fall winter morning afternoon evening".split())
_ENDS = ("stop", "marker")
_HALVES = {"twice": 1, "times": 1, "half": -1, "not": -1, "n't": -1}
_IRREGULAR = lexicon.table("irregular comparative")


@lru_cache(maxsize=1 << 14)
def comparisons_of(sentence: Sentence) -> tuple[Relation, ...]:
    """Every comparison, order in time, cause, condition, way, place and lack that a sentence tells."""
    read = phrases(sentence)
    words = [token.lower() for token in sentence.tokens]
    found: list[Relation] = []
    for place, phrase in enumerate(read):
        if phrase.head in _EVENTS and phrase.kind in ("marker", "preposition"):
            found.extend(_events(read, place, words))
        elif phrase.kind == "preposition":
            if phrase.head == "than":
                found.extend(_more_than(read, place, words))
            elif phrase.head == "as":
                found.extend(_as_much(read, place, words))
            else:
                found.extend(_place(read, place, words))
    found.extend(_ways(read))
    return tuple(r for r in found if r.first and r.second and r.first != r.second)


def _span(read: Sequence[Phrase], begin: int, end: int) -> Words:
    found: set[str] = set()
    for phrase in read[begin:end]:
        if phrase.kind == "adverb":
            found |= {phrase.head} - _EMPTY_ADVERBS
        elif phrase.kind != "be":
            found |= phrase.meaning
    return frozenset(found - _EMPTY)


def _left(read: Sequence[Phrase], place: int) -> int:
    while place > 0 and read[place - 1].kind not in _ENDS and not _parts(read, place - 1):
        place -= 1
    return place


def _parts(read: Sequence[Phrase], place: int) -> bool:
    """Whether a phrase is an "and" or "but" between clauses."""
    if read[place].kind != "and":
        return False
    after = [phrase.kind for phrase in read[place + 1 : place + 3]]
    return read[place].head == "but" or after in _CLAUSE


def _right(read: Sequence[Phrase], place: int, *ends: str) -> int:
    ends = (*_ENDS, *ends)
    while place < len(read) and read[place].kind not in ends and not _parts(read, place):
        place += 1
    return place


def _directed(kind: str, name: str, sign: int, first: Words, second: Words) -> Relation:
    return Relation(kind, name, *((first, second) if sign > 0 else (second, first)))


def _events(read: Sequence[Phrase], place: int, words: Sequence[str]) -> Iterator[Relation]:
    """She ate before he left; before he left, she ate."""
    kind, name, sign = _EVENTS[read[place].head]
    once = words[read[place].begin] == "once"
    if once and [phrase.kind for phrase in read[place + 1 : place + 3]] not in _CLAUSE:
        return
    if read[place].head == "so" and read[place + 1 : place + 2] and read[place + 1].kind != "noun":
        return
    left = _left(read, place)
    told = _span(read, left, place)
    if told <= _UNITS:
        told = frozenset()
    connects = read[place].head in ("so", "therefore", "thus", "hence", "then")
    if connects and not told and left > 1 and read[left - 1].kind == "stop":
        told = _span(read, _left(read, left - 1), left - 1)
    if connects or told:
        if read[place].head == "then" and any(p.head == "if" for p in read[:place]):
            return
        yield _directed(kind, name, sign, told, _span(read, place + 1, _right(read, place + 1)))
        return
    comma = _right(read, place + 1, "comma")
    if comma == len(read) or read[comma].kind != "comma":
        comma = _second_clause(read, place + 1)
    after = comma + 1 if comma < len(read) and read[comma].kind == "comma" else comma
    if after < len(read) and read[after].kind == "marker" and read[after].head == "then":
        after += 1
    first = _span(read, after, _right(read, after))
    yield _directed(kind, name, sign, first, _span(read, place + 1, comma))


def _second_clause(read: Sequence[Phrase], begin: int) -> int:
    verbs = [k for k in range(begin, _right(read, begin)) if read[k].kind in ("verb", "be")]
    return verbs[-1] - 1 if verbs else len(read)


def _comparative(words: Sequence[str], end: int) -> tuple[int, str, int] | None:
    """Where the comparative before a token stands, its scale, and on which end of it it lies."""
    for k in range(end - 1, max(-1, end - 9), -1):
        word = words[k]
        if word in ("rather", "other", ".", ";"):
            return None
        if word in ("more", "less", "fewer"):
            sign = 1 if word == "more" else -1
            scale = words[k + 1] if k + 1 < end else ""
            if {"ADJ", "ADV"} & parts_of_speech(scale) and k + 2 == end:
                name, side = OPPOSITES.get(scale, (scale, 1))
                return k, name, sign * side
            return k, "many", sign
        base = _IRREGULAR.get(word) or (_grade(word) if word.endswith("er") else "")
        if base:
            return k, *OPPOSITES.get(base, (base, 1))
    return None


@lru_cache(maxsize=1 << 12)
def _grade(word: str) -> str:
    """The adjective or adverb that a word is the comparative of; "" if it is none."""
    found = readings(word)
    forms = [found[part][0] for part in ("ADJ", "ADV") if part in found]
    return next((form for form in forms if form != word), "")


def _more_than(read: Sequence[Phrase], place: int, words: Sequence[str]) -> Iterator[Relation]:
    """Ann is taller than Tom; more cats than dogs; Ann has fewer books than Tom."""
    than = read[place].begin
    found = _comparative(words, than)
    if found is None:
        return
    where, scale, sign = found
    if {"not", "n't", "no"} & set(words[max(0, where - 3) : where]):
        return
    second = _span(read, place + 1, _right(read, place + 1, "comma", "and", "wh"))
    begin = _left(read, place)
    before = [k for k in range(begin, place) if read[k].head == "than"]
    begin = before[-1] + 2 if before else begin
    size = 0 if scale == "many" else 2 if words[where] in ("more", "less") else 1
    graded = words[where : where + size]
    first = _span(read, begin, place) - {lemma(w, "JJ") for w in graded} - set(graded)
    noun = _span([p for p in read[begin:place] if p.begin >= where], 0, place)
    if where + 1 == than and scale == "many":
        first = NOTHING  # more than five
    yield _directed("comparison", scale, sign, first | noun - {scale}, second)


def _as_much(read: Sequence[Phrase], place: int, words: Sequence[str]) -> Iterator[Relation]:
    """Ann is not as tall as Tom; Ann is twice as tall as Tom."""
    end = read[place].begin
    begin = next((k for k in range(end - 2, max(-1, end - 5), -1) if words[k] in ("as", "so")), -1)
    if begin < 1 or words[begin - 1] not in _HALVES:
        return
    adjective = words[begin + 1]
    scale, side = OPPOSITES.get(adjective, (adjective, 1))
    first = _span(read, _left(read, place), place) - {adjective, "as", "time", "twice", "half"}
    second = _span(read, place + 1, _right(read, place + 1, "comma", "and", "wh"))
    yield _directed("comparison", scale, side * _HALVES[words[begin - 1]], first, second)


def _place(read: Sequence[Phrase], place: int, words: Sequence[str]) -> Iterator[Relation]:
    """The lamp is above the table; the town north of the river."""
    begin = read[place].begin
    name = read[place].head
    for many in (2, 1):
        longer = " ".join(words[max(0, begin - many) : begin + 1])
        name = longer if longer in PLACES else name
    if name not in PLACES or place == 0:
        return
    scale, sign = PLACES[name]
    begin = place
    while begin > 0 and read[begin - 1].kind not in (*_ENDS, "comma", "and", "wh"):
        begin -= 1
    second = _span(read, place + 1, place + 2)
    if all(word.isdigit() or word in _DATES for word in second):
        return
    first = _span(read, begin, place) - set(name.split()) - {"left", "right", "front"}
    yield _directed("place", scale, sign, first, second)


def _ways(read: Sequence[Phrase]) -> Iterator[Relation]:
    begin = 0
    while begin < len(read):
        end = _right(read, begin)
        yield from _way(read, begin, end)
        begin = end + 1


def _way(read: Sequence[Phrase], begin: int, end: int) -> Iterator[Relation]:
    """From Paris to Rome; to Rome from Paris; a train from Paris."""
    ends: dict[str, tuple[int, Words]] = {}
    for k in range(begin, end - 1):
        if read[k].kind == "preposition" and read[k + 1].kind == "noun":
            side = _SIDES.get(read[k].head)
            if side and side not in ends:
                ends[side] = k, read[k + 1].words
    if len(ends) == 2:
        yield Relation("path", "way", ends["from"][1], ends["to"][1])
        return
    for side, (k, words) in ends.items():
        before = read[k - 1] if k > begin else None
        if before is None or before.kind not in ("noun", "verb"):
            continue
        verbless = not any(phrase.kind in ("verb", "be") for phrase in read[begin:k])
        if side == "to" and before.kind == "noun" and verbless:
            yield Relation("path", "way", before.words, words)  # Paris to Rome
        sides = (words, NOTHING) if side == "from" else (NOTHING, words)
        yield Relation("path", f"way {before.head}", *sides)
