"""Duplicates and paraphrases among a list of sentences in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from embeddings.encoder import unit
from embeddings.loading import DEFAULT
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.duplicates.close_pairs import ClosePairs, close_pairs, pairwise_cosines
from embeddings.mining.duplicates.copies import Copies
from embeddings.mining.duplicates.grouping import Grouping, Keep
from embeddings.mining.duplicates.groups import DuplicateGroup, find_groups
from embeddings.table import Vectors
from sts.data.texts import texts_of
from sts.errors import StsError

THRESHOLD = 0.9
"""docs/duplicates.md says what is found above it."""


def duplicates(
    sentences: Iterable[Any],
    *,
    threshold: float = THRESHOLD,
    keep: Keep = "first",
    groups: Grouping = "star",
    model: str = DEFAULT,
    language: str | None = None,
    progress: bool = False,
) -> list[DuplicateGroup]:
    """Groups of sentences that mean the same, the largest first.

    Exact copies are in a group whatever the threshold is; blank and missing sentences in none.
    The search is exact: no pair above the threshold is passed over, and none is cut off.

    Args:
        sentences: n strings: a list, a NumPy array, a column of pandas, polars or Arrow.
        threshold: lowest cosine, above 0 and up to 1.
        keep: which of a group comes first, as the one to keep: the ``first`` in the list, the
            ``longest``, the ``shortest``, or the ``central`` one, which most others are close to.
        groups: ``star``: every member is at least ``threshold`` similar to the kept one.
            ``components``: all that is connected by pairs is a group, however far apart.
        model: a bundled name, a file or a folder; A+B joins two.
        language: of the sentences, for a model of several.
        progress: show a progress bar on stderr.

    Returns:
        Groups of two or more rows, from 0, each with the cosine to the kept one.

    Raises:
        StsError: a value that is no string (its row is named), a threshold out of range, or a
            model or language that is not there.
    """
    copies, rows, pairs = _search(sentences, threshold, model, language, progress)
    return find_groups(
        copies, pairs, keep, groups, lambda some, others: pairwise_cosines(rows, rows, some, others)
    )


class ParaphrasePair(NamedTuple):
    """Two rows of a list, the lower one first, and their cosine."""

    score: float
    first: int
    second: int


def paraphrases(
    sentences: Iterable[Any],
    *,
    threshold: float = 0.8,
    top: int | None = None,
    model: str = DEFAULT,
    language: str | None = None,
    progress: bool = False,
) -> list[ParaphrasePair]:
    """All pairs of sentences whose cosine is at least a threshold, the best first.

    The counterpart of ``sentence_transformers.util.paraphrase_mining``, with a threshold in place
    of its two limits. A copy, but for white space, is paired with the first of its kind alone,
    whatever the threshold is.

    Args:
        sentences: n strings: a list, a NumPy array, a column of pandas, polars or Arrow.
        threshold: lowest cosine, above 0 and up to 1.
        top: number of pairs; all by default.
        model, language, progress: as for :func:`duplicates`.

    Returns:
        Pairs by falling cosine, of equal ones by their rows, which count from 0.

    Raises:
        StsError: as for :func:`duplicates`, or more than 100,000,000 pairs.
    """
    copies, _, pairs = _search(sentences, threshold, model, language, progress)
    again = copies.repeated()
    low = np.concatenate([copies.first[pairs.low], copies.first[copies.text_of[again]]])
    high = np.concatenate([copies.first[pairs.high], again])
    cosines = np.concatenate([pairs.cosines, np.ones(len(again))])
    best = np.lexsort((high, low, -cosines))[:top]
    columns = (column[best].tolist() for column in (cosines, low, high))
    return [ParaphrasePair(*pair) for pair in zip(*columns, strict=True)]


def _search(
    sentences: Iterable[Any], threshold: float, model: str, language: str | None, progress: bool
) -> tuple[Copies, Vectors, ClosePairs]:
    """The distinct texts, their vectors of length 1, and the close pairs among them."""
    check_threshold(threshold)
    texts, _ = texts_of(sentences, "sentences")
    copies = Copies(texts)
    rows = unit(mining_encoder(model, language).encode(list(copies.distinct(texts))))
    return copies, rows, close_pairs(rows, threshold, show_progress=progress)


def check_threshold(threshold: float, option: str = "threshold") -> None:
    """Check that a threshold is a cosine above 0.

    Raises:
        StsError: it is not.
    """
    if not 0 < threshold <= 1:
        raise StsError(f"{option} {threshold:g}; expected a cosine above 0 and up to 1")
