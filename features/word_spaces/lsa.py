"""Train the two LSA spaces of the distributional features.

TakeLab's spaces, learned from the New York Times Annotated Corpus and from
Wikipedia, are not to be had. These two are learned by gensim from the English
sentences of news translations and from everyday sentences (Tatoeba, captions,
questions), each sentence a document. Sentences of any STS file are left out.

    python -m features.word_spaces.lsa --data DIR
"""

from __future__ import annotations

import numpy as np

from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from features.word_spaces.text import RAREST_COUNT, parser_of, read_texts, save_space
from sts.command_line import run_tool, seed
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


def main() -> None:
    """Train both spaces and write them to ``features/pretrained``."""
    parser = parser_of("lsa", __doc__)
    parser.add_argument("--seed", type=seed, default=0, help="of the decomposition (default: 0)")
    options = parser.parse_args()
    for name, texts in read_texts(options.data, stop_words=STOP_WORDS).items():
        save_space(name, train(texts, seed=options.seed), texts)


if __name__ == "__main__":
    run_tool(main)
