"""Tuned encoders as patches: only the rows that tuning moved, and by what, in int4."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import Encoder
from embeddings.formats.fingerprint import fingerprint
from embeddings.formats.stored_table import as_int4, is_int4, table_in, table_names, table_tensors
from embeddings.table import PatchedTable, Table
from sts.errors import DataError
from sts.files import sha256_of, write_bytes
from sts.tensors import FORMAT, Tensors, read_tensors, tensor_names, to_bytes

_ROUNDING = 1e-6
"""A row that moved by less of its length was not tuned: its numbers were rounded on the way."""


_HASHED = re.compile(r"encoder-([0-9a-f]{12})\.safetensors")
"""The names of patches that ship: they tell the hash of the file."""


def save_patch(path: Path, tuned: Encoder, start: Encoder, **about: str) -> None:
    """Write the differences between the rows of ``tuned`` and ``start``, as int4.

    The differences are small beside the rows, so rounding them loses less than rounding the
    rows themselves to int8. A loaded patch is written as it was; earlier versions wrote int8.

    Args:
        path: the file.
        tuned: an encoder with the tokenizer of ``start``.
        start: the encoder that it was tuned from.
        **about: further metadata.
    """
    changed, moved = _difference(tuned.rows, start.rows)
    in_int8: Tensors = {"moved": moved.values, "scale": moved.scale}
    tensors = (table_tensors(moved, "int4") if is_int4(moved) else in_int8) | {"index": changed}
    metadata = {"format": FORMAT, "start": fingerprint(start), **about}
    write_bytes(path, to_bytes(tensors, metadata))


def _difference(tuned: Table, start: Table) -> tuple[NDArray[np.int32], Table]:
    """The rows that were tuned, and by what; those of a loaded patch as they are, others int4."""
    if isinstance(tuned, PatchedTable) and _equal(tuned.start, start):
        return tuned.index, tuned.moved
    moved = tuned.dense - start.dense
    lengths = np.linalg.norm(start.dense, axis=1)
    changed = np.flatnonzero(np.linalg.norm(moved, axis=1) > _ROUNDING * lengths)
    return changed.astype(np.int32), as_int4(Table(moved[changed]))


def _equal(one: Table, other: Table) -> bool:
    """Return whether two tables hold the same numbers; the start may have been loaded twice."""
    return one is other or (
        np.array_equal(one.values, other.values) and np.array_equal(one.scale, other.scale)
    )


def load_patch(path: Path, start: Encoder) -> Encoder:
    """Apply a patch to the encoder that it was made from.

    Raises:
        DataError: the patch is damaged, is not what its name says, or belongs to other starting vectors.
    """
    named = _HASHED.fullmatch(path.name)
    if named and path.is_file() and not sha256_of(path).startswith(named[1]):
        raise DataError(f"{path}: has changed since it was written; restore it, or fit it again")
    held = tensor_names(path)
    in_int8 = not held & {"pairs"}  # as earlier versions wrote them
    names = ("moved", "scale") if in_int8 else table_names(held)
    tensors, metadata = read_tensors(path, ("index", *names))
    if metadata.get("start") != fingerprint(start):
        raise DataError(
            f"{path}: tuned from other starting vectors than those loaded; "
            "fit it again with: python -m runs.recipes.ship"
        )
    try:
        moved = Table(tensors["moved"], tensors["scale"]) if in_int8 else table_in(tensors)
        return start.with_table(PatchedTable(start.rows, tensors["index"], moved))
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None
