"""What of a network stays as it is: token ids, and the states after its frozen layers, computed once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.transformer.fine_tuning.upper_layers import Weights, run_layers
from embeddings.transformer.network import Shape, embedded
from sts.progress import bar

WIDTHS = (16, 24, 32, 40, 48, 64, 96, 128, 192, 256, 512)
"""To how many tokens the texts of a batch are padded; each is compiled once."""

TOKENS_AT_ONCE = 2048
"""Tokens, padding included, whose states are computed at once."""

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

    def batches(self) -> Iterator[tuple[int, Places, int]]:
        """All texts in batches of a few shapes: how many, their rows, and the width.

        A batch that is not full repeats its last row.
        """
        widths = np.array([width_of(length) for length in self.lengths])
        for width in np.unique(widths):
            members = np.flatnonzero(widths == width)
            height = max(1, TOKENS_AT_ONCE // width)
            for begin in range(0, len(members), height):
                rows = members[begin : begin + height]
                yield len(rows), np.pad(rows, (0, height - len(rows)), "edge"), int(width)

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

    weights: Weights
    shape: Shape
    tokens: Tokens
    frozen: int | None

    def batch(self, rows: Places, width: int = 0) -> tuple[Any, ...]:
        """Some texts, padded: their ids (n, t) or states (n, t, dim), then types and mask (n, t)."""
        places, mask = self.tokens.places(rows, width or self.tokens.width(rows))
        ids, types = (
            np.where(mask > 0, of[places], 0) for of in (self.tokens.ids, self.tokens.types)
        )
        if self.frozen is None:
            return ids, types, mask
        if self._too_large:
            return self._compute(ids, types, mask), types, mask
        return self._states[places], types, mask

    @property
    def _too_large(self) -> bool:
        return not self.frozen or len(self.tokens.ids) * self._dim * 2 > LARGEST_CACHE

    @property
    def _dim(self) -> int:
        return int(self.weights["embeddings.word_embeddings.weight"].shape[1])

    def _compute(self, ids: Any, types: Any, mask: Any) -> jax.Array:
        assert self.frozen is not None
        found: jax.Array = lower_states(self.weights, self.shape, self.frozen, ids, types, mask)
        return found

    @cached_property
    def _states(self) -> NDArray[np.float16]:
        """(all tokens, dim) after the frozen layers."""
        states = np.empty((len(self.tokens.ids), self._dim), np.float16)
        with bar(total=len(self.tokens.lengths), desc="frozen layers", unit=" texts") as shown:
            for count, rows, width in self.tokens.batches():
                places, mask = self.tokens.places(rows, width)
                found = self._compute(self.tokens.ids[places], self.tokens.types[places], mask)
                states[places[mask > 0]] = np.asarray(found)[mask > 0]
                shown.update(count)
        return states


def width_of(length: int) -> int:
    """The smallest of :data:`WIDTHS` that holds so many tokens."""
    return next(width for width in WIDTHS if width >= length)


@partial(jax.jit, static_argnames=("shape", "frozen"))
def lower_states(
    weights: Weights, shape: Shape, frozen: int, ids: jax.Array, types: jax.Array, mask: jax.Array
) -> jax.Array:
    """The states (n, t, dim) float16 after the frozen layers."""
    states = embedded(weights, shape, ids, types)
    below = shape._replace(layers=frozen)
    found: jax.Array = run_layers(weights, below, states, mask, 0)[-1].astype(jnp.float16)
    return found
