"""Vectors from whatever holds them, where a caller may hand over sentences instead."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sts.data.texts import sentences_of
from sts.errors import StsError


def sentences_or_vectors(values: Any, name: str) -> Sequence[str] | NDArray[np.float32]:
    """The sentences or the vectors (n, dim) float32 that a caller hands over.

    Args:
        values: a string or a column of strings (:func:`~sts.data.texts.sentences_of`); or vectors
            as an array, a tensor, or a list of these or of numbers.
        name: of the argument, for errors.

    Returns:
        A list; one string or one vector is the only one in it.

    Raises:
        StsError: neither, or a number that is not finite (with its row).
    """
    if isinstance(values, str):
        return [values]
    first = next(iter(values), "") if isinstance(values, list | tuple) else None
    if isinstance(first, str) or (first is None and not hasattr(values, "__array__")):
        return sentences_of(values, name)
    try:
        array = np.asarray(values.detach().cpu() if hasattr(values, "detach") else values)
    except ValueError:
        raise StsError(f"{name} holds vectors of several lengths; expected (n, dim)") from None
    if array.dtype.kind not in "fiu":
        return sentences_of(values, name)
    if array.ndim not in (1, 2):
        raise StsError(f"{name} has the shape {array.shape}; expected (n, dim), a vector a row")
    vectors = np.atleast_2d(array).astype(np.float32, copy=False)
    finite = np.isfinite(vectors).all(axis=1)
    if not finite.all():
        raise StsError(f"{name}[{int(np.argmin(finite))}] holds a number that is not finite")
    return vectors
