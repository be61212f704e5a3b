"""Losses over sentence vectors, as records without a state.

The losses of pairs and negatives are called with one (n, dim) array per group of sentences, the
left and the right sides of n pairs first. The losses of labelled or graded pairs, in
:data:`PAIR_LOSSES`, are called with both sides, the gold (n,), and their own parameters.
:class:`~semaniacs.embeddings.configuration.HingeLoss` is a setting of a training.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

import jax
import jax.numpy as jnp
from jax import Array

from semaniacs.embeddings.configuration import HingeLoss, Objective
from semaniacs.embeddings.training.cosines import cosine, cosines


def l2_to_init(rows: Array, start: Array, *, weight: float) -> Array:
    """λ ‖W_initial − W‖², the last term of eq. 2; both arrays are (rows, dim)."""
    return weight * jnp.sum((start - rows) ** 2)


@dataclass(frozen=True)
class HardestInBatch:
    """Hinge loss whose negatives are searched for among the sentence vectors of the batch."""

    hinge: HingeLoss

    def __call__(self, left: Any, right: Any, never_left: Any, never_right: Any) -> Any:
        """Return the loss of n pairs (n, dim); masks (n, n) are true where a side is no negative of a pair."""
        negatives = [right[hardest_or_own(left, right, never_right)]]
        if self.hinge.negatives == 2:
            negatives.append(left[hardest_or_own(right, left, never_left)])
        return self.hinge(left, right, *negatives)


def hardest_or_own(anchors: Array, candidates: Array, never: Array) -> Array:
    """Number (n,) of the most similar candidate of each anchor, by cosine; of equal ones the first.

    ``never`` (n, n) is true where a candidate is no negative of an anchor. An anchor without any
    candidate gets its own other side, which cancels out of a hinge loss: the pair has no gradient.
    """
    best = jnp.argmax(jnp.where(never, -jnp.inf, cosines(anchors, candidates)), axis=1)
    return jnp.where(never.all(axis=1), jnp.arange(len(anchors)), best)


@dataclass(frozen=True)
class MarginScale:
    """Additive margin scale loss of an anchor x, its paraphrase y, and hard negatives h.

        L = −1/N Σᵢ log pᵢ / (pᵢ + Σₙ≠ᵢ exp s·cos(xᵢ, yₙ) + γ Σⱼ exp s·cos(xᵢ, hⱼ))

    with pᵢ = exp s·cos(∠(xᵢ, yᵢ) + m), the margin inside the cosine as printed by Fedorova and
    Musatow (Cross-lingual paraphrase identification, III-C), or pᵢ = exp s·(cos(xᵢ, yᵢ) − m): the
    additive margin softmax of Yang et al. (2019, eq. 4 to 6). An angle that the margin takes
    beyond π counts as π. With m = 0 and γ = 1 it is the multiple negatives ranking of Henderson et
    al. (2017, eq. 4).

    Attributes:
        scale: s, the inverse temperature.
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
    negatives: ClassVar[int] = 0

    def __call__(
        self,
        left: Array,
        right: Array,
        hard: Array | None = None,
        never: Array | None = None,
    ) -> Array:
        """Return the mean over n anchors and their paraphrases (n, dim).

        ``hard`` (k, dim) are negatives of all anchors alike. ``never`` (n, n + k) is true where a right
        side, or a hard one, is no negative of an anchor, as it means the same.
        """
        n = len(left)
        hard = left[:0] if hard is None else hard
        never = jnp.zeros((n, n + len(hard)), bool) if never is None else never
        forward = self._one_way(left, right, hard, never)
        if not self.both:
            return forward
        back = jnp.concatenate([never[:, :n].T, never[:, n:]], axis=1)
        return (forward + self._one_way(right, left, hard, back)) / 2

    def _one_way(self, left: Array, right: Array, hard: Array, never: Array) -> Array:
        n, k = len(left), len(hard)
        found = cosines(left, jnp.concatenate([right, hard]))
        own = jnp.eye(n, n + k, dtype=bool)
        positive = self.scale * self._with_margin(jnp.diag(found[:, :n]))
        weights = jnp.where(jnp.arange(n + k) < n, 1.0, self.gamma)
        others = self.scale * found + jnp.log(weights)[None]
        others = jnp.where(own | never, -jnp.inf, others)
        total = jax.nn.logsumexp(jnp.concatenate([positive[:, None], others], axis=1), axis=1)
        return jnp.mean(total - positive)

    def _with_margin(self, positive: Array) -> Array:
        if not self.angular:
            return positive - self.margin
        inside = jnp.clip(positive, -1 + 1e-6, 1 - 1e-6)  # the arc has no slope at its ends
        return jnp.cos(jnp.minimum(jnp.arccos(inside) + self.margin, jnp.pi))


def cosine_distance(vectors: Any, target: Any) -> Any:
    """Mean of 1 − cos(vector, target), over the rows of two arrays (n, dim)."""
    return jnp.mean(1.0 - cosine(vectors, target))


@dataclass(frozen=True)
class TowardsTeacher:
    """Objective, with two groups of negatives or two masks, plus ``weight`` times a cosine distance:
    that of the left sides from a teacher's vectors.
    """

    objective: Objective | HardestInBatch
    weight: float

    def __call__(self, left: Any, right: Any, not_left: Any, not_right: Any, target: Any) -> Any:
        """Return the loss of n pairs; ``target`` (n, dim) are the teacher's vectors."""
        distance = cosine_distance(left, target)
        return self.objective(left, right, not_left, not_right) + self.weight * distance


@dataclass(frozen=True)
class NeighbourAgreement:
    """Cross-entropy between the neighbours of a sentence by a teacher and by a student.

        − 1/n Σᵢ Σⱼ≠ᵢ pᵢⱼ log qᵢⱼ,   pᵢ = softmax(cos(tᵢ, tⱼ) / τ),   qᵢ = softmax(cos(sᵢ, sⱼ) / τ)

    Close sentences count most. Passalis and Tefas (2018), with a softmax of their kernel, the
    cosine. ``temperature`` is τ, above 0.
    """

    temperature: float

    def __call__(self, student: Any, teacher: Any) -> Any:
        """Return the mean over n ≥ 2 sentences; ``teacher`` is (n, other dim)."""
        itself = jnp.eye(len(student), dtype=bool)

        def among_others(vectors: Any) -> Any:
            return jnp.where(itself, -jnp.inf, cosines(vectors, vectors) / self.temperature)

        wanted = jax.nn.softmax(among_others(teacher), axis=1)
        found = jnp.where(itself, 0.0, jax.nn.log_softmax(among_others(student), axis=1))
        return -(wanted * found).sum(axis=1).mean()


# Labelled or graded pairs; the distance of two vectors is d = 1 − cos


class PairLoss(Protocol):
    """Loss of pairs with gold."""

    def __call__(self, left: Array, right: Array, gold: Array, own: Any) -> Array:
        """Return the loss of n pairs; ``own`` are the loss's own parameters, if it has some."""
        ...


@dataclass(frozen=True)
class Contrastive:
    """Mean of y·d² + (1 − y)·max(0, margin − d)² (Hadsell et al., 2006, without the ½)."""

    margin: float = 0.5

    def __call__(self, left: Array, right: Array, gold: Array, own: Any = None) -> Array:
        """Return the mean over n pairs."""
        return jnp.mean(_pull_and_push(1 - cosine(left, right), gold, self.margin))


@dataclass(frozen=True)
class OnlineContrastive:
    """Sum of :class:`Contrastive` over the hard pairs of a batch (sentence-transformers).

    Hard are paraphrases farther apart than the closest pair that is none, and pairs that are
    none closer than the farthest paraphrase. Where a batch has fewer than two pairs of the other
    label, the mean distance of the pairs of one's own label is the bound.
    """

    margin: float = 0.5

    def __call__(self, left: Array, right: Array, gold: Array, own: Any = None) -> Array:
        """Return the sum over the hard ones of n pairs."""
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

    It follows the order of the gold, not its values (Su, 2022). ``scale`` is s.
    """

    scale: float = 20.0

    def __call__(self, left: Array, right: Array, gold: Array, own: Any = None) -> Array:
        """Return the loss of a batch of n pairs; 0 if all have one gold."""
        scores = self.scale * cosine(left, right)
        wrong = scores[None, :] - scores[:, None]
        counted = jnp.where(gold[:, None] > gold[None, :], wrong, -jnp.inf).reshape(-1)
        return jax.nn.logsumexp(jnp.append(counted, 0.0))


@dataclass(frozen=True)
class Correlation:
    """1 − Pearson's correlation of the cosines of a batch with the gold."""

    def __call__(self, left: Array, right: Array, gold: Array, own: Any = None) -> Array:
        """Return the loss, from 0 to 2; 1 if either is constant over the pairs."""
        return 1 - correlation(cosine(left, right), gold)


@dataclass(frozen=True)
class SquaredError:
    """Mean of (cos − gold)²; the gold goes from 0 to 1 (Reimers and Gurevych, 2019)."""

    def __call__(self, left: Array, right: Array, gold: Array, own: Any = None) -> Array:
        """Return the mean over n pairs."""
        return jnp.mean((cosine(left, right) - gold) ** 2)


@dataclass(frozen=True)
class PairClassification:
    """Cross-entropy of softmax W·(u, v, |u − v|) against the label (Reimers and Gurevych, 2019).

    W (3·dim, 2), which is trained, starts at zero.
    """

    def initial(self, dim: int) -> dict[str, Any]:
        """Return W for vectors of this length."""
        return {"weight": jnp.zeros((3 * dim, 2))}

    def __call__(self, left: Array, right: Array, gold: Array, own: Any) -> Array:
        """Return the mean over n pairs."""
        parts = jnp.concatenate([left, right, jnp.abs(left - right)], axis=1)
        chances = jax.nn.log_softmax(parts @ own["weight"], axis=1)
        return -jnp.mean(jnp.where(gold > 0.5, chances[:, 1], chances[:, 0]))


def correlation(scores: Array, gold: Array) -> Array:
    """Pearson's correlation of (n,) scores with the gold; 0 if either is constant."""
    x, y = scores - scores.mean(), gold - gold.mean()
    return (x * y).sum() / jnp.sqrt(jnp.maximum((x * x).sum() * (y * y).sum(), 1e-12))


def _pull_and_push(apart: Array, gold: Array, margin: float) -> Array:
    return gold * apart**2 + (1 - gold) * jnp.maximum(0.0, margin - apart) ** 2


OBJECTIVES: dict[str, Callable[[float], Objective]] = {
    "paragram": HingeLoss,
    "one-sided": lambda margin: HingeLoss(margin, negatives=1),
    "ranking": lambda _: MarginScale(angular=False, both=True),
    "additive": lambda margin: MarginScale(margin=margin, angular=False, both=True),
}
"""Losses of pairs and negatives, made from a margin."""

NEGATIVES = {"random": 0.0, "hardest": 1.0, "mixed": 0.5}  # fractions of hardest negatives

PAIR_LOSSES: dict[str, Callable[[], PairLoss]] = {
    "cosent": CoSent,
    "contrastive": Contrastive,
    "online-contrastive": OnlineContrastive,
    "classification": PairClassification,
    "correlation": Correlation,
    "squared-error": SquaredError,
}
"""Losses of labelled or graded pairs."""
