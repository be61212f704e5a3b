"""A transformer's view of a pair: similarity of sentences, and of words in their context.

The transformer is all-MiniLM-L6-v2 (Reimers and Gurevych, 2019), run by our own forward pass;
for the ``minilm_tuned`` columns it was trained on graded pairs, and for ``minilm_cross`` to read
both sentences together.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch, Column, once
from features.measures.contextual_rows import COLUMNS, Contextual
from features.measures.word_matching import BERTSCORE, HIGHEST_GAP
from features.registry import columnwise

MINILM = "Reimers and Gurevych (2019), 3; mean of token states"

LAST = COLUMNS[:5]
"""Those of the last layer."""

TUNED = "minilm_tuned"
"""The resource of the columns of a transformer that was trained on graded pairs."""

CROSS = "minilm_cross"
"""The resource of the column of one that was trained to read both sentences."""


@once
def _rows(batch: Batch) -> NDArray[np.float32]:
    return _rows_of(batch, batch.resources.minilm)


@once
def _tuned_rows(batch: Batch) -> NDArray[np.float32]:
    return _rows_of(batch, batch.resources.minilm_tuned)


def _rows_of(batch: Batch, contextual: Contextual) -> NDArray[np.float32]:
    return contextual.rows(_texts(batch))


def _texts(batch: Batch) -> list[tuple[str, str]]:
    return [(a.text, b.text) for a, b in zip(batch.left, batch.right, strict=True)]


@columnwise(CROSS, "contextual", "MacAvaney et al. (2020)", low=0.0, high=1.0, needs=(CROSS,))
def _cross(batch: Batch) -> Column:
    return batch.resources.minilm_cross.scores(_texts(batch)).astype(np.float64)


def _register(name: str, source: str, low: float = -1.0, high: float = 1.0) -> None:
    place = COLUMNS.index(name)

    @columnwise(name, "contextual", source, low=low, high=high, needs=("minilm",))
    def column(batch: Batch) -> Column:
        return _rows(batch)[:, place].astype(np.float64)

    if name in LAST:
        name = name.replace("minilm", TUNED)

        @columnwise(name, "contextual", source, low=low, high=high, needs=(TUNED,))
        def tuned_column(batch: Batch) -> Column:
            return _tuned_rows(batch)[:, place].astype(np.float64)


for _layer in ("minilm", "minilm_middle"):  # the last layer, and the third
    _register(_layer, MINILM)  # cosine of the means of the token states
    _register(f"{_layer}_tokens", BERTSCORE)  # mean of both sides' coverage by token states
    _register(f"{_layer}_least", BERTSCORE)  # the lesser coverage
    _register(f"{_layer}_gap", BERTSCORE, 0.0, HIGHEST_GAP)  # max information · (1 − best cosine)
_register("minilm_dynamax", "Zhelezniak et al. (2019), 3", 0.0)  # of the last layer's token states
