"""Settings of trainings, as records; importing them does not import JAX."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Protocol

if TYPE_CHECKING:
    import optax

OptimizerName = Literal["adadelta", "adam", "adagrad", "momentum"]


@dataclass(frozen=True)
class Schedule:
    """Length and speed of a training.

    Attributes:
        epochs: passes over the training data.
        batch: pairs or sentences per step.
        learning_rate: learning rate of the first step.
        final_rate: learning rate of the last step, as a fraction of the first; it falls linearly.
        seed: random seed.
    """

    epochs: int = 10
    batch: int = 100
    learning_rate: float = 1.0
    final_rate: float = 1.0
    seed: int = 0

    def rate(self, done: float) -> float:
        """Return the learning rate when a fraction of the training, from 0 to 1, is done."""
        return self.learning_rate * (1 - (1 - self.final_rate) * done)

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name; a field that is an object is written as its ``repr``."""
        values = {own.name: getattr(self, own.name) for own in fields(self)}
        plain = (int, float, str, type(None))
        return {k: v if isinstance(v, plain) else repr(v) for k, v in values.items()}


class Objective(Protocol):
    """Loss of a batch of sentence vectors."""

    @property
    def negatives(self) -> int:
        """Groups of negatives beside the two sides: 0, 1 (for the left) or 2 (for both)."""
        ...

    def __call__(self, left: Any, right: Any, *negatives: Any) -> Any:
        """Return the loss of n pairs, from arrays (n, dim)."""
        ...


@dataclass(frozen=True)
class HingeLoss:
    """Paragram objective (Wieting et al., 2015), eq. 2 of the paper, or its first hinge alone.

        max(0, δ − cos(g(x₁), g(x₂)) + cos(g(x₁), g(t₁)))
      + max(0, δ − cos(g(x₁), g(x₂)) + cos(g(x₂), g(t₂)))              (eq. 2)

    The first hinge alone is eq. 1 of Wieting et al. (2019).

    Attributes:
        margin: δ, from 0 to 2.
        negatives: 2 for the sum of both hinges, 1 for the left side's alone.
    """

    margin: float = 0.8
    negatives: int = 2

    def __call__(self, left: Any, right: Any, *negatives: Any) -> Any:
        """Return the mean over pairs, from g(x₁), g(x₂), and g(t) for each hinge."""
        import jax.numpy as jnp

        from semaniacs.embeddings.training.cosines import cosine

        def hinge(one: Any, other: Any, negative: Any) -> Any:
            apart = self.margin - cosine(one, other) + cosine(one, negative)
            return jnp.mean(jnp.maximum(0.0, apart))

        if self.negatives == 1:
            return hinge(left, right, *negatives)
        # The right side first: the order decides how XLA fuses, and so the last bits.
        from_right = hinge(right, left, negatives[1])
        return hinge(left, right, negatives[0]) + from_right


@dataclass(frozen=True)
class NegativeSampling:
    """Choice of the negatives of a hinge loss (paper, 3.1).

    Attributes:
        hardest: fraction of negatives that are the most similar candidates; the others are drawn
            at random from the pair's own source, anew in each epoch.
        megabatch: number of batches that are searched together for the hardest negatives: one in
            the first epoch and one more in each, up to this number (Wieting and Gimpel, 2018, 4.2).
    """

    hardest: float = 0.0
    megabatch: int = 1


@dataclass(frozen=True)
class Training(Schedule):
    """Settings of a training on pairs that mean the same; the defaults are the paper's (3.6).

    Attributes:
        objective: loss of a batch, see :mod:`semaniacs.embeddings.training.losses`.
        negatives: choice of the negative examples of a hinge loss.
        l2_to_init: λ of eq. 2, the weight decay towards the starting vectors.
        optimizer: see :mod:`semaniacs.embeddings.training.sparse_rows`.
        interpolation: weight of the trained vectors in the result, from 0 to 1; the rest is
            the starting vectors. Vectors in between lose less on text that is unlike the
            training pairs (Wortsman et al., 2022).
    """

    objective: Objective = field(default_factory=HingeLoss)
    negatives: NegativeSampling = field(default_factory=NegativeSampling)
    l2_to_init: float = 1e-5
    optimizer: OptimizerName = "adadelta"
    interpolation: float = 1.0


@dataclass(frozen=True)
class FineTuning(Schedule):
    """Length and speed of a fine-tuning, and how much of a transformer is trained.

    Attributes:
        learning_rate: highest learning rate; that of a new head is ``head_rate`` times as high.
        warm_up: share of the training in which the rate rises from 0 to it; from there it
            falls linearly to ``final_rate`` of it.
        frozen: number of lower layers that stay as they are, with the embeddings; None trains all.
        weight_decay: of AdamW (Loshchilov and Hutter, 2019); biases and norms have none.
        clip: longest gradient, over all parameters; longer ones are scaled to it.
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
    rounded: ClassVar[bool] = False

    def rate(self, done: float) -> float:
        """Return the learning rate when a fraction of the training, from 0 to 1, is done."""
        if done < self.warm_up:
            return self.learning_rate * done / self.warm_up
        falling = (1 - done) / (1 - self.warm_up)
        return self.learning_rate * (self.final_rate + (1 - self.final_rate) * falling)

    def optimizer(self) -> optax.GradientTransformation:
        """Return AdamW with clipping and accumulation, at a learning rate of 1."""
        return _adamw(self.weight_decay, self.clip, self.accumulate, self.head_rate)


@dataclass(frozen=True)
class RoundedTuning(FineTuning):
    """Settings to train a network as :func:`~.small_file.save_small` rounds it."""

    rounded: ClassVar[bool] = True


@dataclass(frozen=True)
class CrossAttentionTuning(FineTuning):
    """Settings to train a network whose sentences see each other.

    Attributes:
        gate: of every head at first. At -2 a token of the other sentence gets a seventh of what a
            token of its own gets; the lower, the nearer to a network that reads both alone.
        same: of every head at first, added to ``gate`` for the same token; None leaves it out.
        alone: number of lower layers that read each sentence alone; those that are frozen by default.
        lower_rate: of those of them that are trained, as a multiple of ``learning_rate``.
    """

    gate: float = -2.0
    same: float | None = None
    alone: int | None = None
    lower_rate: float = 1.0

    @property
    def first(self) -> int:
        """Number of the layers that read each sentence alone."""
        return self.alone if self.alone is not None else self.frozen or 0

    def optimizer(self) -> optax.GradientTransformation:
        """Return AdamW, slower in the layers that read each sentence alone."""
        import optax

        steps = super().optimizer()
        if self.lower_rate == 1:
            return steps
        lower = frozenset(f"encoder.layer.{layer}" for layer in range(self.first))
        slowed = optax.stateless(partial(_slowed, lower=lower, rate=self.lower_rate))
        return optax.chain(steps, slowed)


def _slowed(
    updates: Mapping[str, Any], _: object, lower: frozenset[str], rate: float
) -> dict[str, Any]:
    """Return the updates of a network, those of some layers multiplied by a rate."""
    network = {
        name: rate * value if ".".join(name.split(".")[:3]) in lower else value
        for name, value in updates["network"].items()
    }
    return {**updates, "network": network}


@lru_cache(maxsize=8)
def _adamw(
    weight_decay: float, clip: float, accumulate: int, head_rate: float
) -> optax.GradientTransformation:
    import jax
    import optax

    def is_matrix(parameters: object) -> object:
        return jax.tree.map(lambda leaf: leaf.ndim > 1, parameters)

    def with_head_rate(updates: dict[str, object], _: object) -> dict[str, object]:
        """Return the updates, larger where a part is new to the network."""
        new = {"head", "pooling"} & set(updates)
        scaled = {name: jax.tree.map(lambda x: head_rate * x, updates[name]) for name in new}
        return updates | scaled

    chained = optax.chain(
        optax.clip_by_global_norm(clip),
        optax.adamw(1.0, weight_decay=weight_decay, mask=is_matrix),
        optax.stateless(with_head_rate),
    )
    if accumulate == 1:
        return chained
    return optax.MultiSteps(chained, accumulate).gradient_transformation()
