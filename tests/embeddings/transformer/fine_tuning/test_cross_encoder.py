"""Training of a tiny cross-encoder: it learns, and its scores do not depend on the order."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit, logit

from embeddings.transformer.fine_tuning.cross_encoder import (
    SLOPE,
    CrossEncoder,
    CrossEncoderLoss,
    both_orders,
    comparing_head,
    cosines,
    initial_head,
    train_cross_encoder,
)
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Tokens
from embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from embeddings.transformer.fine_tuning.trained_vectors import HEAD, NETWORK
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.network import embedded, run_layers
from sts.errors import StsError
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


def test_the_head_that_compares_begins_with_the_cosine_and_learns() -> None:
    network, how = tiny.network(), replace(HOW, epochs=12)
    known = cosines(network, LEFT, RIGHT)
    head = comparing_head(network, known, GOLD, 0)
    before = CrossEncoder(network, head | {"out": np.zeros(tiny.DIM)}, network)
    odds = logit(before.predict(LEFT, RIGHT))
    np.testing.assert_allclose(odds - odds.mean(), SLOPE * (known - known.mean()), atol=1e-5)
    assert odds.mean() == pytest.approx(logit(GOLD.mean()), abs=1e-5)
    after = train_cross_encoder(network, LEFT, RIGHT, GOLD, how, compares=True)
    assert roc_auc(GOLD, after.predict(LEFT, RIGHT)) > roc_auc(GOLD, before.predict(LEFT, RIGHT))
    np.testing.assert_array_equal(after.predict(LEFT, RIGHT), after.predict(RIGHT, LEFT))


def test_what_is_trained_is_what_scores() -> None:
    network = tiny.network()
    known = cosines(network, LEFT[:6], RIGHT[:6])
    model = CrossEncoder(network, comparing_head(network, known, GOLD[:6], 1), network)
    texts = both_orders(LEFT[:6], RIGHT[:6])
    lower = LowerLayers(network.weights, network.shape, Tokens.of(network, texts), 0)
    batch, loss = lower.batch(np.arange(12)), CrossEncoderLoss(network.shape, 0, 0.0, True)
    parameters = {NETWORK: dict(network.weights), HEAD: model.head}
    gold = np.zeros(12, np.float32)
    found = [float(loss(parameters, batch, None, np.repeat(known, 2), gold + g)) for g in (0, 1)]
    # The entropy of gold 0 less that of gold 1 is the mean of the numbers before the logistic.
    odds = logit(model.predict(LEFT[:6], RIGHT[:6]))
    assert found[0] - found[1] == pytest.approx(odds.mean(), abs=1e-3)


def test_a_network_of_one_token_type_does_not_compare() -> None:
    name = "embeddings.token_type_embeddings.weight"
    start = tiny.network()
    start = start.with_weights({**start.weights, name: start.weights[name][:1]})
    with pytest.raises(StsError, match="one token type"):
        train_cross_encoder(start, LEFT, RIGHT, GOLD, HOW, compares=True)


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


def test_gold_of_one_value_is_refused() -> None:
    with pytest.raises(StsError, match="all 2 pairs have the gold 0; expected"):
        train_cross_encoder(tiny.network(), ["aa", "bb"], ["cc", "dd"], np.zeros(2), HOW)
