"""Tuned encoders as patches: only the rows that differ from the encoder they were tuned from."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.table import PatchedTable, Table, quantize
from sts.errors import DataError
from sts.files import write_bytes
from sts.tensors import FORMAT, Tensors, read_tensors, to_bytes


def save_patch(path: Path, tuned: Encoder, start: Encoder, **about: str) -> None:
    """Write the differences between the rows of ``tuned`` and ``start``, as int8.

    The differences are small beside the rows, so rounding them loses less than rounding the
    rows themselves to half precision.

    Args:
        path: the file.
        tuned: an encoder with the tokenizer of ``start``.
        start: the encoder that it was tuned from.
        **about: further metadata.
    """
    changed, moved = _difference(tuned.rows, start.rows)
    tensors: Tensors = {"index": changed, "moved": moved.values, "scale": moved.scale}
    metadata = {"format": FORMAT, "start": fingerprint(start), **about}
    write_bytes(path, to_bytes(tensors, metadata))


def _difference(tuned: Table, start: Table) -> tuple[NDArray[np.int32], Table]:
    """The rows that differ, and by what, in int8; those of a loaded patch as they are."""
    if isinstance(tuned, PatchedTable) and _equal(tuned.start, start):
        return tuned.index, tuned.moved
    changed = np.flatnonzero((tuned.dense != start.dense).any(axis=1)).astype(np.int32)
    return changed, quantize(tuned.dense[changed] - start.dense[changed])


def _equal(one: Table, other: Table) -> bool:
    """Whether two tables hold the same numbers; the start may have been loaded twice."""
    return one is other or (
        np.array_equal(one.values, other.values) and np.array_equal(one.scale, other.scale)
    )


def load_patch(path: Path, start: Encoder) -> Encoder:
    """Apply a patch to the encoder that it was made from.

    Raises:
        DataError: the patch is damaged or belongs to other starting vectors.
    """
    tensors, metadata = read_tensors(path, ("index", "moved", "scale"))
    if metadata.get("start") != fingerprint(start):
        raise DataError(
            f"{path}: tuned from other starting vectors than those loaded; "
            "fit it again with: python -m runs.pipeline.ship"
        )
    try:
        moved = Table(tensors["moved"], tensors["scale"])
        return Encoder(start.tokenizer, PatchedTable(start.rows, tensors["index"], moved))
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None
