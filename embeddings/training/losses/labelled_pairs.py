"""Losses of pairs that have a label or a grade, from the vectors of their two sides.

Each is called with two arrays (n, dim) and the gold (n,) of the pairs; it holds no state. The
distance of two vectors is d = 1 − cos.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import jax
import jax.numpy as jnp

from embeddings.training.losses.cosines import cosine


class PairLoss(Protocol):
    """A loss of pairs with gold."""

    graded: ClassVar[bool]
    """Whether the gold may be any number; else it is 1 for a paraphrase and 0 for none."""

    def __call__(self, left: jax.Array, right: jax.Array, gold: jax.Array, own: Any) -> jax.Array:
        """The loss of n pairs; ``own`` are the parameters of a loss that learns, see below."""
        ...


@dataclass(frozen=True)
class Contrastive:
    """Mean of y·d² + (1 − y)·max(0, margin − d)² (Hadsell et al., 2006, without the ½).

    Attributes:
        margin: how far apart what is no paraphrase should be, from 0 to 2.
    """

    margin: float = 0.5
    graded: ClassVar[bool] = False

    def __call__(
        self, left: jax.Array, right: jax.Array, gold: jax.Array, own: Any = None
    ) -> jax.Array:
        """The mean over n pairs."""
        apart = 1 - cosine(left, right)
        return jnp.mean(_pull_and_push(apart, gold, self.margin))


@dataclass(frozen=True)
class OnlineContrastive:
    """The sum of the same over the hard pairs of a batch (sentence-transformers).

    Hard are paraphrases farther apart than the closest pair that is none, and pairs that are
    none closer than the farthest paraphrase. Where a batch has fewer than two pairs of the other
    label, the mean distance of the pairs of one's own label is the bound.

    Attributes:
        margin: as of :class:`Contrastive`.
    """

    margin: float = 0.5
    graded: ClassVar[bool] = False

    def __call__(
        self, left: jax.Array, right: jax.Array, gold: jax.Array, own: Any = None
    ) -> jax.Array:
        """The sum over the hard ones of n pairs."""
        apart = 1 - cosine(left, right)
        same = gold > 0.5
        alike, others = same.sum(), (~same).sum()
        mean_of_same = jnp.where(same, apart, 0.0).sum() / jnp.maximum(alike, 1)
        mean_of_others = jnp.where(same, 0.0, apart).sum() / jnp.maximum(others, 1)
        closest = jnp.where(others > 1, jnp.where(same, jnp.inf, apart).min(), mean_of_same)
        farthest = jnp.where(alike > 1, jnp.where(same, apart, -jnp.inf).max(), mean_of_others)
        hard = jnp.where(same, apart > closest, apart < farthest)
        return jnp.sum(jnp.where(hard, _pull_and_push(apart, gold, self.margin), 0.0))


@dataclass(frozen=True)
class CoSent:
    """log(1 + Σ exp s·(cos of j − cos of i)) over all i, j of which i has the higher gold.

    It asks for the order of the gold, not for its values (Su, 2022; a smooth form of the number
    of pairs in the wrong order, so that of two labels it follows the area under the curve).

    Attributes:
        scale: s.
    """

    scale: float = 20.0
    graded: ClassVar[bool] = True

    def __call__(
        self, left: jax.Array, right: jax.Array, gold: jax.Array, own: Any = None
    ) -> jax.Array:
        """The loss of a batch of n pairs; 0 if all have one gold."""
        scores = self.scale * cosine(left, right)
        wrong = scores[None, :] - scores[:, None]
        counted = jnp.where(gold[:, None] > gold[None, :], wrong, -jnp.inf).reshape(-1)
        return jax.nn.logsumexp(jnp.append(counted, 0.0))


@dataclass(frozen=True)
class Correlation:
    """1 − Pearson's correlation of the cosines of a batch with the gold."""

    graded: ClassVar[bool] = True

    def __call__(
        self, left: jax.Array, right: jax.Array, gold: jax.Array, own: Any = None
    ) -> jax.Array:
        """Loss from 0 to 2; 1 if either is constant over the pairs."""
        return 1 - correlation(cosine(left, right), gold)


@dataclass(frozen=True)
class SquaredError:
    """Mean of (cos − gold)²; the gold goes from 0 to 1 (Reimers and Gurevych, 2019)."""

    graded: ClassVar[bool] = True

    def __call__(
        self, left: jax.Array, right: jax.Array, gold: jax.Array, own: Any = None
    ) -> jax.Array:
        """The mean over n pairs."""
        return jnp.mean((cosine(left, right) - gold) ** 2)


@dataclass(frozen=True)
class PairClassification:
    """Cross-entropy of softmax W·(u, v, |u − v|) against the label (Reimers and Gurevych, 2019).

    W (3·dim, 2), which is trained, starts at zero.
    """

    graded: ClassVar[bool] = False

    def initial(self, dim: int) -> dict[str, Any]:
        """W for vectors of this length."""
        return {"weight": jnp.zeros((3 * dim, 2))}

    def __call__(self, left: jax.Array, right: jax.Array, gold: jax.Array, own: Any) -> jax.Array:
        """The mean over n pairs."""
        parts = jnp.concatenate([left, right, jnp.abs(left - right)], axis=1)
        chances = jax.nn.log_softmax(parts @ own["weight"], axis=1)
        return -jnp.mean(jnp.where(gold > 0.5, chances[:, 1], chances[:, 0]))


def correlation(scores: jax.Array, gold: jax.Array) -> jax.Array:
    """Pearson's, of (n,) scores with the gold; 0 if either is the same for all pairs."""
    x, y = scores - scores.mean(), gold - gold.mean()
    return (x * y).sum() / jnp.sqrt(jnp.maximum((x * x).sum() * (y * y).sum(), 1e-12))


def _pull_and_push(apart: jax.Array, gold: jax.Array, margin: float) -> jax.Array:
    return gold * apart**2 + (1 - gold) * jnp.maximum(0.0, margin - apart) ** 2


PAIR_LOSSES: dict[str, Callable[[], PairLoss]] = {
    "cosent": CoSent,
    "contrastive": Contrastive,
    "online-contrastive": OnlineContrastive,
    "classification": PairClassification,
    "correlation": Correlation,
    "squared-error": SquaredError,
}
"""By name on a command line."""
