"""Tuned encoders are never stale, and learn from strong pairs alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from semaniacs.embeddings.configuration import Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.training.pair_training import Corpus
from semaniacs.runs.pipeline.recipe_parts import Tuning
from semaniacs.runs.pipeline.tuning import encoders
from semaniacs.runs.pipeline.tuning.encoders import strong_pairs
from semaniacs.sts.data.pairs import Pairs

START = Encoder(WordTokenizer(["cat", "dog"], 1), np.eye(3, 4, dtype=np.float32))
TUNING = Tuning(Training(epochs=1))
CORPUS = Corpus([("a cat", "the cat")], ["a cat", "the cat", "dogs"])


def test_the_key_rests_on_everything() -> None:
    other = Encoder(START.tokenizer, START.table + 1)
    gold = Corpus([("a cat", "my cat")], CORPUS.others)
    keys = [
        encoders.key_of(START, TUNING, 0, [CORPUS], []),
        encoders.key_of(other, TUNING, 0, [CORPUS], []),
        encoders.key_of(START, replace(TUNING, strong=4.0), 0, [CORPUS], []),
        encoders.key_of(START, TUNING, 1, [CORPUS], []),
        encoders.key_of(START, TUNING, 0, [gold], []),
        encoders.key_of(START, TUNING, 0, [replace(CORPUS, others=["a cat"])], []),
        encoders.key_of(START, TUNING, 0, [CORPUS, CORPUS], []),
        encoders.key_of(START, TUNING, 0, [CORPUS], [CORPUS]),
    ]
    assert len(set(keys)) == len(keys)
    assert keys[0] == encoders.key_of(START, TUNING, 0, [CORPUS], [])


def scored(name: str, *gold: float) -> Pairs:
    left, right = (tuple(f"{name} {side}{i}" for i in range(len(gold))) for side in "ab")
    return Pairs(name, left, right, np.array(gold))


def test_strong_pairs_are_those_from_3_8_on_and_never_the_unscored() -> None:
    training = [scored("one", 3.8, 3.7999, np.nan, 5.0), scored("two", np.nan, 0.0, 3.8001)]
    strong = strong_pairs(training, TUNING.strong)
    assert strong == [("one a0", "one b0"), ("one a3", "one b3"), ("two a2", "two b2")]
    assert len(strong_pairs(training, 0.0)) == 5
    assert strong_pairs([], 0.0) == []
