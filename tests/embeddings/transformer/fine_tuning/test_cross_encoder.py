"""Training of a tiny cross-encoder: it learns, and its scores do not depend on the order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from embeddings.training.configuration import FineTuning
from embeddings.transformer.fine_tuning.cross_encoders.cross_encoder import (
    CrossEncoder,
    both_orders,
    initial_head,
    train_cross_encoder,
)
from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from embeddings.transformer.network import embedded, run_layers
from sts.scoring.classification import roc_auc
from tests.embeddings.transformer.fine_tuning import tiny

LEFT, RIGHT, _ = tiny.pairs(48)
GOLD = np.array([float("aa" in f"{a} {b}") for a, b in zip(LEFT, RIGHT, strict=True)])
HOW = FineTuning(epochs=50, batch=12, learning_rate=3e-3, frozen=0, dropout=0.0, head_rate=3.0)


@pytest.fixture(scope="module")
def trained() -> CrossEncoder:
    return train_cross_encoder(tiny.network(), LEFT, RIGHT, GOLD, HOW)


def test_it_learns_which_pairs_mean_the_same(trained: CrossEncoder) -> None:
    before = CrossEncoder(tiny.network(), initial_head(tiny.network(), 0)).predict(LEFT, RIGHT)
    assert roc_auc(GOLD, before) < 0.8
    assert roc_auc(GOLD, trained.predict(LEFT, RIGHT)) > 0.85


def test_a_score_is_the_mean_of_both_orders_to_the_last_bit(trained: CrossEncoder) -> None:
    found = trained.predict(LEFT, RIGHT)
    np.testing.assert_array_equal(found, trained.predict(RIGHT, LEFT))
    np.testing.assert_array_equal(found[3:5], trained.predict(LEFT[3:5], RIGHT[3:5]))
    orders = both_orders(LEFT[:1], RIGHT[:1])
    assert orders == both_orders(RIGHT[:1], LEFT[:1])
    encoded = tiny.tokenizer().encode_batch(orders)
    ids, types = (np.array([getattr(e, k) for e in encoded]) for k in ("ids", "type_ids"))
    weights, seen = trained.network.weights, np.ones(ids.shape, np.float32)
    first = embedded(weights, tiny.SHAPE, ids, types)
    states = run_layers(weights, tiny.SHAPE, first, seen, 0)[-1]
    inner = np.tanh(np.asarray(states)[:, 0] @ trained.head["dense"].T + trained.head["bias"])
    expected = expit(inner @ trained.head["out"] + trained.head["level"]).mean()
    np.testing.assert_allclose(found[0], expected, rtol=1e-4)


def test_it_is_saved_and_read(tmp_path: Path, trained: CrossEncoder) -> None:
    start = tiny.network()
    save_tuning(tmp_path / "a", start, trained.network, {"head": trained.head})
    network, own = load_tuning(tmp_path / "a", start)
    name = "encoder.layer.1.output.dense.weight"
    moved = np.abs(trained.network.weights[name] - start.weights[name]).max(axis=1, keepdims=True)
    rounded = np.abs(network.weights[name] - trained.network.weights[name])
    assert rounded.max() > 0 and (rounded <= moved / 120).all()  # int8, of each row
    save_tuning(tmp_path / "b", start, network, own)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    again, own = load_tuning(tmp_path / "b", start)
    assert CrossEncoder(again, own["head"]).digest == CrossEncoder(network, own["head"]).digest
