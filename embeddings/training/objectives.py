"""Objectives and the sampling of negatives, as small records, and their names on command lines.

An objective is called with one (n, dim) array of sentence vectors a group, the left and
the right sides of n pairs first, and returns the loss. It says how many groups of
negative examples it needs. JAX is imported when a loss is computed: the records need none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol


class Objective(Protocol):
    """A loss over the sentence vectors of a batch."""

    @property
    def negatives(self) -> int:
        """Groups of negatives beside the two sides: 0, 1 (for the left) or 2 (for both)."""
        ...

    def __call__(self, left: Any, right: Any, *negatives: Any) -> Any:
        """The loss of n pairs, from arrays (n, dim)."""
        ...


@dataclass(frozen=True)
class HingeLoss:
    """The Paragram objective, eq. 2 of the paper, or its first hinge alone.

        max(0, δ − cos(g(x₁), g(x₂)) + cos(g(x₁), g(t₁)))
      + max(0, δ − cos(g(x₁), g(x₂)) + cos(g(x₂), g(t₂)))              (eq. 2)

    Wieting et al. (2015); the first hinge alone is eq. 1 of Wieting et al. (2019).

    Attributes:
        margin: δ, from 0 to 2.
        negatives: 2 for the sum of both hinges, 1 for that of the left side alone.
    """

    margin: float = 0.8
    negatives: int = 2

    def __call__(self, left: Any, right: Any, *negatives: Any) -> Any:
        """The mean over pairs of one hinge or both: g(x₁), g(x₂), and g(t) for each hinge."""
        import jax.numpy as jnp

        from embeddings.training.losses import cosine

        def hinge(one: Any, other: Any, negative: Any) -> Any:
            apart = self.margin - cosine(one, other) + cosine(one, negative)
            return jnp.mean(jnp.maximum(0.0, apart))

        if self.negatives == 1:
            return hinge(left, right, *negatives)
        # The right side first: the order decides how XLA fuses, and so the last bits.
        from_right = hinge(right, left, negatives[1])
        return hinge(left, right, negatives[0]) + from_right


@dataclass(frozen=True)
class RankingLoss:
    """Cross-entropy of finding the other side in the batch, by softmax over scaled cosines.

        − log exp s(cᵢᵢ − m) / (exp s(cᵢᵢ − m) + Σⱼ≠ᵢ exp s cᵢⱼ),   cᵢⱼ = cos(g(x₁ᵢ), g(x₂ⱼ))

    averaged over both directions: multiple negatives ranking (Henderson et al., 2017, eq. 4),
    or, with m > 0, additive margin softmax (Yang et al., 2019, eq. 4 to 6).

    Attributes:
        scale: s, the inverse temperature.
        margin: m, what the cosine of a pair is lowered by.
    """

    scale: float = 20.0
    margin: float = 0.0
    negatives: ClassVar[int] = 0

    def __call__(self, left: Any, right: Any, *negatives: Any) -> Any:
        """The mean cross-entropy of both directions."""
        import jax
        import jax.numpy as jnp

        from embeddings.training.losses import cosines

        scores = self.scale * (cosines(left, right) - self.margin * jnp.eye(len(left)))
        to_right = jnp.diag(jax.nn.log_softmax(scores, axis=1))
        to_left = jnp.diag(jax.nn.log_softmax(scores, axis=0))
        return -jnp.mean(to_right + to_left) / 2


@dataclass(frozen=True)
class HardestInBatch:
    """A hinge loss whose negatives are searched for among the sentence vectors of the batch.

    Attributes:
        hinge: the loss.
    """

    hinge: HingeLoss

    def __call__(self, left: Any, right: Any, never_left: Any, never_right: Any) -> Any:
        """The loss of n pairs.

        Args:
            left, right: (n, dim).
            never_left, never_right: (n, n), true where a left (a right) side is no negative
                of a pair.
        """
        from embeddings.training.negatives import hardest_or_own

        negatives = [right[hardest_or_own(left, right, never_right)]]
        if self.hinge.negatives == 2:
            negatives.append(left[hardest_or_own(right, left, never_left)])
        return self.hinge(left, right, *negatives)


@dataclass(frozen=True)
class TowardsTeacher:
    """An objective plus the cosine distance of the left sides from a teacher's vectors.

    Attributes:
        objective: the loss without the teacher; called with two groups of negatives,
            or with the two masks of :class:`HardestInBatch`.
        weight: of the distance.
    """

    objective: Objective | HardestInBatch
    weight: float

    def __call__(self, left: Any, right: Any, not_left: Any, not_right: Any, target: Any) -> Any:
        """The loss of n pairs; ``target`` (n, dim) are the teacher's vectors."""
        distance = CosineDistance()(left, target)
        return self.objective(left, right, not_left, not_right) + self.weight * distance


@dataclass(frozen=True)
class CosineDistance:
    """Mean of 1 − cos(vector, target)."""

    def __call__(self, vectors: Any, target: Any) -> Any:
        """The mean over n rows of two arrays (n, dim)."""
        import jax.numpy as jnp

        from embeddings.training.losses import cosine

        return jnp.mean(1.0 - cosine(vectors, target))


@dataclass(frozen=True)
class NeighbourAgreement:
    """Cross-entropy between whom a teacher and whom a student takes for a neighbour.

        − 1/n Σᵢ Σⱼ≠ᵢ pᵢⱼ log qᵢⱼ,   pᵢ = softmax(cos(tᵢ, tⱼ) / τ),   qᵢ = softmax(cos(sᵢ, sⱼ) / τ)

    Close sentences count most. Passalis and Tefas (2018), whose kernel is the cosine; here a
    softmax of it.

    Attributes:
        temperature: τ, above 0.
    """

    temperature: float

    def __call__(self, student: Any, teacher: Any) -> Any:
        """The mean over n ≥ 2 sentences; ``teacher`` (n, other dim) is not trained."""
        import jax
        import jax.numpy as jnp

        from embeddings.training.losses import cosines

        itself = jnp.eye(len(student), dtype=bool)

        def among_others(vectors: Any) -> Any:
            return jnp.where(itself, -jnp.inf, cosines(vectors, vectors) / self.temperature)

        wanted = jax.nn.softmax(among_others(teacher), axis=1)
        found = jnp.where(itself, 0.0, jax.nn.log_softmax(among_others(student), axis=1))
        return -(wanted * found).sum(axis=1).mean()


@dataclass(frozen=True)
class NegativeSampling:
    """Choice of the negatives of a hinge loss (paper, 3.1).

    Attributes:
        hardest: the fraction of negatives that are the most similar candidates; the others
            are drawn at random, anew in each epoch, from the pair's own source.
        megabatch: so many batches are searched together for the hardest negatives: one in
            the first epoch and one more in each, up to this number (Wieting and Gimpel,
            2018, 4.2).
    """

    hardest: float = 0.0
    megabatch: int = 1


OBJECTIVES: dict[str, Callable[[float], Objective]] = {
    "paragram": HingeLoss,
    "one-sided": lambda margin: HingeLoss(margin, negatives=1),
    "ranking": lambda _: RankingLoss(),
    "additive": lambda margin: RankingLoss(margin=margin),
}
"""By name on a command line; each is made from a margin."""

NEGATIVES = {"random": 0.0, "hardest": 1.0, "mixed": 0.5}
"""The fraction of hardest negatives, by name on a command line."""
