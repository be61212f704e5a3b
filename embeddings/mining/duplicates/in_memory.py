"""Duplicates among a list of sentences in memory."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from embeddings.encoder import unit
from embeddings.loading import DEFAULT
from embeddings.mining.concatenated import mining_encoder
from embeddings.mining.duplicates.close_pairs import close_pairs, pairwise_cosines
from embeddings.mining.duplicates.copies import Copies
from embeddings.mining.duplicates.grouping import Grouping, Keep
from embeddings.mining.duplicates.groups import DuplicateGroup, find_groups
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
    check_threshold(threshold)
    texts, _ = texts_of(sentences, "sentences")
    copies = Copies(texts)
    rows = unit(mining_encoder(model, language).encode(list(copies.distinct(texts))))
    pairs = close_pairs(rows, threshold, show_progress=progress)
    return find_groups(
        copies, pairs, keep, groups, lambda some, others: pairwise_cosines(rows, rows, some, others)
    )


def check_threshold(threshold: float, option: str = "threshold") -> None:
    """Check that a threshold is a cosine above 0.

    Raises:
        StsError: it is not.
    """
    if not 0 < threshold <= 1:
        raise StsError(f"{option} {threshold:g}; expected a cosine above 0 and up to 1")
