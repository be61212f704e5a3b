"""Every word of a pair beside its partner in the other sentence, as a frozen transformer sees both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from embeddings.transformer.fine_tuning.lower_layers import Places
from embeddings.transformer.fine_tuning.pair_batches import numbered
from embeddings.transformer.transformer_encoder import Transformer

SAME_TOKEN = 2.0
"""Added to the cosine of equal tokens: none has a partner of another kind where an equal one is."""

STEPS = 4
"""How far apart, at most, the partners of neighbours are told; farther ones are alike."""

WIDTH = 16
"""Batches are padded to a multiple of so many tokens, and to two at least; each is compiled once."""

SIGNS = 5 + 2 * (2 * STEPS + 2)
"""Numbers of a token that say where its partner stands."""


@dataclass(frozen=True)
class AlignedWords:
    """The tokens of n pairs; a side of a pair is a row of a batch.

    Attributes:
        states: (layers, tokens, dim) float16, of all distinct sentences, end to end.
        starts: (sentences + 1,) where each begins; the last is where the last one ends.
        own: (n, 2) the sentences of each pair.
        partners, closeness: of each side of each pair, the place of each token's partner in the
            other sentence, and how close the two are, see :func:`align`.
    """

    states: NDArray[np.float16]
    starts: Places
    own: Places
    partners: list[tuple[Places, Places]]
    closeness: list[tuple[NDArray[np.float32], NDArray[np.float32]]]

    @classmethod
    def of(
        cls,
        network: Transformer,
        left: Sequence[str],
        right: Sequence[str],
        layers: Sequence[int],
    ) -> AlignedWords:
        """Align the tokens of pairs by their states after the first of some layers.

        Of each pair the sentence that is first in the alphabet is the left one.
        """
        pairs = [sorted(pair) for pair in zip(left, right, strict=True)]
        texts, own = numbered([a for a, _ in pairs], [b for _, b in pairs])
        ids, found = network.layers(texts, layers)
        units = [_unit(states) for states in found[0]]
        aligned = [align(ids[a], ids[b], units[a] @ units[b].T) for a, b in own]
        return cls(
            np.stack([np.concatenate(states).astype(np.float16) for states in found]),
            np.cumsum([0, *map(len, ids)]),
            own,
            [places for places, _ in aligned],
            [closeness for _, closeness in aligned],
        )

    def select(self, mask: NDArray[np.bool_]) -> AlignedWords:
        """The words of the pairs where ``mask`` (n,) holds."""
        kept = np.flatnonzero(mask)
        partners, closeness = [self.partners[i] for i in kept], [self.closeness[i] for i in kept]
        return replace(self, own=self.own[kept], partners=partners, closeness=closeness)

    @property
    def lengths(self) -> Places:
        """(n,) tokens of the longer side of each pair."""
        longest: Places = np.diff(self.starts)[self.own].max(axis=1)
        return longest

    def batch(self, pairs: Places) -> tuple[NDArray[Any], ...]:
        """Both sides of k pairs, the left and the right of each one after the other.

        Returns:
            (2k, t, layers · dim) float16 states, the same of the partners, (2k, t, SIGNS) signs,
            and (2k, t) the mask, float32.
        """
        width = WIDTH * max(2, -(-int(self.lengths[pairs].max()) // WIDTH))
        rows = [(pair, side) for pair in pairs.tolist() for side in (0, 1)]
        mask = np.zeros((len(rows), width), np.float32)
        mine, theirs = np.zeros((2, len(rows), width), np.int64)
        signs = np.zeros((len(rows), width, SIGNS), np.float32)
        for row, (pair, side) in enumerate(rows):
            partners, closeness = self.partners[pair][side], self.closeness[pair][side]
            n, (a, b) = len(partners), self.own[pair][[side, 1 - side]]
            mask[row, :n] = 1
            mine[row, :n] = self.starts[a] + np.arange(n)
            theirs[row, :n] = self.starts[b] + partners
            signs[row, :n] = signs_of(partners, closeness, int(self.starts[b + 1] - self.starts[b]))
        return self._at(mine), self._at(theirs), signs, mask

    def _at(self, places: Places) -> NDArray[np.float16]:
        found = np.moveaxis(self.states[:, places], 0, 2)
        return found.reshape(*places.shape, -1)


def align(
    left: NDArray[np.int32], right: NDArray[np.int32], cosines: NDArray[np.float32]
) -> tuple[tuple[Places, Places], tuple[NDArray[np.float32], NDArray[np.float32]]]:
    """The partner of each token of both sides, and how close it is: the closest token of all.

    Closeness is the cosine of the states, from -1 to 1; between equal tokens it is
    :data:`SAME_TOKEN` higher. Of partners that are as close the first counts.

    Args:
        left, right: token numbers, (s,) and (t,).
        cosines: (s, t) of their states.
    """
    close = cosines + np.float32(SAME_TOKEN) * (left[:, None] == right[None, :])
    return (close.argmax(axis=1), close.argmax(axis=0)), (close.max(axis=1), close.max(axis=0))


def signs_of(partners: Places, closeness: NDArray[np.float32], others: int) -> NDArray[np.float32]:
    """(t, SIGNS) where the partners of t tokens stand in a sentence of ``others`` tokens.

    They are: shift (own place less the partner's, as shares of the lengths) and its size, the
    own place, whether the partner is the same token, the cosine; then how many steps there are
    from the previous token's partner to this one's, and from this one's to the next one's, each
    as one of 2 · STEPS + 2 classes: 1 step where order is kept.
    """
    n = len(partners)
    place = np.arange(n) / n
    shift = place - partners / others
    same = closeness > 1 + 1e-3
    numbers = [shift, np.abs(shift), place, same, closeness - SAME_TOKEN * same]
    steps = np.clip(np.diff(partners, prepend=-1, append=others), -STEPS, STEPS + 1) + STEPS
    classes = np.eye(2 * STEPS + 2)[steps]
    found = np.column_stack([np.stack(numbers, axis=1), classes[:-1], classes[1:]])
    return found.astype(np.float32)


def _unit(states: NDArray[np.float32]) -> NDArray[np.float32]:
    scaled: NDArray[np.float32] = states / np.linalg.norm(states, axis=1, keepdims=True)
    return scaled
