"""Train the word spaces that ship, and the transform of the feature ``usif``, and write them.

    python -m semaniacs.features.word_spaces lsa --data DIR

TakeLab's LSA spaces, learned from the New York Times Annotated Corpus and from Wikipedia, are not
public. Ours are learned by gensim from the English sentences of news translations and from everyday
sentences (Tatoeba, captions, questions), each sentence a document. The word2vec space uses the text
of both. Sentences of any STS file are left out.
"""

from __future__ import annotations

import gzip
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from pathlib import Path

import click
import numpy as np

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import save_encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.features.batch import Batch, Column
from semaniacs.features.families.vectors import PATH, Usif, means
from semaniacs.features.resources import PRETRAINED, Resources
from semaniacs.sts.command_line import data_option, examples, run_tool, seed_option
from semaniacs.sts.data.catalog import all_data_sets
from semaniacs.sts.data.fetch import load
from semaniacs.sts.encodings import decode
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import split_lines, write_bytes
from semaniacs.sts.tensors import FORMAT, to_bytes
from semaniacs.sts.text.analysis import Sentence, frequencies
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

LENGTH = 11  # average sentence length n of the random walk (Ethayarajh, 2018)

DIRECTIONS = 5  # common directions that are taken away

Texts = list[list[str]]


def read_texts(
    folder: Path, *, stop_words: Collection[str] = (), every: int = 1
) -> dict[str, Texts]:
    """Return the :func:`documents` of each LSA space."""
    held_out = {
        fold(sentence)
        for dataset in all_data_sets()
        for sentence in load(dataset, folder, with_gold=False).sentences()
    }
    return {
        space: documents(folder, patterns, held_out, stop_words=stop_words, every=every)
        for space, patterns in SOURCES.items()
    }


def documents(
    folder: Path,
    patterns: Sequence[str],
    held_out: Collection[str],
    *,
    stop_words: Collection[str] = (),
    every: int = 1,
) -> Texts:
    """Return the words of every distinct sentence that is not held out.

    Args:
        held_out: sentences to leave out, folded.
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
            sentences.update(dict.fromkeys(_read_sentences(path)))
    return [
        [word for word in words(sentence) if word not in stop_words]
        for sentence in list(sentences)[::every]
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


def train_word2vec(texts: Texts, *, epochs: int = 20, seed: int = 0) -> Encoder:
    """Return skip-gram vectors with negative sampling (Mikolov et al., 2013), trained on one thread."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        texts,
        vector_size=100,
        window=5,
        min_count=RAREST_COUNT,
        max_final_vocab=30_000,
        sg=1,
        negative=5,
        sample=1e-4,
        epochs=epochs,
        workers=1,
        seed=seed,
        hashfxn=len,  # unused by current versions, but Python's own differs between processes
    )
    # What all words share says nothing of any (Mu and Viswanath, 2018).
    return _space(model.wv.index_to_key, model.wv.vectors - model.wv.vectors.mean(axis=0))


def _space(known: Sequence[str], vectors: Column) -> Encoder:
    empty_bucket = np.zeros((1, vectors.shape[1]), np.float32)
    return Encoder(WordTokenizer(known, 1), np.vstack([vectors, empty_bucket]))


def smoothing(frequencies: Sequence[float]) -> float:
    """Return a from the frequencies of all v words: a = (1 − α) / (α Z), Z = v / 2."""
    size = len(frequencies)
    threshold = 1 - (1 - 1 / size) ** LENGTH
    alpha = sum(p > threshold for p in frequencies) / size
    return (1 - alpha) / (alpha * size / 2)


def fit_directions(vectors: Column, a: float) -> Usif:
    """Return the common directions of weighted sentence vectors (s, dim).

    Ethayarajh (2018) fits them on the sentences that are compared. Ours are fitted once, so that a
    sentence has the same vector in every file.
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    values, directions = np.linalg.eigh((unit.T @ unit).astype(np.float64))
    strongest = np.argsort(-values)[:DIRECTIONS]
    shares = values[strongest] / values[strongest].sum()
    signed = directions[:, strongest].T
    signed *= np.sign(signed.sum(axis=1, keepdims=True))
    return Usif(a, signed.astype(np.float32), shares.astype(np.float32))


def _save(name: str, space: Encoder, texts: Texts) -> None:
    save_encoder(PRETRAINED / f"{name}.safetensors", space, "int4", documents=str(len(texts)))
    print(f"{name}: {len(space.tokenizer.known)} words from {len(texts)} sentences")


def _save_directions(data: Path) -> None:
    texts = chain.from_iterable(read_texts(data, every=8).values())
    a = smoothing(list(frequencies()))
    sentences = [Sentence(" ".join(t), tuple(t), ("",) * len(t)) for t in texts if t]
    blank = Usif(a, np.zeros((1, 1), np.float32), np.zeros(1, np.float32))
    model = fit_directions(means(Batch(sentences, sentences, Resources()), blank), a)
    tensors = {"a": np.array([a]), "directions": model.directions, "shares": model.shares}
    write_bytes(PATH, to_bytes(tensors, {"format": FORMAT, "sentences": str(len(sentences))}))
    print(f"{PATH.name}: {DIRECTIONS} directions of {len(sentences)} sentences, a = {a:.2e}")


@click.command(epilog=examples("python -m semaniacs.features.word_spaces lsa --data DIR"))
@click.argument("kind", type=click.Choice(["lsa", "word2vec", "usif"]))
@data_option(required=True, help="Folder with bitext/ and paraphrases/.")
@seed_option(help="Random seed of the training.")
def main(kind: str, data: Path, seed: int) -> None:
    """Train the word spaces of one KIND and write them to features/pretrained."""
    if kind == "lsa":
        for name, texts in read_texts(data, stop_words=STOP_WORDS).items():
            _save(name, train_lsa(texts, seed=seed), texts)
    elif kind == "word2vec":
        texts = list(chain.from_iterable(read_texts(data).values()))
        _save("word2vec", train_word2vec(texts, seed=seed), texts)
    else:
        _save_directions(data)


if __name__ == "__main__":
    run_tool(main)
