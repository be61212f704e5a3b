"""Save and load encoders: safetensors and JSON, never pickle.

A saved encoder is one ``.safetensors`` file: the table as int8 with one float32
scale a row, the known words as UTF-8 joined by newlines, and a JSON metadata
block. Tuned encoders are saved as *patches*: only the rows that differ from
the encoder they were tuned from. Encoders that other libraries are to read are
saved as folders, see :mod:`embeddings.formats.folder`.
"""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path

import numpy as np

from embeddings.encoder import Encoder, SentenceEncoder
from embeddings.formats.word2vec import (
    from_keyed_vectors,
    hashed_rows,
    load_word_vectors,
    to_keyed_vectors,
)
from embeddings.table import Table, quantize
from embeddings.tokenizers.huggingface import HuggingFaceTokenizer
from embeddings.tokenizers.sentencepiece import SentencePieceTokenizer
from embeddings.tokenizers.words import WordTokenizer
from sts.errors import DataError, StsError, UnknownNameError
from sts.files import sha256_of_bytes, write_bytes
from sts.tensors import (
    FORMAT,
    Tensors,
    pack,
    read_metadata,
    read_tensors,
    to_bytes,
    unpack,
)

__all__ = [
    "BUNDLED",
    "DEFAULT",
    "FORMAT",
    "Tensors",
    "about",
    "as_int8",
    "fingerprint",
    "from_keyed_vectors",
    "hashed_rows",
    "load",
    "load_encoder",
    "load_patch",
    "load_word_vectors",
    "read_tensors",
    "save_encoder",
    "save_patch",
    "to_bytes",
    "to_keyed_vectors",
]

BUNDLED = {
    name: Path(__file__).parents[1] / "pretrained" / f"{name}.safetensors"
    for name in ("paragram", "paragram-small")
}
DEFAULT = "paragram"

CROSSLINGUAL = {
    name: Path(__file__).parents[1] / "pretrained" / f"{name}.safetensors"
    for name in ("bitext-sp", "bitext-teacher")
}
"""Bundled encoders of several languages, see :mod:`embeddings.multilingual`."""

LANGUAGES = "languages"
"""The key of a file's metadata that tells that it holds several languages."""


def load(name_or_path: str | Path = DEFAULT) -> Encoder:
    """An encoder by bundled name, from a file, or from a folder.

    ``.safetensors`` is our own format; any other file (``.txt``, ``.vec``,
    ``.gz``, ``.bin``) is word2vec or GloVe, see
    :func:`~embeddings.formats.word2vec.from_keyed_vectors`. A folder is our own
    (:mod:`embeddings.formats.folder`), model2vec's, or one of sentence-transformers with
    a StaticEmbedding (:mod:`embeddings.formats.static_models`).

    Raises:
        DataError: the file or folder is missing, damaged or not an encoder.
        UnknownNameError: neither a bundled name nor a file.
    """
    if str(name_or_path) in BUNDLED:
        return _load_bundled(str(name_or_path))
    path = find(name_or_path)
    if path.is_dir():
        from embeddings.formats.folder import load_folder

        return load_folder(path)
    if path.suffix == ".safetensors":
        return load_encoder(path)
    return load_word_vectors(path)


def find(name_or_path: str | Path) -> Path:
    """The file or folder of an encoder.

    Raises:
        DataError: a file that is not there.
        UnknownNameError: neither a bundled name nor a file.
    """
    bundled = BUNDLED | CROSSLINGUAL
    path = bundled.get(str(name_or_path), Path(name_or_path))
    if not path.exists() and path.suffix:
        raise DataError(f"{path}: no such file; the bundled encoders are: {', '.join(bundled)}")
    if not path.exists():
        raise UnknownNameError("encoder or vector file", str(name_or_path), list(bundled))
    return path


@lru_cache(maxsize=len(BUNDLED))
def _load_bundled(name: str) -> Encoder:
    return load_encoder(BUNDLED[name])


def about(name_or_path: str | Path) -> dict[str, str]:
    """What the file or folder of an encoder says about itself: recipe, licence, format."""
    path = find(name_or_path)
    path = path / "model.safetensors" if path.is_dir() else path
    return read_metadata(path) if path.suffix == ".safetensors" and path.exists() else {}


def as_int8(table: Table) -> Table:
    """The table as it is if it is int8 already, so that no number moves; else quantised."""
    return table if table.values.dtype == np.int8 else quantize(table.dense)


def save_encoder(path: Path, encoder: Encoder, **about: str) -> None:
    """Write an encoder as int8; ``about`` goes into the metadata.

    Raises:
        StsError: the encoder holds another library's tokenizer, for which one
            file has no room, or ``path`` cannot be written.
    """
    if not isinstance(encoder.tokenizer, WordTokenizer):
        raise StsError(f"{path}: one file cannot hold another library's tokenizer; name a folder")
    table = as_int8(encoder.rows)
    tensors: Tensors = {
        "rows": table.values,
        "scale": table.scale,
        "words": pack(encoder.tokenizer.known),
    }
    metadata = {"format": FORMAT, "buckets": str(encoder.tokenizer.buckets), **about}
    write_bytes(path, to_bytes(tensors, metadata))


def load_encoder(path: Path) -> Encoder:
    """Read what :func:`save_encoder` wrote."""
    if LANGUAGES in (metadata := read_metadata(path)):
        raise DataError(
            f"{path}: an encoder of several languages ({metadata[LANGUAGES]}); expected one of "
            "a single language here"
        )
    tensors, metadata = read_tensors(path, ("rows", "scale", "words"))
    try:
        buckets = int(metadata.get("buckets", "0"))
        vocabulary = WordTokenizer(unpack(tensors["words"]), buckets)
        return Encoder(vocabulary, Table(tensors["rows"], tensors["scale"]))
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None


def save_patch(path: Path, tuned: Encoder, start: Encoder, **about: str) -> None:
    """Write by how much the rows of ``tuned`` differ from those of ``start``, as int8.

    The differences are small beside the rows, so their rounding is finer than
    that of the rows in half precision would be.
    """
    changed = np.flatnonzero((tuned.table != start.table).any(axis=1)).astype(np.int32)
    moved = quantize(tuned.table[changed] - start.table[changed])
    tensors: Tensors = {"index": changed, "moved": moved.values, "scale": moved.scale}
    metadata = {"format": FORMAT, "start": fingerprint(start), **about}
    write_bytes(path, to_bytes(tensors, metadata))


def load_patch(path: Path, start: Encoder) -> Encoder:
    """Apply a patch to the encoder that it was made from.

    Raises:
        DataError: the patch is damaged or belongs to other starting vectors.
    """
    tensors, metadata = read_tensors(path, ("index", "moved", "scale"))
    if metadata.get("start") != fingerprint(start):
        raise DataError(
            f"{path}: tuned from other starting vectors than those loaded; "
            "fit it again with: python -m runs.pipeline.shipped"
        )
    table = start.table.copy()
    try:
        table[tensors["index"]] += Table(tensors["moved"], tensors["scale"]).dense
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None
    return Encoder(start.tokenizer, table)


def fingerprint(encoder: SentenceEncoder) -> str:
    """sha256 over the words, the buckets and the table: equal exactly for equal encoders."""
    vocabulary = encoder.tokenizer
    header = json.dumps([vocabulary.known, vocabulary.buckets])
    if isinstance(vocabulary, HuggingFaceTokenizer):
        header += vocabulary.to_json()
    if isinstance(vocabulary, SentencePieceTokenizer):
        header += sha256_of_bytes(vocabulary.model)
    parameters = getattr(encoder, "parameters", {})
    header += "".join(name + sha256_of_bytes(parameters[name].tobytes()) for name in parameters)
    return sha256_of_bytes(header.encode() + encoder.table.tobytes())
