"""Raw text in batches of which some tokens are hidden.

Devlin et al. (2019), 3.1: of 15 % of the tokens, 80 % become the mask, 10 % a random token, and
10 % stay as they are. Which these are is drawn anew for every batch of every epoch (Liu et al.,
2019, 4.1).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Places, Rows, Tokens
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.network import Weights
from embeddings.transformer.transformer_encoder import Transformer

HIDDEN, MASKED, RANDOM = 0.15, 0.8, 0.1
"""Share of the tokens that are to be found again; of these, the share of masks and random tokens."""

HELD_OUT = 1 << 11
"""The epoch that the hidden tokens of held-out text are drawn for, in which nothing is learned."""


class Vocabulary(NamedTuple):
    """The number of the mask, and those of the tokens (n,) that a text may hold."""

    mask: int
    words: NDArray[np.int32]


class Hidden(NamedTuple):
    """The arrays of a batch.

    Attributes:
        texts: in rows, with hidden tokens; without ``places`` and ``mask``.
        places: (k,) of the hidden tokens among all of the rows; 0 where there is none.
        tokens: (k,) what stood there; −1 where there is none.
    """

    texts: Rows
    places: Any
    tokens: Any


@dataclass(frozen=True)
class MaskedTexts:
    """Batches for :func:`embeddings.training.loop.run`, each a round of its own.

    Attributes:
        lower: all texts.
        free: (all tokens,) whether a token may be hidden: marks such as [CLS] may not.
        vocabulary: what may stand in their place.
        how: batch, seed.
        fixed: weights of the network that are not trained; none where nothing is.
    """

    lower: LowerLayers
    free: NDArray[np.bool_]
    vocabulary: Vocabulary
    how: FineTuning
    fixed: Weights = field(default_factory=dict)

    @classmethod
    def of(
        cls, network: Transformer, texts: Sequence[str], vocabulary: Vocabulary, how: FineTuning
    ) -> MaskedTexts:
        """Of texts as a network reads them; a long one in pieces, and those without a token not at all."""
        words, ids, free = set(vocabulary.words.tolist()), [], []
        for piece in network.read_tokens(texts, pieces=True):
            marks = zip(piece.ids, piece.special_tokens_mask, strict=True)
            own = np.array([token in words and not mark for token, mark in marks], bool)
            if own.any():
                ids.append(np.array(piece.ids, np.int32))
                free.append(own)
        flat = np.concatenate([np.empty(0, np.int32), *ids])
        starts = np.cumsum([0, *map(len, ids)])
        tokens = Tokens(flat, np.zeros_like(flat), starts)
        lower = LowerLayers(network.weights, network.shape, tokens, None)
        return cls(lower, np.concatenate([np.empty(0, bool), *free]), vocabulary, how)

    def __len__(self) -> int:
        return len(self.lower.tokens.lengths)

    @property
    def words(self) -> NDArray[np.int32]:
        """All tokens that may be hidden, end to end."""
        return self.lower.tokens.ids[self.free]

    def rounds(self, epoch: int) -> int:
        """Batches in an epoch."""
        return -(-len(self) // self.how.batch)

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batch of a round; it depends on seed, epoch and round alone."""
        order = np.random.default_rng([self.how.seed, epoch]).permutation(len(self))
        chosen = order[number * self.how.batch : (number + 1) * self.how.batch]
        drawn = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        yield Batch(extra=(self.fixed, *self.hidden(chosen, epoch, number), drawn))

    def hidden(self, chosen: Places, epoch: int, number: int) -> Hidden:
        """Some texts, with tokens hidden that are drawn for a round of an epoch."""
        rng = np.random.default_rng([self.how.seed, epoch, number])
        rows = self.lower.batch(chosen)
        there = rows.mask > 0
        source = (self.lower.tokens.starts[chosen][:, None] + np.arange(there.shape[1]))[there]
        candidates = rows.places[there][self.free[source]]
        count = max(1, round(HIDDEN * len(candidates)))
        most = math.ceil(HIDDEN * rows.tokens.size)
        found = np.sort(rng.choice(candidates, count, replace=False))
        ids = rows.tokens.reshape(-1).copy()
        places, tokens = np.zeros(most, np.int32), np.full(most, -1, np.int32)
        places[:count], tokens[:count] = found, ids[found]
        ids[found] = self._instead(rng, ids[found])
        texts = rows._replace(tokens=ids.reshape(rows.tokens.shape), places=(), mask=())
        return Hidden(texts, places, tokens)

    def _instead(self, rng: np.random.Generator, ids: NDArray[np.int32]) -> NDArray[np.int32]:
        """What stands in the place of these tokens."""
        fate = rng.random(len(ids))
        random = rng.choice(self.vocabulary.words, len(ids))
        changed = np.where(fate < MASKED + RANDOM, random, ids)
        return np.where(fate < MASKED, np.int32(self.vocabulary.mask), changed)
