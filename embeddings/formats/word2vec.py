"""Read and write word2vec and GloVe vectors."""

from __future__ import annotations

import zlib
from pathlib import Path

import numpy as np

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import write_bytes

_BUCKETS = 4096  # rows that unknown words share
_LARGEST = 1e18  # larger numbers would not be finite in a length or a mean


def load_word_vectors(path: Path) -> Encoder:
    """GloVe or word2vec vectors, text or binary, through gensim's KeyedVectors.

    Raises a DataError for a pickle, or if gensim cannot read the file, or finds no words or no finite
    numbers in it.
    """
    from gensim.models import KeyedVectors

    _refuse_pickle(path)
    binary = path.suffix == ".bin"
    try:
        vectors = KeyedVectors.load_word2vec_format(
            str(path), binary=binary, no_header=not binary and not _has_header(path)
        )
    except (
        ValueError,
        TypeError,
        OverflowError,
        EOFError,
        OSError,
        zlib.error,
        MemoryError,
    ) as error:
        raise DataError(
            f"{path}: neither GloVe nor word2vec vectors ({error!s:.200}); "
            "expected a word and its numbers on each line, or word2vec's binary format as .bin"
        ) from None
    # gensim reads a repeated word once and leaves an empty place at the end.
    known = [word for word in vectors.index_to_key if word is not None]
    table = vectors.vectors[: len(known)]
    if not table.size or not (np.abs(table) <= _LARGEST).all():  # nor is NaN
        raise DataError(f"{path}: expected at least one word, and finite numbers for every word")
    return from_keyed_vectors(known, table)


def _refuse_pickle(path: Path) -> None:
    """Refuse the files of gensim's own ``.save``: they are pickles, which can run code."""
    try:
        with path.open("rb") as file:
            begin = file.read(2)
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror})") from None
    if path.suffix == ".kv" or (begin[:1] == b"\x80" and begin[1:] in b"\2\3\4\5"):
        raise DataError(
            f"{path}: a pickle, which may run code; in gensim, save it with "
            "vectors.save_word2vec_format('vectors.bin', binary=True)"
        )


def _has_header(path: Path) -> bool:
    from gensim.utils import open as open_text

    with open_text(str(path), "rb") as file:
        return len(file.readline().split()) == 2


def from_keyed_vectors(known: list[str], vectors: Vectors) -> Encoder:
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
    hashed = hashed_rows(_BUCKETS, table.shape[1], length)
    return Encoder(WordTokenizer(first, _BUCKETS), np.vstack([table, hashed]))


def hashed_rows(buckets: int, dim: int, length: float, seed: int = 0) -> Vectors:
    """Random directions (buckets, dim) of one length, nearly orthogonal; fixed by the seed."""
    rows = np.random.default_rng(seed).standard_normal((buckets, dim)).astype(np.float32)
    unit: Vectors = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    return unit * np.float32(length)


def write_word2vec(path: Path, encoder: Encoder, *, binary: bool) -> None:
    """Write the known words in word2vec's format, text or binary; hashed rows are left out.

    Raises an StsError for a word that the format cannot hold, or if ``path`` cannot be written.
    """
    known = encoder.tokenizer.known
    table = encoder.table[: len(known)]
    parts = [f"{len(known)} {encoder.dim}\n".encode()]
    numbers = " ".join(["%.9g"] * encoder.dim)  # nine digits restore a float32 exactly
    for word, row in zip(known, table, strict=True):
        if binary:
            parts.append(_spelled(word) + b" " + row.astype("<f4").tobytes() + b"\n")
        else:
            parts.append(_spelled(word) + f" {numbers % tuple(row.tolist())}\n".encode())
    write_bytes(path, b"".join(parts))


def _spelled(word: str) -> bytes:
    try:
        if word and not any(character.isspace() for character in word):
            return word.encode()
    except UnicodeEncodeError:
        pass
    raise StsError(
        f"the word {word!r} cannot be written to a word2vec file; export with --format folder instead"
    )
