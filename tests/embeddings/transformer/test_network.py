"""A tiny BERT, in JAX, compiled and plain, against a forward pass by hand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.transformer import plain_forward
from semaniacs.embeddings.transformer.bert_folder import load_bert
from semaniacs.embeddings.transformer.compiled_forward import pack, states_after
from semaniacs.embeddings.transformer.network import embedded, run_layers
from semaniacs.embeddings.transformer.plain_forward import HIDDEN_ACTS, Gates
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.errors import DataError
from tests.embeddings.transformer import tiny
from tests.embeddings.transformer.tiny import DIM, HEADS, LAYERS, SHAPE, tokenizer

WEIGHTS = tiny.random_weights()


@pytest.fixture(autouse=True)
def _broadcasting() -> Iterator[None]:
    """Let a layer add one bias to the states of all sentences."""
    with jax.numpy_rank_promotion("allow"):
        yield


SEQUENCES = [[2, 4, 5, 6, 7, 3], [2, 3], [2, 8, 8, 8, 3], [2, 1, 4, 3]]


def states_of(types: Any = None, weights: Any = WEIGHTS) -> list[NDArray[np.float32]]:
    """States (n, t, dim) of :data:`SEQUENCES` after the embeddings and each layer, by JAX."""
    ids, mask = np.full((4, 8), 9, np.int32), np.zeros((4, 8), np.float32)  # padding is no blank
    for row, sequence in enumerate(SEQUENCES):
        ids[row, : len(sequence)], mask[row, : len(sequence)] = sequence, 1
    first = embedded(weights, SHAPE, ids, None if types is None else np.full_like(ids, types))
    return [np.asarray(x) for x in (first, *run_layers(weights, SHAPE, first, mask, 0))]


def test_the_states_are_those_worked_out_by_hand() -> None:
    found, packed = states_of(), pack(WEIGHTS, SHAPE)
    every = states_after(packed, SHAPE, SEQUENCES, range(LAYERS + 1))
    begin = 0
    for row, sequence in enumerate(SEQUENCES):
        n = len(sequence)
        expected = tiny.states_by_hand(sequence)
        np.testing.assert_allclose(found[-1][row, :n], expected, rtol=1e-4, atol=1e-4)
        for layer, after in enumerate(every):
            part = after[begin : begin + n]
            np.testing.assert_allclose(part, found[layer][row, :n], rtol=1e-4, atol=1e-4)
        begin += n


@pytest.mark.parametrize("activation", HIDDEN_ACTS)
def test_plain_and_compiled_states_agree(activation: str) -> None:
    shape = SHAPE._replace(activation=activation, first_position=2)
    types = [[0, 0, 0, 1, 1, 1], [0, 1], [0, 0, 1, 1, 1], [0, 0, 0, 0]]
    given = SEQUENCES, [0, LAYERS, 1], types
    found = plain_forward.states_after(WEIGHTS, shape, *given)
    expected = states_after(pack(WEIGHTS, shape), shape, *given)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    alone = plain_forward.states_after(WEIGHTS, shape, SEQUENCES[:1], [LAYERS], types[:1])
    np.testing.assert_array_equal(alone[0], found[1, : len(SEQUENCES[0])])


def test_plain_and_compiled_pairs_see_each_other_through_the_same_gates() -> None:
    rng = np.random.default_rng(3)
    gates = Gates(*rng.normal(0, 1, (2, 1, HEADS)).astype(np.float32))
    found = plain_forward.states_after(WEIGHTS, SHAPE, SEQUENCES, [LAYERS], gates=gates)
    packed = pack(WEIGHTS, SHAPE)
    expected = states_after(packed, SHAPE, SEQUENCES, [LAYERS], gates=gates)
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)
    assert not np.allclose(found, states_after(packed, SHAPE, SEQUENCES, [LAYERS]), atol=1e-3)


SENTENCES = ["aa bb cc", "", "aa dd", "zzz aa", "aa " * 7, "bb " * 20, "aa bb cc"]


def test_a_sentence_is_the_unit_mean_of_its_states_in_any_batch() -> None:
    transformer = tiny.network()
    vectors = transformer.encode(SENTENCES)
    for sentence, vector in zip(SENTENCES, vectors, strict=True):
        mean = tiny.states_by_hand(tokenizer().encode(sentence).ids).mean(axis=0)
        np.testing.assert_allclose(vector, mean / np.linalg.norm(mean), rtol=1e-4, atol=1e-4)
        np.testing.assert_array_equal(transformer.encode(sentence), vector)
    assert vectors.dtype == np.float32
    assert transformer.encode([]).shape == (0, DIM)
    many = SENTENCES[::-1] * 50  # more tokens than a thread takes at once
    np.testing.assert_array_equal(transformer.encode(many)[-7:], vectors[::-1])
    ids, states = transformer.layers(many, [1])
    _, alone = transformer.layers(SENTENCES[:1], [1])
    assert ids[-1].tolist() == [2, 4, 5, 6, 3]
    np.testing.assert_array_equal(states[0][-1], alone[0][0])


def test_texts_that_are_cut_or_only_spelled_are_reported() -> None:
    transformer = Transformer(WEIGHTS, SHAPE, tokenizer(), longest=20)
    with pytest.warns(UserWarning, match="1 of 2 sentences is longer than 20 tokens"):
        long, longer = transformer.encode(["aa " * 18, "aa " * 18 + "bb " * 40])
    np.testing.assert_array_equal(long, longer)
    with pytest.warns(UserWarning, match="100% of its tokens are single letters or unknown"):
        transformer.encode(["zzz " * 15] * 4)


def test_a_folder_is_read_and_has_the_digest_of_its_weights(tmp_path: Path) -> None:
    made, padding = tiny.network(), tokenizer()
    padding.enable_padding(length=128)
    folder = tiny.save(tmp_path)
    (folder / "tokenizer.json").write_text(padding.to_str())
    read = load_bert(folder)
    assert (read.shape, read.dim, read.longest) == (SHAPE, DIM, tiny.PLACES)
    np.testing.assert_array_equal(unit(read.encode(SENTENCES)), made.encode(SENTENCES))
    backwards = dict(reversed(WEIGHTS.items()))
    assert Transformer(backwards, SHAPE, tokenizer()).digest == made.digest


@pytest.mark.parametrize("name", ["config.json", "tokenizer.json", "model.safetensors"])
def test_a_damaged_or_missing_file_of_a_folder_is_named(tmp_path: Path, name: str) -> None:
    path = tiny.save(tmp_path) / name
    path.write_bytes(path.read_bytes()[:-5])
    with pytest.raises(DataError, match=re.escape(name)):
        load_bert(tmp_path)
    path.unlink()
    with pytest.raises(DataError, match=re.escape(name)):
        load_bert(tmp_path)
