"""Pairs of sentences in several languages that `multilingual` learns the order of, with grades.

Of bitext: an English encoder that learned from gold and a network of several languages that did not
grade the English sides together, and either side of a pair may then be replaced by its translation
(after Reimers and Gurevych, 2020). Of gold: the English
pairs of the earlier years, one side of most put into Spanish by Apertium, and the Spanish ones.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.bitext.corpus import ENGLISH, read_bitext
from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.runs.pipeline.tuning.networks import train_encoder
from semaniacs.runs.recipes.ensemble2026 import TUNED
from semaniacs.sts.data.catalog import DataSet, get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import HIGHEST
from semaniacs.sts.text.tokenizer import fold
from semaniacs.sts.translation.apertium import Apertium

LANGUAGES = {"news": ("de", "es", "ru"), "tatoeba": ("de", "es", "fr", "ru")}
"""Languages of the bitext, by corpus."""

MOST = {"news": 14_000, "tatoeba": 12_000}
"""Pairs of each file that are drawn, by corpus."""

SHORTEST, LONGEST = {"news": 13, "tatoeba": 29}, 219
"""Characters of their English sides."""

NEAREST, NEAR, COUNT = 4, 50, 60
"""A sentence is compared with one of its 4 nearest, one of the next 46, and one that is drawn."""

SPREAD_OF = 2_000
"""Sentences of which a teacher's spread of cosines is found."""

GRADED = 80_000
"""Graded pairs of bitext that are learned from."""

DRAWN, OWN = 0.4, 0.5
"""Share of the pairs with a drawn sentence, and with its own translation, that are kept."""

LEFT_OTHER, RIGHT_OTHER, BOTH_ENGLISH = 0.75, 0.3, 0.1
"""Shares of the pairs whose left side is a translation, whose right one is too, and of no translation."""

TIMES = 2
"""How often each gold pair is learned from, its translations drawn anew."""

TRANSLATED = 0.6
"""Share of the English gold pairs of which one side is translated."""

SPANISH_HIGHEST = 4.0
"""Gold of Spanish pairs that mean the same."""

SPANISH = ("sts2014-es", "sts2015-es")
TESTS = ("sts2016-es-en", "sts2016")
"""Tasks whose sentences no gold pair may hold."""


class Text(NamedTuple):
    """A sentence and its language."""

    language: str
    text: str


class Pair(NamedTuple):
    """Two sentences with a grade from 0 to 1, which is compared within the pairs of a kind."""

    kind: str
    left: str
    right: str
    grade: float


class Translated(NamedTuple):
    """An English sentence and a translation."""

    english: str
    other: Text


def gold_encoder(data: Path, before: int) -> BiEncoder:
    """Return ``gte-sts`` as it learns from the English years before one, perhaps from the cache."""
    sets = [load(dataset, data) for dataset in _english(before)]
    return train_encoder(TUNED, 0, [pairs.select(pairs.scored) for pairs in sets], "gte-sts")


def read_pairs(
    data: Path, held_out: Collection[str], before: int, network: Transformer
) -> list[Pair]:
    """Return the pairs to learn from, with the gold of years before one.

    Args:
        data: folder with sts/ and bitext/.
        held_out: folded sentences that no pair of bitext may hold.
        before: year, 2016 or earlier.
        network: grades pairs of bitext beside :func:`gold_encoder`.
    """
    rng = np.random.default_rng(0)
    rows = read_translated(data / "bitext", held_out, rng)
    english = list(dict.fromkeys(row.english for row in rows))
    vectors = joined(gold_encoder(data, before).encode(english), network.encode(english))
    graded = list(grade(rows, vectors, rng))
    chosen = np.random.default_rng(1).permutation(len(graded))[:GRADED]
    found = [graded[place] for place in chosen.tolist()]
    gold, spanish = list(_gold_in_spanish(data, before)), list(_spanish_gold(data, before))
    for seed in range(TIMES):
        found += [*_with_translations(gold, np.random.default_rng(seed)), *spanish]
    return found


def read_translated(
    folder: Path, held_out: Collection[str], rng: np.random.Generator
) -> list[Translated]:
    """Return pairs of bitext drawn from each file, without held-out sentences."""
    rows: list[Translated] = []
    for corpus, languages in LANGUAGES.items():
        for code in languages:
            pairs = read_bitext(folder, code, held_out, (corpus,)).pairs
            fit = [pair for pair in pairs if SHORTEST[corpus] <= len(pair[0]) <= LONGEST]
            chosen = rng.permutation(len(fit))[: MOST[corpus]].tolist()
            rows += [Translated(fit[i][0], Text(code, fit[i][1])) for i in chosen]
    return rows


def joined(*teachers: Vectors) -> Vectors:
    """Return unit vectors whose cosine is the mean of the teachers' cosines over their spreads.

    Args:
        teachers: (n, any dim) vectors of the same sentences by each.
    """
    units = [unit(vectors) for vectors in teachers]
    weights = np.array([1 / _spread(vectors) for vectors in units])
    shares = np.sqrt(weights / weights.sum())
    parts = [vectors * share for vectors, share in zip(units, shares, strict=True)]
    return np.hstack(parts).astype(np.float32)


def _spread(vectors: Vectors) -> float:
    """Return the standard deviation of the cosines of some of the sentences."""
    some = np.random.default_rng(9).permutation(len(vectors))[:SPREAD_OF]
    cosines = vectors[some] @ vectors[some].T
    return float(cosines[np.triu_indices(len(some), 1)].std())


def grade(rows: Sequence[Translated], vectors: Vectors, rng: np.random.Generator) -> Iterator[Pair]:
    """Yield each row's sentence with others, near and far, graded by the cosine of their English.

    Args:
        rows: n pairs of bitext.
        vectors: (distinct, dim) unit vectors of their English sides, in the order of their first
            places.
        rng: draws the others, and the languages.
    """
    translations: dict[str, list[Text]] = {}
    for row in rows:
        translations.setdefault(row.english, []).append(row.other)
    english = list(translations)
    place = {text: number for number, text in enumerate(english)}
    own = np.array([place[row.english] for row in rows])
    for row, number, others in zip(rows, own, list(_others(vectors, own, rng)), strict=True):
        for rank, other in enumerate(others):
            if rank == 2 and rng.random() >= DRAWN:
                continue
            near = float(vectors[number] @ vectors[other])
            sides = _sides(row, english[other], translations[english[other]], rng)
            yield _pair(*sides, near)
        if rng.random() < OWN:
            yield _pair(Text(ENGLISH, row.english), row.other, 1.0)


def _others(
    vectors: Vectors, own: NDArray[np.int64], rng: np.random.Generator
) -> Iterator[tuple[int, int, int]]:
    """Yield the numbers of three sentences to compare each with: a nearest, a near, and any one."""
    for begin in range(0, len(own), 2000):
        part = own[begin : begin + 2000]
        near = vectors[part] @ vectors.T
        top = np.argpartition(-near, COUNT, axis=1)[:, :COUNT]
        for number, row, found in zip(part, near, top, strict=True):
            ordered = found[np.argsort(-row[found])]
            ordered = ordered[ordered != number]
            first, second = rng.integers(0, NEAREST), rng.integers(NEAREST, NEAR)
            yield int(ordered[first]), int(ordered[second]), int(rng.integers(len(vectors)))


def _sides(
    row: Translated, english: str, translations: Sequence[Text], rng: np.random.Generator
) -> tuple[Text, Text]:
    """Return two sentences of which most pairs are in two languages."""
    mine, its = Text(ENGLISH, row.english), Text(ENGLISH, english)
    left = row.other if rng.random() < LEFT_OTHER else mine
    drawn = translations[int(rng.integers(len(translations)))]
    right = drawn if left.language == ENGLISH or rng.random() < RIGHT_OTHER else its
    if rng.random() < BOTH_ENGLISH:
        left, right = mine, its
    return (right, left) if rng.random() < 0.5 else (left, right)


def _pair(left: Text, right: Text, near: float) -> Pair:
    kind = "-".join(sorted((left.language, right.language)))
    return Pair(kind, left.text, right.text, round(max(0.0, near), 3))


class _Gold(NamedTuple):
    """An English pair with gold, and both sides in Spanish."""

    kind: str
    sides: tuple[str, str]
    spanish: tuple[str, str]
    grade: float


def _english(before: int) -> Iterator[DataSet]:
    return (dataset for dataset in get_task("sts2016").train if dataset.year < before)


def _gold_in_spanish(data: Path, before: int) -> Iterator[_Gold]:
    """Yield the English pairs of the years before one, without sentences of 2016."""
    tests = {fold(text) for task in TESTS for text in _sentences(task, data)}
    translator = Apertium()
    for dataset in _english(before):
        pairs = load(dataset, data)
        scored = pairs.select(pairs.scored)
        left, right = (
            [found.text for found in translator.translate(side, ENGLISH, "es")]
            for side in (scored.left, scored.right)
        )
        for *sides, gold in zip(scored.left, scored.right, left, right, scored.gold, strict=True):
            if tests.isdisjoint(map(fold, sides[:2])):
                own = (sides[0], sides[1]), (sides[2], sides[3])
                yield _Gold(f"{dataset.year}-{pairs.name}", *own, round(float(gold) / HIGHEST, 3))


def _with_translations(gold: Sequence[_Gold], rng: np.random.Generator) -> Iterator[Pair]:
    for kind, sides, spanish, value in gold:
        if rng.random() >= TRANSLATED:
            yield Pair(kind, *sides, value)
        elif rng.random() < 0.5:
            yield Pair(kind + "-es", spanish[0], sides[1], value)
        else:
            yield Pair(kind + "-es", sides[0], spanish[1], value)


def _spanish_gold(data: Path, before: int) -> Iterator[Pair]:
    for name in (name for name in SPANISH if get_task(name).year < before):
        for dataset in get_task(name).datasets:
            pairs = load(dataset, data)
            scored = pairs.select(pairs.scored)
            for left, right, gold in zip(scored.left, scored.right, scored.gold, strict=True):
                grade = round(float(gold) / SPANISH_HIGHEST, 3)
                yield Pair(f"{name}-{pairs.name}", left, right, grade)


def _sentences(task: str, data: Path) -> Iterator[str]:
    for dataset in get_task(task).datasets:
        yield from load(dataset, data, with_gold=False).sentences()
