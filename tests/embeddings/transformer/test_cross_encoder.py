"""A tiny cross-encoder learns, whatever the order of the sides."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.special import expit

from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.transformer.fine_tuning.reader import CrossEncoder
from semaniacs.embeddings.transformer.fine_tuning.reader_training import (
    train_cross_encoder,
    untrained_layers,
)
from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from semaniacs.embeddings.transformer.network import embedded, run_layers
from semaniacs.sts.errors import DataError
from semaniacs.sts.scoring.classification import roc_auc
from semaniacs.sts.tensors import open_tensors, to_bytes
from tests.embeddings.transformer import tiny

LEFT, RIGHT, _ = tiny.pairs(48)
GOLD = np.array([float("aa" in f"{a} {b}") for a, b in zip(LEFT, RIGHT, strict=True)])
START = tiny.network()


@pytest.fixture(scope="module")
def encoder() -> CrossEncoder:
    how = FineTuning(epochs=50, batch=12, learning_rate=3e-3, dropout=0.0, head_rate=3.0)
    return train_cross_encoder(START, LEFT, RIGHT, GOLD, how)


def test_it_learns_which_pairs_mean_the_same(encoder: CrossEncoder) -> None:
    unread = CrossEncoder(START, untrained_layers(START, 0)).predict(LEFT, RIGHT)
    assert roc_auc(GOLD, unread) < 0.8
    assert roc_auc(GOLD, encoder.predict(LEFT, RIGHT)) > 0.85


def test_a_score_is_that_of_the_pair_alone_and_of_both_orders_to_the_last_bit(
    encoder: CrossEncoder,
) -> None:
    found = encoder.predict(LEFT, RIGHT)
    np.testing.assert_array_equal(found, encoder.predict(RIGHT, LEFT))
    np.testing.assert_array_equal(found[3:5], encoder.predict(LEFT[3:5], RIGHT[3:5]))
    assert encoder.predict([], []).shape == (0,)


def test_it_is_saved_and_read(tmp_path: Path, encoder: CrossEncoder) -> None:
    save_tuning(tmp_path / "a", START, encoder.network, {"head": encoder.head})
    network, own = load_tuning(tmp_path / "a", START)
    name = "encoder.layer.1.output.dense.weight"
    moved = np.abs(encoder.network.weights[name] - START.weights[name]).max(axis=1, keepdims=True)
    lost = np.abs(network.weights[name] - encoder.network.weights[name])
    assert lost.max() > 0 and (lost <= moved / 120).all()  # int8, of each row
    save_tuning(tmp_path / "b", START, network, own)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    again, own = load_tuning(tmp_path / "b", START)
    assert CrossEncoder(again, own["head"]).digest == CrossEncoder(network, own["head"]).digest


def test_changes_of_a_low_rank_are_the_nearest_ones(tmp_path: Path, encoder: CrossEncoder) -> None:
    own = {"head": encoder.head}
    save_tuning(tmp_path / "a", START, encoder.network, own, rank=3, own_rank=2)
    network, own = load_tuning(tmp_path / "a", START)
    name = "encoder.layer.1.output.dense.weight"
    for found, full, rank in (
        (network.weights[name] - START.weights[name],
         encoder.network.weights[name] - START.weights[name], 3),
        (own["head"]["dense"], encoder.head["dense"], 2),
    ):  # fmt: skip
        left = np.linalg.svd(full, compute_uv=False)[rank:]
        assert np.linalg.matrix_rank(found, tol=1e-4) == rank
        assert np.linalg.norm(found - full) == pytest.approx(np.linalg.norm(left), rel=0.05)
    tensors, _ = open_tensors(tmp_path / "a")
    del tensors[f"added/{name}/left"]
    (tmp_path / "a").write_bytes(to_bytes(tensors, {"start": START.digest}))
    with pytest.raises(DataError, match="is not whole"):
        load_tuning(tmp_path / "a", START)


def test_it_is_the_mean_of_both_orders(encoder: CrossEncoder) -> None:
    orders = CrossEncoder.texts_of(LEFT[:1], RIGHT[:1])
    assert orders == CrossEncoder.texts_of(RIGHT[:1], LEFT[:1])
    encoded = tiny.tokenizer().encode_batch(orders)
    ids, types = (np.array([getattr(e, k) for e in encoded]) for k in ("ids", "type_ids"))
    weights, seen = encoder.network.weights, np.ones(ids.shape, np.float32)
    first = embedded(weights, tiny.SHAPE, ids, types)
    states = run_layers(weights, tiny.SHAPE, first, seen, 0)[-1]
    inner = np.tanh(np.asarray(states)[:, 0] @ encoder.head["dense"].T + encoder.head["bias"])
    expected = expit(inner @ encoder.head["out"] + encoder.head["level"]).mean()
    np.testing.assert_allclose(encoder.predict(LEFT[:1], RIGHT[:1]), expected, rtol=1e-4)
