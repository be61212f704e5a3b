"""What of a network stays as it is: token ids, and the states after its frozen layers, computed once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.transformer.compiled_forward import Packed, pack, states_after
from embeddings.transformer.shape import Shape
from sts.progress import bar

WIDTHS = (16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 512)
"""To how many tokens the texts of a batch are padded; each is compiled once."""

TEXTS_AT_ONCE = 64
"""Texts whose states are computed at once."""

LARGEST_CACHE = 3 << 30
"""Bytes of cached states; of more sentences they are computed again for every batch."""

Text = str | tuple[str, str]
"""A sentence, or two that are read together."""

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
    def of(cls, tokenizer: Any, texts: Sequence[Text]) -> Tokens:
        """By a tokenizer of the library ``tokenizers``, which also cuts long texts."""
        found = tokenizer.encode_batch(list(texts))
        return cls(
            np.array([i for encoding in found for i in encoding.ids], np.int32),
            np.array([i for encoding in found for i in encoding.type_ids], np.int32),
            np.cumsum([0, *(len(encoding.ids) for encoding in found)]),
        )

    @property
    def lengths(self) -> Places:
        """(n,) tokens of each text."""
        return np.diff(self.starts)

    def width(self, rows: Places) -> int:
        """How wide a batch of some texts is."""
        return width_of(int(self.lengths[rows].max()))

    def of_texts(self, rows: Places) -> tuple[list[Any], list[Any]]:
        """Ids and types of some texts, an array each."""
        ends = zip(self.starts[rows], self.starts[rows + 1], strict=True)
        slices = [slice(begin, end) for begin, end in ends]
        return [self.ids[own] for own in slices], [self.types[own] for own in slices]

    def places(self, rows: Places, width: int) -> tuple[Places, NDArray[np.float32]]:
        """(n, width) the place of each token of some texts, 0 in padding; and their mask."""
        steps = np.arange(width)
        mask = steps < self.lengths[rows][:, None]
        return np.where(mask, self.starts[rows][:, None] + steps, 0), mask.astype(np.float32)


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

    def batch(self, rows: Places, width: int = 0) -> tuple[NDArray[Any], ...]:
        """Some texts, padded: their ids (n, t) or states (n, t, dim), then types and mask (n, t)."""
        places, mask = self.tokens.places(rows, width or self.tokens.width(rows))
        seen = mask > 0
        ids, types = (np.where(seen, of[places], 0) for of in (self.tokens.ids, self.tokens.types))
        if self.frozen is None:
            return ids, types, mask
        if self.frozen and len(self.tokens.ids) * self._dim * 2 <= LARGEST_CACHE:
            return self._states[places], types, mask
        states = np.zeros((*mask.shape, self._dim), np.float32)
        states[seen] = self._compute(rows)
        return states, types, mask

    @property
    def _dim(self) -> int:
        return int(self.weights["embeddings.word_embeddings.weight"].shape[1])

    @cached_property
    def _packed(self) -> Packed:
        return pack(self.weights, self.shape)

    def _compute(self, rows: Places) -> NDArray[np.float32]:
        """The states (tokens, dim) of some texts, end to end, after the frozen layers."""
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
        with bar(total=n, desc="frozen layers", unit=" texts") as shown:
            for begin in range(0, n, TEXTS_AT_ONCE):
                rows = np.arange(begin, min(n, begin + TEXTS_AT_ONCE))
                found = self._compute(rows)
                states[self.tokens.starts[begin] : self.tokens.starts[rows[-1] + 1]] = found
                shown.update(len(rows))
        return states


def width_of(length: int) -> int:
    """The smallest of :data:`WIDTHS` that holds so many tokens."""
    return next(width for width in WIDTHS if width >= length)
