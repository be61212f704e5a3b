"""The forward pass of a BERT, compiled with Numba: what encodes; :mod:`.network` is what trains.

Sentences are laid end to end and are not padded. All of a token's numbers depend on its sentence
alone, or on its pair if both sides see each other, to the last bit: any batch, order or thread gives
the same.
"""

# mypy: disable-error-code="misc,untyped-decorator,no-untyped-def"

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.compiled.compiling import njit
from semaniacs.embeddings.compiled.native import FAST
from semaniacs.embeddings.transformer import plain_forward
from semaniacs.embeddings.transformer.matrix_tile import COLUMNS, ROWS, in_panels, tile

_BLOCK = 8 * ROWS
"""Tokens that go through a layer together: 48 or 96, whose states stay in the processor's cache."""

Array = NDArray[np.float32]


class Layer(NamedTuple):
    """Matrices of a layer in panels, their biases, and the normalisation after each half."""

    seen: Array
    seen_bias: Array
    mixed: Array
    mixed_bias: Array
    mixed_norm: Array
    inner: Array
    inner_bias: Array
    outer: Array
    outer_bias: Array
    outer_norm: Array


class Packed(NamedTuple):
    """Weights as :func:`states_after` reads them: embeddings of tokens, positions and token types, weight
    and bias of their layer normalisation, and the layers.
    """

    words: Array
    places: Array
    types: Array
    norm: Array
    layers: list[Layer]


def pack(weights: Mapping[str, Any], shape: plain_forward.Shape) -> Packed:
    """Return the weights of a network as :func:`states_after` reads them."""

    def get(name: str) -> Array:
        return np.asarray(weights[name], np.float32)

    def norm(name: str) -> Array:
        return np.stack([get(f"{name}.weight"), get(f"{name}.bias")])

    def dense(*names: str) -> tuple[Array, Array]:
        matrix = np.concatenate([get(f"{name}.weight") for name in names]).T
        bias = np.concatenate([get(f"{name}.bias") for name in names])
        return in_panels(matrix), np.pad(bias, (0, -len(bias) % COLUMNS))

    def layer(name: str) -> Layer:
        looks = (f"{name}.attention.self.{part}" for part in ("query", "key", "value"))
        return Layer(
            *dense(*looks),
            *dense(f"{name}.attention.output.dense"),
            norm(f"{name}.attention.output.LayerNorm"),
            *dense(f"{name}.intermediate.dense"),
            *dense(f"{name}.output.dense"),
            norm(f"{name}.output.LayerNorm"),
        )

    return Packed(
        get("embeddings.word_embeddings.weight"),
        get("embeddings.position_embeddings.weight"),
        get("embeddings.token_type_embeddings.weight"),
        norm("embeddings.LayerNorm"),
        [layer(f"encoder.layer.{number}") for number in range(shape.layers)],
    )


def states_after(
    packed: Packed,
    shape: plain_forward.Shape,
    ids: Sequence[Sequence[int]],
    layers: Sequence[int],
    token_types: Sequence[Sequence[int]] | None = None,
    gates: plain_forward.Gates | None = None,
    lower: plain_forward.Lower | None = None,
) -> Array:
    """States (len(layers), tokens, dim) of some sentences' tokens, end to end, after some layers.

    Args:
        ids: token numbers of each sentence, one or more, no more than there are positions.
        layers: after how many layers; 0 is the embeddings.
        token_types: of each token, 0 for the first text of a pair and 1 for the second; all 0 if
            not given.
        gates: of k layers. Each two sentences are then a pair, whose sides see each other in the
            last k layers.
        lower: states after lower layers, from which to go on.
    """
    offsets = np.cumsum([0, *map(len, ids)])
    tokens, dim = int(offsets[-1]), packed.words.shape[1]
    added = np.zeros((shape.layers, 2, shape.heads), np.float32)
    apart = shape.layers - (0 if gates is None else len(gates.other))
    added[apart:] = 0 if gates is None else np.stack(gates, axis=1)
    longest = int(np.diff(offsets[:: 1 if gates is None else 2]).max())
    rows = tokens + -tokens % ROWS
    flat, kinds = (
        np.concatenate([np.asarray(one, np.int32) for one in given])
        for given in (ids, token_types or [np.zeros(len(one)) for one in ids])
    )
    epsilon = np.float32(shape.epsilon)
    states = np.zeros((rows, dim), np.float32)
    if lower is None:
        embed(flat, kinds, offsets, shape.first_position, *packed[:4], epsilon, states)
    else:
        states[:tokens] = lower.states
    first = 0 if lower is None else lower.layers
    out = np.empty((len(layers), tokens, dim), np.float32)
    room = _Room.of(packed, rows, longest, shape.heads)
    activation = plain_forward.HIDDEN_ACTS.index(shape.activation)
    for number in range(first, max(layers, default=0) + 1):
        for place, wanted in enumerate(layers):
            if wanted == number:
                out[place] = states[:tokens]
        if number < max(layers, default=0):
            layer = packed.layers[number]
            multiply(states, 0, rows, layer.seen, layer.seen_bias, room.seen)
            attend(room, flat, offsets, 1 if number < apart else 2, added[number], dim)
            transform(states, room, layer, epsilon, activation)
    return out


class _Room(NamedTuple):
    """Arrays that every layer writes anew. Tiles write up to a tile more than is asked for."""

    seen: Array
    context: Array
    keys: Array
    values: Array
    nothing: Array
    scores: Array
    inner: Array
    change: Array

    @classmethod
    def of(cls, packed: Packed, rows: int, longest: int, heads: int) -> _Room:
        """Zeros: for so many tokens, and the longest of their sentences."""
        dim, layer = packed.words.shape[1], packed.layers[0]
        across, along = -(-longest // COLUMNS), -(-dim // heads // COLUMNS)
        sizes: list[tuple[int, ...]] = [
            (rows + ROWS, len(layer.seen_bias)),
            (rows + ROWS, dim + 2 * COLUMNS),
            (across, dim // heads, COLUMNS),
            (along, longest, COLUMNS),
            (max(across, along) * COLUMNS,),
            (longest + ROWS, across * COLUMNS),
            (_BLOCK, len(layer.inner_bias)),
            (_BLOCK, len(layer.outer_bias)),
        ]
        return cls(*(np.zeros(size, np.float32) for size in sizes))


def _native(*fast: str):
    """Compile with these liberties of arithmetic, and store the result on disk."""
    return njit(**FAST, fastmath=set(fast) or False)


@_native()
def embed(ids, kinds, offsets, first, words, places, types, norm, epsilon, states):
    """Write the states that the first layer is given."""
    for sentence in range(len(offsets) - 1):
        for row in range(offsets[sentence], offsets[sentence + 1]):
            word, place = ids[row], first + row - offsets[sentence]
            for i in range(states.shape[1]):
                states[row, i] = words[word, i] + places[place, i] + types[kinds[row], i]
            _normalise(states[row], norm, epsilon)


@_native()
def transform(states, room, layer, epsilon, activation):
    """Apply the part of a layer after attention, in place: a dense layer, and the feed-forward part."""
    for begin in range(0, len(states), _BLOCK):
        end = min(len(states), begin + _BLOCK)
        multiply(room.context, begin, end, layer.mixed, layer.mixed_bias, room.change)
        _add_and_normalise(states, begin, end, room.change, layer.mixed_norm, epsilon)
        multiply(states, begin, end, layer.inner, layer.inner_bias, room.inner)
        for row in range(end - begin):
            if activation == 0:
                _gelu(room.inner[row])
            elif activation == 3:
                _relu(room.inner[row])
            else:
                _gelu_by_tanh(room.inner[row])
        multiply(room.inner, 0, end - begin, layer.outer, layer.outer_bias, room.change)
        _add_and_normalise(states, begin, end, room.change, layer.outer_norm, epsilon)


@_native()
def attend(room, ids, offsets, sides, added, dim):
    """Write what every head of every token sees in the tokens of its sentence to ``context``.

    A text of two sides sees its pair. ``added`` (2, heads) is added to the scores of the other
    side, and where the token is the same.
    """
    head = room.keys.shape[1]
    for text in range(0, len(offsets) - 1, sides):
        begin, middle, end = offsets[text], offsets[text + 1], offsets[text + sides]
        for at in range(0, dim, head):
            scale = np.float32(math.sqrt(head))
            across, alike = added[0, at // head] * scale, added[1, at // head] * scale
            _attend(room, ids, begin, middle, end, across, alike, dim, at)


@_native()
def multiply(left, begin, end, panels, bias, out):
    """``out[: end - begin] = left[begin:end] @ the matrix in panels + bias``."""
    depth = panels.shape[1]
    for start in range(begin, end, _BLOCK):
        for panel in range(len(panels)):
            for row in range(start, min(end, start + _BLOCK), ROWS):
                tile(left, row, 0, panels, panel, depth, bias, out, row - begin, panel * COLUMNS)


@_native()
def _attend(room, ids, begin, middle, end, across, alike, dim, at):
    """Compute one head, whose numbers begin at ``at``, for the tokens of one text.

    Tiles reach beyond the last row and column; what they write there is overwritten afterwards,
    by the next head and the next sentence, or is never read.
    """
    seen, keys, values, scores = room.seen, room.keys, room.values, room.scores
    nothing, context = room.nothing, room.context
    length, head = end - begin, keys.shape[1]
    for token in range(length):
        panel, place = token // COLUMNS, token % COLUMNS
        for i in range(head):
            keys[panel, i, place] = seen[begin + token, dim + at + i]
            values[i // COLUMNS, token, i % COLUMNS] = seen[begin + token, 2 * dim + at + i]
    for panel in range(-(-length // COLUMNS)):
        column = panel * COLUMNS
        for row in range(0, length, ROWS):
            tile(seen, begin + row, at, keys, panel, head, nothing, scores, row, column)
    scale = np.float32(1 / math.sqrt(head))
    for row in range(length):
        other = (middle - begin, length) if row < middle - begin else (0, middle - begin)
        for column in range(other[0], other[1]):
            same = ids[begin + row] == ids[begin + column]
            scores[row, column] += across + alike if same else across
        _softmax(scores[row, :length], scale)
    for panel in range(len(values)):
        column = at + panel * COLUMNS
        for row in range(0, length, ROWS):
            tile(scores, row, 0, values, panel, length, nothing, context, begin + row, column)


@_native("contract", "reassoc", "nsz")
def _normalise(row, norm, epsilon):
    """Layer normalisation of one token's state, in place."""
    mean = np.float32(0)
    for i in range(len(row)):  # a loop over the values themselves is not vectorised
        mean += row[i]
    mean /= np.float32(len(row))
    variance = np.float32(0)
    for i in range(len(row)):
        variance += (row[i] - mean) * (row[i] - mean)
    scale = np.float32(1) / np.sqrt(variance / np.float32(len(row)) + epsilon)
    for i in range(len(row)):
        row[i] = (row[i] - mean) * scale * norm[0, i] + norm[1, i]


@_native()
def _add_and_normalise(states, begin, end, change, norm, epsilon):
    for row in range(begin, end):
        for i in range(states.shape[1]):
            states[row, i] += change[row - begin, i]
        _normalise(states[row], norm, epsilon)


@_native("contract")
def _relu(row):
    for i in range(len(row)):
        row[i] = max(row[i], np.float32(0))


_CUT = np.float32(plain_forward.CUT)
_P0, _P1, _P2, _P3, _P4, _P5, _Q0, _Q1, _Q2, _Q3, _Q4, _Q5 = map(
    np.float32, plain_forward.OVER + plain_forward.UNDER
)
_HALF = np.float32(0.5)


@_native("contract")
def _gelu(row):
    """x · Φ(x) of each number (Hendrycks and Gimpel, 2016, 2), in place."""
    for i in range(len(row)):
        x = row[i]
        z = min(max(x, -_CUT), _CUT)
        u = z * z
        over = ((((_P5 * u + _P4) * u + _P3) * u + _P2) * u + _P1) * u + _P0
        under = ((((_Q5 * u + _Q4) * u + _Q3) * u + _Q2) * u + _Q1) * u + _Q0
        row[i] = x * (_HALF + z * over / under)


_TANH, _CUBE = (np.float32(value) for value in (2 * math.sqrt(2 / math.pi), 0.044715))
_ONE = np.float32(1)


@_native("contract")
def _gelu_by_tanh(row):
    """The approximation of x · Φ(x) by tanh (Hendrycks and Gimpel, 2016, 2), in place."""
    for i in range(len(row)):
        x = row[i]
        row[i] = x / (_ONE + _exp(-_TANH * (x + _CUBE * x * x * x)))


@_native("contract", "reassoc", "nsz", "nnan")
def _softmax(row, scale):
    """exp(scale · x) of each number over their sum, in place."""
    highest = row[0]
    for value in row:
        highest = max(highest, value)
    for i in range(len(row)):
        row[i] = _exp((row[i] - highest) * scale)
    total = np.float32(0)
    for value in row:
        total += value
    over = _ONE / total
    for i in range(len(row)):
        row[i] *= over


_LOG2E, _LN2_HIGH, _LN2_LOW = map(np.float32, (1.4426950408889634, 0.693359375, -2.12194440e-4))
_ROUNDER = np.float32(1.5 * 2**23)  # added to a number and taken away again, it rounds it
_LEAST, _MOST = np.float32(-87), np.float32(88)
_E2, _E3, _E4 = map(np.float32, (0.49999991059303284, 0.16666419804096222, 0.0416683666408062))
_E5, _E6 = map(np.float32, (0.00837485957890749, 0.0013829309027642012))
"""e^r = 1 + r + 0.5 r² + … for |r| up to ln 2 / 2, to 2e-9: our fit by least squares."""


@_native()
def _exp(x):
    """e^x in single precision: e^r · 2^n; x is cut to the range of its numbers."""
    x = min(max(x, _LEAST), _MOST)
    n = (x * _LOG2E + _ROUNDER) - _ROUNDER
    r = (x - n * _LN2_HIGH) - n * _LN2_LOW
    power = ((((_E6 * r + _E5) * r + _E4) * r + _E3) * r + _E2) * r * r + r + _ONE
    return power * np.int32((np.int32(n) + np.int32(127)) << np.int32(23)).view(np.float32)
