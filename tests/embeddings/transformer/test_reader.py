"""A tiny reader and cross-encoder learn; a score does not depend on the order of the sides."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit

from semaniacs.embeddings.compiled import interpret_few
from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.transformer.fine_tuning.reader import (
    LEVEL,
    SLOPE,
    CrossEncoder,
    Reader,
    of_grades,
    untrained_head,
)
from semaniacs.embeddings.transformer.fine_tuning.reader_training import (
    ranking,
    train_cross_encoder,
    train_reader,
    untrained_layers,
)
from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import load_tuning, save_tuning
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.scoring.classification import roc_auc
from semaniacs.sts.tensors import open_tensors, to_bytes
from tests.embeddings.transformer import tiny

LEFT, RIGHT, _ = tiny.pairs(48)
LABEL = np.array([float("aa" in f"{a} {b}") for a, b in zip(LEFT, RIGHT, strict=True)])
HOW = CrossAttentionTuning(
    epochs=25, batch=12, learning_rate=3e-3, frozen=1, dropout=0.0, head_rate=3.0, same=1.0
)
START = tiny.network()
UNTRAINED = Reader(START, untrained_head(START, HOW, graded=False))


def cosines() -> np.ndarray:
    a, b = (START.encode(side).astype(np.float64) for side in (LEFT, RIGHT))
    return np.asarray((a * b).sum(axis=1))


@pytest.fixture(scope="module")
def reader() -> Reader:
    return train_reader(START, LEFT, RIGHT, LABEL, HOW)


def test_it_learns_labels(reader: Reader) -> None:
    assert roc_auc(LABEL, UNTRAINED.predict(LEFT, RIGHT)) < 0.8
    assert roc_auc(LABEL, reader.predict(LEFT, RIGHT)) > 0.85


def test_it_learns_grades_set_by_set() -> None:
    sets = np.arange(len(LABEL)) % 2
    gold = LABEL / 2 + sets / 2  # two habits of grading
    model = train_reader(START, LEFT, RIGHT, gold, HOW, sets=sets)
    found = model.predict(LEFT, RIGHT)
    assert model.graded and found.min() >= 0 and found.max() <= 1
    for number in (0, 1):
        own = sets == number
        assert np.corrcoef(cosines()[own], gold[own])[0, 1] < 0.5
        assert np.corrcoef(found[own], gold[own])[0, 1] > 0.7


def test_a_score_is_that_of_the_pair_alone_and_of_both_orders_to_the_last_bit(
    reader: Reader, encoder: CrossEncoder
) -> None:
    for network in (reader, encoder):
        found = network.predict(LEFT, RIGHT)
        np.testing.assert_array_equal(found, network.predict(RIGHT, LEFT))
        np.testing.assert_array_equal(found[3:5], network.predict(LEFT[3:5], RIGHT[3:5]))
        assert network.predict([], []).shape == (0,)
        with interpret_few(len(LEFT)):
            np.testing.assert_allclose(network.predict(LEFT, RIGHT), found, atol=1e-5)


@pytest.mark.parametrize("graded", [False, True])
def test_before_training_it_is_the_cosine_of_the_sentences_read_alone(graded: bool) -> None:
    shut = untrained_head(START, replace(HOW, gate=-1e9), graded)
    found = Reader(START, shut, graded).predict(LEFT, RIGHT)
    expected = np.maximum(cosines(), 0) if graded else expit(SLOPE * (cosines() - LEVEL))
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_logits_from_minus_three_to_three_become_grades(reader: Reader) -> None:
    chances = reader.predict(LEFT, RIGHT)
    logits = np.log(chances / (1 - chances))
    found = Reader(reader.network, of_grades(reader.head), graded=True).predict(LEFT, RIGHT)
    np.testing.assert_allclose(found, np.clip(logits / SLOPE + 0.5, 0, 1), atol=1e-5)


def test_a_token_sees_the_other_side_through_the_gate() -> None:
    gates, same = np.array([[-0.7, 0.4], [1.1, -0.3]], np.float32)
    ids = [2, 4, 5, 3], [2, 6, 3]  # [CLS] aa bb [SEP], [CLS] cc [SEP]
    states = tiny.states_by_hand(*ids, gates=(gates, same), layers=1)
    a, b = states[:4].mean(axis=0), states[4:].mean(axis=0)
    expected = expit(a @ b / np.sqrt((a @ a) * (b @ b)))
    head = dict(UNTRAINED.head) | {"gates": gates[None], "same": same[None]}
    head |= {"slope": np.float32(1), "level": np.float32(0)}
    shape = tiny.SHAPE._replace(layers=1)
    network = Transformer(tiny.random_weights(), shape, tiny.tokenizer())
    np.testing.assert_allclose(
        Reader(network, head).predict(["aa bb"], ["cc"]), [expected], rtol=1e-5
    )


def test_pairs_are_ranked_within_their_group_only() -> None:
    logits = jnp.array([1.0, 3.0, -2.0, 0.0])
    gold, groups = jnp.array([0.95, 0.05, 0.95, 0.95]), jnp.array([0, 0, 1, 0])
    expected = (np.logaddexp(0, 3.0 - 1.0) + np.logaddexp(0, 3.0 - 0.0)) / 2
    np.testing.assert_allclose(ranking(logits, gold, groups), expected, rtol=1e-6)
    assert ranking(logits, gold, jnp.arange(4)) == 0


@pytest.mark.parametrize(("rate", "learns"), [(0.0, False), (0.3, True)])
def test_lower_layers_read_alone_and_learn_at_a_rate_of_their_own(
    rate: float, learns: bool
) -> None:
    how = replace(HOW, epochs=1, frozen=0, alone=1, lower_rate=rate)
    trained = train_reader(START, LEFT, RIGHT, LABEL, how)
    assert trained.first == 1
    for layer, moves in enumerate((learns, True)):
        name = f"encoder.layer.{layer}.output.dense.weight"
        same = np.array_equal(trained.network.weights[name], START.weights[name])
        assert same is not moves


def test_one_class_teaches_nothing() -> None:
    with pytest.raises(StsError, match="all 48 pairs have the gold 1; expected pairs that mean"):
        train_reader(START, LEFT, RIGHT, np.ones(48), HOW)


@pytest.fixture(scope="module")
def encoder() -> CrossEncoder:
    how = FineTuning(epochs=50, batch=12, learning_rate=3e-3, dropout=0.0, head_rate=3.0)
    return train_cross_encoder(START, LEFT, RIGHT, LABEL, how)


def test_a_cross_encoder_learns_which_pairs_mean_the_same(encoder: CrossEncoder) -> None:
    unread = CrossEncoder(START, untrained_layers(START, 0)).predict(LEFT, RIGHT)
    assert roc_auc(LABEL, unread) < 0.8
    assert roc_auc(LABEL, encoder.predict(LEFT, RIGHT)) > 0.85


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


def test_it_is_the_mean_of_both_orders() -> None:
    orders = CrossEncoder.texts_of(LEFT[:1], RIGHT[:1])
    assert orders == CrossEncoder.texts_of(RIGHT[:1], LEFT[:1])
    network, head = CrossEncoder(START, untrained_layers(START, 0)), untrained_layers(START, 0)
    expected = []
    for order in tiny.tokenizer().encode_batch(orders):
        first = tiny.states_by_hand(order.ids, types=order.type_ids)[0]
        inner = np.tanh(head["dense"] @ first + head["bias"])
        expected.append(expit(head["out"] @ inner + head["level"]))
    np.testing.assert_allclose(network.predict(LEFT[:1], RIGHT[:1]), np.mean(expected), rtol=1e-4)
