"""Train the two LSA spaces of the distributional features.

TakeLab's spaces, learned from the New York Times Annotated Corpus and from
Wikipedia, are not to be had. These two are learned by gensim from the English
sentences of news translations and from everyday sentences (Tatoeba, captions,
questions), each sentence a document. Sentences of any STS file are left out.

    python -m features.word_spaces.lsa --data DIR
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import numpy as np

from embeddings.encoder import Encoder
from embeddings.formats.single_file import save_encoder
from embeddings.tokenizers.words import WordTokenizer
from features.resources import PRETRAINED
from sts.command_line import run_tool
from sts.data.catalog import all_data_sets
from sts.data.fetch import load
from sts.errors import DataError
from sts.files import decode, split_lines
from sts.text.tokenizer import STOP_WORDS, fold, words

SOURCES: dict[str, tuple[str, ...]] = {
    "lsa-news": ("bitext/news.en-*.tsv.gz", "bitext/ntrex.en-*.tsv.gz"),
    "lsa-daily": (
        "bitext/tatoeba.en-*.tsv.gz",
        "paraphrases/flickr30k-captions.tsv.gz",
        "paraphrases/quora-duplicates.tsv.gz",
    ),
}
"""Files of each space; of bitext the first column, of paraphrases both, are English."""

TOPICS = 100
RAREST_COUNT = 5
KNOWN_WORDS = 15_000


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


def train(texts: list[list[str]], *, topics: int = TOPICS, seed: int = 0) -> Encoder:
    """Word vectors U·S of a tf-idf weighted word-by-sentence matrix."""
    from gensim.corpora import Dictionary
    from gensim.models import LsiModel, TfidfModel

    dictionary = Dictionary(texts)
    dictionary.filter_extremes(no_below=RAREST_COUNT, no_above=1.0, keep_n=KNOWN_WORDS)
    bags = [dictionary.doc2bow(text) for text in texts]
    tfidf = TfidfModel(bags)
    model = LsiModel(
        tfidf[bags], id2word=dictionary, num_topics=topics, random_seed=seed, chunksize=50_000
    )
    vectors = (model.projection.u * model.projection.s).astype(np.float32)
    known = [dictionary[row] for row in range(len(dictionary))]
    empty_bucket = np.zeros((1, vectors.shape[1]), np.float32)
    return Encoder(WordTokenizer(known, 1), np.vstack([vectors, empty_bucket]))


def main() -> None:
    """Train both spaces and write them to ``features/pretrained``."""
    parser = argparse.ArgumentParser(prog="python -m features.word_spaces.lsa", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with bitext/ and so on")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    held_out = held_out_sentences(options.data)
    for name, patterns in SOURCES.items():
        texts = documents(options.data, patterns, held_out, stop_words=STOP_WORDS)
        encoder = train(texts, seed=options.seed)
        save_encoder(PRETRAINED / f"{name}.safetensors", encoder, documents=str(len(texts)))
        print(f"{name}: {len(encoder.tokenizer.known)} words from {len(texts)} sentences")


if __name__ == "__main__":
    run_tool(main)
