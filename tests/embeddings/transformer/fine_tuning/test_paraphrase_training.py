"""Training on paraphrases: what stands in a batch, what is searched, and that it is learned."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.training.configuration import FineTuning
from embeddings.training.losses import MarginScale
from embeddings.training.negatives import HardNegatives
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.fine_tuning.bi_encoder import HEAD, BiEncoder
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Tokens
from embeddings.transformer.fine_tuning.pair_batches import meanings, numbered
from embeddings.transformer.fine_tuning.paraphrase_training import (
    MegaBatch,
    ParaphraseBatches,
    train_on_paraphrases,
)
from embeddings.transformer.fine_tuning.upper_layers import (
    starting_parameters,
    unit_vectors,
)
from embeddings.transformer.poolings import Mean, MultiHead, Pooling, WeightedLayers
from sts.scoring.classification import roc_auc
from tests.embeddings.transformer.fine_tuning import tiny

HOW = FineTuning(epochs=2, batch=4, learning_rate=3e-3, frozen=2, dropout=0.0)
LEFT, RIGHT, GOLD = tiny.pairs(60)
ALIKE = np.flatnonzero(GOLD == 1)
A, B = ([side[i] for i in ALIKE] for side in (LEFT, RIGHT))


def data_of(mega: MegaBatch, how: FineTuning = HOW) -> tuple[ParaphraseBatches, Trainable]:
    texts, own = numbered(A, B)
    network = tiny.network()
    lower = LowerLayers(network.weights, tiny.SHAPE, Tokens.of(network, texts), 2)
    given = np.full((len(own), 1), -1)
    given[0] = own[5, 0]
    known = meanings(own, len(texts))
    model = Trainable(starting_parameters(network, how, Mean()) | {HEAD: {}}, lambda *_: 0.0)  # type: ignore[arg-type, return-value]
    return ParaphraseBatches(lower, own, given, known, how, Mean(), mega), model


def test_pairs_connect_what_means_the_same() -> None:
    found = meanings(np.array([[0, 1], [1, 2], [3, 4]]), 6)
    assert found[0] == found[1] == found[2]
    assert found[3] == found[4]
    assert len(set(found.tolist())) == 3


def test_negatives_of_a_batch_by_hand() -> None:
    data, model = data_of(MegaBatch(100, HardNegatives(closest=1), most=100))
    texts, own = numbered(A, B)
    network = tiny.network()
    vectors = BiEncoder(network).encode(texts, progress=False)
    cosines = vectors @ vectors.T
    seen = 0
    for pairs, batch in zip(data.order(1), data.batches(1, 0, model), strict=True):
        *_, left, right, hard, never = batch.extra
        for row, pair in enumerate(pairs):
            a, b = own[pair]
            assert text_at(data, batch, left[row]) == a
            assert text_at(data, batch, right[row]) == b
            others = data.meaning != data.meaning[a]
            best = np.flatnonzero(others)[np.argmax(cosines[a][others])]
            allowed = [hard[place] for place in range(len(hard)) if not never[row, 4 + place]]
            assert best in [text_at(data, batch, place) for place in allowed]
            assert never[row, row]
            seen += 1
    assert seen == len(A)


def text_at(data: ParaphraseBatches, batch: Batch, place: int) -> int:
    """Which sentence stands there in a batch, by the states of its tokens."""
    rows = batch.extra[0]
    found = rows.tokens.reshape(-1, tiny.DIM)[rows.places[place]][rows.mask[place] > 0]
    starts, states = data.lower.tokens.starts, data.lower._states
    texts = pairwise(starts.tolist())
    same = [np.array_equal(states[begin:end], found) for begin, end in texts]
    assert sum(same) == 1
    return same.index(True)


@pytest.mark.parametrize("pooling", [Mean(), MultiHead(2, 4), WeightedLayers()])
def test_vectors_in_training_are_those_of_the_encoder(pooling: Pooling) -> None:
    network = tiny.network()
    tokens = Tokens.of(network, LEFT)
    lower = LowerLayers(network.weights, tiny.SHAPE, tokens, 2)
    start = starting_parameters(network, HOW, pooling)
    rows = np.array([7, 3, 50, 3])
    found = unit_vectors(start, lower, pooling, rows)
    encoder = BiEncoder(network, pooling, start["pooling"])
    expected = encoder.encode([LEFT[row] for row in rows], progress=False)
    np.testing.assert_allclose(found, expected, atol=2e-3)  # the states are in half precision


def train(how: FineTuning = HOW, mega: MegaBatch | None = None, **options: Any) -> BiEncoder:
    given = [None, "aa ee", *(None for _ in A[2:])]
    return train_on_paraphrases(
        tiny.network(), A, B, how, MarginScale(scale=10), given, mega, **options
    )


def test_paraphrases_move_together_and_a_stop_changes_no_byte(tmp_path: Path) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int, encoder: BiEncoder) -> None:
        raise StoppedError

    mega = MegaBatch(3, HardNegatives(closest=2))
    how = replace(HOW, epochs=8, frozen=0)
    before = roc_auc(GOLD, BiEncoder(tiny.network()).predict(LEFT, RIGHT))
    made = train(how, mega)
    assert before < 0.7
    assert roc_auc(GOLD, made.predict(LEFT, RIGHT)) > before + 0.1
    checkpoint = tmp_path / "c.safetensors"
    with pytest.raises(StoppedError):
        train(how, mega, checkpoint=checkpoint, seconds=0, after_epoch=stop)
    again = train(how, mega, checkpoint=checkpoint)
    np.testing.assert_array_equal(again.encode(A), made.encode(A))
