"""Pairs a second in training, next to sentence-transformers; and what a larger vocabulary costs.

    pip install -r requirements-peers.txt
    python -m runs.benchmarks.train --data DIR

Both train the mean of word rows, 300 dimensions, with the multiple-negatives
ranking loss and Adam on the same pairs in batches of 128, over the same
vocabulary, from strings to updated rows. Then our steps alone are timed over
50,000 and 500,000 words, the words of the pairs scattered over the whole table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from embeddings.encoder import Encoder
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.words import WordTokenizer
from embeddings.training.configuration import Training
from embeddings.training.objectives import RankingLoss
from embeddings.training.pairs.corpora import SentencePair, read_corpus
from runs.benchmarks.timing import take_turns
from runs.options import new_parser, require_peers
from runs.tables.format import text_table
from sts.command_line import run_tool
from sts.text.tokenizer import words

BATCH, DIM, STEPS, ROUNDS = 128, 300, 200, 2
SMALL, LARGE = 50_000, 500_000
CONFIGURATION = Training(
    epochs=1,
    batch=BATCH,
    objective=RankingLoss(),
    l2_to_init=0.0,
    optimizer="adam",
    learning_rate=1e-3,
)


def read_pairs(data: Path) -> list[SentencePair]:
    """As many pairs as the steps need, of all kinds of sentences."""
    corpora = ("quora-duplicates", "asset", "flickr30k-captions", "msrp-positives")
    pairs = [p for name in corpora for p in read_corpus(data / "paraphrases" / f"{name}.tsv.gz")]
    chosen = np.random.default_rng(0).permutation(len(pairs))[: BATCH * STEPS]
    return [pairs[i] for i in chosen]


def scattered_vocabulary(pairs: list[SentencePair], size: int) -> WordTokenizer:
    """The words of the pairs, most frequent first, and made-up ones, in random order."""
    counts = Counter(word for pair in pairs for side in pair for word in words(side))
    known = [word for word, _ in counts.most_common(size)]
    known += [f"x{number}" for number in range(size - len(known))]
    return WordTokenizer([known[i] for i in np.random.default_rng(0).permutation(size)], buckets=1)


def random_encoder(vocabulary: WordTokenizer) -> Encoder:
    """A table that nothing was learned from yet."""
    rng = np.random.default_rng(0)
    return Encoder(vocabulary, rng.standard_normal((len(vocabulary), DIM), np.float32))


def peer(pairs: list[SentencePair], vocabulary: WordTokenizer) -> Callable[[], Any]:
    """sentence-transformers' own module and loss, in a plain torch loop."""
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.losses import MultipleNegativesRankingLoss
    from sentence_transformers.models import StaticEmbedding

    from embeddings.tokenizers.wordpiece import to_wordpiece

    tokenizer = to_wordpiece(vocabulary)

    def work() -> None:
        module = StaticEmbedding(tokenizer, embedding_dim=DIM)
        model = SentenceTransformer(modules=[module], device="cpu")
        loss_of = MultipleNegativesRankingLoss(model)
        optimizer = torch.optim.Adam(model.parameters(), lr=CONFIGURATION.learning_rate)
        for begin in range(0, len(pairs), BATCH):
            left, right = zip(*pairs[begin : begin + BATCH], strict=True)
            features = [model.preprocess(list(side)) for side in (left, right)]
            optimizer.zero_grad()
            loss_of(features, labels=None).backward()
            optimizer.step()

    return work


def ours(pairs: list[SentencePair], encoder: Encoder) -> Callable[[], Any]:
    """The same with our trainer, from strings to the tuned encoder."""
    from embeddings.training.pairs.pair_data import Corpus
    from embeddings.training.pairs.pair_training import train

    return lambda: train(encoder, [Corpus(pairs)], CONFIGURATION)


def steps_alone(pairs: list[SentencePair], encoder: Encoder) -> Callable[[], Any]:
    """All steps of an epoch over a table that is in memory already."""
    from embeddings.training.loop import run
    from embeddings.training.optimizers import make_optimizer
    from embeddings.training.pairs.pair_data import Corpus, PairData
    from embeddings.training.sentence_model import SentenceModel

    data = PairData.of([Corpus(pairs)], encoder, CONFIGURATION)
    # Not compacted, as if every word of the vocabulary were in use.
    segments = Ragged(data.active[data.segments.flat], data.segments.offsets)
    data = replace(data, segments=segments)
    model = SentenceModel(encoder.table, make_optimizer(CONFIGURATION.optimizer), data.loss)
    return lambda: run(model, data, CONFIGURATION, label="steps")


def main() -> None:
    """Time, and print two tables."""
    parser = new_parser("runs.benchmarks.train", __doc__, data=False)
    parser.add_argument("--data", type=Path, required=True, help="folder with paraphrases/")
    options = parser.parse_args()
    require_peers("torch", "sentence_transformers")
    pairs = read_pairs(options.data)
    vocabularies = {size: scattered_vocabulary(pairs, size) for size in (SMALL, LARGE)}
    encoders = {size: random_encoder(v) for size, v in vocabularies.items()}
    theirs = {
        "sentence-transformers": peer(pairs, vocabularies[SMALL]),
        "ours": ours(pairs, encoders[SMALL]),
    }
    seconds = take_turns(theirs, ROUNDS)
    slowest = seconds["sentence-transformers"]
    rows = [
        (name, f"{len(pairs) / s:,.0f}", f"{1000 * s / STEPS:.2f}", f"{slowest / s:.1f}")
        for name, s in seconds.items()
    ]
    print(text_table((f"{SMALL:,} words", "pairs/s", "ms a step", "ratio"), rows))
    alone = {f"{size:,}": steps_alone(pairs, encoder) for size, encoder in encoders.items()}
    seconds = take_turns(alone, ROUNDS)
    small = seconds[f"{SMALL:,}"]
    growth = [(name, f"{1000 * s / STEPS:.2f}", f"{s / small:.2f}") for name, s in seconds.items()]
    print()
    print(text_table(("words", "ms a step", "ratio"), growth))


if __name__ == "__main__":
    run_tool(main)
