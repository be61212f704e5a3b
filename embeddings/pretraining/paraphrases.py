"""The pairs that mean the same: corpora of paraphrases, and machine translations of one text."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import combinations, islice
from pathlib import Path

import numpy as np

from embeddings.formats.lines import columns
from embeddings.training.pairs.corpora import SentencePair, distinct, read_corpus, without
from sts.errors import DataError
from sts.translation.translator import Translator

PARAPHRASES = ("quora-duplicates", "twitter-url", "asset", "flickr30k-captions", "msrp-positives")
"""Corpora of pairs."""

SPANISH = ("news.en-es", "tatoeba.en-es")
"""Bitext whose Spanish side is translated."""

SYSTEMS = ("google", "microsoft", "yandex")
"""Whose English of ParaPhraser's Russian headlines is read."""

_SHORTEST_TRANSLATED = 5
_SHORTEST_HEADLINE = 3
"""Words below which an English side says too little."""


def draw_pairs(
    data: Path, wanted: Sequence[tuple[str, int]], seed: int, held_out: Collection[str]
) -> list[SentencePair]:
    """So many pairs of each corpus at random, in order, without repetitions and held-out ones.

    Raises:
        DataError: a file is missing, damaged or malformed.
    """
    rng = np.random.default_rng(seed)
    drawn: list[SentencePair] = []
    for name, count in wanted:
        corpus = read_corpus(data / "paraphrases" / f"{name}.tsv.gz")
        drawn += _some(rng, distinct(without(corpus, held_out)), count)
    return drawn


def translated_pairs(
    data: Path, translator: Translator, count: int, seed: int, held_out: Collection[str]
) -> list[SentencePair]:
    """English sentences of bitext, each with a translation of its Spanish side.

    Args:
        data: folder with ``bitext/``.
        translator: from Spanish.
        count: how many pairs are drawn.
        seed: of the draw.
        held_out: folded sentences that neither side may be.

    Raises:
        DataError: a file is missing, damaged or malformed.
        StsError: the translator is not installed.
    """
    bitext = [
        pair
        for name in SPANISH
        for pair in without(read_corpus(data / "bitext" / f"{name}.tsv.gz"), held_out)
        if len(pair[0].split()) >= _SHORTEST_TRANSLATED
    ]
    drawn = _some(np.random.default_rng(seed), bitext, count)
    translations = translator.translate([spanish for _, spanish in drawn], "es", "en")
    pairs = ((pair[0], found.text) for pair, found in zip(drawn, translations, strict=True))
    return distinct(without(pairs, held_out))


def headlines(data: Path) -> dict[str, list[str]]:
    """By system, its English of every headline in ParaPhraser's training set, in one order.

    Raises:
        DataError: a file is missing, damaged, malformed or longer or shorter than the others.
    """
    paths = [data / "paraphraser" / f"train.en.{system}.tsv.gz" for system in SYSTEMS]
    found: list[list[str]] = []
    for path in paths:
        below_the_names = islice(columns(str(path), "id text_1 text_2"), 1, None)
        found.append([text for _, *pair in below_the_names for text in pair])
        rows, expected = len(found[-1]) // 2, len(found[0]) // 2
        if rows != expected:
            raise DataError(
                f"{path}: {rows} rows; expected {expected}, as in {paths[0]}; fetch both again"
            )
    return dict(zip(SYSTEMS, found, strict=True))


def headline_pairs(data: Path, held_out: Collection[str]) -> list[SentencePair]:
    """Any two systems' translations of the same headline, where they differ.

    Raises:
        DataError: as for :func:`headlines`.
    """
    return distinct(without(_two_of_each(headlines(data)), held_out))


def _two_of_each(translations: dict[str, list[str]]) -> Iterator[SentencePair]:
    for versions in zip(*translations.values(), strict=True):
        told = [text for text in versions if len(text.split()) >= _SHORTEST_HEADLINE]
        yield from combinations(told, 2)


def _some(
    rng: np.random.Generator, pairs: Iterable[SentencePair], count: int
) -> list[SentencePair]:
    """So many of the pairs, or all there are, in their order."""
    listed = list(pairs)
    chosen = np.sort(rng.permutation(len(listed))[:count])
    return [listed[i] for i in chosen.tolist()]
