"""A bidirectional LSTM over the words of a sentence: the encoder LSTM-SP.

The network of Hochreiter and Schmidhuber (1997) with the forget gate of Gers et al.
(2000), read in both directions (Graves and Schmidhuber, 2005). The vector of a
sentence is the mean over its words of both directions' states, as in Wieting et al.
(2019), who share the network between two languages.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import SentenceEncoder
from embeddings.table import Table, Vectors
from embeddings.tokenizers.ragged import Ragged
from embeddings.tokenizers.vocabulary import Tokenizer
from embeddings.training.sparse.pooling import (
    Parameters,
    Pool,
    Words,
    bucket_size,
    divisors,
    fill,
    pack,
)
from sts.tensors import check_finite

FORWARD, BACKWARD = "forward", "backward"

EMPTY = np.iinfo(np.int32).max
"""A cell without a word."""

_SPARE = 1.25
"""Most cells a word; within this, as many lanes as possible, because many lanes are fast."""

_ROOT_MEAN_SQUARE = 0.3
_BIASES = np.array([2, -2, 0, 2], np.float32)

_WORDS_AT_ONCE = 16384
_SENTENCES_AT_ONCE = 512


class RecurrentEncoder(SentenceEncoder):
    """The mean state of a bidirectional LSTM over word vectors.

    Args:
        tokenizer: text to row numbers.
        table: (len(tokenizer), dim of the rows).
        parameters: of the network, see :func:`averaging`.

    Raises:
        ValueError: the table does not fit the tokenizer, or the parameters the table.
    """

    def __init__(
        self, tokenizer: Tokenizer, table: Vectors | Table, parameters: Parameters
    ) -> None:
        super().__init__(tokenizer, table)
        self.parameters = {
            name: np.asarray(value, np.float32) for name, value in parameters.items()
        }
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
    """A network to start training from: it says of a sentence what the average of its rows says.

    Random gates lose more of the words than can be learned again from short sentences. So input
    and output gates stand open at first and forget gates are shut, by biases of ±2, and each
    direction passes one half of a row on. The rows are scaled to a root mean square of .3, where
    the tanh shortens no number but the largest; both were chosen on 2012–2015.

    Args:
        encoder: its rows, of an even length, and its tokenizer.
    """
    rows = encoder.rows.dense
    scale = _ROOT_MEAN_SQUARE / np.sqrt(np.mean(rows**2))
    return RecurrentEncoder(encoder.tokenizer, rows * scale, averaging(rows.shape[1]))


def averaging(dim: int) -> dict[str, Vectors]:
    """Parameters of a network that averages, nearly.

    In each direction ``input`` (dim, 4 hidden), ``state`` (hidden, 4 hidden) and
    ``bias`` (1, 4 hidden); the columns are the input gate, the forget gate, the
    candidate and the output gate.

    Args:
        dim: length of a word row and of a sentence vector, two directions of hidden = dim / 2.
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


def lay_out(lengths: NDArray[np.int64]) -> NDArray[np.int32]:
    """The word of every cell (t, lanes): its place among all words, or ``EMPTY``.

    If every sentence had a row of its own, most cells would be padding, so several sentences
    share a lane. The longest is placed first, each in the lane that is shortest so far: no lane
    is more than a third longer than necessary (Graham, 1969).

    Args:
        lengths: (n,) words of each sentence, n ≥ 1. A sentence's words stand in one
            lane, one below the other.
    """
    lanes, longest, total = len(lengths), int(lengths.max()), int(lengths.sum())
    while lanes > 1 and lanes * longest > _SPARE * total:
        lanes = (lanes + 1) // 2
    ends = [(0, lane) for lane in range(lanes)]  # a heap: where each lane ends
    top, lane_of = np.zeros(len(lengths), np.int64), np.zeros(len(lengths), np.int64)
    for sentence in np.argsort(-lengths, kind="stable").tolist():
        end, lane = ends[0]
        top[sentence], lane_of[sentence] = end, lane
        heapq.heapreplace(ends, (end + int(lengths[sentence]), lane))
    words = np.arange(total)
    inside = words - np.repeat(np.cumsum(lengths) - lengths, lengths)
    cells = np.full((bucket_size(max(ends)[0]), lanes), EMPTY, np.int32)
    cells[np.repeat(top, lengths) + inside, np.repeat(lane_of, lengths)] = words
    return cells


def lstm_pool(parameters: Parameters) -> Pool:
    """The network as the pooling of a training, starting from these parameters."""
    return Pool(_mean_states, parameters, _in_lanes, _encode, _gate_inputs)


def _in_lanes(
    places: Words, owners: Words, lengths: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The place and the sentence of the word in every cell (t, lanes)."""
    cells = np.minimum(lay_out(lengths), len(places))  # empty cells: after the last word
    of_cells = np.append(places, 0)[cells], np.append(owners, len(lengths))[cells]
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


# The equations


def _gate_inputs(parameters: Parameters, rows: Any) -> Any:
    """What each row adds to the gates of both directions, (r, 8 hidden)."""
    both = (FORWARD, BACKWARD)
    weights = jnp.concatenate([parameters[f"{direction}.input"] for direction in both], axis=1)
    biases = jnp.concatenate([parameters[f"{direction}.bias"] for direction in both], axis=1)
    return rows @ weights + biases


def _mean_states(parameters: Parameters, words: Any, owners: Any, lengths: Any) -> Any:
    """Mean states (n, 2 hidden) of sentences laid out in lanes.

    Args:
        parameters: see :func:`averaging`.
        words: (t, lanes, 8 hidden) what each word adds to the gates.
        owners: (t, lanes) the sentence of each word; n where there is none.
        lengths: (n, 1).
    """
    forward, backward = jnp.split(words, 2, axis=2)
    there = _states(parameters[f"{FORWARD}.state"], forward, _continues(owners))
    back = _states(parameters[f"{BACKWARD}.state"], backward[::-1], _continues(owners[::-1]))
    states = jnp.concatenate([there, back[::-1]], axis=2)
    flat = states.reshape(-1, states.shape[2])
    return jax.ops.segment_sum(flat, owners.reshape(-1), len(lengths)) / lengths


def _continues(owners: Any) -> Any:
    """1 (t, lanes, 1) where the word above is of the same sentence, else 0."""
    above = jnp.concatenate([jnp.full_like(owners[:1], -1), owners[:-1]])
    return (owners == above).astype(jnp.float32)[..., None]


def _gates(sums: Any) -> tuple[Any, Any, Any, Any]:
    """Input gate, forget gate, candidate, output gate."""
    i, f, candidate, o = jnp.split(sums, 4, axis=1)
    return jax.nn.sigmoid(i), jax.nn.sigmoid(f), jnp.tanh(candidate), jax.nn.sigmoid(o)


@jax.custom_vjp
def _states(weights: Any, words: Any, same: Any) -> Any:
    """h (t, lanes, hidden) at every word: i, f, o = σ(…), c ← f c + i tanh(…), h ← o tanh(c).

    ``same`` (t, lanes, 1) is 1 where a sentence goes on, else 0: the state is reset there.
    """
    return _run(weights, words, same)[0]


def _run(weights: Any, words: Any, same: Any) -> tuple[Any, Any]:
    """The states, and what their gradient is computed from."""

    def step(before: tuple[Any, Any], now: tuple[Any, Any]) -> Any:
        (h, c), (word, same) = before, now
        sums = word + (h * same) @ weights
        i, f, candidate, o = _gates(sums)
        c = f * (c * same) + i * candidate
        h = o * jnp.tanh(c)
        return (h, c), (h, c, sums)

    zero = jnp.zeros((words.shape[1], len(weights)), words.dtype)
    h, c, sums = jax.lax.scan(step, (zero, zero), (words, same))[1]
    return h, (weights, same, h, c, sums)


def _run_back(saved: tuple[Any, ...], of_states: Any) -> tuple[Any, Any, None]:
    """The gradient by hand: a third less time, for that of ``weights`` is one product at the end."""
    weights, same, h, c, sums = saved
    zero = jnp.zeros_like(h[:1])
    h_before, c_before = (jnp.concatenate([zero, x[:-1]]) * same for x in (h, c))

    def step(after: tuple[Any, Any], now: tuple[Any, ...]) -> Any:
        (of_h, of_c), (of_state, sums, c, c_before, same) = after, now
        i, f, candidate, o = _gates(sums)
        squashed = jnp.tanh(c)
        of_h = of_h + of_state
        of_c = of_c + of_h * o * (1 - squashed**2)
        of_sums = (
            of_c * candidate * i * (1 - i),
            of_c * c_before * f * (1 - f),
            of_c * i * (1 - candidate**2),
            of_h * squashed * o * (1 - o),
        )
        of_word = jnp.concatenate(of_sums, axis=1)
        return ((of_word @ weights.T) * same, of_c * f * same), of_word

    start = zero[0], zero[0]
    of_words = jax.lax.scan(step, start, (of_states, sums, c, c_before, same), reverse=True)[1]
    of_weights = h_before.reshape(-1, len(weights)).T @ of_words.reshape(-1, weights.shape[1])
    return of_weights, of_words, None


_states.defvjp(_run, _run_back)


# From ids to vectors, without a gradient


@jax.jit
def _vectors(parameters: Parameters, rows: Any, words: Any, owners: Any, lengths: Any) -> Any:
    return _mean_states(parameters, _gate_inputs(parameters, rows)[words], owners, lengths)


def encode_parts(
    parameters: Parameters, table: Any, sentences: Ragged
) -> Iterator[tuple[NDArray[np.int64], Vectors]]:
    """Numbers of some sentences (m,) and their vectors (m, 2 hidden), until all are encoded.

    The longest come first, so that sentences of one length are together.
    """
    parameters = {name: jnp.asarray(value) for name, value in parameters.items()}
    lengths = sentences.lengths
    order = np.argsort(-lengths, kind="stable")
    while len(order):
        fitting = max(1, _WORDS_AT_ONCE // bucket_size(int(lengths[order[0]])))
        many = min(_SENTENCES_AT_ONCE, _power_of_two(fitting + 1) // 2)
        yield order[:many], _encode_part(parameters, table, sentences.take(order[:many]))
        order = order[many:]


def _encode_part(parameters: Parameters, table: Any, sentences: Ragged) -> Vectors:
    """Vectors of some sentences; each distinct word is multiplied with the weights once."""
    words, owners, lengths = pack([sentences])
    rows, places = np.unique(words, return_inverse=True)
    blanks = _power_of_two(len(lengths)) - len(lengths)
    lengths = np.pad(lengths, (0, blanks))
    vectors = _vectors(
        parameters,
        table[fill(rows, max(64, _power_of_two(len(rows))), 0)],
        *_in_lanes(places, owners, lengths),
        divisors(lengths),
    )
    return np.asarray(vectors)[: len(lengths) - blanks]


def _encode(parameters: Parameters, table: Any, sentences: Ragged) -> Vectors:
    hidden = len(parameters[f"{FORWARD}.state"])
    vectors = np.zeros((len(sentences.lengths), 2 * hidden), np.float32)
    for chosen, found in encode_parts(parameters, table, sentences):
        vectors[chosen] = found
    return vectors


def _power_of_two(needed: int) -> int:
    """The next power of two from ``needed`` on."""
    return 1 << max(0, needed - 1).bit_length()
