"""The mean of rows of a table, compiled."""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled.native import native, prefetch
from semaniacs.embeddings.tokenizers.row_numbers import Ragged

_AHEAD = 24  # rows that are added while a row is fetched from memory
_EXACT = 256  # number of int8 numbers that can be added as int16


@native
def _average_rows(rows, scale, ids, offsets, out, limit):
    dim = rows.shape[1]
    for i in range(len(out)):
        total = out[i]
        for j in range(dim):
            total[j] = 0
        for place in range(offsets[i], offsets[i + 1]):
            if place + _AHEAD < len(ids):
                prefetch(rows, ids[place + _AHEAD])
            row = ids[place]
            for j in range(dim):
                total[j] += np.float32(rows[row, j]) * scale[row]
        length = np.float32(max(offsets[i + 1] - offsets[i], 1))
        for j in range(dim):
            total[j] = min(max(total[j] / length, -limit), limit)


@native
def _average_whole_rows(rows, scale, ids, offsets, out, limit, total, part):
    dim = rows.shape[1]
    for i in range(len(out)):
        for j in range(dim):
            total[j] = part[j] = 0
        begin, end = offsets[i], offsets[i + 1]
        for place in range(begin, end):
            if place + _AHEAD < len(ids):
                prefetch(rows, ids[place + _AHEAD])
            row = ids[place]
            for j in range(dim):
                part[j] += rows[row, j]
            if (place + 1 - begin) % _EXACT == 0:
                for j in range(dim):
                    total[j] += part[j]
                    part[j] = 0
        length = np.float32(max(end - begin, 1))
        for j in range(dim):
            mean = np.float32(total[j] + part[j]) * scale[0, j] / length
            out[i, j] = min(max(mean, -limit), limit)


def average_rows(
    rows: NDArray[np.float32] | NDArray[np.int8],
    scale: NDArray[np.float32],
    sentences: Ragged,
    out: NDArray[np.float32],
    limit: float | None = None,
) -> None:
    """Write the mean row of each sentence, added up in the order of its words, to ``out`` (n, dim).

    ``scale`` is the factor of each row (V,) of ``rows`` (V, dim), or of each column (1, dim). The mean
    of a sentence without words is zero. Every number is cut to ± ``limit``.
    """
    most = np.float32(np.inf if limit is None else limit)
    ids, offsets = sentences
    if scale.ndim == 1:
        _average_rows(rows, scale, ids, offsets, out, most)
    else:
        total, part = np.empty(rows.shape[1], np.int32), np.empty(rows.shape[1], np.int16)
        _average_whole_rows(rows, scale, ids, offsets, out, most, total, part)
