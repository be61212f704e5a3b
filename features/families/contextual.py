"""A transformer's view of a pair: similarity of sentences, and of words in their context.

The transformer is all-MiniLM-L6-v2 (Reimers and Gurevych, 2019), run by our own forward pass
in JAX.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch, Column
from features.measures.contextual_rows import COLUMNS, Contextual
from features.measures.word_matching import BERTSCORE, HIGHEST_GAP
from features.registry import columnwise

MINILM = "Reimers and Gurevych (2019), 3; mean of token states"


def _register(name: str, about: str, source: str, low: float, high: float) -> None:
    place = COLUMNS.index(name)

    def column(batch: Batch) -> Column:
        rows: NDArray[np.float32] = batch.once("contextual", lambda: _rows(batch))
        return rows[:, place].astype(np.float64)

    column.__doc__ = about
    columnwise(name, "contextual", source, low=low, high=high, needs=("minilm",))(column)


def _rows(batch: Batch) -> NDArray[np.float32]:
    contextual: Contextual = batch.resources.minilm
    pairs = [(a.text, b.text) for a, b in zip(batch.left, batch.right, strict=True)]
    return contextual.rows(pairs)


_register("minilm", "Cosine of the sentence vectors.", MINILM, -1.0, 1.0)
for _layer, _which in (("", "last"), ("_middle", "third")):
    _of = f"of the {_which} layer's token states"
    _register(f"minilm{_layer}_tokens", f"Mean of both sides' coverage {_of}.", BERTSCORE, -1, 1)
    _register(f"minilm{_layer}_least", f"The lesser coverage {_of}.", BERTSCORE, -1, 1)
    _register(f"minilm{_layer}_gap", f"max information · (1 − best cosine) {_of}.",
              BERTSCORE, 0, HIGHEST_GAP)  # fmt: skip
_register("minilm_dynamax", "DynaMax-Jaccard of the last layer's token states.",
          "Zhelezniak et al. (2019), 3", 0, 1)  # fmt: skip
_register("minilm_middle", "Cosine of the means of the third layer.", MINILM, -1.0, 1.0)
