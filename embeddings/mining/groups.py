"""Groups of rows, made from close pairs of texts, and the row of each group to keep.

With ``star``, every member of a group is close to the row that is kept (leader clustering, Hartigan,
1975; with ``central`` the star cover of Aslam, Pelekhov and Rus, 2004, with each sentence in one
star). With ``components``, a group is everything that pairs connect (single linkage).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from hashlib import blake2b
from itertools import compress
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.mining.marks import marks_of, may_agree
from semaniacs.embeddings.mining.neighbours import (
    ClosePairs,
    Floats,
    Places,
    Rows,
    pairwise_cosines,
)
from semaniacs.sts.data.group_list import GroupList
from semaniacs.sts.data.pairs import PLACEHOLDERS

Keep = Literal["first", "longest", "shortest", "central"]
Grouping = Literal["star", "components"]

ReadRows = Callable[[set[int]], Mapping[int, str]]
"""Returns the texts of some rows."""

BLANK = -1  # number of the text of a row that is blank or holds a placeholder such as N/A


class Copies:
    """Texts of rows, each once; texts that differ in white space alone are copies.

    Args:
        texts: of each row; read once.

    Attributes:
        text_of: (rows,) the number of the distinct text of each row, in the order of their first
            rows; −1 for a row that is blank or a placeholder.
        first: (texts,) the first row of each.
        counts: (texts,) number of rows of each.
        lengths: (texts,) characters of each, white space counted as one.
    """

    def __init__(self, texts: Iterable[str]) -> None:
        numbers: dict[bytes, int] = {}
        text_of: list[int] = []
        lengths: list[int] = []
        for text in texts:
            words = " ".join(text.split())
            if not words or words.lower() in PLACEHOLDERS:
                text_of.append(BLANK)
                continue
            digest = blake2b(words.encode("utf-8", "surrogatepass"), digest_size=16).digest()
            number = numbers.setdefault(digest, len(numbers))
            if number == len(lengths):
                lengths.append(len(words))
            text_of.append(number)
        self.text_of = np.array(text_of, np.int64)
        self.lengths = np.array(lengths, np.int64)
        self.filled = np.flatnonzero(self.text_of != BLANK)
        _, first = np.unique(self.text_of[self.filled], return_index=True)
        self.first = self.filled[first]
        self.counts: NDArray[np.int64] = np.bincount(
            self.text_of[self.filled], minlength=len(lengths)
        )

    def told_apart(self, pairs: ClosePairs, read: ReadRows, *, names: bool) -> ClosePairs:
        """Return the pairs without those that vectors take for the same, see :func:`may_agree`."""
        ends = [self.first[side].tolist() for side in (pairs.low, pairs.high)]
        texts = read({row for side in ends for row in side})
        marks = {row: marks_of(" ".join(text.split()), names=names) for row, text in texts.items()}
        same = [may_agree(marks[low], marks[high]) for low, high in zip(*ends, strict=True)]
        return ClosePairs(*(column[np.array(same, bool)] for column in pairs))

    @property
    def blank(self) -> int:
        """Number of blank rows."""
        return len(self.text_of) - len(self.filled)

    def repeated(self) -> NDArray[np.int64]:
        """Return the rows whose text is in an earlier row."""
        return np.setdiff1d(self.filled, self.first, assume_unique=True)

    def distinct(self, texts: Iterable[str]) -> Iterator[str]:
        """Yield the distinct texts, in their order, from the same rows read again."""
        is_first = np.zeros(len(self.text_of), bool)
        is_first[self.first] = True
        return compress(texts, is_first)


def order_of(
    keep: Keep, pairs: ClosePairs, lengths: NDArray[np.int64], counts: NDArray[np.int64]
) -> Places:
    """Return the n distinct texts (n,) in the order in which they are kept; ties go to the first.

    ``first`` in the file; ``longest`` or ``shortest`` in characters (n,); ``central`` is close to the
    most lines, copies counted by ``counts`` (n,).
    """
    match keep:
        case "first":
            return np.arange(len(lengths))
        case "longest":
            return np.argsort(-lengths, kind="stable")
        case "shortest":
            return np.argsort(lengths, kind="stable")
        case "central":
            near = counts.copy()
            np.add.at(near, pairs.low, counts[pairs.high])
            np.add.at(near, pairs.high, counts[pairs.low])
            return np.argsort(-near, kind="stable")


def graph_of(pairs: ClosePairs, n: int) -> Any:
    """Return the cosines of the pairs as a symmetric sparse matrix (n, n)."""
    from scipy.sparse import csr_matrix

    ends = np.concatenate([pairs.low, pairs.high]), np.concatenate([pairs.high, pairs.low])
    return csr_matrix((np.concatenate([pairs.cosines] * 2), ends), shape=(n, n))


def group(graph: Any, order: Places, grouping: Grouping) -> Places:
    """Return for each of n texts the one (n,) that is kept in its place; itself if it is kept.

    With ``star``, a text is kept unless the ``graph`` of :func:`graph_of` has it close to one that is
    kept and comes before it in the ``order`` (n,); it then belongs to the most similar of these. With
    ``components``, of all texts that pairs connect the first in the order is kept.
    """
    n = len(order)
    rank = np.empty_like(order)
    rank[order] = np.arange(n)
    if grouping == "components":
        from scipy.sparse.csgraph import connected_components

        count, labels = connected_components(graph, directed=False)
        lowest = np.full(count, n)
        np.minimum.at(lowest, labels, rank)
        kept: Places = order[lowest[labels]]
        return kept
    kept_of, highest = np.arange(n), np.zeros(n)
    for text in order[np.diff(graph.indptr)[order] > 0].tolist():
        if highest[text] == 0:  # it is close to no text that is kept
            part = slice(graph.indptr[text], graph.indptr[text + 1])
            near, cosines = graph.indices[part], graph.data[part]
            closer = (cosines > highest[near]) & (rank[near] > rank[text])
            highest[near[closer]] = cosines[closer]
            kept_of[near[closer]] = text
    return kept_of


class DuplicateGroup(NamedTuple):
    """Rows that mean the same, at least two, from 0; the first is the one to keep.

    The others follow, the most similar to it first, of equal ones the first row first. ``cosines`` are
    those with the first, rounded to six digits; 1 for the first and its copies.
    """

    rows: tuple[int, ...]
    cosines: tuple[float, ...]


class DuplicateGroups(GroupList[DuplicateGroup]):
    """Groups of duplicates."""

    columns = ("group", "kept", "row", "cosine")

    def records(self) -> list[tuple[int, int, int, float]]:
        """Return number of the group, from 1, row to keep, row, and its cosine with that."""
        rows = [zip(*group, strict=True) for group in self]
        return [(n, self[n - 1].rows[0], *row) for n, some in enumerate(rows, 1) for row in some]


def find_groups(
    copies: Copies,
    vectors: Rows,
    pairs: ClosePairs,
    keep: Keep,
    grouping: Grouping,
    read: ReadRows,
    *,
    names: bool = True,
) -> DuplicateGroups:
    """Return the groups of two or more rows, the largest first, of one size by the row that is kept.

    Of the copies of a text always the first is kept. ``vectors`` (n, dim) are those of the distinct
    texts, of length 1; ``read`` gives texts of rows, whose ``names`` are compared.
    """
    pairs = copies.told_apart(pairs, read, names=names)
    order = order_of(keep, pairs, copies.lengths, copies.counts)
    graph = graph_of(pairs, len(order))
    kept_of = group(graph, order, grouping)
    cosines = _cosines_with_kept(graph, kept_of, vectors)
    rows = copies.filled
    texts = copies.text_of[rows]
    kept = kept_of[texts]
    sizes = np.bincount(kept, minlength=len(kept_of))[kept]
    is_kept = rows == copies.first[kept]
    sorted_ = np.lexsort((rows, -cosines[texts], ~is_kept, copies.first[kept], -sizes))
    sorted_ = sorted_[: np.count_nonzero(sizes > 1)]
    if not len(sorted_):
        return DuplicateGroups()
    begins = np.flatnonzero(is_kept[sorted_])[1:]
    return DuplicateGroups(
        DuplicateGroup(tuple(rows[some].tolist()), tuple(cosines[texts[some]].tolist()))
        for some in np.split(sorted_, begins)
    )


def _cosines_with_kept(graph: Any, kept_of: Places, vectors: Rows) -> Floats:
    """Return the cosine (n,) of each text with the one that is kept in its place."""
    cosines = np.ones(len(kept_of))
    members = np.flatnonzero(kept_of != np.arange(len(kept_of)))
    if len(members):
        cosines[members] = np.asarray(graph[members, kept_of[members]]).ravel()
        far = members[cosines[members] == 0]  # members of a component that no pair connects to it
        cosines[far] = pairwise_cosines(vectors, vectors, far, kept_of[far])
    return cosines
