"""Margin scores: how much nearer two sentences are to each other than to their neighbours.

Artetxe and Schwenk (2019), Margin-based parallel corpus mining with multilingual sentence
embeddings, 3.2. With NN_k(x) the k nearest of x on the other side,

    score(x, y) = margin( cos(x, y),  Σ_{z ∈ NN_k(x)} cos(x, z) / 2k
                                    + Σ_{z ∈ NN_k(y)} cos(y, z) / 2k )        (eq. 2)

and margin(a, b) is a (absolute), a − b (distance) or a / b (ratio).
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Margin = Literal["ratio", "distance", "absolute"]
Floats = NDArray[np.float64]


def margin_score(
    cosines: Floats, source_mean: Floats, target_mean: Floats, margin: Margin
) -> Floats:
    """The margin score of pairs.

    Args:
        cosines: of the pairs, of any shape.
        source_mean: mean cosine of the source sentence with its k nearest, of the same shape
            or of one that fits it.
        target_mean: the same of the target sentence.
        margin: ``absolute`` is the cosine itself; ``distance`` lies in [−2, 2]; ``ratio`` is
            1 where the pair is as near as the neighbours are, and 0 where the mean of the
            neighbours is not positive, because the ratio has no meaning there.
    """
    around = (source_mean + target_mean) / 2
    if margin == "absolute":
        return cosines
    if margin == "distance":
        return cosines - around
    cosines, around = np.broadcast_arrays(cosines, around)
    return np.divide(cosines, around, out=np.zeros_like(cosines), where=around > 0)
