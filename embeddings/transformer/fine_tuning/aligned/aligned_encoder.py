"""A small network over a frozen transformer that compares each word of a pair with its partner.

As in decomposable attention (Parikh et al., 2016) words are aligned and compared; the comparisons
are read together by transformer blocks of our own, which say which of them matter. Each side is
read by the same network and their numbers are added, so that sides may be exchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Unpack

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from embeddings.training.checkpoint import digest
from embeddings.training.loop import Options, train_encoder
from embeddings.training.trainable import Batch, Trainable
from embeddings.transformer.fine_tuning.aligned.aligned_words import SIGNS, AlignedWords
from embeddings.transformer.fine_tuning.lower_layers import Places
from embeddings.transformer.fine_tuning.pair_batches import check_pairs
from embeddings.transformer.fine_tuning.tuning_configuration import AlignedTuning
from embeddings.transformer.network import Dropout
from embeddings.transformer.transformer_encoder import Transformer
from sts.progress import Bar

Parameters = Mapping[str, Any]

OWN = "aligned"
"""Name of the part of the parameters."""

PAIRS_AT_ONCE = 64

SORTED_BATCHES = 16
"""Batches among which pairs are sorted by length in training."""


class AlignedEncoder:
    """A frozen transformer, and one or more trained networks over its aligned words.

    Attributes:
        parts: the parameters of each; a score is the mean of theirs.
    """

    def __init__(
        self, network: Transformer, parts: Sequence[Parameters], how: AlignedTuning
    ) -> None:
        self.network, self.how = network, how
        self.parts = [{n: np.asarray(v, np.float32) for n, v in own.items()} for own in parts]

    def predict(
        self, left: Sequence[str], right: Sequence[str], *, label: str = "scoring"
    ) -> NDArray[np.float64]:
        """How alike the sentences of each pair are, (n,) from 0 to 1; the same with sides exchanged."""
        words = AlignedWords.of(self.network, left, right, self.how.layers)
        return self.predict_words(words, label=label)

    def predict_words(self, words: AlignedWords, *, label: str = "scoring") -> NDArray[np.float64]:
        """The same of pairs whose words are aligned already."""
        scores = np.empty(len(words.own), np.float64)
        order = np.argsort(words.lengths, kind="stable")
        with Bar(label, "pairs", len(order)) as bar:
            for begin in range(0, len(order), PAIRS_AT_ONCE):
                pairs = order[begin : begin + PAIRS_AT_ONCE]
                full = words.batch(np.resize(pairs, PAIRS_AT_ONCE))
                found = [np.asarray(_chances(own, full, self.how)) for own in self.parts]
                scores[pairs] = np.stack(found)[:, : len(pairs)].mean(axis=0, dtype=np.float64)
                bar.update(len(pairs))
        return scores

    @cached_property
    def digest(self) -> str:
        """A hash of everything that decides a score."""
        return digest(
            [self.network.digest, repr(self.how), *(sorted(own.items()) for own in self.parts)]
        )


@partial(jax.jit, static_argnames="how")
def _chances(own: Parameters, inputs: Any, how: AlignedTuning) -> jax.Array:
    return jax.nn.sigmoid(compared(own, how, *inputs))


def initial_parameters(dim: int, how: AlignedTuning) -> dict[str, Any]:
    """What training starts from; ``dim`` is the length of a state of all layers together."""
    rng, width = np.random.default_rng(how.seed), how.width

    def drawn(rows: int, columns: int, scale: float = 1.0) -> NDArray[np.float32]:
        values = rng.normal(0, scale / np.sqrt(rows), (rows, columns))
        return values.astype(np.float32)

    found: dict[str, Any] = {
        "states": drawn(2 * dim, width),
        "signs": drawn(SIGNS, width, 3.0),
        "bias": np.zeros(width, np.float32),
        "attention": drawn(width, 1),
        "dense": drawn(3 * width, width),
        "dense_bias": np.zeros(width, np.float32),
        "out": drawn(width, 1, 0.1),
    }
    for block in range(how.blocks):
        found |= {f"{name}{block}": drawn(width, width) for name in ("query", "key", "value")}
        found[f"mixed{block}"] = drawn(width, width, 0.3)
        found[f"inner{block}"] = drawn(width, 2 * width)
        found[f"outer{block}"] = drawn(2 * width, width, 0.3)
    return found


def compared(
    own: Parameters,
    how: AlignedTuning,
    states: Any,
    partners: Any,
    signs: Any,
    mask: Any,
    dropout: Dropout | None = None,
) -> jax.Array:
    """(k,) logits of the pairs of :meth:`AlignedWords.batch`."""

    def drop(x: jax.Array, place: int) -> jax.Array:
        return dropout(x, place) if dropout else x

    with jax.numpy_rank_promotion("allow"):
        mine, theirs = jnp.asarray(states, jnp.float32), jnp.asarray(partners, jnp.float32)
        both = drop(jnp.concatenate([mine, mine - theirs], axis=-1), 0)
        words = jax.nn.gelu(_norm(both @ own["states"] + signs @ own["signs"] + own["bias"]))
        seen = jnp.asarray(mask) > 0
        for block in range(how.blocks):
            mixed = _attend(own, how.heads, block, _norm(words), seen)
            words = words + drop(mixed, 3 * block + 1)
            inner = jax.nn.gelu(_norm(words) @ own[f"inner{block}"])
            words = words + drop(inner @ own[f"outer{block}"], 3 * block + 2)
        level = jnp.where(seen, (_norm(words) @ own["attention"])[..., 0], -1e9)
        attended = (jax.nn.softmax(level)[..., None] * words).sum(1)
        mean = (words * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
        largest = jnp.where(seen[..., None], words, -1e9).max(1)
        pooled = drop(jnp.concatenate([largest, mean, attended], axis=-1), 3 * how.blocks + 1)
        inner = drop(jax.nn.gelu(pooled @ own["dense"] + own["dense_bias"]), 3 * how.blocks + 2)
        logits: jax.Array = (inner @ own["out"])[:, 0].reshape(-1, 2).sum(axis=1)
        return logits


def _attend(own: Parameters, heads: int, block: int, words: jax.Array, seen: jax.Array) -> Any:
    n, t, width = words.shape
    query, key, value = (
        (words @ own[f"{name}{block}"]).reshape(n, t, heads, -1)
        for name in ("query", "key", "value")
    )
    scores = jnp.einsum("nqhd,nkhd->nhqk", query, key) / (width // heads) ** 0.5
    shares = jax.nn.softmax(jnp.where(seen[:, None, None, :], scores, -1e9))
    found = jnp.einsum("nhqk,nkhd->nqhd", shares, value).reshape(n, t, width)
    return found @ own[f"mixed{block}"]


def _norm(x: jax.Array) -> jax.Array:
    centred = x - x.mean(-1, keepdims=True)
    return centred / jnp.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)


@dataclass(frozen=True)
class AlignedLoss:
    """Cross-entropy of the logits of a batch of :class:`AlignedBatches`."""

    how: AlignedTuning

    def __call__(
        self,
        parameters: Mapping[str, Any],
        states: Any,
        partners: Any,
        signs: Any,
        mask: Any,
        drawn: Any,
        gold: Any,
    ) -> jax.Array:
        """A number."""
        dropout = Dropout(drawn, self.how.dropout) if self.how.dropout else None
        logits = compared(parameters[OWN], self.how, states, partners, signs, mask, dropout)
        wanted = gold * (1 - 2 * self.how.smoothing) + self.how.smoothing
        return jnp.mean(jnp.logaddexp(0.0, logits) - wanted * logits)


@dataclass(frozen=True, eq=False)
class AlignedBatches:
    """Batches of pairs for :func:`embeddings.training.loop.run`, each a round of its own.

    Pairs of about one length stand together. The last batch of an epoch repeats its first pairs.
    """

    words: AlignedWords
    gold: NDArray[np.float32]
    how: AlignedTuning

    def rounds(self, epoch: int) -> int:
        """Batches in an epoch."""
        return -(-len(self.gold) // self.how.batch)

    def batches(self, epoch: int, number: int, model: Trainable) -> Iterator[Batch]:
        """The batch of a round; it depends on seed, epoch and round alone."""
        pairs = np.resize(self.order(epoch)[number], self.how.batch)
        drawn = np.array([self.how.seed, epoch << 20 | number], np.uint32)
        yield Batch(extra=(*self.words.batch(pairs), drawn, self.gold[pairs]))

    def order(self, epoch: int) -> list[Places]:
        """The pairs of each batch of an epoch."""
        rng, batch = np.random.default_rng([self.how.seed, epoch]), self.how.batch
        order = rng.permutation(len(self.gold))
        found: list[Places] = []
        for begin in range(0, len(order), SORTED_BATCHES * batch):
            pool = order[begin : begin + SORTED_BATCHES * batch]
            pool = pool[np.argsort(self.words.lengths[pool], kind="stable")]
            found += [pool[start : start + batch] for start in range(0, len(pool), batch)]
        return [found[place] for place in rng.permutation(len(found))]


def train_aligned(
    start: Transformer,
    words: AlignedWords,
    gold: NDArray[np.float64],
    how: AlignedTuning,
    **options: Unpack[Options[AlignedEncoder]],
) -> AlignedEncoder:
    """A network over the aligned words of pairs, trained so that its scores follow their gold.

    Args:
        start: the transformer, which stays as it is.
        words, gold: of n pairs; the gold goes from 0 to 1.
        how: size and schedule.
        **options: see :class:`~embeddings.training.loop.Options`.

    Raises:
        StsError: fewer than two pairs, gold of one value, or as :func:`embeddings.training.loop.run`.
    """
    label = options.setdefault("label", "training")
    check_pairs(label, gold)
    own = initial_parameters(words.states.shape[0] * words.states.shape[2], how)
    loss = AlignedLoss(how)
    model = Trainable({OWN: own}, loss, how.optimizer())
    data = AlignedBatches(words, gold.astype(np.float32), how)

    def current() -> AlignedEncoder:
        return AlignedEncoder(start, [model.dense[OWN]], how)

    identity = {"start": start.digest, "pairs": [words.states, words.own, gold], "loss": repr(loss)}
    return train_encoder(model, data, how, current, identity, **options)
