"""Training of a tiny bi-encoder: it learns, goes on after a stop, and is saved and read."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from embeddings.training.configuration import FineTuning
from embeddings.training.losses import PAIR_LOSSES
from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder, train_bi_encoder
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Tokens
from embeddings.transformer.fine_tuning.pair_batches import PairBatches, groups_of, numbered
from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from embeddings.transformer.poolings import MultiHead, Pooling
from sts.errors import DataError, StsError
from sts.scoring.classification import roc_auc
from tests.embeddings.transformer.fine_tuning import tiny

LEFT, RIGHT, GOLD = tiny.pairs(48)
HOW = FineTuning(epochs=2, batch=8, learning_rate=3e-3, frozen=0, dropout=0.0)


def train(
    how: FineTuning = HOW, loss: str = "cosent", pooling: Pooling | None = None, **options: Any
) -> BiEncoder:
    return train_bi_encoder(
        tiny.network(), LEFT, RIGHT, GOLD, how, PAIR_LOSSES[loss](), pooling, **options
    )


def vectors(encoder: BiEncoder) -> Any:
    return encoder.encode(LEFT, progress=False)


@pytest.fixture(scope="module")
def trained() -> BiEncoder:
    return train()


def test_the_cosines_follow_the_labels() -> None:
    before = BiEncoder(tiny.network()).predict(LEFT, RIGHT)
    after = train(replace(HOW, epochs=15))
    assert roc_auc(GOLD, before) < 0.7
    assert roc_auc(GOLD, after.predict(LEFT, RIGHT)) > 0.9
    np.testing.assert_allclose(np.linalg.norm(vectors(after), axis=1), 1, rtol=1e-5)


def test_the_same_seed_gives_the_same_bytes_after_a_stop(
    tmp_path: Path, trained: BiEncoder
) -> None:
    class StoppedError(Exception):
        pass

    def stop(done: int, encoder: BiEncoder) -> None:
        raise StoppedError

    checkpoint = tmp_path / "c.safetensors"
    with pytest.raises(StoppedError):
        train(checkpoint=checkpoint, seconds=0, after_epoch=stop)
    assert checkpoint.exists()
    np.testing.assert_array_equal(vectors(train(checkpoint=checkpoint)), vectors(trained))
    assert not np.array_equal(vectors(train(replace(HOW, seed=1))), vectors(trained))


def test_a_network_and_its_pooling_are_saved_and_read(tmp_path: Path) -> None:
    pooling = MultiHead(heads=2, hidden=4)
    made = train(loss="classification", pooling=pooling)
    start, path = tiny.network(), tmp_path / "a.safetensors"
    save_tuning(path, start, made.network, {"pooling": made.own})
    network, own = load_tuning(path, start)
    found = BiEncoder(network, pooling, own["pooling"])
    assert vectors(found).shape == (48, 2 * tiny.DIM)
    np.testing.assert_allclose(vectors(found), vectors(made), atol=0.02)  # differences in int8
    assert np.abs(made.own["w2"]).max() > 0
    path.write_bytes(path.read_bytes()[:-3])
    with pytest.raises(DataError, match="not a tuned transformer"):
        load_tuning(path, start)


def test_pairs_of_which_nothing_can_be_learned_are_refused() -> None:
    with pytest.raises(StsError, match="all 2 pairs have the gold 1; expected"):
        train_bi_encoder(
            tiny.network(), ["aa", "bb"], ["cc", "dd"], np.ones(2), HOW, PAIR_LOSSES["cosent"]()
        )
    with pytest.raises(StsError, match="0 training pairs"):
        train_bi_encoder(tiny.network(), [], [], np.ones(0), HOW, PAIR_LOSSES["cosent"]())


# The order of the pairs

unknown_words = pytest.mark.filterwarnings("ignore:the model has no words")


def batches(left: list[str], right: list[str], how: FineTuning) -> PairBatches:
    texts, own = numbered(left, right)
    network = tiny.network()
    lower = LowerLayers(network.weights, tiny.SHAPE, Tokens.of(network, texts), 1)
    return PairBatches(lower, own, groups_of(own), np.ones(len(own), np.float32), how)


@unknown_words
def test_every_pair_is_in_an_epoch_and_those_that_share_a_sentence_are_together() -> None:
    left = [word for word in "abcdefgh" for _ in range(3)]
    right = [f"{word} {i}" for word in "abcdefgh" for i in range(3)]
    data = batches(left, right, FineTuning(batch=4))
    orders = [data.order(epoch) for epoch in range(3)]
    for order in orders:
        assert sorted(np.concatenate(order).tolist()) == list(range(24))
        assert all(len(np.unique(data.own[pairs])) <= 8 for pairs in order)
        assert data.rounds(0) == 4  # two groups of four sentences a batch
    assert [p.tolist() for p in orders[0]] != [p.tolist() for p in orders[1]]
    shapes = {tuple(a.shape for a in b.extra[2:]) for e in range(3)
              for r in range(data.rounds(e)) for b in data.batches(e, r, None)}  # type: ignore[arg-type]  # fmt: skip
    assert shapes == {((16,), (16,), (16,))}


@unknown_words
def test_a_batch_is_of_one_data_set_and_few_pairs_wait() -> None:
    data = batches(
        [f"a {i}" for i in range(21)], [f"b {i}" for i in range(21)], FineTuning(batch=4)
    )
    sets = np.repeat([0, 1, 2], [10, 10, 1])
    data = replace(data, sets=sets)
    for epoch in range(3):
        order = data.order(epoch)
        assert all(len({*sets[pairs].tolist()}) == 1 for pairs in order)
        assert sorted(map(len, order)) == [1, 2, 2, 4, 4, 4, 4]
    fewer = replace(data, sets=np.repeat([0, 1], [9, 12])).order(0)
    assert sorted(map(len, fewer)) == [4, 4, 4, 4, 4]  # one pair of nine waits
