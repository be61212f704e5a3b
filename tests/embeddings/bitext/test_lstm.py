"""The LSTM is that of its equations and of torch, however its sentences are laid out."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

from semaniacs.embeddings.bitext.lstm import (
    BACKWARD,
    FORWARD,
    RecurrentEncoder,
    encode_parts,
    lstm_pool,
)
from semaniacs.embeddings.tokenizers.row_numbers import Ragged, WordTokenizer
from semaniacs.embeddings.training.sentence_model import divisors, pack

DIM, HIDDEN, ROWS = 5, 3, 30
RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((ROWS, DIM)).astype(np.float32)


def drawn(dim: int, hidden: int, seed: int = 0) -> dict[str, Any]:
    """Parameters of all kinds, large enough for the gates to leave the middle."""
    rng = np.random.default_rng(seed)
    heights = {"input": dim, "state": hidden, "bias": 1}
    return {
        f"{direction}.{name}": rng.normal(0, 1 / np.sqrt(hidden), (height, 4 * hidden)).astype("f")
        for direction in (FORWARD, BACKWARD)
        for name, height in heights.items()
    }


PARAMETERS = drawn(DIM, HIDDEN)
SENTENCES = [[1, 2, 2], [], [7], list(range(17)), [3, 4], [29, 0, 29, 5, 6, 1, 1], [8], []]
WORDS = [f"word{i}" for i in range(ROWS - 2)]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def states_by_hand(parameters: Any, direction: str, rows: Any) -> Any:
    """The equations, word by word, in double precision."""
    w, u, b = (np.float64(parameters[f"{direction}.{name}"]) for name in ("input", "state", "bias"))
    h = c = np.zeros(len(u))
    states = []
    for x in rows:
        i, f, candidate, o = np.split(x @ w + h @ u + b[0], 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(candidate)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def vector_by_hand(rows: Any, parameters: Any = PARAMETERS) -> Any:
    if not len(rows):
        return np.zeros(2 * len(parameters["forward.state"]))
    forward = states_by_hand(parameters, "forward", rows)
    backward = states_by_hand(parameters, "backward", rows[::-1])[::-1]
    return np.concatenate([forward, backward], axis=1).mean(axis=0)


EXPECTED = np.array([vector_by_hand(TABLE[ids]) for ids in SENTENCES])


def new_encoder() -> RecurrentEncoder:
    return RecurrentEncoder(WordTokenizer(WORDS, buckets=2), TABLE, PARAMETERS)


def texts(sentences: list[list[int]]) -> list[str]:
    return [" ".join(WORDS[i % len(WORDS)] for i in ids) for ids in sentences]


def by_pool(parameters: Any, rows: Any, sentences: list[list[int]] = SENTENCES) -> Any:
    """Sentence vectors as a training step finds them."""
    pool = lstm_pool(parameters)
    flat, owners, lengths = pack([Ragged.of(sentences)])
    words, owners = pool.lay_out(np.arange(len(flat)), owners, lengths)
    assert pool.each_row is not None
    gates = pool.each_row(parameters, rows)[words]
    return pool.vectors(parameters, gates, owners, divisors(lengths))


def encoded(sentences: list[list[int]]) -> Any:
    vectors = np.full((len(sentences), 2 * HIDDEN), np.nan)
    for chosen, found in encode_parts(PARAMETERS, TABLE, Ragged.of(sentences)):
        assert np.isnan(vectors[chosen]).all()
        vectors[chosen] = found
    return vectors


# The network


def test_it_is_the_one_of_the_equations() -> None:
    np.testing.assert_allclose(encoded(SENTENCES), EXPECTED, atol=1e-6)
    flat = np.array([i for ids in SENTENCES for i in ids])
    found = by_pool(PARAMETERS, TABLE[flat])
    np.testing.assert_allclose(found, EXPECTED, atol=1e-6)


def torch_network(torch: Any, parameters: Any) -> Any:
    """torch.nn.LSTM with the same weights; of its two biases one is ours."""
    dim, width = parameters["forward.input"].shape
    network = torch.nn.LSTM(dim, width // 4, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for direction, end in (("forward", ""), ("backward", "_reverse")):
            w, u, b = (parameters[f"{direction}.{name}"] for name in ("input", "state", "bias"))
            getattr(network, f"weight_ih_l0{end}").copy_(torch.tensor(w.T.copy()))
            getattr(network, f"weight_hh_l0{end}").copy_(torch.tensor(u.T.copy()))
            getattr(network, f"bias_ih_l0{end}").copy_(torch.tensor(b[0]))
            getattr(network, f"bias_hh_l0{end}").zero_()
    return network


def test_it_is_that_of_torch() -> None:
    torch = pytest.importorskip("torch")
    parameters = drawn(40, 24, seed=3)
    table = RNG.standard_normal((50, 40)).astype(np.float32)
    network = torch_network(torch, parameters)
    sentences = [RNG.integers(0, 50, n).tolist() for n in (1, 2, 40, 7, 7, 13)]
    expected = [network(torch.tensor(table[ids])[None])[0][0].mean(0) for ids in sentences]
    found = np.empty((len(sentences), 48))
    for chosen, vectors in encode_parts(parameters, table, Ragged.of(sentences)):
        found[chosen] = vectors
    np.testing.assert_allclose(found, [v.detach().numpy() for v in expected], atol=1e-5)


def test_its_gradient_is_that_of_finite_differences() -> None:
    sentences = [[0, 1], [], [2, 3, 4]]
    rows = jnp.asarray(TABLE[:5])
    weights = jnp.asarray(RNG.standard_normal((3, 2 * HIDDEN)), jnp.float32)
    check_grads(
        jax.jit(lambda parameters, rows: (by_pool(parameters, rows, sentences) * weights).sum()),
        ({name: jnp.asarray(value) for name, value in PARAMETERS.items()}, rows),
        order=1,
        modes=["rev"],
        atol=1e-2,
        rtol=1e-2,
        eps=1e-2,
    )


# Its parameters


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (
            {"forward.input": np.zeros((DIM + 1, 12))},
            r"forward.input is \(6, 12\), expected \(5, 12\)",
        ),
        ({"backward.state": np.zeros((4, 16))}, r"backward.state is \(4, 16\), expected \(3, 12\)"),
        ({"backward.bias": np.zeros(12)}, r"backward.bias is \(12,\), expected \(1, 12\)"),
        ({"forward.state": np.zeros((0, 12))}, "a state of 0"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        RecurrentEncoder(WordTokenizer(WORDS, buckets=2), TABLE, PARAMETERS | changed)
