"""An encoder of words in one ``.safetensors`` file.

The table is stored as int8 or int4 with one float32 scale per row, the known words as UTF-8 joined
by newlines, deflated beside int4, everything else as JSON metadata. Files of several languages:
:mod:`embeddings.bitext.language_files`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.formats.stored_table import (
    StoredType,
    limit_of,
    read_limit,
    table_in,
    table_names,
    table_tensors,
)
from embeddings.table import Table
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import DataError, StsError
from sts.files import write_bytes
from sts.tensors import (
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

LANGUAGES = "languages"
"""The metadata key that lists the languages."""


def save_encoder(path: Path, encoder: Encoder, dtype: StoredType = "int8", /, **about: str) -> None:
    """Write an encoder of words.

    Args:
        path: the file.
        encoder: what to write; rows of int8, or of int4, are written as they are.
        dtype: of the stored rows; int4 takes half the bytes and rounds more.
        **about: goes into the metadata.

    Raises:
        StsError: the tokenizer is not one of words, or ``path`` cannot be written.
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
    """Return the tensor that holds the words."""
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
    """Read what :func:`save_encoder` wrote.

    Raises:
        DataError: the file is missing, damaged, or holds several languages.
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

    Raises:
        DataError: the file is missing or damaged, or its list of languages is empty.
    """
    if path.suffix != ".safetensors":
        return ()
    about = read_metadata(path)
    languages = tuple(about.get(LANGUAGES, "").split())
    if LANGUAGES in about and not languages:
        raise DataError(f"{path}: damaged (no languages); train it again, or fetch it again")
    return languages
