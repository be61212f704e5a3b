"""Negations, kinds of question, and sentences that are one edit of a small word apart.

Single edits are read in sentences that are equal but for one place, where at most four words
differ. The words there are looked up among closed classes: two of one kind that share no class
conflict. Some words turn a sentence when they are added (*still*), some when they move (*only*), and
two of a kind when they change places. Not covered: phrases of no class, differences in two places,
and prepositions of many uses (at, by, for, in, of, on, to, with).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from typing import NamedTuple

import numpy as np

from semaniacs.features import lexicon
from semaniacs.features.batch import Batch, Column, Flags
from semaniacs.features.families import MANY
from semaniacs.features.measures.counts import bags_of
from semaniacs.features.measures.sameness import Difference, worst
from semaniacs.features.registry import columnwise, pairwise
from semaniacs.sts.text.analysis import Sentence, lemma, readings
from semaniacs.sts.text.tokenizer import is_word

NEGATIONS = lexicon.words("negation")  # words that deny, chosen by hand


def negations(batch: Batch) -> tuple[Column, Column]:
    """(n,) how many words of each side deny something."""
    denies = batch.view("words").weigh(lambda word: float(word in NEGATIONS))
    return batch.sides(bags_of(batch, "words", 1).totals(denies))


@columnwise("negation_match", "agreement", "after Marelli et al. (2014), SICK, 3: negation")
def negation_match(batch: Batch) -> Column:
    """1 if both sides deny an even, or both an odd, number of times; else 0."""
    left, right = negations(batch)
    return np.asarray(left % 2 == right % 2, np.float64)


@columnwise("negation_count", "agreement", "after Marelli et al. (2014), SICK, 3", high=MANY)
def negation_count(batch: Batch) -> Column:
    """|n₁ − n₂| of the words that deny, at most 6."""
    left, right = negations(batch)
    return np.minimum(np.abs(left - right), MANY)


_ASKING = lexicon.words("question word")
_AUXILIARY = lexicon.words("asking auxiliary")
_AFTER_HOW = lexicon.words("after how")

_ASKED_AND_SAID = {frozenset("?."), frozenset("?!")}


@lru_cache(maxsize=1 << 16)
def question_type(sentence: Sentence) -> str:
    """The question word, "how many" and the like, "yes or no" or "other"; empty if none is asked.

    A sentence asks if it ends in a question mark, or begins with a question word and an auxiliary
    verb: "what is the best way". Quotation marks around it do not matter.
    """
    if "?" not in sentence.tokens[-2:] and _first_word(sentence) not in _ASKING:
        return ""
    words = sentence.words
    asks = len(words) > 1 and words[0] in _ASKING and words[1] in _AUXILIARY
    if not asks and "?" not in sentence.tokens[-2:]:  # the last may be a quote
        return ""
    for place, word in enumerate(words):
        if word in _ASKING:
            following = words[place + 1] if place + 1 < len(words) else ""
            return f"how {following}" if word == "how" and following in _AFTER_HOW else word
    return "yes or no" if words[0] in _AUXILIARY else "other"


def _first_word(sentence: Sentence) -> str:
    return next((t.lower().lstrip(".") for t in sentence.tokens if is_word(t)), "")


def question_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """Return a difference if one sentence asks with a question mark and the other ends in a full stop.

    A request that asks, "can you close the door?", is none where the other one is a request.
    """
    ends = frozenset((a.tokens[-1], b.tokens[-1])) if a.tokens and b.tokens else frozenset()
    asks = bool(question_type(a)), bool(question_type(b))
    if any("." in side.tokens[:-1] for side in (a, b)):  # "It lasts two years. Anything else?"
        return ()
    if asks[0] == asks[1] or ends not in _ASKED_AND_SAID or _both_request(a, b):
        return ()
    left, right = ("asks" if asked else "says" for asked in asks)
    return (Difference(left, right, 1.0),)


_CAN_YOU = {(can, "you") for can in ("can", "could", "will", "would")}


def _both_request(a: Sentence, b: Sentence) -> bool:
    """Return whether one side says a request, "please …" or "tell me …", that the other may ask."""
    asks, says = (a, b) if question_type(a) else (b, a)
    words = [word for word in asks.words if word != "please"]
    if says.words[:2] in (("tell", "me"), ("show", "me"), ("let", "me"), ("i", "wonder")):
        return True
    starts = "please" in says.words or "VERB" in readings(_first_word(says))
    return starts and tuple(words[:2]) in _CAN_YOU


@pairwise("question_conflict", "questions", "after Li and Roth (2002): one side alone asks")
def question_conflict(a: Sentence, b: Sentence) -> float:
    """1 if one side alone asks, and both end in the mark that fits; else 0."""
    return worst(question_differences(a, b))


QUIRK = "after Quirk et al. (1985), 2.39: closed classes"

LONGEST = 4  # words that may stand in one another's place

ALIKE = 0.6  # share of the words of both sides in common from which a pair is read

SHORT = 10  # words of both sides up to which it is read too

_MANY_USES = lexicon.words("preposition of many uses")

_ADDED = lexicon.numbers("turns when added")
"""Words that change a sentence when they are added, and how much."""


_PLACES = ("NN", "JJ", "CD", "PR")
"""Beginnings of the tags of words that mean something else when two of them change places."""

_SYMMETRIC = lexicon.words("symmetric verb")
"""Verbs whose two sides can be exchanged: Ann met Tom, Tom met Ann."""

_PARTICLES = ({"in", "out"}, {"up", "down"}, {"on", "off"})

_EITHER_WAY = _SYMMETRIC | lexicon.words("either way round")
"""Words between two words that may be exchanged: Ann and Ben, Peru borders Chile."""

_MOVED = lexicon.words("turns when moved")
"""Adverbs that say something else in another place; other adverbs may stand anywhere."""

MOVED, EXCHANGED = 0.6, 0.8
"""How far a sentence is from itself with such a word, or an adjective, in another place, and with two
words exchanged."""


_IN_ANY_FORM = ("mood", "time", "condition")
"""Kinds of phrases that are compared although other words have other endings: once worked, now works."""


class Meaning(NamedTuple):
    """Kind of a phrase, its distance from others of the kind, and the phrases that mean the same."""

    kind: str
    grade: float
    same: frozenset[str]


@cache
def _meanings() -> dict[str, Meaning]:
    found: dict[str, Meaning] = {}
    for classes, described in lexicon.rows("closed class"):
        kind, grade = described.split(" / ")
        for line in classes.split("|"):
            phrases = frozenset(phrase.strip() for phrase in line.split("/")) - {""}
            for phrase in phrases:
                before = found[phrase].same if phrase in found else frozenset()
                found[phrase] = Meaning(kind, float(grade), before | phrases)
    return found


def _words(sentence: Sentence) -> list[str]:
    known = _meanings()
    words = (t.lower() for t in sentence.tokens if is_word(t) or t in known)
    return ["not" if word == "n't" else word for word in words]


def apart(left: list[str], right: list[str]) -> tuple[list[str], list[str]]:
    """Return the words of both between their common beginning and their common end."""
    shorter = min(len(left), len(right))
    begin = next((i for i in range(shorter) if left[i] != right[i]), shorter)
    rest = shorter - begin
    end = next((i for i in range(rest) if left[-1 - i] != right[-1 - i]), rest)
    return left[begin : len(left) - end], right[begin : len(right) - end]


@lru_cache(maxsize=1 << 16)
def edit_differences(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """The words that one sentence has in another's place, adds or moves: "behind ≠ in"."""
    one, other = apart(_words(a), _words(b))
    is_list = _listed(a) & _listed(b) & {*one[:1], *one[-1:]}
    moved = _moved(one, other, _kinds(a)) if sorted(one) == sorted(other) and not is_list else ()
    if found := moved or _people_exchanged(a, b):
        return found
    if sorted(one) == sorted(other) or max(len(one), len(other)) > LONGEST:
        return ()
    left, right = " ".join(one), " ".join(other)
    if {left, right} in _PARTICLES:
        return (Difference(left, right, EXCHANGED),)
    plain = _plain_words(a), _plain_words(b)
    for sides in ((_words(a), _words(b)), plain):
        for said in _replaced(*sides):
            mine, theirs = map(_meanings().get, said)
            if not mine or not theirs or mine.kind != theirs.kind or _MANY_USES.issuperset(said):
                continue
            if sides is not plain or mine.kind in _IN_ANY_FORM:
                same = said[1] in mine.same
                return () if same else (Difference(*said, mine.grade),)
    grade = _turns(one, other) or _turns(*apart(*plain))
    return (Difference(left or "–", right or "–", grade),) if grade else ()


def _replaced(words: list[str], others: list[str]) -> Iterator[tuple[str, str]]:
    """Yield what stands in one another's place, first with a small word behind: only if, even if."""
    one, other = apart(words, others)
    begin = next((i for i, (x, y) in enumerate(zip(words, others, strict=False)) if x != y), 0)
    behind = words[begin + len(one) : begin + len(one) + 1]
    if behind and behind[0] in ("not", "to", "if", "that"):
        yield " ".join(one + behind), " ".join(other + behind)
    yield " ".join(one), " ".join(other)


def _turns(one: list[str], other: list[str]) -> float:
    """Return how far the meaning is turned if one side has words more; else 0."""
    return 0.0 if one and other else _ADDED.get(" ".join(one or other), 0.0)


PERSON = {
    form: line.split()[0] for line in lexicon.phrases("forms of a pronoun") for form in line.split()
}
"""Pronouns, and this and that, by each of their forms."""

_EITHER_PERSON = lexicon.words("either person")
"""Words of sentences that say the same of two people: he is my cousin, I am his."""

_PERSON_TAGS = dict.fromkeys(PERSON.values(), "PR")


def _people_exchanged(a: Sentence, b: Sentence) -> tuple[Difference, ...]:
    """Return a difference if two pronouns trade places, whatever their case: I owe you, you owe me."""
    if PERSON.keys().isdisjoint(a.words) or PERSON.keys().isdisjoint(b.words):
        return ()
    words = _plain_words(a)
    one, other = apart(words, _plain_words(b))
    if sorted(one) != sorted(other) or not _EITHER_PERSON.isdisjoint(words):
        return ()
    found = _moved(one, other, {**_kinds(a), **_PERSON_TAGS})
    if not found or found[0].grade != EXCHANGED:
        return ()
    left, right = (" ".join(some) for some in apart(_words(a), _words(b)))
    return (Difference(left, right, EXCHANGED),)


def _plain_words(sentence: Sentence) -> list[str]:
    """Return pronouns in one form, and words without their endings."""
    tagged = zip(sentence.tokens, sentence.tags, strict=True)
    lower = ((token.lower(), tag) for token, tag in tagged if is_word(token))
    return [PERSON.get(word) or lemma(word, tag) for word, tag in lower]


def exchanged(a: Sentence, b: Sentence) -> tuple[str, str] | None:
    """Return the two words that stand where the other stood, as they are written, if that is the edit."""
    one, other = apart(_words(a), _words(b))
    grades = [difference.grade for difference in edit_differences(a, b)]
    if sorted(one) != sorted(other) or grades != [EXCHANGED]:
        return None
    written = {token.lower(): token for token in a.tokens}
    return written[one[0]], written[one[-1]]


def _listed(sentence: Sentence) -> set[str]:
    """Return the words beside a comma, which may stand in any order: red, waterproof, light."""
    words = [token.lower() for token in sentence.tokens]
    commas = [place for place, word in enumerate(words) if word == ","]
    return {word for place in commas for word in words[max(0, place - 1) : place + 2]} - {","}


def _kinds(sentence: Sentence) -> dict[str, str]:
    pairs = zip(sentence.tokens, sentence.tags, strict=True)
    return {token.lower(): tag[:2] for token, tag in pairs}


def _moved(one: list[str], other: list[str], kinds: dict[str, str]) -> tuple[Difference, ...]:
    """Return a difference if a word moved from one end to the other and that changes the meaning."""
    if len(one) < 2:
        return ()
    said = " ".join(one), " ".join(other)
    for left, right in ((one, other), (other, one)):
        moves = left[0] in _MOVED or kinds.get(left[0]) == "JJ"
        if moves and left[1:] == right[:-1]:
            return (Difference(*said, MOVED),)
    first, last = kinds.get(one[0]), kinds.get(one[-1])
    between = one[1:-1]
    either_way = any(w in _EITHER_WAY or lemma(w, kinds.get(w, "")) in _SYMMETRIC for w in between)
    exchanged = [one[-1], *between, one[0]] == other and not either_way
    return (Difference(*said, EXCHANGED),) if exchanged and first == last in _PLACES else ()


def _nearly_the_same(batch: Batch) -> Flags:
    bags = bags_of(batch, "lemmas", 1)
    left, right = batch.sides(bags.totals())
    alike = 2 * bags.shared(batch) >= ALIKE * (left + right)
    return np.asarray(alike | (left + right <= SHORT))


@pairwise("single_edit_conflict", "agreement", QUIRK, where=_nearly_the_same)
def single_edit_conflict(a: Sentence, b: Sentence) -> float:
    """How far one edit turns the meaning of a sentence that is the same otherwise; else 0."""
    return worst(edit_differences(a, b))
