"""Frozen part of a network: token ids, and the states after its frozen layers, computed once.

The network itself is compiled for few shapes: texts are laid end to end in rows of tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.transformer.transformer_encoder import Text, Transformer
from semaniacs.sts.progress import Bar

WIDTHS = (16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 512)
"""Numbers of tokens that single texts are padded to; the network is compiled once for each."""

ROW, FEW_ROWS = 64, 2
"""Tokens per row of texts, and the number of rows that a batch is filled up to."""

TEXTS_AT_ONCE = 64  # texts whose states are computed at once

LARGEST_CACHE = 3 << 30
"""Bytes of cached states; of more sentences they are computed again for every batch."""

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Tokens:
    """Tokens of n texts, one text after the other.

    ``ids`` and ``types`` (all tokens,) are the number of each token, and 1 in the second of two
    sentences. ``starts`` (n + 1,) are where each text begins; the last is where the last one ends.
    """

    ids: NDArray[np.int32]
    types: NDArray[np.int32]
    starts: Places

    @classmethod
    def of(cls, network: Transformer, texts: Sequence[Text]) -> Tokens:
        """Tokenize texts as a network reads them; it warns of texts that it cuts."""
        found = network.read_tokens(texts)
        ids = np.array([i for encoding in found for i in encoding.ids], np.int32)
        types = np.array([i for encoding in found for i in encoding.type_ids], np.int32)
        known = len(network.weights["embeddings.token_type_embeddings.weight"])
        types = np.minimum(types, known - 1)  # a RoBERTa has one type, whatever its tokenizer says
        return cls(ids, types, np.cumsum([0, *(len(encoding.ids) for encoding in found)]))

    @property
    def lengths(self) -> Places:
        """(n,) tokens of each text."""
        return np.diff(self.starts)

    def of_texts(self, rows: Places) -> tuple[list[Any], list[Any]]:
        """Return ids and types of some texts, an array per text."""
        slices = list(map(slice, self.starts[rows], self.starts[rows + 1]))
        return [self.ids[own] for own in slices], [self.types[own] for own in slices]


class Rows(NamedTuple):
    """Texts end to end in rows of tokens, so that little of a batch is padding.

    Attributes:
        tokens: ids (r, t), or states (r, t, dim) of tokens.
        ids: (r, t).
        types, positions: (r, t) of each token 1 in the second of two sentences, and its place in
            its text.
        texts: (r, t) which text a token is of, from 1; 0 for padding.
        places: (n, longest) of each text's tokens among all r · t; 0 where ``mask`` is.
        mask: (n, longest) 1 for a token.
    """

    tokens: Any
    ids: Any
    types: Any
    positions: Any
    texts: Any
    places: Any
    mask: Any


@dataclass(frozen=True)
class LowerLayers:
    """Batches of texts as the layers that are trained receive them.

    ``frozen`` layers of the network before training are not trained, and neither are the embeddings
    below them; None trains all.
    """

    network: Transformer
    tokens: Tokens
    frozen: int | None

    def batch(self, chosen: Places, room: int | None = None, together: int = 1) -> Rows:
        """Lay chosen texts end to end in rows, whose number is a multiple of :data:`FEW_ROWS`.

        ``places`` and ``mask`` have ``room`` texts, which repeat the first ones if there are fewer; as
        many as there are by default. ``together`` successive texts are in one row.
        """
        lengths, width = self.tokens.lengths, width_of(int(self.tokens.lengths.max()))
        row = max(ROW, together * width)
        own = lengths[chosen].reshape(-1, together)
        starts, count = fill_rows(own.sum(axis=1), row)
        begins = (starts[:, None] + np.cumsum(own, axis=1) - own).ravel()
        steps = np.arange(width)
        mask = steps < lengths[chosen][:, None]
        places = np.where(mask, begins[:, None] + steps, 0)
        shape = (count + -count % FEW_ROWS, row)
        source = (self.tokens.starts[chosen][:, None] + steps)[mask]

        def fill(values: NDArray[Any]) -> NDArray[Any]:
            made = np.zeros((shape[0] * row, *values.shape[1:]), values.dtype)
            made[places[mask]] = values
            return made.reshape(*shape, *values.shape[1:])

        numbers = 1 + np.arange(len(chosen))[:, None]
        position, number = (
            np.broadcast_to(x, mask.shape)[mask].astype(np.int32) for x in (steps, numbers)
        )
        again = np.arange(room or len(chosen)) % len(chosen)
        return Rows(
            tokens=fill(self._tokens(chosen, source)),
            ids=fill(self.tokens.ids[source]),
            types=fill(self.tokens.types[source]),
            positions=fill(position),
            texts=fill(number),
            places=places[again].astype(np.int32),
            mask=mask[again].astype(np.float32),
        )

    def _tokens(self, chosen: Places, source: Places) -> NDArray[Any]:
        """Ids (tokens,) or states (tokens, dim) of texts, end to end; ``source``: their places."""
        if self.frozen is None:
            return self.tokens.ids[source]
        if self.frozen and len(self.tokens.ids) * self.network.width * 2 <= LARGEST_CACHE:
            return self._states[source]
        return self._compute(chosen)

    def _compute(self, chosen: Places) -> NDArray[np.float32]:
        assert self.frozen is not None
        ids, types = self.tokens.of_texts(chosen)
        (states,) = self.network.states(ids, [self.frozen], types)
        found: NDArray[np.float32] = states
        return found

    @cached_property
    def _states(self) -> NDArray[np.float16]:
        states = np.empty((len(self.tokens.ids), self.network.width), np.float16)
        n = len(self.tokens.lengths)
        with Bar("frozen layers", "texts", n) as bar:
            for begin in range(0, n, TEXTS_AT_ONCE):
                chosen = np.arange(begin, min(n, begin + TEXTS_AT_ONCE))
                found = self._compute(chosen)
                states[self.tokens.starts[begin] : self.tokens.starts[chosen[-1] + 1]] = found
                bar.update(len(chosen))
        return states


def width_of(length: int) -> int:
    """Smallest of :data:`WIDTHS`, or else a multiple of the last, that holds so many tokens."""
    most = WIDTHS[-1]
    return next((width for width in WIDTHS if width >= length), -(-length // most) * most)


def fill_rows(lengths: Places, row: int) -> tuple[Places, int]:
    """Return where each text begins (n,) in rows of so many tokens, and the number of rows.

    The longest texts come first, each in the first row that has room.
    """
    begins, room = np.zeros(len(lengths), np.int64), list[int]()
    for text in np.argsort(-lengths, kind="stable"):
        own = next((i for i, left in enumerate(room) if left >= lengths[text]), len(room))
        if own == len(room):
            room.append(row)
        begins[text] = own * row + row - room[own]
        room[own] -= int(lengths[text])
    return begins, len(room)
