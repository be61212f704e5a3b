"""Contradictions between two texts, sentence by sentence.

In a text of ten sentences one wrong fact hardly moves the score, and a rule that compares all words
with all finds facts that belong to other sentences. So each sentence is compared with the one that
corresponds to it, without the clauses that both have. A network that reads both, where the model
has one, is asked about each: it may say that what a rule found means the same ("it is impossible",
"it cannot be done"), and that two sentences say something else though no rule knows why.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import unit
from semaniacs.features.contradictions import differences
from semaniacs.features.contradictions.rows import as_prose, rows_exchanged
from semaniacs.features.cross_language import told_across
from semaniacs.features.families.lists import list_differences
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import Languages
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.text.analysis import analyse
from semaniacs.sts.text.languages_found import LanguagesFound
from semaniacs.sts.text.sentences import split_sentences, unlike_parts

_SAME = 0.5
"""Chance of the same meaning from which a rule is overruled."""


class _Limits(NamedTuple):
    """Chance of the same meaning, and score, below which both a sentence says something else."""

    chance: float
    score: float


_ALONE, _AMONG, _PART = _Limits(0.07, 3.6), _Limits(0.1, 2.8), _Limits(0.2, 2.8)
_WORDS, _NEVER = _Limits(0.1, 5.0), _Limits(0, 0)
"""Limits of a sentence that is alone, of one among others, of one that is the same but for a part, and of
one that is the same but for one or two words in the place of others: its score is high if it is long."""

_UNDECIDED = 0.3
"""Chance without a network: the rules count, and nothing else does."""

_ASKS = "question_conflict"
"""Column of a rule that holds for sentences that correspond: a text may end in another question."""

_VECTORS, _CLOSE, _CLOSE_ALONE, _FAR = "paragram", 0.7, 0.5, 0.35
"""Encoder that finds corresponding sentences; cosines from which one may be the other in other words, among
others and if each is alone; and that below which nothing of it is there."""


class _Parts(NamedTuple):
    """Unlike parts of two sentences of a pair of texts.

    Attributes:
        row: the pair.
        words: the one or two words in each other's place, if the rest is the same.
        correspond: whether each is the nearest sentence of the other, and near.
        limits: below which they say something else.
    """

    row: int
    left: str
    right: str
    words: tuple[str, str] | None
    correspond: bool
    limits: _Limits


def differences_of(
    model: Model, left: Sequence[str], right: Sequence[str], languages: Sequence[str] | None = None
) -> list[tuple[str, ...]]:
    """Return :func:`contradictions_of` each pair, or the words that one sentence of English has alone."""
    return or_words_apart(contradictions_of(model, left, right, languages), model, left, right)


def or_words_apart(
    found: list[tuple[str, ...]], model: Model, left: Sequence[str], right: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the contradictions; of English pairs without one the sentences or words of one side alone."""
    if model.languages != ("en",):
        return found
    found = [*found]
    rows = [row for row, said in enumerate(found) if not said]
    sides = [[side[row] for row in rows] for side in (left, right)]
    for row, compared, *texts in zip(rows, differences.as_compared(*sides), *sides, strict=True):
        found[row] = _sentences_apart(*texts) or differences.words_apart(*compared)
    return found


def _sentences_apart(left: str, right: str) -> tuple[str, ...]:
    """Return which sentences of two longer texts have nothing near in the other text."""
    texts = split_sentences(left), split_sentences(right)
    if min(map(len, texts)) < 2:
        return ()
    (cosines,) = _cosines([texts])
    nearness = cosines.max(axis=1), cosines.max(axis=0)
    return tuple(
        f"Only the {side} says: “{sentence.rstrip('.')}”."
        for side, sentences, near in zip(("first", "second"), texts, nearness, strict=True)
        for sentence, cosine in zip(sentences, near.tolist(), strict=True)
        if cosine < _FAR
    )


def contradictions_of(
    model: Model, left: Sequence[str], right: Sequence[str], languages: Sequence[str] | None = None
) -> list[tuple[str, ...]]:
    """Return for each pair what contradicts, in sentences; across languages in words."""
    sides = (languages[0], languages[1]) if languages else None
    codes: Languages = [], []  # English needs none
    if model.languages != ("en",):
        codes = LanguagesFound(model.languages).codes_of_sides(left, right, sides)
    return contradictions_in(model, left, right, codes)


def contradictions_in(
    model: Model, left: Sequence[str], right: Sequence[str], codes: Languages
) -> list[tuple[str, ...]]:
    """Return :func:`contradictions_of` n pairs, given the n languages of each side."""
    if model.languages == ("en",):
        return _in_english(model, left, right)
    return told_across(getattr(model.head, "reader", None), left, right, codes)


def _in_english(model: Model, left: Sequence[str], right: Sequence[str]) -> list[tuple[str, ...]]:
    parts = _corresponding(*zip(*map(as_prose, left, right), strict=True)) if len(left) else []
    told = differences.contradictions(*_sides(parts))
    asked = [bool(rules) or one.limits.chance > 0 for rules, one in zip(told, parts, strict=True)]
    chances = _chances(model, parts, asked)
    other = _say_something_else(model, parts, chances)
    mixed = [rows_exchanged(*pair) for pair in differences.as_compared(left, right)]
    found = [[said] if said else [] for said in mixed]
    for one, rules, chance, doubted in zip(parts, told, chances, other, strict=True):
        kept = [
            rule.sentence
            for rule in rules
            if (rule.exact or chance < _SAME) and (one.correspond or rule.column != _ASKS)
            if not _in_both(rule, left[one.row], right[one.row])
        ]
        if doubted and not kept:
            said = one.words or [f"“{part.rstrip(' .,;:')}”" for part in (one.left, one.right)]
            begin = "The words differ" if one.words else "Something else is said"
            kept = [f"{begin}: {said[0]} ≠ {said[1]}."]
        found[one.row] += kept
    return [tuple(dict.fromkeys(some)) for some in found]


def _in_both(rule: differences.Contradiction, left: str, right: str) -> bool:
    """Return whether both texts have what is told of a sentence, maybe in other sentences."""
    if rule.column == "list_conflict":
        return not list_differences(*map(analyse([left, right]).__getitem__, (left, right)))
    return bool(rule.condition) and rule.condition in left and rule.condition in right


def _corresponding(left: Sequence[str], right: Sequence[str]) -> list[_Parts]:
    """Return each sentence of a pair of texts with the nearest one of the other text."""
    both = zip(left, right, strict=True)
    texts = [tuple(split_sentences(text) or [text] for text in pair) for pair in both]
    found = []
    for row, ((one, other), cosines) in enumerate(zip(texts, _cosines(texts), strict=True)):
        plain, close = (_AMONG, _CLOSE) if cosines.size > 1 else (_ALONE, _CLOSE_ALONE)
        forth = set(enumerate(cosines.argmax(axis=1).tolist()))
        back = {(i, j) for j, i in enumerate(cosines.argmax(axis=0).tolist())}
        for i, j in sorted(forth | back):
            whole = one[i], other[j]
            parts, words = unlike_parts(*whole), differences.replaced_words(*whole)
            limits = _WORDS if words else _PART if parts != whole else plain
            correspond = (i, j) in forth & back and bool(cosines[i, j] >= close)
            if one[i] not in other and other[j] not in one:
                limits = limits if correspond else _NEVER
                found.append(_Parts(row, *parts, words, correspond, limits))
    return found


def _cosines(texts: Sequence[Sequence[Sequence[str]]]) -> Iterator[NDArray[np.float32]]:
    """Yield the cosines (n, m) of the n and m sentences of each pair of texts, encoded all at once."""
    places = {text: at for at, text in enumerate(dict.fromkeys(chain(*chain(*texts))))}
    vectors = unit(loading.load_static(_VECTORS).encode([*places]))
    for pair in texts:
        one, other = (vectors[[places[sentence] for sentence in side]] for side in pair)
        yield one @ other.T


def _chances(model: Model, parts: Sequence[_Parts], doubted: Sequence[bool]) -> Scores:
    """Return the chance (n,) that both parts mean the same, by the network of the model.

    It is asked about what a rule tells and what may be another sentence; the rest, and all without a
    network, is undecided.
    """
    chances = np.full(len(parts), _UNDECIDED)
    asked = np.flatnonzero(doubted)
    if model.run.reader and len(asked):
        reader = loading.load_reader(model.run.reader)
        chances[asked] = reader.predict(*_sides([parts[row] for row in asked.tolist()]))
    return chances


def _say_something_else(
    model: Model, parts: Sequence[_Parts], chances: Scores
) -> NDArray[np.bool_]:
    """Return whether (n,) two sentences are close in words, and the network and the score say no."""
    limits = np.array([one.limits for one in parts]).reshape(-1, 2)
    found = chances < limits[:, 0]
    doubted = np.flatnonzero(found)
    if len(doubted):
        left, right = _sides([parts[row] for row in doubted.tolist()])
        gold = np.full(len(doubted), np.nan)
        scores = model.predict(Pairs("parts", tuple(left), tuple(right), gold))
        found[doubted] = scores < limits[doubted, 1]
    return found


def _sides(parts: Sequence[_Parts]) -> tuple[list[str], list[str]]:
    return [one.left for one in parts], [one.right for one in parts]
