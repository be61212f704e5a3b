"""The mean of rows of a table, compiled."""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from embeddings.compiled.intrinsics import prefetch
from embeddings.compiled.kernels import native

_AHEAD = 24
"""A row is fetched from memory while so many rows before it are added."""


@native
def _average_rows(rows, scale, ids, begins, counts, out, limit):
    dim = rows.shape[1]
    for i in range(len(counts)):
        total = out[i]
        for j in range(dim):
            total[j] = 0
        place = begins[i]
        end = place + counts[i]
        while place < end:
            for ahead in range(place + _AHEAD, min(place + _AHEAD + 4, len(ids))):
                prefetch(rows, ids[ahead])
            a = ids[place]
            if place + 4 > end:
                for j in range(dim):
                    total[j] += np.float32(rows[a, j]) * scale[a]
                place += 1
                continue
            # Four at a time, in the order of one by one: the sum is loaded and stored once.
            b, c, d = ids[place + 1], ids[place + 2], ids[place + 3]
            for j in range(dim):
                total[j] = (
                    total[j] + np.float32(rows[a, j]) * scale[a] + np.float32(rows[b, j]) * scale[b]
                    + np.float32(rows[c, j]) * scale[c] + np.float32(rows[d, j]) * scale[d]
                )  # fmt: skip
            place += 4
        length = np.float32(max(counts[i], 1))
        for j in range(dim):
            total[j] = min(max(total[j] / length, -limit), limit)


_EXACT = 256
"""So many int8 are added as int16."""


@native
def _average_whole_rows(rows, scale, ids, begins, counts, out, limit, total, part):
    dim = rows.shape[1]
    for i in range(len(counts)):
        for j in range(dim):
            total[j] = part[j] = 0
        place = begins[i]
        end = place + counts[i]
        while place < end:
            full = min(place + _EXACT, end)
            while place < full:
                for ahead in range(place + _AHEAD, min(place + _AHEAD + 4, len(ids))):
                    prefetch(rows, ids[ahead])
                a = ids[place]
                if place + 4 > full:
                    for j in range(dim):
                        part[j] += rows[a, j]
                    place += 1
                    continue
                b, c, d = ids[place + 1], ids[place + 2], ids[place + 3]
                for j in range(dim):
                    part[j] += rows[a, j] + rows[b, j] + rows[c, j] + rows[d, j]
                place += 4
            if place < end:
                for j in range(dim):
                    total[j] += part[j]
                    part[j] = 0
        length = np.float32(max(counts[i], 1))
        for j in range(dim):
            mean = np.float32(total[j] + part[j]) * scale[0, j] / length
            out[i, j] = min(max(mean, -limit), limit)


def average_rows(
    rows: NDArray[np.float32] | NDArray[np.int8],
    scale: NDArray[np.float32],
    ids: NDArray[np.int32],
    begins: NDArray[np.int64],
    counts: NDArray[np.int64],
    out: NDArray[np.float32],
    limit: float | None = None,
) -> None:
    """The mean row of each sentence, added up in the order of its words.

    Args:
        rows: (V, dim).
        scale: (V,), what each row is multiplied by, or (1, dim), what each column is.
        ids: rows of all sentences; those of sentence i are ``ids[begins[i]:][:counts[i]]``.
        begins, counts: (n,).
        out: (n, dim), overwritten; zeros for a sentence without words.
        limit: every number is cut to ± this.
    """
    most = np.float32(np.inf if limit is None else limit)
    if scale.ndim == 1:
        _average_rows(rows, scale, ids, begins, counts, out, most)
    else:
        total, part = np.empty(rows.shape[1], np.int32), np.empty(rows.shape[1], np.int16)
        _average_whole_rows(rows, scale, ids, begins, counts, out, most, total, part)
