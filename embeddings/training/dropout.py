"""Dropout (Srivastava et al., 2014): numbers left out at random, so that none is relied on.

The randomness of a step is drawn by numpy from the seed and the number of the step
alone: cheap, and the same after a training was stopped and taken up again.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

_LEVELS = 1 << 16


def draw(seed: int, step: int, shape: tuple[int, int]) -> NDArray[np.uint16]:
    """A number from 0 to 65,535 for each of ``shape``; more rows leave those before as they are."""
    numbers = shape[0] * shape[1]
    bits = np.random.default_rng([seed, step]).integers(0, 1 << 64, -(-numbers // 4), np.uint64)
    return bits.view(np.uint16)[:numbers].reshape(shape)


def drop(rows: Any, drawn: Any, rate: float) -> Any:
    """Rows of which each number is zero with probability ``rate``, the others scaled up for it.

    Args:
        rows, drawn: of one shape; ``drawn`` as :func:`draw` gave it.
        rate: p from 0 to below 1, taken to the nearest of 65,536 levels; what is
            kept is multiplied by 1 / (1 − p), so that the mean stays as it was.
    """
    dropped = min(round(rate * _LEVELS), _LEVELS - 1)
    return jnp.where(drawn < dropped, 0.0, rows * (_LEVELS / (_LEVELS - dropped)))
