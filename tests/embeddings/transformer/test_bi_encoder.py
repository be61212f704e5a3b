"""Training of a tiny bi-encoder on gold or paraphrases: it learns, resumes, is saved and read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.training.losses import PAIR_LOSSES, MarginScale
from semaniacs.embeddings.training.negatives import HardNegatives
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import (
    BiEncoder,
    train_bi_encoder,
    train_on_paraphrases,
)
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Tokens
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import (
    MegaBatch,
    PairBatches,
    groups_of,
    numbered,
)
from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from semaniacs.embeddings.transformer.poolings import MultiHead, Pooling
from semaniacs.sts.errors import DataError
from semaniacs.sts.scoring.classification import roc_auc
from tests.embeddings.stopping import StopAfter, StoppedError
from tests.embeddings.transformer import tiny

LEFT, RIGHT, GOLD = tiny.pairs(48)
HOW = FineTuning(epochs=2, batch=8, learning_rate=3e-3, frozen=0, dropout=0.0)


def train(
    how: FineTuning = HOW, loss: str = "cosent", pooling: Pooling | None = None, **options: Any
) -> BiEncoder:
    return train_bi_encoder(
        tiny.network(), LEFT, RIGHT, GOLD, how, PAIR_LOSSES[loss](), pooling, **options
    )


def test_the_cosines_follow_the_labels() -> None:
    before = BiEncoder(tiny.network()).predict(LEFT, RIGHT)
    after = train(replace(HOW, epochs=15))
    assert roc_auc(GOLD, before) < 0.7
    assert roc_auc(GOLD, after.predict(LEFT, RIGHT)) > 0.9
    np.testing.assert_allclose(np.linalg.norm(after.encode(LEFT), axis=1), 1, rtol=1e-5)


def test_a_network_and_its_pooling_are_saved_and_read(tmp_path: Path) -> None:
    pooling = MultiHead(heads=2, hidden=4)
    made = train(loss="classification", pooling=pooling)
    start, path = tiny.network(), tmp_path / "a.safetensors"
    save_tuning(path, start, made.network, {"pooling": made.own})
    network, own = load_tuning(path, start)
    found = BiEncoder(network, pooling, own["pooling"])
    vectors = found.encode(LEFT)
    assert vectors.shape == (48, 2 * tiny.DIM)
    np.testing.assert_allclose(vectors, made.encode(LEFT), atol=0.02)  # differences in int8
    assert np.abs(made.own["w2"]).max() > 0
    with pytest.raises(DataError, match="was tuned from other weights than those here; if it"):
        load_tuning(path, start.with_weights(tiny.random_weights(1)))
    written = path.read_bytes()
    for damaged, message in (
        (written[:-3], "damaged or not a safetensors file"),
        (written[:-1] + bytes([written[-1] ^ 1]), "damaged, not the weights that were written"),
    ):
        path.write_bytes(damaged)
        with pytest.raises(DataError, match=message):
            load_tuning(path, start)


@pytest.mark.filterwarnings("ignore:the model has no words")
def test_every_pair_is_in_an_epoch_and_those_that_share_a_sentence_are_together() -> None:
    left = [word for word in "abcdefgh" for _ in range(3)]
    right = [f"{word} {i}" for word in "abcdefgh" for i in range(3)]
    (texts, own), network = numbered(left, right), tiny.network()
    lower = LowerLayers(network, Tokens.of(network, texts), 1)
    gold = np.ones(len(own), np.float32)
    data = PairBatches(lower, own, groups_of(own), gold, FineTuning(batch=4))
    orders = [data.order(epoch) for epoch in range(3)]
    for order in orders:
        assert sorted(np.concatenate(order).tolist()) == list(range(24))
        assert all(len(np.unique(data.own[pairs])) <= 8 for pairs in order)
        assert data.rounds(0) == 4  # two groups of four sentences a batch
    assert [p.tolist() for p in orders[0]] != [p.tolist() for p in orders[1]]
    for epoch in range(3):
        for number in range(data.rounds(epoch)):
            (batch,) = data.batches(epoch, number, None)  # type: ignore[arg-type]
            assert [array.shape for array in batch.extra[2:]] == [(16,)] * 3


ALIKE = np.flatnonzero(GOLD == 1)
A, B = ([side[i] for i in ALIKE] for side in (LEFT, RIGHT))


def train_paraphrases(**options: Any) -> BiEncoder:
    given = [None, "aa ee", *(None for _ in A[2:])]
    how, mega = replace(HOW, epochs=8, batch=4), MegaBatch(3, HardNegatives(closest=2))
    return train_on_paraphrases(
        tiny.network(), A, B, how, MarginScale(scale=10), given, mega, **options
    )


def test_paraphrases_move_together_and_a_stop_changes_no_byte(tmp_path: Path) -> None:
    before = roc_auc(GOLD, BiEncoder(tiny.network()).predict(LEFT, RIGHT))
    made = train_paraphrases()
    assert before < 0.7
    assert roc_auc(GOLD, made.predict(LEFT, RIGHT)) > before + 0.1
    checkpoint = tmp_path / "c.safetensors"
    with pytest.raises(StoppedError):
        train_paraphrases(checkpoint=checkpoint, seconds=0, evaluate=StopAfter(3))
    again = train_paraphrases(checkpoint=checkpoint)
    np.testing.assert_array_equal(again.encode(A), made.encode(A))
