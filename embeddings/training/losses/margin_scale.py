"""The additive margin scale loss: find the other side among the batch and hard negatives.

Fedorova and Musatow, Cross-lingual paraphrase identification, III-C.
"""

from __future__ import annotations

from dataclasses import dataclass

import jax
import jax.numpy as jnp

from embeddings.training.losses.cosines import cosines


@dataclass(frozen=True)
class MarginScale:
    """Additive margin scale loss of an anchor x, its paraphrase y, and hard negatives h:

        L = −1/N Σᵢ log pᵢ / (pᵢ + Σₙ≠ᵢ exp s·cos(xᵢ, yₙ) + γ Σⱼ exp s·cos(xᵢ, hⱼ))

    with pᵢ = exp s·cos(∠(xᵢ, yᵢ) + m), the margin inside the cosine as printed (and as of
    ArcFace), or pᵢ = exp s·(cos(xᵢ, yᵢ) − m) as of Yang et al. (2019). An angle that the margin
    takes beyond π counts as π. With m = 0 and γ = 1 it is the multiple negatives loss.

    Attributes:
        scale: s.
        margin: m, in radians if it is angular.
        gamma: γ.
        angular: which of the two it is.
        both: whether y is also an anchor, and the loss the mean of both directions.
    """

    scale: float = 20.0
    margin: float = 0.0
    gamma: float = 1.0
    angular: bool = True
    both: bool = False

    def __call__(
        self,
        left: jax.Array,
        right: jax.Array,
        hard: jax.Array | None = None,
        never: jax.Array | None = None,
    ) -> jax.Array:
        """The mean over n anchors.

        Args:
            left, right: (n, dim) the anchors and their paraphrases.
            hard: (k, dim) hard negatives, of all anchors alike.
            never: (n, n + k) true where a right side, or a hard one, is no negative of an
                anchor, as it means the same.
        """
        if hard is None:
            hard = left[:0]
        if never is None:
            never = jnp.zeros((len(left), len(left) + len(hard)), bool)
        forward = self._one_way(left, right, hard, never)
        if not self.both:
            return forward
        n = len(left)
        back = jnp.concatenate([never[:, :n].T, never[:, n:]], axis=1)
        return (forward + self._one_way(right, left, hard, back)) / 2

    def _one_way(
        self, left: jax.Array, right: jax.Array, hard: jax.Array, never: jax.Array
    ) -> jax.Array:
        n, k = len(left), len(hard)
        found = cosines(left, jnp.concatenate([right, hard]))
        own = jnp.eye(n, n + k, dtype=bool)
        positive = self.scale * self._with_margin(jnp.diag(found[:, :n]))
        weights = jnp.where(jnp.arange(n + k) < n, 1.0, self.gamma)
        others = self.scale * found + jnp.log(weights)[None]
        others = jnp.where(own | never, -jnp.inf, others)
        total = jax.nn.logsumexp(jnp.concatenate([positive[:, None], others], axis=1), axis=1)
        return jnp.mean(total - positive)

    def _with_margin(self, positive: jax.Array) -> jax.Array:
        if not self.angular:
            return positive - self.margin
        inside = jnp.clip(positive, -1 + 1e-6, 1 - 1e-6)  # the arc has no slope at its ends
        return jnp.cos(jnp.minimum(jnp.arccos(inside) + self.margin, jnp.pi))
