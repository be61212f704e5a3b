"""Contradictions between two texts, sentence by sentence.

In a text of ten sentences one wrong fact hardly moves the score, and a rule that compares all words
with all finds facts that belong to other sentences. So each sentence is compared with the one that
corresponds to it, without the clauses that both have. A network that reads both, where the model
has one, is asked about each: it may say that what a rule found means the same ("it is impossible",
"it cannot be done"), and that two sentences say something else though no rule knows why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import unit
from semaniacs.features.cross_language import told_across
from semaniacs.features.differences import contradictions, words_of_one_side
from semaniacs.runs.pipeline.model import Model
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.text.languages_found import LanguagesFound
from semaniacs.sts.text.sentences import split_sentences, unlike_parts

_SAME, _OTHER = 0.5, 0.1
"""Chances of the same meaning from which a rule is overruled, and below which a sentence is doubted."""

_LOW, _LOW_PART = 2.8, 3.3
"""Scores below which a doubted sentence says something else, and one of which the rest is the same."""

_UNDECIDED = 0.3
"""Chance without a network: the rules count, and nothing else does."""

_VECTORS, _CLOSE = "paragram", 0.7
"""Encoder that finds corresponding sentences, and cosine from which one may be the other in other words."""


class _Parts(NamedTuple):
    """Unlike parts of two sentences of a pair of texts.

    ``below`` is the score below which they may say something else; 0 if they need not correspond.
    """

    row: int
    left: str
    right: str
    below: float


def differences_of(
    model: Model, left: Sequence[str], right: Sequence[str], languages: Sequence[str] | None = None
) -> list[tuple[str, ...]]:
    """Return :func:`contradictions_of` each pair, or the words that one sentence of English has alone."""
    return or_words_apart(contradictions_of(model, left, right, languages), model, left, right)


def or_words_apart(
    found: list[tuple[str, ...]], model: Model, left: Sequence[str], right: Sequence[str]
) -> list[tuple[str, ...]]:
    """Return the contradictions; of English pairs without one the words that one side has alone."""
    if model.languages != ("en",):
        return found
    found = [*found]
    rows = [row for row, said in enumerate(found) if not said]
    sides = ([side[row] for row in rows] for side in (left, right))
    for row, said in zip(rows, words_of_one_side(*sides), strict=True):
        found[row] = said
    return found


def contradictions_of(
    model: Model, left: Sequence[str], right: Sequence[str], languages: Sequence[str] | None = None
) -> list[tuple[str, ...]]:
    """Return for each pair what contradicts, in sentences; across languages in words."""
    if model.languages == ("en",):
        return _in_english(model, left, right)
    sides = (languages[0], languages[1]) if languages else None
    codes = LanguagesFound(model.languages).codes_of_sides(left, right, sides)
    return told_across(getattr(model.head, "reader", None), left, right, codes)


def _in_english(model: Model, left: Sequence[str], right: Sequence[str]) -> list[tuple[str, ...]]:
    parts = _corresponding(left, right)
    told = contradictions(*_sides(parts))
    chances = _chances(model, parts, np.array([*map(bool, told)], bool))
    other = _say_something_else(model, parts, chances)
    found: list[list[str]] = [[] for _ in left]
    for one, rules, chance, doubted in zip(parts, told, chances, other, strict=True):
        kept = [rule.sentence for rule in rules if rule.exact or chance < _SAME]
        if doubted and not kept:
            said = (part.rstrip(" .,;:") for part in (one.left, one.right))
            kept = [f"Something else is said: “{next(said)}” ≠ “{next(said)}”."]
        found[one.row] += kept
    return [tuple(dict.fromkeys(some)) for some in found]


def _corresponding(left: Sequence[str], right: Sequence[str]) -> list[_Parts]:
    """Return each sentence of a pair of texts with the nearest one of the other text.

    Two that are the nearest of each other, and near, correspond; so do parts of single sentences.
    """
    encoder = loading.load_static(_VECTORS)
    found = []
    for row, texts in enumerate(zip(left, right, strict=True)):
        one, other = (split_sentences(text) or [text] for text in texts)
        if len(one) == len(other) == 1:
            parts = unlike_parts(*texts)
            found.append(_Parts(row, *parts, _LOW_PART if parts != texts else 0.0))
            continue
        cosines = unit(encoder.encode(one)) @ unit(encoder.encode(other)).T
        forth = {(i, j) for i, j in enumerate(cosines.argmax(axis=1).tolist())}
        back = {(i, j) for j, i in enumerate(cosines.argmax(axis=0).tolist())}
        for i, j in sorted(forth | back):
            parts = unlike_parts(one[i], other[j])
            low = _LOW if parts == (one[i], other[j]) else _LOW_PART
            correspond = (i, j) in forth & back and cosines[i, j] >= _CLOSE
            if one[i] != other[j]:
                found.append(_Parts(row, *parts, low if correspond else 0.0))
    return found


def _chances(model: Model, parts: Sequence[_Parts], told: NDArray[np.bool_]) -> Scores:
    """Return the chance (n,) that both parts mean the same, by the network of the model.

    It is asked about what a rule tells and what may be another sentence; the rest, and all without a
    network, is undecided.
    """
    chances = np.full(len(parts), _UNDECIDED)
    asked = np.flatnonzero(told | (_limits(parts) > 0))
    if model.run.reader and len(asked):
        reader = loading.load_reader(model.run.reader)
        chances[asked] = reader.predict(*_sides([parts[row] for row in asked.tolist()]))
    return chances


def _say_something_else(
    model: Model, parts: Sequence[_Parts], chances: Scores
) -> NDArray[np.bool_]:
    """Return whether (n,) two sentences are close in words, and the network and the score say no."""
    limits = _limits(parts)
    found = (limits > 0) & (chances < _OTHER)
    doubted = np.flatnonzero(found)
    if len(doubted):
        left, right = _sides([parts[row] for row in doubted.tolist()])
        gold = np.full(len(doubted), np.nan)
        scores = model.predict(Pairs("parts", tuple(left), tuple(right), gold))
        found[doubted] = scores < limits[doubted]
    return found


def _limits(parts: Sequence[_Parts]) -> Scores:
    return np.array([one.below for one in parts], np.float64)


def _sides(parts: Sequence[_Parts]) -> tuple[list[str], list[str]]:
    return [one.left for one in parts], [one.right for one in parts]
