"""Text for training word spaces: without the sentences of any STS file."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from embeddings.encoder import Encoder
from embeddings.formats.single_file import StoredType, save_encoder
from features.resources import PRETRAINED
from sts.command_line import data_option
from sts.data.catalog import all_data_sets
from sts.data.fetch import load
from sts.errors import DataError
from sts.files import decode, split_lines
from sts.text.tokenizer import fold, words

SOURCES: dict[str, tuple[str, ...]] = {
    "lsa-news": ("bitext/news.en-*.tsv.gz", "bitext/ntrex.en-*.tsv.gz"),
    "lsa-daily": (
        "bitext/tatoeba.en-*.tsv.gz",
        "paraphrases/flickr30k-captions.tsv.gz",
        "paraphrases/quora-duplicates.tsv.gz",
    ),
}
"""Files of each LSA space; of bitext the first column, of paraphrases both, are English."""

RAREST_COUNT = 5
"""A word that occurs less often gets no vector."""


texts_option = data_option(required=True, help="Folder with bitext/ and paraphrases/.")


def save_space(
    name: str, space: Encoder, texts: Sequence[object], dtype: StoredType = "int8"
) -> None:
    """Write a space that was trained on these texts to ``features/pretrained``, and say so."""
    save_encoder(PRETRAINED / f"{name}.safetensors", space, dtype, documents=str(len(texts)))
    print(f"{name}: {len(space.tokenizer.known)} words from {len(texts)} sentences")


def read_texts(
    folder: Path, *, stop_words: Collection[str] = (), every: int = 1
) -> dict[str, list[list[str]]]:
    """The :func:`documents` of each LSA space."""
    held_out = {
        fold(sentence)
        for dataset in all_data_sets()
        for sentence in load(dataset, folder, with_gold=False).sentences()
    }
    return {
        space: documents(folder, patterns, held_out, stop_words=stop_words, every=every)
        for space, patterns in SOURCES.items()
    }


def read_sentences(path: Path) -> Iterator[str]:
    """The English cells of a gzipped TSV."""
    columns = 1 if path.parent.name == "bitext" else 2
    for line in split_lines(decode(gzip.decompress(path.read_bytes()), path)):
        yield from line.split("\t")[:columns]


def documents(
    folder: Path,
    patterns: Sequence[str],
    held_out: Collection[str],
    *,
    stop_words: Collection[str] = (),
    every: int = 1,
) -> list[list[str]]:
    """The words of every distinct sentence that is not held out.

    Args:
        folder, patterns: the files.
        held_out: sentences to leave out, folded.
        stop_words: words to leave out.
        every: 8 takes one sentence in eight.

    Raises:
        DataError: a pattern matches no file.
    """
    sentences: dict[str, None] = {}
    for pattern in patterns:
        paths = sorted(folder.glob(pattern))
        if not paths:
            raise DataError(f"{folder / pattern}: no such file; give the data folder with --data")
        for path in paths:
            sentences.update(dict.fromkeys(read_sentences(path)))
    return [
        [word for word in words(sentence) if word not in stop_words]
        for sentence in list(sentences)[::every]
        if fold(sentence) not in held_out
    ]
