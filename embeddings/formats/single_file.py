"""One encoder in one ``.safetensors`` file: words, their rows in int8, and metadata.

The table is stored as int8 with one float32 scale a row, the known words as UTF-8 joined
by newlines, everything else as JSON metadata.
"""

from __future__ import annotations

from pathlib import Path

from embeddings.encoder import Encoder
from embeddings.formats.several_languages import languages_in
from embeddings.table import Table, as_int8
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import DataError, StsError
from sts.files import write_bytes
from sts.tensors import (
    FORMAT,
    Tensors,
    pack,
    read_tensors,
    to_bytes,
    unpack,
)


def save_encoder(path: Path, encoder: Encoder, **about: str) -> None:
    """Write an encoder as int8; ``about`` goes into the metadata.

    Raises:
        StsError: the tokenizer is not one of words, or ``path`` cannot be written.
    """
    if not isinstance(encoder.tokenizer, WordTokenizer):
        raise StsError(
            f"{path}: a {type(encoder.tokenizer).__name__} cannot be written as one file, which "
            "holds a tokenizer of words; name a folder"
        )
    table = as_int8(encoder.rows)
    tensors: Tensors = {
        "rows": table.values,
        "scale": table.scale,
        "words": pack(encoder.tokenizer.known),
    }
    metadata = {"format": FORMAT, "buckets": str(encoder.tokenizer.buckets), **about}
    write_bytes(path, to_bytes(tensors, metadata))


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
    tensors, metadata = read_tensors(path, ("rows", "scale", "words"))
    try:
        buckets = int(metadata.get("buckets", "0"))
        tokenizer = WordTokenizer(unpack(tensors["words"]), buckets)
        return Encoder(tokenizer, Table(tensors["rows"], tensors["scale"]))
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None
