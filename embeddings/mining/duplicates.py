"""Duplicates and paraphrases among sentences: in memory, or in a file whose vectors are on disk."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, get_args

import numpy as np

from semaniacs.embeddings.bitext.multilingual import note_languages
from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.formats.lines import write_out
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk, write_rows
from semaniacs.embeddings.loading import DEFAULT, ENGLISH, is_multilingual
from semaniacs.embeddings.mining.corpus_vectors import (
    PLUS,
    check_room,
    encoded,
    mining_encoder,
    parts_of,
)
from semaniacs.embeddings.mining.groups import Copies, DuplicateGroups, Grouping, Keep, find_groups
from semaniacs.embeddings.mining.neighbours import DIGITS, ClosePairs, close_pairs
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.data.pairs import texts_of
from semaniacs.sts.data.table_kinds import TABLES
from semaniacs.sts.data.table_writers import write_table
from semaniacs.sts.data.text_rows import TextRows
from semaniacs.sts.errors import StsError, UnknownNameError, require
from semaniacs.sts.files import format_of, temporary_folder
from semaniacs.sts.progress import counted, note
from semaniacs.sts.text.languages_found import watching

THRESHOLD = 0.9
"""Default lowest cosine of duplicates."""


def duplicates(
    sentences: Iterable[Any],
    *,
    threshold: float = THRESHOLD,
    keep: Keep = "first",
    groups: Grouping = "star",
    model: str = DEFAULT,
    language: str | None = None,
    progress: bool = False,
) -> DuplicateGroups:
    """Find groups of sentences that mean the same, the largest first.

    Exact copies are in a group whatever the threshold is; blank and missing sentences in none.
    The search is exact: every pair above the threshold is found.

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
    require("scipy")
    for name, value, kind in (("keep", keep, Keep), ("groups", groups, Grouping)):
        if value not in get_args(kind):
            raise UnknownNameError(f"value of {name}", str(value), get_args(kind))
    texts, copies, rows, pairs = _search(sentences, threshold, model, language, progress)

    def read(some: set[int]) -> dict[int, str]:
        return {row: texts[row] for row in some}

    names = reads_names(model, language)
    return find_groups(copies, rows, pairs, keep, groups, read, names=names)


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
    """Find all pairs of sentences whose cosine is at least a threshold, the best first.

    This is ``sentence_transformers.util.paraphrase_mining`` with a threshold in place of its two
    limits. A copy, but for white space, is only paired with the first row of its text.

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
    _, copies, _, pairs = _search(sentences, threshold, model, language, progress)
    found = sorted(pairs_of(copies, pairs), key=lambda pair: -pair[2])[:top]
    return [ParaphrasePair(cosine, low, high) for low, high, cosine in found]


def _search(
    sentences: Iterable[Any], threshold: float, model: str, language: str | None, progress: bool
) -> tuple[Sequence[str], Copies, Vectors, ClosePairs]:
    """Return the texts, the distinct ones, their vectors of length 1, and the close pairs of them."""
    check_threshold(threshold)
    texts, _ = texts_of(sentences, "sentences")
    copies = Copies(texts)
    rows = unit(mining_encoder(model, language).encode(list(copies.distinct(texts))))
    return texts, copies, rows, close_pairs(rows, threshold, show_progress=progress)


def reads_names(model: str, language: str | None) -> bool:
    """Return whether texts are read as English, where a word with a capital is a name."""
    return language == "en" or not (language or any(map(is_multilingual, str(model).split(PLUS))))


def check_threshold(threshold: float, option: str = "threshold") -> None:
    """Raise :class:`StsError` if a threshold is no cosine above 0."""
    if not isinstance(threshold, float | int | np.number) or not 0 < threshold <= 1:
        raise StsError(f"{option} {threshold!r}; expected a cosine above 0 and up to 1")


def pairs_of(copies: Copies, pairs: ClosePairs) -> list[tuple[int, int, float]]:
    """Return all pairs of rows with their cosines, in the order of the rows.

    A copy is only paired with the first row of its text, with cosine 1.
    """
    again = copies.repeated()
    low = np.concatenate([copies.first[pairs.low], copies.first[copies.text_of[again]]])
    high = np.concatenate([copies.first[pairs.high], again])
    cosines = np.concatenate([pairs.cosines, np.ones(len(again))])
    order = np.lexsort((high, low))
    columns = (column[order].tolist() for column in (low, high, cosines))
    return list(zip(*columns, strict=True))


@contextmanager
def vectors_on_disk(
    texts: Iterable[str], count: int, model: str, language: str | None
) -> Iterator[RowsOnDisk]:
    """Give the vectors of ``count`` distinct texts, of length 1, in a file that is removed at the end.

    ``model`` is an encoder by name, A+B joins two. Raises an StsError if the disk has no room.
    """
    encoder, unknown = mining_encoder(model, language), 0

    def unit_rows(texts: Iterator[str]) -> Iterator[Vectors]:
        nonlocal unknown
        for vectors in encoded(texts, encoder, "vectors", count):
            unknown += int((~vectors.any(axis=1)).sum())
            yield unit(vectors)

    with temporary_folder("mining") as folder:
        check_room(folder, 4 * encoder.dim * count)
        with watching(model, ENGLISH, "--language") as seen:
            write_rows(folder / "rows.npy", encoder.dim, unit_rows(seen(texts)))
            if unknown:
                note(
                    f"{unknown:,} distinct lines have no word that the model knows: only copies "
                    "of them are found"
                )
            note_languages(parts_of(encoder), model, "--language")
        yield RowsOnDisk(folder / "rows.npy")


def summary(copies: Copies, groups: DuplicateGroups) -> str:
    """Return one line with the numbers of lines, groups and duplicates."""
    lines = len(copies.text_of)
    duplicate = sum(len(group.rows) - 1 for group in groups)
    blank = f" ({copies.blank:,} blank)" if copies.blank else ""
    return (
        f"{counted(lines, 'line')}{blank}, {len(copies.first):,} distinct, "
        f"{counted(len(groups), 'group')}, {counted(duplicate, 'duplicate')}; "
        f"{lines - duplicate:,} stay"
    )


def write_pairs(
    path: Path, copies: Copies, pairs: ClosePairs, rows: TextRows, ids: Sequence[Any]
) -> int:
    """Write all pairs of rows: ids, cosine and texts; return how many there are."""
    found = pairs_of(copies, pairs)
    texts = rows.some_texts({row for low, high, _ in found for row in (low, high)})
    lines = ((ids[low], ids[high], c, texts[low], texts[high]) for low, high, c in found)
    columns = ("id1", "id2", "cosine", "left", "right")
    return write_table(path, format_of(path, TABLES), columns, lines, digits=DIGITS)


Groups = DuplicateGroups
Texts = Mapping[int, str]


def as_blocks(groups: Groups, ids: Sequence[Any], texts: Texts) -> Iterator[str]:
    """Return a block of lines per group, the kept row first, the others with their cosines."""
    for number, group in enumerate(groups):
        if number:
            yield ""
        width = max(len(str(ids[row])) for row in group.rows)
        for place, (row, cosine) in enumerate(zip(*group, strict=True)):
            mark = f"{cosine:.4f}" if place else "keep"
            yield f"{mark:>6}  {ids[row]!s:>{width}}  {texts[row]}"


def write_groups(
    path: Path | None, kind: str, groups: Groups, ids: Sequence[Any], texts: Texts
) -> None:
    """Write a block of lines per group for people, an object per group as JSON, or a row per member."""
    if kind == "table":
        write_out(as_blocks(groups, ids, texts), path)
    elif kind in ("json", "jsonl"):
        write_table(path, kind, ("kept", "size", "members"), _with_members(groups, ids, texts))
    else:
        rows = (
            (number, ids[kept], ids[row], cosine, texts[row])
            for number, kept, row, cosine in groups.records()
        )
        write_table(path, kind, ("group", "kept", "id", "cosine", "text"), rows, digits=DIGITS)


def _with_members(groups: Groups, ids: Sequence[Any], texts: Texts) -> Iterator[Sequence[Any]]:
    for group in groups:
        members = [
            {"id": ids[row], "cosine": cosine, "text": texts[row]}
            for row, cosine in zip(*group, strict=True)
        ]
        yield ids[group.rows[0]], len(members), members
