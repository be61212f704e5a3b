"""Poolings against values worked out by hand: two sentences of two and three tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from safetensors.numpy import load_file

from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.transformer.cached_teacher import CachedTeacher
from semaniacs.embeddings.transformer.compiled_forward import pack, states_after
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Tokens, fill_rows
from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import (
    load_tuning,
    rounded,
    save_tuning,
)
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import run_upper, upper_weights
from semaniacs.embeddings.transformer.poolings import POOLINGS, WeightedLayers
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from tests.embeddings.transformer import tiny

LAST = np.array([[[1, 5], [3, 1], [99, 99]], [[0, 2], [4, -2], [2, 9]]], np.float32)
BEFORE = np.array([[[2, 2], [4, 0], [99, 99]], [[1, 1], [1, 1], [1, 4]]], np.float32)
MASK = np.array([[1, 1, 0], [1, 1, 1]], np.float32)

BY_HAND = {
    "mean": [[2, 3], [2, 3]],
    "cls": [[1, 5], [0, 2]],
    "max": [[3, 5], [4, 9]],
    "multi-head": [[2, 3] * 3, [2, 3] * 3],  # as it starts: the mean, three times
    "multi-head-dimensions": [[2, 3] * 3, [2, 3] * 3],
}


def pooled(name: str, **own: Any) -> Any:
    pooling = POOLINGS[name]()
    found = own or pooling.initial(2, 2, 0)
    parameters = {key: jnp.asarray(value) for key, value in found.items()}
    return pooling(parameters, [jnp.asarray(BEFORE), jnp.asarray(LAST)], jnp.asarray(MASK))


@pytest.mark.parametrize("name", BY_HAND)
def test_poolings_without_training(name: str) -> None:
    np.testing.assert_allclose(pooled(name), BY_HAND[name], atol=1e-6)


def test_layers_are_weighted_by_a_softmax() -> None:
    share = 1 / 4
    weights = np.log(np.array([share, 1 - share], np.float32))
    found = pooled("weighted-layers", layer_weights=weights)
    first, last = np.array([[3, 1], [1, 2]]), np.array([[2, 3], [2, 3]])
    np.testing.assert_allclose(found, share * first + (1 - share) * last, rtol=1e-6)
    begins = WeightedLayers(last=0).initial(2, 2, 0)
    np.testing.assert_allclose(pooled("weighted-layers", **begins), (first + last) / 2, rtol=1e-6)


def heads(each_dimension: bool) -> dict[str, Any]:
    """One head whose hidden number is ReLU of the first dimension, and its weight ln 2."""
    out = np.array([[[np.log(2)], [0]]]) if each_dimension else np.array([[[np.log(2)]]])
    return {
        "w1": np.array([[[1, 0]]], np.float32),
        "b1": np.array([[-1]], np.float32),
        "w2": out.astype(np.float32),
        "b2": np.zeros((1, out.shape[1]), np.float32),
    }


def test_a_head_weighs_words() -> None:
    # ReLU(h - 1): 0 2 | 0 3 1; weights 2 to that: 1 4 | 1 8 2
    by_words = [[13 / 5, 9 / 5], [36 / 11, 4 / 11]]
    np.testing.assert_allclose(pooled("multi-head", **heads(False)), by_words, rtol=1e-5)
    by_dimension = [[13 / 5, 3], [36 / 11, 3]]  # nothing is learned of the second: its mean
    found = pooled("multi-head-dimensions", **heads(True))
    np.testing.assert_allclose(found, by_dimension, rtol=1e-5)


@pytest.mark.parametrize("name", POOLINGS)
def test_what_is_trained_encodes_the_same_without_jax(name: str) -> None:
    rng = np.random.default_rng(1)
    pooling = POOLINGS[name]()
    initial = pooling.initial(6, 2, 0)
    own = {n: v + rng.normal(size=v.shape).astype(np.float32) for n, v in initial.items()}
    lengths = np.array([4, 1, 3])
    states = rng.normal(size=(2, 3, 4, 6)).astype(np.float32)
    mask = (np.arange(4) < lengths[:, None]).astype(np.float32)
    with jax.numpy_rank_promotion("allow"):
        expected = np.asarray(pooling(own, [*states], mask))
    expected = expected / np.linalg.norm(expected, axis=1, keepdims=True)
    head = pooling.head(own)
    after = states[:, mask > 0][-len(head.reads(2)) :]
    np.testing.assert_allclose(head.vectors(after, lengths), expected, atol=1e-6)
    assert head.dim(6) == expected.shape[1]


TEXTS = ["aa bb cc", "dd", "ee ff gg hh aa bb", ("aa bb", "cc dd ee")]
ROWS = np.array([2, 0, 3, 1])


@pytest.mark.parametrize("frozen", [None, 1, 3])
def test_the_states_from_any_layer_on_are_those_of_each_text_alone(frozen: int | None) -> None:
    network = tiny.network()
    tokens = Tokens.of(network, TEXTS)
    texts = LowerLayers(network, tokens, frozen).batch(ROWS, len(ROWS))
    found = run_upper(upper_weights(network.weights, frozen), tiny.SHAPE, frozen, texts)
    assert len(found) == max(1, tiny.LAYERS - (frozen or 0))
    flat = np.asarray(found[-1]).reshape(-1, tiny.DIM)
    ids, types = tokens.of_texts(ROWS)
    packed = pack(network.weights, tiny.SHAPE)
    expected = states_after(packed, tiny.SHAPE, ids, [tiny.LAYERS], types)[0]
    np.testing.assert_allclose(flat[texts.places[texts.mask > 0]], expected, atol=0.02)


def test_texts_fill_rows_and_none_is_cut() -> None:
    lengths = np.array([5, 3, 7, 2, 8, 1])
    begins, rows = fill_rows(lengths, 10)
    assert rows == 3  # 26 tokens: 8 + 2, 7 + 3, 5 + 1
    taken = [range(b, b + n) for b, n in zip(begins.tolist(), lengths.tolist(), strict=True)]
    assert len(set().union(*taken)) == lengths.sum()
    assert all(r.start // 10 == (r.stop - 1) // 10 for r in taken)


START = tiny.network()
MATRICES = {name: value for name, value in START.weights.items() if np.ndim(value) == 2}


def trained(seed: int = 0) -> Transformer:
    """Every matrix moved by normal numbers, each row by others as large as it likes; one bias too."""
    rng = np.random.default_rng(seed)
    moved = {
        name: value + rng.normal(0, rng.uniform(1e-5, 1e-2, (len(value), 1)), value.shape)
        for name, value in MATRICES.items()
    }
    name = "encoder.layer.0.output.dense.bias"
    moved[name] = START.weights[name] + 0.01
    found = {name: value.astype(np.float32) for name, value in moved.items()}
    return START.with_weights({**START.weights, **found})


@pytest.mark.parametrize("kind", ["pairs", "moved"])
def test_what_was_read_is_written_as_it_was(kind: str, tmp_path: Path) -> None:
    network = trained()
    if kind == "pairs":
        network = rounded(START, network)
    save_tuning(tmp_path / "one", START, network, {})
    again, _ = load_tuning(tmp_path / "one", START)
    save_tuning(tmp_path / "two", START, again, {})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    kinds = {name.partition("/")[0] for name in load_file(tmp_path / "one")}
    assert kinds == {kind, "exponent", "network"}
    for name, value in network.weights.items():
        lost = np.abs(again.weights[name] - value)
        moved = np.abs(value - START.weights[name]).max(axis=-1, keepdims=True)
        assert (lost <= (moved / 120 + 1e-6 if kind == "moved" else 0)).all()  # int8 of each row


def test_four_bits_lose_an_eighth_of_a_difference() -> None:
    network = trained()
    small = rounded(START, network)
    for name, value in MATRICES.items():
        moved, kept = network.weights[name] - value, small.weights[name] - value
        lost = np.linalg.norm(kept - moved, axis=1) / np.linalg.norm(moved, axis=1)
        assert lost.max() < 0.3
        assert lost.mean() < 0.14
    bias = "encoder.layer.0.output.dense.bias"
    np.testing.assert_array_equal(small.weights[bias], network.weights[bias])


class Teacher(Transformer):
    """Teacher that notes the sentences that it was asked for."""

    def __init__(self) -> None:
        self.digest, self.dim = "teacher", 6
        self.asked: list[str] = []

    def encode(self, sentences: Sequence[str], **_: Any) -> Vectors:  # type: ignore[override]
        self.asked += sentences
        rows = [np.random.default_rng(len(text)).standard_normal(6) for text in sentences]
        return np.array(rows, np.float32)


def test_only_new_sentences_are_asked_for_in_their_order(tmp_path: Path) -> None:
    sentences, folder = ["a" * n for n in range(10)], tmp_path / "new" / "teacher"
    CachedTeacher(Teacher(), folder).encode(sentences[2:5])
    mixed = [sentences[i] for i in (7, 3, 0, 7, 2, 9)]
    teacher = Teacher()
    found = CachedTeacher(teacher, folder).encode(mixed)
    assert teacher.asked == [sentences[i] for i in (7, 0, 9)]
    np.testing.assert_array_equal(found, Teacher().encode(mixed).astype(np.float16))
    assert found.dtype == np.float16
