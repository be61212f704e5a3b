"""Train the two LSA spaces of the distributional features.

TakeLab's spaces, learned from the New York Times Annotated Corpus and from
Wikipedia, are not to be had. These two are learned by gensim from the English
sentences of news translations and from everyday sentences (Tatoeba, captions,
questions), each sentence a document. Sentences of any STS file are left out.

    python -m features.word_spaces.lsa --data DIR
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np

from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from features.word_spaces.text import RAREST_COUNT, read_texts, save_space, texts_option
from sts.command_line import examples, run_tool, seed_option
from sts.text.tokenizer import STOP_WORDS

TOPICS = 100
KNOWN_WORDS = 15_000


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


@click.command(epilog=examples("python -m features.word_spaces.lsa --data DIR"))
@texts_option
@seed_option(help="Random seed of the decomposition.")
def main(data: Path, seed: int) -> None:
    """Train both LSA spaces and write them to features/pretrained."""
    for name, texts in read_texts(data, stop_words=STOP_WORDS).items():
        save_space(name, train(texts, seed=seed), texts)


if __name__ == "__main__":
    run_tool(main)
