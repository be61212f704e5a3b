"""An encoder of words in one ``.safetensors`` file, whole or as a patch of another encoder.

The table is stored as int8 or int4 with one float32 scale per row, the known words as UTF-8 joined
by newlines, deflated beside int4, everything else as JSON metadata. A patch holds only the rows
that tuning moved, and by what, in int4. Files of several languages:
:mod:`semaniacs.embeddings.bitext.language_files`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import Encoder, SentenceEncoder
from semaniacs.embeddings.table import (
    KEPT_INT8,
    PatchedTable,
    Table,
    as_int4,
    as_int8,
    is_int4,
    pack_int4,
    steps_of,
    unpack_int4,
)
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import sha256_of, write_bytes
from semaniacs.sts.tensors import (
    FORMAT,
    Tensors,
    deflate,
    inflate,
    name_held,
    pack,
    read_metadata,
    read_tensors,
    tensor_names,
    to_bytes,
    unpack,
)

StoredType = Literal["int8", "int4"]
"""Types of a stored number; an int4 table takes half the bytes of an int8 one."""

LANGUAGES = "languages"  # the metadata key that lists the languages
_LIMIT = "limit"  # the metadata key that says where the numbers of a mean are cut


def table_tensors(table: Table, dtype: StoredType = "int8", prefix: str = "") -> Tensors:
    """Return the tensors that hold a table, with ``prefix`` before their names.

    An int8 table is stored exactly as int8; as int4 it is if :func:`.table.as_int4` made it.
    """
    if dtype == "int8":
        rounded = table if table.by_column else as_int8(table)
        return {f"{prefix}rows": rounded.values, f"{prefix}scale": rounded.scale}
    rounded, whole = as_int4(table), len(table) // KEPT_INT8
    steps = steps_of(rounded.values[whole:])
    return {
        f"{prefix}rows": rounded.values[:whole],
        f"{prefix}pairs": pack_int4(rounded.values[whole:] // steps),
        f"{prefix}steps": steps,
        f"{prefix}scale": rounded.scale,
    }


def table_in(tensors: Tensors, prefix: str = "") -> Table:
    """Return the int8 table that :func:`table_tensors` stored.

    Raises a ValueError if the tensors do not fit each other, a KeyError if one is missing.
    """
    rows, scale = tensors[f"{prefix}rows"], tensors[f"{prefix}scale"]
    if f"{prefix}pairs" not in tensors:
        return Table(rows, scale)
    others = unpack_int4(tensors[f"{prefix}pairs"], tensors[f"{prefix}steps"])
    return Table(np.concatenate([rows, others]), scale)


def table_names(held: Iterable[str], prefix: str = "") -> tuple[str, ...]:
    """Return the names of the tensors of a table in a file that holds the tensors ``held``."""
    int4 = ("pairs", "steps") if f"{prefix}pairs" in held else ()
    return tuple(prefix + part for part in ("rows", *int4, "scale"))


def limit_of(encoder: SentenceEncoder) -> dict[str, str]:
    """Return metadata that say where the numbers of a mean are cut; none if they are not."""
    return {} if encoder.limit is None else {_LIMIT: repr(encoder.limit)}


def read_limit(about: Mapping[str, str]) -> float | None:
    """Read the limit that :func:`limit_of` wrote; a ValueError if it is no number above 0."""
    if _LIMIT not in about:
        return None
    limit = float(about[_LIMIT])
    if not 0 < limit < math.inf:
        raise ValueError(f"limit {limit}; expected a number above 0")
    return limit


def save_encoder(path: Path, encoder: Encoder, dtype: StoredType = "int8", /, **about: str) -> None:
    """Write an encoder of words; rows of int8, or of int4, are written as they are.

    int4 takes half the bytes and rounds more. ``about`` is further metadata. Raises an StsError if the
    tokenizer is not one of words, or ``path`` cannot be written.
    """
    if not isinstance(encoder.tokenizer, WordTokenizer):
        raise StsError(
            f"{path}: a {type(encoder.tokenizer).__name__} cannot be written as one file, which "
            "holds a tokenizer of words; name a folder"
        )
    tensors, metadata = table_with_words(encoder, dtype)
    write_bytes(path, to_bytes(tensors, metadata | about))


def table_with_words(encoder: SentenceEncoder, dtype: StoredType) -> tuple[Tensors, dict[str, str]]:
    """Return the tensors and the metadata of a table and its words."""
    tensors = table_tensors(encoder.rows, dtype) | words_tensor(encoder.tokenizer.known, dtype)
    about = {"format": FORMAT, "buckets": str(encoder.tokenizer.buckets)}
    return tensors, about | limit_of(encoder)


def words_tensor(known: Sequence[str], dtype: StoredType, prefix: str = "") -> Tensors:
    """Return the tensor of the words."""
    return small({f"{prefix}words": pack(known)}, dtype)


def small(tensors: Tensors, dtype: StoredType) -> Tensors:
    """Compress the tensors for int4."""
    return deflate(tensors) if dtype == "int4" else tensors


def read_table(path: Path) -> tuple[Table, Tensors, dict[str, str]]:
    """Return the table of a file, and all of its tensors and metadata."""
    held = tensor_names(path)
    tensors, about = read_tensors(path, (*table_names(held), name_held("words", held)))
    return table_in(tensors), inflate(tensors), about


def load_encoder(path: Path) -> Encoder:
    """Read a file that :func:`save_encoder` wrote.

    Raises a DataError if it is missing, damaged, or holds several languages.
    """
    if several := languages_in(path):
        raise DataError(
            f"{path}: an encoder of several languages ({' '.join(several)}); expected one of "
            "a single language here"
        )
    try:
        table, tensors, metadata = read_table(path)
        buckets = int(metadata.get("buckets", "0"))
        tokenizer = WordTokenizer(unpack(tensors["words"]), buckets)
        return Encoder(tokenizer, table, read_limit(metadata))
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None


def languages_in(path: Path) -> tuple[str, ...]:
    """Return the codes of the languages that a file holds; none if it is not of this format.

    Raises a DataError if it is missing or damaged, or its list of languages is empty.
    """
    if path.suffix != ".safetensors":
        return ()
    about = read_metadata(path)
    languages = tuple(about.get(LANGUAGES, "").split())
    if LANGUAGES in about and not languages:
        raise DataError(f"{path}: damaged (no languages); train it again, or fetch it again")
    return languages


_ROUNDING = 1e-6
"""A row that moved by less of its length was not tuned: its numbers were rounded on the way."""

_HASHED = re.compile(r"encoder-([0-9a-f]{12})\.safetensors")
"""Names of patches that ship, which contain the hash of the file."""


def save_patch(path: Path, tuned: Encoder, start: Encoder, **about: str) -> None:
    """Write the differences between the rows of ``tuned`` and ``start``, the encoder it was tuned from.

    The differences are small beside the rows, so rounding them to int4 loses less than rounding the
    rows themselves to int8. A loaded patch is written as it was; earlier versions wrote int8.
    """
    changed, moved = _difference(tuned.rows, start.rows)
    in_int8: Tensors = {"moved": moved.values, "scale": moved.scale}
    tensors = (table_tensors(moved, "int4") if is_int4(moved) else in_int8) | {"index": changed}
    metadata = {"format": FORMAT, "start": start.digest, **about}
    write_bytes(path, to_bytes(tensors, metadata))


def _difference(tuned: Table, start: Table) -> tuple[NDArray[np.int32], Table]:
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

    Raises a DataError if it is damaged, its hash is not the one in its name, or it belongs to other
    starting vectors.
    """
    named = _HASHED.fullmatch(path.name)
    if named and path.is_file() and not sha256_of(path).startswith(named[1]):
        raise DataError(f"{path}: has changed since it was written; restore it, or fit it again")
    held = tensor_names(path)
    in_int8 = not held & {"pairs"}  # as earlier versions wrote them
    names = ("moved", "scale") if in_int8 else table_names(held)
    tensors, metadata = read_tensors(path, ("index", *names))
    if metadata.get("start") != start.digest:
        raise DataError(
            f"{path}: tuned from other starting vectors than those loaded; "
            "fit it again with: python -m semaniacs.runs.recipes.ship"
        )
    try:
        moved = Table(tensors["moved"], tensors["scale"]) if in_int8 else table_in(tensors)
        return start.with_table(PatchedTable(start.rows, tensors["index"], moved))
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None
