"""Save and load encoders: safetensors and JSON, never pickle.

A saved encoder is one ``.safetensors`` file: the table as int8 with one float32
scale a row, the known words as UTF-8 joined by newlines, and a JSON metadata
block. Tuned encoders are saved as *patches*: only the rows that differ from
the encoder they were tuned from.
"""

from __future__ import annotations

import json
import zlib
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors import SafetensorError
from safetensors.numpy import load as load_tensors
from safetensors.numpy import save as save_tensors

from embeddings.encoders import Encoder
from embeddings.tables import Table, Vectors, quantize
from embeddings.vocabulary import Vocabulary
from sts.errors import DataError, UnknownNameError
from sts.files import sha256_of_bytes, write_bytes

BUNDLED = {"paragram": Path(__file__).parent / "pretrained" / "paragram.safetensors"}
DEFAULT = "paragram"
FORMAT = "1"

Tensors = dict[str, NDArray[Any]]


def load(name_or_path: str | Path = DEFAULT) -> Encoder:
    """An encoder by bundled name, or from a file.

    ``.safetensors`` is our own format. ``.txt``, ``.vec``, ``.gz`` (GloVe or
    word2vec text) and ``.bin`` (word2vec) are read by gensim, see
    :func:`from_keyed_vectors`.

    Raises:
        DataError: the file is missing, damaged or not an encoder.
        UnknownNameError: neither a bundled name nor a file.
    """
    if str(name_or_path) in BUNDLED:
        return _load_bundled(str(name_or_path))
    path = Path(name_or_path)
    if not path.exists() and path.suffix:
        raise DataError(f"{path}: no such file; the bundled encoders are: {', '.join(BUNDLED)}")
    if not path.exists():
        raise UnknownNameError("encoder or vector file", str(name_or_path), list(BUNDLED))
    if path.suffix == ".safetensors":
        return load_encoder(path)
    return load_word_vectors(path)


@lru_cache(maxsize=len(BUNDLED))
def _load_bundled(name: str) -> Encoder:
    return load_encoder(BUNDLED[name])


def to_bytes(tensors: Tensors, metadata: dict[str, str]) -> bytes:
    """A safetensors file whose bytes are the same every time.

    The library writes the metadata in random order, so its header is written here.
    """
    raw = save_tensors(tensors)
    start = 8 + int.from_bytes(raw[:8], "little")
    header = {"__metadata__": dict(sorted(metadata.items())), **json.loads(raw[8:start])}
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)  # the numbers that follow are aligned
    return len(text).to_bytes(8, "little") + text + raw[start:]


def save_encoder(path: Path, encoder: Encoder, **about: str) -> None:
    """Write an encoder as int8; ``about`` goes into the metadata."""
    table = quantize(encoder.table)
    known = "\n".join(encoder.vocabulary.known).encode("utf-8", "surrogatepass")
    tensors: Tensors = {
        "rows": table.values,
        "scale": table.scale,
        "words": np.frombuffer(known, np.uint8),
    }
    metadata = {"format": FORMAT, "buckets": str(encoder.vocabulary.buckets), **about}
    write_bytes(path, to_bytes(tensors, metadata))


def load_encoder(path: Path) -> Encoder:
    """Read what :func:`save_encoder` wrote."""
    tensors, metadata = read_tensors(path, ("rows", "scale", "words"))
    try:
        known = tensors["words"].tobytes().decode("utf-8", "surrogatepass")
        buckets = int(metadata.get("buckets", "0"))
        vocabulary = Vocabulary(known.split("\n") if known else [], buckets)
        return Encoder(vocabulary, Table(tensors["rows"], tensors["scale"]))
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None


def save_patch(path: Path, tuned: Encoder, start: Encoder, **about: str) -> None:
    """Write the rows in which ``tuned`` differs from ``start``, as float16.

    Float16, not int8: what is written must be what was evaluated to four digits.
    """
    changed = np.flatnonzero((tuned.table != start.table).any(axis=1)).astype(np.int32)
    tensors: Tensors = {"index": changed, "rows": tuned.table[changed].astype(np.float16)}
    metadata = {"format": FORMAT, "start": fingerprint(start), **about}
    write_bytes(path, to_bytes(tensors, metadata))


def load_patch(path: Path, start: Encoder) -> Encoder:
    """Apply a patch to the encoder that it was made from.

    Raises:
        DataError: the patch is damaged or belongs to other starting vectors.
    """
    tensors, metadata = read_tensors(path, ("index", "rows"))
    if metadata.get("start") != fingerprint(start):
        raise DataError(
            f"{path}: tuned from other starting vectors than those loaded; "
            "fit it again with: python -m runs.bundle"
        )
    table = start.table.copy()
    try:
        table[tensors["index"]] = tensors["rows"].astype(np.float32)
    except (ValueError, IndexError) as error:
        raise DataError(f"{path}: damaged ({error})") from None
    return Encoder(start.vocabulary, table)


def fingerprint(encoder: Encoder) -> str:
    """sha256 over the words, the buckets and the table: equal exactly for equal encoders."""
    header = json.dumps([encoder.vocabulary.known, encoder.vocabulary.buckets])
    return sha256_of_bytes(header.encode() + encoder.table.tobytes())


def read_tensors(path: Path, expected: tuple[str, ...]) -> tuple[Tensors, dict[str, str]]:
    """The tensors and the metadata of a safetensors file.

    Raises:
        DataError: missing, damaged, another format version, or without ``expected``.
    """
    try:
        raw = path.read_bytes()
        tensors = load_tensors(raw)
    except FileNotFoundError:
        raise DataError(f"{path}: no such file") from None
    except (OSError, SafetensorError, ValueError) as error:
        raise DataError(f"{path}: damaged or not a safetensors file ({error})") from None
    header = json.loads(raw[8 : 8 + int.from_bytes(raw[:8], "little")])
    metadata = header.get("__metadata__", {})
    missing = [name for name in expected if name not in tensors]
    if missing or metadata.get("format") != FORMAT:
        raise DataError(
            f"{path}: format {metadata.get('format')!r} without {missing}; "
            f"expected format {FORMAT!r} with {', '.join(expected)}"
        )
    return tensors, metadata


def load_word_vectors(path: Path) -> Encoder:
    """GloVe or word2vec vectors, text or binary, through gensim's KeyedVectors.

    Raises:
        DataError: gensim cannot read the file, or finds no words or no finite numbers in it.
    """
    from gensim.models import KeyedVectors

    binary = path.suffix == ".bin"
    try:
        vectors = KeyedVectors.load_word2vec_format(
            str(path), binary=binary, no_header=not binary and not _has_header(path)
        )
    except (ValueError, TypeError, EOFError, OSError, zlib.error, MemoryError) as error:
        raise DataError(
            f"{path}: neither GloVe nor word2vec vectors ({error}); "
            "expected a word and its numbers on each line, or word2vec's binary format"
        ) from None
    # A word that stands twice is read once, and gensim leaves an empty place at the end.
    known = [word for word in vectors.index_to_key if word is not None]
    table = vectors.vectors[: len(known)]
    if not table.size or not np.isfinite(table).all():
        raise DataError(f"{path}: expected at least one word, and finite numbers for every word")
    return from_keyed_vectors(known, table)


def _has_header(path: Path) -> bool:
    from gensim.utils import open as open_text

    with open_text(str(path), "rb") as file:
        return len(file.readline().split()) == 2


def from_keyed_vectors(known: list[str], vectors: Vectors, *, buckets: int = 4096) -> Encoder:
    """An encoder over another project's words.

    Words are lower-cased; of several spellings the first, the most frequent in
    the usual files, stays. Unknown words get fixed random rows of half the
    median length, see :func:`hashed_rows`.
    """
    first: dict[str, int] = {}
    for row, word in enumerate(known):
        first.setdefault(word.lower(), row)
    table = np.asarray(vectors, np.float32)[list(first.values())]
    length = float(np.median(np.linalg.norm(table, axis=1))) / 2
    hashed = hashed_rows(buckets, table.shape[1], length)
    return Encoder(Vocabulary(first, buckets), np.vstack([table, hashed]))


def hashed_rows(buckets: int, dim: int, length: float, seed: int = 0) -> Vectors:
    """Random directions (buckets, dim) of one length: nearly orthogonal, the same every time."""
    rows = np.random.default_rng(seed).standard_normal((buckets, dim)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit * np.float32(length)


def to_keyed_vectors(encoder: Encoder) -> Any:
    """The known words as gensim KeyedVectors, for the word-to-word features."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(encoder.dim)
    vectors.add_vectors(
        list(encoder.vocabulary.known), encoder.table[: len(encoder.vocabulary.known)]
    )
    return vectors
