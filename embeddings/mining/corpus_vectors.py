"""The encoder of a mining command, and the vectors of a corpus on disk."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import SentenceEncoder, unit
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk, write_rows
from semaniacs.embeddings.loading import load
from semaniacs.embeddings.mining.bucc import SentenceFile
from semaniacs.embeddings.mining.neighbours import Rows
from semaniacs.embeddings.table import Vectors
from semaniacs.sts.errors import StsError
from semaniacs.sts.progress import Bar
from semaniacs.sts.text.tokenizer import fold

BATCH = 65536  # sentences encoded at once
PLUS = "+"  # separator between the names of models whose vectors are concatenated


class ConcatenatedEncoder:
    """Unit vectors of several encoders, concatenated: a cosine is the mean of their cosines."""

    def __init__(self, encoders: Sequence[SentenceEncoder]) -> None:
        self.encoders = encoders

    @property
    def dim(self) -> int:
        """Length of a sentence vector."""
        return sum(encoder.dim for encoder in self.encoders)

    def encode(self, sentences: Sequence[str]) -> Vectors:
        """Return vectors (n, dim)."""
        return np.hstack([unit(encoder.encode(sentences)) for encoder in self.encoders])


MiningEncoder = SentenceEncoder | ConcatenatedEncoder


def mining_encoder(model: str, language: str | None) -> MiningEncoder:
    """Return the encoder of a language in a model, or in several models joined by ``+``."""
    names = [model] if Path(model).exists() else model.split(PLUS)
    encoders = [load(name, language) for name in names]
    return encoders[0] if len(encoders) == 1 else ConcatenatedEncoder(encoders)


def vectors_of(encoder: MiningEncoder, sentences: Sequence[str]) -> Vectors:
    """Return vectors (n, dim); a blank sentence has the zero vector, whatever a network gives it."""
    vectors = encoder.encode(sentences)
    vectors[[place for place, sentence in enumerate(sentences) if not sentence.strip()]] = 0
    return vectors


def parts_of(encoder: MiningEncoder) -> Sequence[SentenceEncoder]:
    """Return the encoders that an encoder concatenates, or the encoder itself."""
    return encoder.encoders if isinstance(encoder, ConcatenatedEncoder) else [encoder]


@dataclass(frozen=True)
class CorpusVectors:
    """The vectors of a corpus.

    Attributes:
        rows: vectors of length 1 of the sentences with a word that the model knows.
        places: (len(rows),) places of these in the corpus.
        copies: places of left-out sentences that repeat one, each with the place of that.
    """

    rows: Rows
    places: NDArray[np.int64]
    copies: dict[int, int]


def encode_corpus(
    corpus: SentenceFile,
    encoder: MiningEncoder,
    path: Path,
    *,
    distinct: bool = False,
    seen: Callable[[Iterable[str]], Iterator[str]] = iter,
    batch: int = BATCH,
) -> CorpusVectors:
    """Encode a corpus to a ``.npy`` file, batch by batch; an StsError if the disk has no room for it.

    With ``distinct``, sentences are left out that differ from an earlier one in nothing but case,
    punctuation and spacing; it takes some 100 bytes of memory per sentence. ``seen`` hands sentences
    on, see :func:`semaniacs.sts.text.languages_found.watching`.
    """
    check_room(path.parent, 4 * encoder.dim * len(corpus.ids))
    places: list[NDArray[np.int64]] = []
    copies: dict[int, int] = {}
    sentences = seen(corpus.sentences())
    if distinct:
        sentences = _blank_repeated(sentences, copies)

    def filled_rows() -> Iterator[Vectors]:
        begin = 0
        count = len(corpus.ids)
        for vectors in encoded(sentences, encoder, f"vectors of {corpus.source}", count, batch):
            filled = np.flatnonzero(vectors.any(axis=1))
            places.append(begin + filled)
            yield unit(vectors[filled])
            begin += len(vectors)

    write_rows(path, encoder.dim, filled_rows())
    return CorpusVectors(RowsOnDisk(path), np.concatenate(places), copies)


def encoded(
    sentences: Iterator[str], encoder: MiningEncoder, label: str, total: int, batch: int = BATCH
) -> Iterator[Vectors]:
    """Yield the vectors of sentences, batch by batch, under a progress bar."""
    with Bar(label, "sentences", total) as bar:
        while some := list(islice(sentences, batch)):
            yield vectors_of(encoder, some)
            bar.update(len(some))


def _blank_repeated(sentences: Iterator[str], copies: dict[int, int]) -> Iterator[str]:
    """Yield the sentences, "" for copies of an earlier one, whose places are added to ``copies``."""
    seen: dict[bytes, int] = {}
    for place, sentence in enumerate(sentences):
        folded = fold(sentence)
        digest = blake2b(folded.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        first = seen.setdefault(digest, place)
        repeated = first != place and folded != ""
        if repeated:
            copies[place] = first
        yield "" if repeated else sentence


def check_room(folder: Path, needed: int) -> None:
    """Raise an StsError if a folder has no room for ``needed`` bytes of vectors."""
    free = shutil.disk_usage(folder).free
    if needed > free:
        raise StsError(
            f"{folder}: {free / 1e9:.1f} GB free, the vectors need {needed / 1e9:.1f} GB; "
            "name another folder by TMPDIR"
        )
