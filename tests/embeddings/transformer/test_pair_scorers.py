"""Training of tiny networks that read both sentences: they learn, whatever the order of the sides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jax
import numpy as np
import pytest
from scipy.special import expit, logit, softmax

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import Tokens
from semaniacs.embeddings.transformer.fine_tuning.pair_scorers import (
    CrossAttention,
    CrossEncoder,
    PairScorer,
    initial_gated_head,
)
from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from semaniacs.embeddings.transformer.fine_tuning.scorer_training import (
    initial_head,
    logistic_head,
    train_cross_attention,
    train_cross_encoder,
)
from semaniacs.embeddings.transformer.network import dense, embedded, layer_norm, run_layers
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.scoring.classification import roc_auc
from tests.embeddings.transformer import tiny

LEFT, RIGHT, _ = tiny.pairs(48)
GOLD = np.array([float("aa" in f"{a} {b}") for a, b in zip(LEFT, RIGHT, strict=True)])
HOW = CrossAttentionTuning(
    epochs=20, batch=12, learning_rate=3e-3, frozen=1, dropout=0.0, head_rate=3.0
)
START = tiny.network()


def model_before(frozen: int | None = 1, **head: object) -> CrossAttention:
    """The network before training, with the head that training begins with, or another."""
    tokens = Tokens.of(START, CrossAttention.texts_of(LEFT, RIGHT))
    made = logistic_head(START, replace(HOW, frozen=frozen), tokens, GOLD)
    return CrossAttention(START, made | head)


@pytest.fixture(scope="module")
def attention() -> CrossAttention:
    return train_cross_attention(START, LEFT, RIGHT, GOLD, HOW)


@pytest.fixture(scope="module")
def encoder() -> CrossEncoder:
    how = FineTuning(epochs=50, batch=12, learning_rate=3e-3, dropout=0.0, head_rate=3.0)
    return train_cross_encoder(START, LEFT, RIGHT, GOLD, how)


@pytest.fixture(params=["attention", "encoder"])
def scorer(request: pytest.FixtureRequest) -> PairScorer:
    found: PairScorer = request.getfixturevalue(request.param)
    return found


def test_it_learns_which_pairs_mean_the_same(scorer: PairScorer) -> None:
    before = model_before().predict(LEFT, RIGHT)
    assert logit(before).mean() == pytest.approx(logit(GOLD.mean()), abs=0.01)
    unread = CrossEncoder(START, initial_head(START, 0)).predict(LEFT, RIGHT)
    assert max(roc_auc(GOLD, before), roc_auc(GOLD, unread)) < 0.8
    assert roc_auc(GOLD, scorer.predict(LEFT, RIGHT)) > 0.85


def test_a_score_is_that_of_the_pair_alone_and_of_both_orders_to_the_last_bit(
    scorer: PairScorer,
) -> None:
    found = scorer.predict(LEFT, RIGHT)
    np.testing.assert_array_equal(found, scorer.predict(RIGHT, LEFT))
    np.testing.assert_array_equal(found[3:5], scorer.predict(LEFT[3:5], RIGHT[3:5]))
    assert scorer.predict([], []).shape == (0,)


def test_it_is_saved_and_read(tmp_path: Path, scorer: PairScorer) -> None:
    save_tuning(tmp_path / "a", START, scorer.network, {"head": scorer.head})
    network, own = load_tuning(tmp_path / "a", START)
    name = "encoder.layer.1.output.dense.weight"
    moved = np.abs(scorer.network.weights[name] - START.weights[name]).max(axis=1, keepdims=True)
    lost = np.abs(network.weights[name] - scorer.network.weights[name])
    assert lost.max() > 0 and (lost <= moved / 120).all()  # int8, of each row
    save_tuning(tmp_path / "b", START, network, own)
    assert (tmp_path / "b").read_bytes() == (tmp_path / "a").read_bytes()
    again, own = load_tuning(tmp_path / "b", START)
    kind = type(scorer)
    assert kind(again, own["head"]).digest == kind(network, own["head"]).digest  # type: ignore[attr-defined]


def test_a_cross_encoder_is_the_mean_of_both_orders(encoder: CrossEncoder) -> None:
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


def test_a_token_sees_the_other_side_through_the_gate() -> None:
    """One layer of one pair, written out: the softmax of q k / √d, and across of that + gate."""
    shape, gates = tiny.SHAPE._replace(layers=1), np.array([-0.7, 0.4], np.float32)
    same = np.array([1.1, -0.3], np.float32)
    weights, name = START.weights, "encoder.layer.0."
    network = Transformer(tiny.random_weights(), shape, tiny.tokenizer())
    ids = [[2, 4, 5, 3], [2, 6, 3]]  # [CLS] aa bb [SEP], [CLS] cc [SEP]
    states = np.concatenate([embedded(weights, shape, np.array([own]))[0] for own in ids])
    side = np.repeat([0, 1], [4, 3])
    q, k, v = (
        np.asarray(dense(weights, f"{name}attention.self.{part}", states)).reshape(7, 2, -1)
        for part in ("query", "key", "value")
    )
    scores = np.einsum("qhd,khd->hqk", q, k) / np.sqrt(tiny.DIM / tiny.HEADS)
    across, flat = side[:, None] != side, np.concatenate(ids)
    scores += across * gates[:, None, None]
    scores += (across & (flat[:, None] == flat)) * same[:, None, None]
    seen = np.einsum("hqk,khd->qhd", softmax(scores, axis=2), v).reshape(7, -1)
    with jax.numpy_rank_promotion("allow"):
        states = states + dense(weights, name + "attention.output.dense", seen)
        states = layer_norm(weights, name + "attention.output.LayerNorm", states, shape.epsilon)
        inner = jax.nn.gelu(dense(weights, name + "intermediate.dense", states), approximate=False)
        states = states + dense(weights, name + "output.dense", inner)
        states = np.asarray(layer_norm(weights, name + "output.LayerNorm", states, shape.epsilon))
    a, b = states[:4].mean(axis=0), states[4:].mean(axis=0)
    expected = expit(a @ b / np.sqrt((a @ a) * (b @ b)))
    head = dict(model_before().head) | {"gates": gates[None], "same": same[None]}
    head |= {"slope": 1.0, "level": 0.0}
    found = CrossAttention(network, head).predict(["aa bb"], ["cc"])
    np.testing.assert_allclose(found, [expected], rtol=1e-6)


def test_graded_pairs_start_at_the_cosine_and_are_learned_set_by_set() -> None:
    closed = initial_gated_head(START, replace(HOW, gate=-1e9))
    start = CrossAttention(START, closed, graded=True)
    a, b = (START.encode(side).astype(np.float64) for side in (LEFT, RIGHT))
    cosines = (a * b).sum(axis=1)
    np.testing.assert_allclose(start.predict(LEFT, RIGHT), np.maximum(cosines, 0), atol=1e-6)
    sets = np.arange(len(GOLD)) % 2
    gold = GOLD / 2 + sets / 2  # two habits of grading
    model = train_cross_attention(START, LEFT, RIGHT, gold, HOW, sets=sets)
    found = model.predict(LEFT, RIGHT)
    assert model.graded
    assert found.min() >= 0
    assert found.max() <= 1
    for number in (0, 1):
        own = sets == number
        assert np.corrcoef(cosines[own], gold[own])[0, 1] < 0.5
        assert np.corrcoef(found[own], gold[own])[0, 1] > 0.7
