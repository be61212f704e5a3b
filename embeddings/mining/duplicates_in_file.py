"""Duplicates among the rows of a file: vectors are on disk, texts are read again as needed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import islice

import numpy as np

from embeddings.bitext.identifying import note_languages
from embeddings.encoder import unit
from embeddings.formats.numpy_file import RowsOnDisk, write_rows
from embeddings.loading import ENGLISH
from embeddings.mining.close_pairs import ClosePairs, close_pairs, pairwise_cosines
from embeddings.mining.corpus_vectors import MiningEncoder, check_room, mining_encoder, parts_of
from embeddings.mining.groups import Copies, DuplicateGroup, Grouping, Keep, find_groups
from embeddings.mining.neighbours import Floats, Places
from embeddings.table import Vectors
from sts import progress
from sts.data.tables.text_rows import TextRows
from sts.files import temporary_folder
from sts.progress import counted
from sts.text.languages_found import watching

_BATCH = 65536
"""Sentences encoded at once."""


class FileSearch:
    """A search for duplicates in a file.

    Args:
        rows: of the file.
        model: encoder, by name; A+B joins two.
        language: of the sentences; None for a model of one language.

    Attributes:
        copies: which rows hold the same text.
    """

    def __init__(self, rows: TextRows, model: str, language: str | None) -> None:
        self.rows, self.model, self.language = rows, model, language
        self.copies = Copies(progress.track(rows.texts(), f"reading {rows.source}", "lines"))

    @cached_property
    def encoder(self) -> MiningEncoder:
        """Encoder of the texts."""
        return mining_encoder(self.model, self.language)

    def close_pairs(self, lowest: float) -> ClosePairs:
        """Return all pairs of distinct texts with a cosine of at least ``lowest``."""
        encoder = self.encoder
        with (
            temporary_folder("mining") as folder,
            watching(self.model, ENGLISH, "--language") as seen,
        ):
            path = folder / "rows.npy"
            check_room(folder, 4 * encoder.dim * len(self.copies.first))
            texts = seen(self.copies.distinct(self.rows.texts()))
            write_rows(path, encoder.dim, self._vectors(texts, encoder))
            note_languages(parts_of(encoder), self.model, "--language")
            return close_pairs(RowsOnDisk(path), lowest)

    def _vectors(self, texts: Iterator[str], encoder: MiningEncoder) -> Iterator[Vectors]:
        without = 0
        with progress.Bar("vectors", "sentences", len(self.copies.first)) as bar:
            while batch := list(islice(texts, _BATCH)):
                vectors = encoder.encode(batch)
                without += int((~vectors.any(axis=1)).sum())
                yield unit(vectors)
                bar.update(len(batch))
        if without:
            progress.note(
                f"{without:,} distinct lines have no word that the model knows: only copies of "
                "them are found"
            )

    def groups(self, pairs: ClosePairs, keep: Keep, grouping: Grouping) -> list[DuplicateGroup]:
        """Return the groups that some close pairs make."""
        return find_groups(self.copies, pairs, keep, grouping, self._far_cosines)

    def _far_cosines(self, some: Places, others: Places) -> Floats:
        """Return cosines of texts in one component that no pair connects, encoded again."""
        numbers, places = np.unique(np.concatenate([some, others]), return_inverse=True)
        wanted = frozenset(numbers.tolist())
        texts = enumerate(self.copies.distinct(self.rows.texts()))
        vectors = unit(self.encoder.encode([text for number, text in texts if number in wanted]))
        return pairwise_cosines(vectors, vectors, places[: len(some)], places[len(some) :])

    def summary(self, groups: Sequence[DuplicateGroup]) -> str:
        """Return one line with the numbers of lines, groups and duplicates."""
        lines = len(self.copies.text_of)
        duplicate = sum(len(group.rows) - 1 for group in groups)
        blank = f" ({self.copies.blank:,} blank)" if self.copies.blank else ""
        return (
            f"{counted(lines, 'line')}{blank}, {len(self.copies.first):,} distinct, "
            f"{counted(len(groups), 'group')}, {counted(duplicate, 'duplicate')}; "
            f"{lines - duplicate:,} stay"
        )
