"""Files of close pairs, from which groups are made again at another threshold.

The first line, after ``#``, is JSON: what was compared, and from which cosine on. The second names
the columns; each other is a pair: two ids and their cosine, in the order of the file compared. Of
exact copies each is paired with the first of them alone.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.formats.lines import lines
from embeddings.mining.duplicates.close_pairs import ClosePairs
from embeddings.mining.duplicates.copies import Copies
from embeddings.mining.ranked_pairs import DIGITS
from sts.data.tables.table_cells import finite
from sts.data.tables.table_writer import whole_packed
from sts.errors import DataError
from sts.files import parse_json

_COLUMNS = "id1\tid2\tcosine"


@dataclass(frozen=True)
class PairsHead:
    """What a file of pairs is about.

    Attributes:
        file, sha256: the file that was compared with itself.
        text, id, header, read_as, delimiter: how it is read, see
            :class:`~sts.data.tables.text_rows.Reading`.
        model, language: of the vectors.
        lowest: every pair with a cosine of at least this is there.
        pairs: how many there are.
    """

    file: str
    sha256: str
    text: str | None
    id: str | None
    header: bool | None
    read_as: str | None
    model: str
    language: str | None
    lowest: float
    pairs: int = 0
    delimiter: str | None = None


def write_pairs_file(
    path: Path, head: PairsHead, pairs: ClosePairs, copies: Copies, ids: Sequence[Any]
) -> int:
    """Write all pairs, those of copies too, gzip if the name ends in ``.gz``; how many."""
    again = copies.repeated()
    low = np.concatenate([copies.first[pairs.low], copies.first[copies.text_of[again]]])
    high = np.concatenate([copies.first[pairs.high], again])
    cosines = np.concatenate([pairs.cosines, np.ones(len(again))])
    order = np.lexsort((high, low))
    head = replace(head, pairs=len(order))
    columns = (column[order].tolist() for column in (low, high, cosines))
    with whole_packed(path) as file:
        file.write(f"# {json.dumps(asdict(head), ensure_ascii=False)}\n{_COLUMNS}\n".encode())
        for i, j, cosine in zip(*columns, strict=True):
            file.write(f"{ids[i]}\t{ids[j]}\t{cosine:.{DIGITS}f}\n".encode())
    return len(order)


def read_head(path: str) -> PairsHead:
    """What a file of pairs is about.

    Raises:
        DataError: it is no such file.
    """
    first, second, *_ = *islice(lines(path), 2), "", ""
    try:
        head = PairsHead(**parse_json(first.removeprefix("# ")))
    except (ValueError, TypeError):
        head = None
    if head is None or second != _COLUMNS:
        raise DataError(
            f"{path}:1: {first[:60]!r}; expected a file that mine duplicates --pairs wrote"
        )
    return head


def read_pairs_file(path: str, head: PairsHead, copies: Copies, ids: Sequence[Any]) -> ClosePairs:
    """The pairs of distinct texts.

    Args:
        path: the file.
        head: its first line.
        copies: of the file that was compared.
        ids: (rows,) of its rows.

    Raises:
        DataError: a line that is no pair of two of the ids, the first one first, and a cosine; or
            lines are missing.
    """
    row_of = {str(name): row for row, name in enumerate(ids)}
    low, high, cosines = [], [], []
    for number, line in enumerate(islice(lines(path), 2, None), 3):
        one, other, cosine, *more = *line.split("\t"), "", "", ""
        i, j = row_of.get(one), row_of.get(other)
        if i is None or j is None or i >= j or len(more) != 3:
            raise DataError(
                f"{path}:{number}: {line[:80]!r}; expected two ids of the file that was compared, "
                "the first one first, and a cosine"
            )
        low.append(i)
        high.append(j)
        cosines.append(finite(cosine, f"{path}:{number}: cosine"))
    if len(low) != head.pairs:
        raise DataError(f"{path}: {len(low):,} pairs, but it was written with {head.pairs:,}")
    order = np.lexsort((high, low))
    # Copies are told by their texts; what stays are the pairs of the first rows of two texts.
    order = order[np.isin(low, copies.first)[order] & np.isin(high, copies.first)[order]]
    texts = copies.text_of.astype(np.int32)
    return ClosePairs(
        texts[np.array(low, np.int64)[order]],
        texts[np.array(high, np.int64)[order]],
        np.array(cosines, np.float64)[order],
    )
