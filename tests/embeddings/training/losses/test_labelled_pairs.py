"""Losses of pairs against values by hand and against sentence-transformers."""

from __future__ import annotations

import math
import warnings
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from embeddings.training.losses.labelled_pairs import (
    PAIR_LOSSES,
    Contrastive,
    Correlation,
    CoSent,
    OnlineContrastive,
    PairClassification,
    SquaredError,
)

LEFT = jnp.array([[1.0, 0], [1, 0], [2, 0], [0, 3]])
RIGHT = jnp.array([[2.0, 0], [3, 4], [4, 3], [0, 1]])  # cosines 1, .6, .8, 1
LABELS = jnp.array([1.0, 1, 0, 0])


def test_contrastive() -> None:
    # d 0 .4 | .2 0: 0 + .16 + (.5 - .2)^2 + .5^2
    assert Contrastive(0.5)(LEFT, RIGHT, LABELS) == pytest.approx((0.16 + 0.09 + 0.25) / 4)
    assert Contrastive(0.1)(LEFT, RIGHT, LABELS) == pytest.approx((0.16 + 0.01) / 4)


def test_online_contrastive_counts_hard_pairs_alone() -> None:
    # the closest other is at 0, the farthest paraphrase at .4: the paraphrase at 0 is easy
    assert OnlineContrastive(0.5)(LEFT, RIGHT, LABELS) == pytest.approx(0.16 + 0.09 + 0.25)
    # one pair of a label is no bound: the mean of one's own label is
    assert OnlineContrastive()(LEFT[:3], RIGHT[:3], LABELS[:3]) == pytest.approx(0.16 + 0.09)
    assert OnlineContrastive()(LEFT[:2], RIGHT[:2], LABELS[:2]) == pytest.approx(0.16)


def test_cosent() -> None:
    # pairs i, j with gold i > gold j: (1, 3) (1, 4) (2, 3) (2, 4): cos j - cos i
    wrong = [0.8 - 1, 1 - 1, 0.8 - 0.6, 1 - 0.6]
    expected = math.log(1 + sum(math.exp(20 * value) for value in wrong))
    assert CoSent()(LEFT, RIGHT, LABELS) == pytest.approx(expected, rel=1e-5)
    assert CoSent()(LEFT, RIGHT, jnp.ones(4)) == pytest.approx(0)
    assert np.isfinite(np.asarray(jax.grad(CoSent())(LEFT, RIGHT, jnp.ones(4)))).all()


def test_correlation_and_squared_error() -> None:
    gold = jnp.array([1.0, 0.25, 0.5, 1])
    cosines = [1, 0.6, 0.8, 1]
    expected = 1 - np.corrcoef(cosines, gold)[0, 1]
    assert Correlation()(LEFT, RIGHT, gold) == pytest.approx(expected, abs=1e-5)
    assert Correlation()(LEFT, RIGHT, jnp.ones(4)) == pytest.approx(1)
    assert SquaredError()(LEFT, RIGHT, gold) == pytest.approx((0.35**2 + 0.3**2) / 4, rel=1e-4)


def test_classification() -> None:
    loss = PairClassification()
    start = loss.initial(2)
    assert loss(LEFT, RIGHT, LABELS, start) == pytest.approx(math.log(2))
    own = {"weight": jnp.zeros((6, 2)).at[4, 0].set(1.0)}  # of label 0: |u - v| of the first
    chances = [1 / (1 + math.exp(d)) for d in (1, 2)] + [1 / (1 + math.exp(-d)) for d in (2, 0)]
    expected = -np.log(chances).mean()
    assert loss(LEFT, RIGHT, LABELS, own) == pytest.approx(expected, rel=1e-5)


NAMES = {
    "contrastive": ("ContrastiveLoss", {"margin": 0.5}, 0.5 * 1),
    "online-contrastive": ("OnlineContrastiveLoss", {"margin": 0.5}, 1),
    "cosent": ("CoSENTLoss", {}, 1),
    "squared-error": ("CosineSimilarityLoss", {}, 1),
}


@pytest.mark.parametrize("name", NAMES)
def test_the_losses_of_sentence_transformers(name: str) -> None:
    torch = pytest.importorskip("torch")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        losses = pytest.importorskip("sentence_transformers.losses")
    rng = np.random.default_rng(4)
    left, right = rng.standard_normal((2, 12, 5)).astype(np.float32)
    right = 0.6 * left + right
    gold = np.array([1, 0] * 6, np.float32)
    theirs, options, factor = NAMES[name]

    class Given(torch.nn.Module):  # type: ignore[misc, name-defined]
        """A model that gives back the vectors that it is given."""

        def forward(self, features: Any) -> Any:
            return {"sentence_embedding": features["v"]}

    sides = [{"v": torch.tensor(side)} for side in (left, right)]
    expected = float(getattr(losses, theirs)(Given(), **options)(sides, torch.tensor(gold)))
    found = PAIR_LOSSES[name]()(jnp.asarray(left), jnp.asarray(right), jnp.asarray(gold), {})
    assert float(found) * factor == pytest.approx(expected, rel=1e-4)
