"""Settings to train a transformer, as a record; importing it does not import JAX."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from embeddings.training.configuration import Schedule

if TYPE_CHECKING:
    import optax


@dataclass(frozen=True)
class FineTuning(Schedule):
    """Length and speed of a training, and how much of a transformer is trained.

    Attributes:
        learning_rate: the highest; that of a new head is ``head_rate`` times as high.
        warm_up: the share of the training in which the rate rises from 0 to it; from there it
            falls linearly to ``final_rate`` of it.
        frozen: how many lower layers stay as they are, with the embeddings; None trains all.
        weight_decay: of AdamW (Loshchilov and Hutter, 2019); biases and norms have none.
        clip: the longest gradient, over all parameters; longer ones are scaled to it.
        accumulate: batches whose gradients are averaged into one step.
        dropout: probability with which a number is left out.
        head_rate: see ``learning_rate``.
    """

    epochs: int = 1
    batch: int = 32
    learning_rate: float = 2e-5
    final_rate: float = 0.0
    warm_up: float = 0.1
    frozen: int | None = 0
    weight_decay: float = 0.01
    clip: float = 1.0
    accumulate: int = 1
    dropout: float = 0.1
    head_rate: float = 10.0

    def rate(self, done: float) -> float:
        """The learning rate when a fraction of the training, from 0 to 1, is done."""
        if done < self.warm_up:
            return self.learning_rate * done / self.warm_up
        falling = (1 - done) / (1 - self.warm_up)
        return self.learning_rate * (self.final_rate + (1 - self.final_rate) * falling)

    def optimizer(self) -> optax.GradientTransformation:
        """AdamW with clipping and accumulation, at a learning rate of 1; see :class:`Trainable`."""
        return _optimizer(self.weight_decay, self.clip, self.accumulate, self.head_rate)


@dataclass(frozen=True)
class CrossAttentionTuning(FineTuning):
    """Settings to train a network whose sentences see each other.

    Attributes:
        gate: of every head at first. At -2 a token of the other sentence gets a seventh of what a
            token of its own gets; the lower, the nearer to a network that reads both alone.
        same: of every head at first, added to ``gate`` for the same token; None leaves it out.
    """

    gate: float = -2.0
    same: float | None = None


@lru_cache(maxsize=8)
def _optimizer(
    weight_decay: float, clip: float, accumulate: int, head_rate: float
) -> optax.GradientTransformation:
    import jax
    import optax

    def decayed(parameters: object) -> object:
        return jax.tree.map(lambda leaf: leaf.ndim > 1, parameters)

    def scaled(updates: dict[str, object]) -> dict[str, object]:
        """The updates; those of what is new to the network are larger."""
        new = {"head", "pooling"} & set(updates)
        return updates | {
            name: jax.tree.map(lambda x: head_rate * x, updates[name]) for name in new
        }

    own_rates = optax.stateless(lambda updates, _: scaled(updates))
    chained = optax.chain(
        optax.clip_by_global_norm(clip),
        optax.adamw(1.0, weight_decay=weight_decay, mask=decayed),
        own_rates,
    )
    if accumulate == 1:
        return chained
    return optax.MultiSteps(chained, accumulate).gradient_transformation()
