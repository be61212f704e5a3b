"""Frequent words say less: rows scaled by smooth inverse frequency (Arora et al., 2017, eq. 3)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from embeddings.bitext.corpus import Bitext
from embeddings.encoder import Encoder
from embeddings.multilingual import Multilingual
from embeddings.table import Table, as_int8


def scaled_by_frequency(
    model: Multilingual, bitexts: Sequence[Bitext], smoothing: float
) -> Multilingual:
    """The same encoders with each row times a / (a + p), p being its share of all running rows.

    Only the scale of the rows moves, so that encoders read from a file of int8 come to the
    same as those that were just trained.

    Args:
        model: encoders that average the rows of one table.
        bitexts: what p is counted in, both sides.
        smoothing: a; the lower, the less a frequent row counts.
    """
    first = next(iter(model.encoders.values()))
    counts = np.zeros(len(first.rows), np.int64)
    for bitext in bitexts:
        for side, language in enumerate(bitext.languages):
            rows = model.of(language).ids(bitext.side(side)).flat
            counts += np.bincount(rows, minlength=len(counts))
    weight = smoothing / (smoothing + counts / max(1, counts.sum()))
    table = as_int8(first.rows)
    scaled = Table(table.values, table.scale * weight.astype(np.float32))
    return model.mapped(lambda encoder: Encoder(encoder.tokenizer, scaled))
