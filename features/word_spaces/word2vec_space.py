"""Train the word2vec space of the feature ``word2vec``, by gensim, from the text of the LSA spaces.

    python -m features.word_spaces.word2vec_space --data DIR

Skip-gram with negative sampling (Mikolov et al., 2013). Sentences of any STS
file are left out.
"""

from __future__ import annotations

from itertools import chain
from pathlib import Path

import click
import numpy as np

from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from features.word_spaces.text import RAREST_COUNT, read_texts, save_space, texts_option
from sts.command_line import examples, run_tool, seed_option

DIMENSIONS = 100
KNOWN_WORDS = 30_000
EPOCHS = 20


def train(texts: list[list[str]], *, seed: int = 0) -> Encoder:
    """Word vectors, on one thread so that the same text gives the same vectors."""
    from gensim.models import Word2Vec

    model = Word2Vec(
        texts,
        vector_size=DIMENSIONS,
        window=5,
        min_count=RAREST_COUNT,
        max_final_vocab=KNOWN_WORDS,
        sg=1,
        negative=5,
        sample=1e-4,
        epochs=EPOCHS,
        workers=1,
        seed=seed,
        hashfxn=len,  # unused by current versions, but Python's own differs between processes
    )
    empty_bucket = np.zeros((1, DIMENSIONS), np.float32)
    # What all words share says nothing of any (Mu and Viswanath, 2018).
    centred = model.wv.vectors - model.wv.vectors.mean(axis=0)
    table = np.vstack([centred, empty_bucket])
    return Encoder(WordTokenizer(model.wv.index_to_key, 1), table)


@click.command(epilog=examples("python -m features.word_spaces.word2vec_space --data DIR"))
@texts_option
@seed_option(help="Random seed of the training.")
def main(data: Path, seed: int) -> None:
    """Train the word2vec space and write it to features/pretrained."""
    texts = list(chain.from_iterable(read_texts(data).values()))
    save_space("word2vec", train(texts, seed=seed), texts, "int4")


if __name__ == "__main__":
    run_tool(main)
