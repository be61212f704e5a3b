"""Train the word spaces that ship, and write them.

    python -m semaniacs.features.word_spaces --data DIR

TakeLab's LSA spaces, learned from the New York Times Annotated Corpus and from Wikipedia, are not
public. Ours are learned by gensim from the English sentences of news translations and from everyday
sentences (Tatoeba, captions, questions), each sentence a document. Sentences of any STS file are left
out.
"""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import click
import numpy as np

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.features.batch import Column
from semaniacs.features.resources import PRETRAINED
from semaniacs.sts.command_line import data_option, examples, run_tool, seed_option
from semaniacs.sts.data.catalog import all_data_sets
from semaniacs.sts.data.fetch import load
from semaniacs.sts.encodings import decode
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import split_lines
from semaniacs.sts.text.tokenizer import STOP_WORDS, fold, words

SOURCES: dict[str, tuple[str, ...]] = {
    "lsa-news": ("bitext/news.en-*.tsv.gz", "bitext/ntrex.en-*.tsv.gz"),
    "lsa-daily": (
        "bitext/tatoeba.en-*.tsv.gz",
        "paraphrases/flickr30k-captions.tsv.gz",
        "paraphrases/quora-duplicates.tsv.gz",
    ),
}
"""Files of each LSA space; of bitext the first column, of paraphrases both, are English."""

RAREST_COUNT = 5  # A word that occurs less often gets no vector

Texts = list[list[str]]


def read_texts(folder: Path, *, stop_words: Collection[str] = ()) -> dict[str, Texts]:
    """Return the :func:`documents` of each LSA space."""
    held_out = {
        fold(sentence)
        for dataset in all_data_sets()
        for sentence in load(dataset, folder, with_gold=False).sentences()
    }
    return {
        space: documents(folder, patterns, held_out, stop_words=stop_words)
        for space, patterns in SOURCES.items()
    }


def documents(
    folder: Path,
    patterns: Sequence[str],
    held_out: Collection[str],
    *,
    stop_words: Collection[str] = (),
) -> Texts:
    """Return the words of every distinct sentence that is not held out.

    Args:
        held_out: sentences to leave out, folded.

    Raises:
        DataError: a pattern matches no file.
    """
    sentences: dict[str, None] = {}
    for pattern in patterns:
        paths = sorted(folder.glob(pattern))
        if not paths:
            raise DataError(f"{folder / pattern}: no such file; give the data folder with --data")
        for path in paths:
            sentences.update(dict.fromkeys(_read_sentences(path)))
    return [
        [word for word in words(sentence) if word not in stop_words]
        for sentence in sentences
        if fold(sentence) not in held_out
    ]


def _read_sentences(path: Path) -> Iterator[str]:
    columns = 1 if path.parent.name == "bitext" else 2
    for line in split_lines(decode(gzip.decompress(path.read_bytes()), path)):
        yield from line.split("\t")[:columns]


def train_lsa(texts: Texts, *, topics: int = 100, seed: int = 0) -> Encoder:
    """Return word vectors U·S of a tf-idf weighted word-by-sentence matrix."""
    from gensim.corpora import Dictionary
    from gensim.models import LsiModel, TfidfModel

    dictionary = Dictionary(texts)
    dictionary.filter_extremes(no_below=RAREST_COUNT, no_above=1.0, keep_n=15_000)
    bags = [dictionary.doc2bow(text) for text in texts]
    weighted = TfidfModel(bags)[bags]
    model = LsiModel(
        weighted, id2word=dictionary, num_topics=topics, random_seed=seed, chunksize=50_000
    )
    vectors = (model.projection.u * model.projection.s).astype(np.float32)
    return _space([dictionary[row] for row in range(len(dictionary))], vectors)


def _space(known: Sequence[str], vectors: Column) -> Encoder:
    empty_bucket = np.zeros((1, vectors.shape[1]), np.float32)
    return Encoder(WordTokenizer(known, 1), np.vstack([vectors, empty_bucket]))


def _save(name: str, space: Encoder, texts: Texts) -> None:
    save_encoder(PRETRAINED / f"{name}.safetensors", space, "int4", documents=str(len(texts)))
    print(f"{name}: {len(space.tokenizer.known)} words from {len(texts)} sentences")


@click.command(epilog=examples("python -m semaniacs.features.word_spaces --data DIR"))
@data_option(required=True, help="Folder with bitext/ and paraphrases/.")
@seed_option(help="Random seed of the training.")
def main(data: Path, seed: int) -> None:
    """Train the word spaces and write them to features/pretrained."""
    for name, texts in read_texts(data, stop_words=STOP_WORDS).items():
        _save(name, train_lsa(texts, seed=seed), texts)


if __name__ == "__main__":
    run_tool(main)
