"""A bidirectional LSTM over the words of a sentence: the encoder LSTM-SP.

The network of Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al.
(2000), read in both directions (Graves and Schmidhuber, 2005). The vector of a
sentence is the mean over its words of both directions' states, as in Wieting et al.
(2019), who share the network between two languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.embeddings.table import Table, Vectors
from semaniacs.embeddings.tokenizers.row_numbers import Ragged, Tokenizer
from semaniacs.embeddings.training.sentence_model import Parameters, Pool, Words, divisors, pack
from semaniacs.embeddings.training.sparse_rows import bucket_size, fill
from semaniacs.sts.tensors import check_finite

FORWARD, BACKWARD = "forward", "backward"

_ROOT_MEAN_SQUARE = 0.3
_BIASES = np.array([2, -2, 0, 2], np.float32)

_WORDS_AT_ONCE = 16384
_SENTENCES_AT_ONCE = 512


class RecurrentEncoder(SentenceEncoder):
    """The mean state of a bidirectional LSTM over word vectors.

    ``table`` is (len(tokenizer), dim of the rows); a ValueError if ``parameters`` are not those of
    :func:`averaging`.
    """

    def __init__(
        self, tokenizer: Tokenizer, table: Vectors | Table, parameters: Parameters
    ) -> None:
        super().__init__(tokenizer, table)
        self.parameters = {n: np.asarray(value, np.float32) for n, value in parameters.items()}
        _check(self.parameters, self.rows.dim)

    @property
    def dim(self) -> int:
        """Length of a sentence vector: the states of both directions."""
        return 2 * len(self.parameters[f"{FORWARD}.state"])

    def _encode_into(self, vectors: Vectors, sentences: Sequence[str]) -> Iterator[int]:
        for chosen, found in encode_parts(self.parameters, self.table, self.ids(sentences)):
            vectors[chosen] = found
            yield len(chosen)


def network_over(encoder: SentenceEncoder) -> RecurrentEncoder:
    """Return a network over an encoder's rows, of an even length, whose vectors are nearly their means.

    Random gates lose words, and short sentences cannot teach them again. So input and output gates
    are open at first and forget gates are shut, by biases of ±2, and each direction passes one half
    of a row on. The rows are scaled to a root mean square of .3, where the tanh shortens only the
    largest numbers; both were chosen on 2012–2015.
    """
    rows = encoder.rows.dense
    scale = _ROOT_MEAN_SQUARE / np.sqrt(np.mean(rows**2))
    return RecurrentEncoder(encoder.tokenizer, rows * scale, averaging(rows.shape[1]))


def averaging(dim: int) -> dict[str, Vectors]:
    """Return parameters of a network that nearly averages rows of ``dim`` = 2 hidden numbers.

    In each direction ``input`` (dim, 4 hidden), ``state`` (hidden, 4 hidden) and ``bias``
    (1, 4 hidden); the columns are the input gate, the forget gate, the candidate, the output gate.
    """
    hidden = dim // 2
    parameters: dict[str, Vectors] = {}
    for half, direction in enumerate((FORWARD, BACKWARD)):
        passed_on = np.zeros((dim, 4, hidden), np.float32)
        passed_on[half * hidden : (half + 1) * hidden, 2] = np.eye(hidden)
        parameters[f"{direction}.input"] = passed_on.reshape(dim, 4 * hidden)
        parameters[f"{direction}.state"] = np.zeros((hidden, 4 * hidden), np.float32)
        parameters[f"{direction}.bias"] = np.repeat(_BIASES, hidden)[None]
    return parameters


def _in_columns(
    places: Words, owners: Words, lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return place and sentence of the word in every cell (t, n); each sentence is a column."""
    total, count = len(places), len(lengths)
    inside = np.arange(total) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    cells = np.full((bucket_size(int(lengths.max())), count), total)
    cells[inside, owners] = np.arange(total)
    of_cells = np.append(places, 0)[cells], np.append(owners, count)[cells]
    return of_cells[0].astype(np.int32), of_cells[1].astype(np.int32)


def _check(parameters: Parameters, dim: int) -> None:
    hidden = len(parameters.get(f"{FORWARD}.state", ()))
    heights = {"input": dim, "state": hidden, "bias": 1}
    for direction in (FORWARD, BACKWARD):
        for name, height in heights.items():
            shape = np.shape(parameters.get(f"{direction}.{name}", 0))
            if hidden == 0 or shape != (height, 4 * hidden):
                raise ValueError(
                    f"{direction}.{name} is {shape}, expected ({height}, {4 * hidden}) "
                    f"for rows of {dim} numbers and a state of {hidden}"
                )
            check_finite(np.asarray(parameters[f"{direction}.{name}"]), f"{direction}.{name}")


def _gate_inputs(parameters: Parameters, rows: Any) -> Any:
    """Return the inputs of the gates of both directions, (r, 8 hidden), by row."""
    both = (FORWARD, BACKWARD)
    weights = jnp.concatenate([parameters[f"{direction}.input"] for direction in both], axis=1)
    biases = jnp.concatenate([parameters[f"{direction}.bias"] for direction in both], axis=1)
    return rows @ weights + biases


def _mean_states(parameters: Parameters, words: Any, owners: Any, lengths: Any) -> Any:
    """Return mean states (n, 2 hidden) of sentences laid out in columns.

    ``words`` (t, n, 8 hidden) are inputs of the gates; ``owners`` (t, n) the sentence of each word, n
    where there is none; ``lengths`` is (n, 1).
    """
    forward, backward = jnp.split(words, 2, axis=2)
    there = _states(parameters[f"{FORWARD}.state"], forward, owners)
    back = _states(parameters[f"{BACKWARD}.state"], backward[::-1], owners[::-1])
    states = jnp.concatenate([there, back[::-1]], axis=2)
    flat = states.reshape(-1, states.shape[2])
    return jax.ops.segment_sum(flat, owners.reshape(-1), len(lengths)) / lengths


def _states(weights: Any, words: Any, owners: Any) -> Any:
    """Return h (t, n, hidden) at every word; autodiff of the scan gives the gradient.

    i, f, o = σ(…), c ← f c + i tanh(…), h ← o tanh(c); the state is reset where a sentence begins.
    """
    above = jnp.concatenate([jnp.full_like(owners[:1], -1), owners[:-1]])
    same = (owners == above).astype(jnp.float32)[..., None]

    def step(before: tuple[Any, Any], now: tuple[Any, Any]) -> Any:
        (h, c), (word, goes_on) = before, now
        i, f, candidate, o = jnp.split(word + (h * goes_on) @ weights, 4, axis=1)
        c = jax.nn.sigmoid(f) * (c * goes_on) + jax.nn.sigmoid(i) * jnp.tanh(candidate)
        h = jax.nn.sigmoid(o) * jnp.tanh(c)
        return (h, c), h

    zero = jnp.zeros((words.shape[1], len(weights)), words.dtype)
    return jax.lax.scan(step, (zero, zero), (words, same))[1]


@jax.jit
def _vectors(parameters: Parameters, rows: Any, words: Any, owners: Any, lengths: Any) -> Any:
    return _mean_states(parameters, _gate_inputs(parameters, rows)[words], owners, lengths)


def encode_parts(
    parameters: Parameters, table: Any, sentences: Ragged
) -> Iterator[tuple[NDArray[np.int64], Vectors]]:
    """Yield numbers of some sentences (m,) and their vectors (m, 2 hidden), the longest sentences first."""
    parameters = {name: jnp.asarray(value) for name, value in parameters.items()}
    lengths = sentences.lengths
    order = np.argsort(-lengths, kind="stable")
    while len(order):
        fitting = max(1, _WORDS_AT_ONCE // bucket_size(int(lengths[order[0]])))
        many = min(_SENTENCES_AT_ONCE, _power_of_two(fitting + 1) // 2)
        yield order[:many], _encode_part(parameters, table, sentences.take(order[:many]))
        order = order[many:]


def _encode_part(parameters: Parameters, table: Any, sentences: Ragged) -> Vectors:
    words, owners, lengths = pack([sentences])
    rows, places = np.unique(words, return_inverse=True)
    blanks = _power_of_two(len(lengths)) - len(lengths)
    lengths = np.pad(lengths, (0, blanks))
    vectors = _vectors(
        parameters,
        table[fill(rows, max(64, _power_of_two(len(rows))), 0)],
        *_in_columns(places, owners, lengths),
        divisors(lengths),
    )
    return np.asarray(vectors)[: len(lengths) - blanks]


def lstm_pool(parameters: Parameters) -> Pool:
    """Return the network as the pooling of a training, starting from these parameters."""

    def encode(parameters: Parameters, table: Any, sentences: Ragged) -> Vectors:
        dim = 2 * len(parameters[f"{FORWARD}.state"])
        vectors = np.zeros((len(sentences.lengths), dim), np.float32)
        for chosen, found in encode_parts(parameters, table, sentences):
            vectors[chosen] = found
        return vectors

    return Pool(_mean_states, parameters, _in_columns, encode, _gate_inputs)


def _power_of_two(needed: int) -> int:
    return 1 << max(0, needed - 1).bit_length()
