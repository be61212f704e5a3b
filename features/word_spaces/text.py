"""The text that the word spaces are learned from, without the sentences of any STS file."""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

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
"""Files of each space; of bitext the first column, of paraphrases both, are English."""


def read_sentences(path: Path) -> Iterator[str]:
    """The English cells of a gzipped TSV."""
    columns = 1 if path.parent.name == "bitext" else 2
    for line in split_lines(decode(gzip.decompress(path.read_bytes()), path)):
        yield from line.split("\t")[:columns]


def held_out_sentences(folder: Path) -> set[str]:
    """Every sentence of any STS file, folded: nothing is learned from them."""
    return {
        fold(sentence)
        for dataset in all_data_sets()
        for sentence in load(dataset, folder, with_gold=False).sentences()
    }


def documents(
    folder: Path,
    patterns: Sequence[str],
    held_out: Collection[str],
    *,
    stop_words: Collection[str] = (),
    every: int = 1,
) -> list[list[str]]:
    """Words of every distinct sentence that does not stand in ``held_out``, folded.

    Args:
        folder, patterns: the files.
        held_out: folded sentences to leave out.
        stop_words: words to leave out.
        every: take each so-manieth sentence alone.

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
