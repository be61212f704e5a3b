"""Dropout (Srivastava et al., 2014): numbers are set to zero at random during training.

The random numbers of a step are drawn by numpy from the seed and the number of the step
alone, so that a training that was resumed draws the same ones.
"""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

_LEVELS = 1 << 16


def draw(seed: int, step: int, shape: tuple[int, int]) -> NDArray[np.uint16]:
    """Random numbers from 0 to 65,535; with more rows in ``shape`` the first ones stay the same."""
    numbers = shape[0] * shape[1]
    bits = np.random.default_rng([seed, step]).integers(0, 1 << 64, -(-numbers // 4), np.uint64)
    return bits.view(np.uint16)[:numbers].reshape(shape)


def drop(rows: Any, drawn: Any, rate: float) -> Any:
    """The rows with each number set to zero with probability p = ``rate``, from 0 to below 1.

    p is rounded to one of 65,536 levels; the other numbers are multiplied by 1 / (1 − p), so
    that the mean stays the same. ``drawn`` comes from :func:`draw` and has the shape of the rows.
    """
    dropped = min(round(rate * _LEVELS), _LEVELS - 1)
    return jnp.where(drawn < dropped, 0.0, rows * (_LEVELS / (_LEVELS - dropped)))
