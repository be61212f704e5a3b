"""Frozen part of a network: token ids, and the states after its frozen layers, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.transformer.shape import Shape
from embeddings.transformer.transformer_encoder import Text, Transformer
from sts.progress import Bar

WIDTHS = (16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 512)
"""Numbers of tokens that single texts are padded to; the network is compiled once for each."""

ROW, FEW_ROWS = 64, 8
"""Tokens of a row of texts that stand end to end, and how many rows a batch is filled up to."""

TEXTS_AT_ONCE = 64
"""Texts whose states are computed at once."""

LARGEST_CACHE = 3 << 30
"""Bytes of cached states; of more sentences they are computed again for every batch."""

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Tokens:
    """The tokens of n texts, one text after the other.

    Attributes:
        ids, types: (all tokens,) of each token its number, and 1 in the second of two sentences.
        starts: (n + 1,) where each text begins; the last is where the last one ends.
    """

    ids: NDArray[np.int32]
    types: NDArray[np.int32]
    starts: Places

    @classmethod
    def of(cls, network: Transformer, texts: Sequence[Text]) -> Tokens:
        """Tokenize texts as a network reads them; it warns of texts that it cuts."""
        found = network.read_tokens(texts)
        types = np.array([i for encoding in found for i in encoding.type_ids], np.int32)
        known = len(network.weights["embeddings.token_type_embeddings.weight"])
        return cls(
            np.array([i for encoding in found for i in encoding.ids], np.int32),
            np.minimum(types, known - 1),  # a RoBERTa has one type, whatever its tokenizer says
            np.cumsum([0, *(len(encoding.ids) for encoding in found)]),
        )

    @property
    def lengths(self) -> Places:
        """(n,) tokens of each text."""
        return np.diff(self.starts)

    def of_texts(self, rows: Places) -> tuple[list[Any], list[Any]]:
        """Ids and types of some texts, an array each."""
        ends = zip(self.starts[rows], self.starts[rows + 1], strict=True)
        slices = [slice(begin, end) for begin, end in ends]
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

    Attributes:
        weights, shape: the network before training.
        tokens: of all texts.
        frozen: how many layers are not trained, and neither the embeddings below them; None
            trains all.
    """

    weights: Mapping[str, Any]
    shape: Shape
    tokens: Tokens
    frozen: int | None

    def batch(self, chosen: Places, together: int = 1) -> Rows:
        """Some texts in rows, filled up to a multiple of :data:`FEW_ROWS` of them.

        Each so many successive texts stand ``together`` in a row.
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

        position, number = (
            np.broadcast_to(x, mask.shape)[mask].astype(np.int32)
            for x in (steps, 1 + np.arange(len(chosen))[:, None])
        )
        return Rows(
            tokens=fill(self._tokens(chosen, source)),
            ids=fill(self.tokens.ids[source]),
            types=fill(self.tokens.types[source]),
            positions=fill(position),
            texts=fill(number),
            places=places.astype(np.int32),
            mask=mask.astype(np.float32),
        )

    def _tokens(self, chosen: Places, source: Places) -> NDArray[Any]:
        """Ids (tokens,) or states (tokens, dim) of some texts, end to end; ``source``: their places."""
        if self.frozen is None:
            return self.tokens.ids[source]
        if self.frozen and len(self.tokens.ids) * self._dim * 2 <= LARGEST_CACHE:
            return self._states[source]
        return self._compute(chosen)

    @property
    def _dim(self) -> int:
        return int(self.weights["embeddings.word_embeddings.weight"].shape[1])

    @cached_property
    def _packed(self) -> Any:
        from embeddings.transformer.compiled_forward import pack

        return pack(self.weights, self.shape)

    def _compute(self, rows: Places) -> NDArray[np.float32]:
        """The states (tokens, dim) of some texts, end to end, after the frozen layers."""
        from embeddings.transformer.compiled_forward import states_after

        assert self.frozen is not None
        ids, types = self.tokens.of_texts(rows)
        found: NDArray[np.float32] = states_after(
            self._packed, self.shape, ids, [self.frozen], types
        )[0]
        return found

    @cached_property
    def _states(self) -> NDArray[np.float16]:
        """(all tokens, dim) after the frozen layers."""
        states = np.empty((len(self.tokens.ids), self._dim), np.float16)
        n = len(self.tokens.lengths)
        with Bar("frozen layers", "texts", n) as bar:
            for begin in range(0, n, TEXTS_AT_ONCE):
                rows = np.arange(begin, min(n, begin + TEXTS_AT_ONCE))
                found = self._compute(rows)
                states[self.tokens.starts[begin] : self.tokens.starts[rows[-1] + 1]] = found
                bar.update(len(rows))
        return states


def width_of(length: int) -> int:
    """The smallest of :data:`WIDTHS`, or else a multiple of the last, that holds so many tokens."""
    most = WIDTHS[-1]
    return next((width for width in WIDTHS if width >= length), -(-length // most) * most)


def fill_rows(lengths: Places, row: int) -> tuple[Places, int]:
    """(n,) where each text begins if they stand in rows of so many tokens, and how many rows.

    The longest first, each in the first row that has room.
    """
    begins, room = np.zeros(len(lengths), np.int64), list[int]()
    for text in np.argsort(-lengths, kind="stable"):
        own = next((i for i, left in enumerate(room) if left >= lengths[text]), len(room))
        if own == len(room):
            room.append(row)
        begins[text] = own * row + row - room[own]
        room[own] -= int(lengths[text])
    return begins, len(room)
