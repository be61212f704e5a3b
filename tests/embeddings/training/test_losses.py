"""Losses against their equations worked out by hand, and against outside oracles."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax
from sklearn.metrics.pairwise import cosine_similarity

from semaniacs.embeddings.configuration import HingeLoss, OptimizerName
from semaniacs.embeddings.training.cosines import cosine, cosines
from semaniacs.embeddings.training.losses import (
    PAIR_LOSSES,
    Contrastive,
    Correlation,
    CoSent,
    MarginScale,
    NeighbourAgreement,
    OnlineContrastive,
    PairClassification,
    SquaredError,
    l2_to_init,
)
from semaniacs.embeddings.training.sparse_rows import Optimizer, make_optimizer


def drawn(*shape: int) -> tuple[jax.Array, ...]:
    return tuple(jnp.asarray(np.random.default_rng(0).standard_normal((4, *shape)), jnp.float32))


def test_cosines_agree_with_optax_and_scikit_learn() -> None:
    a, b, _, _ = drawn(7, 5)
    a = a.at[2].set(0.0)
    np.testing.assert_allclose(cosines(a, b[:4]), cosine_similarity(a, b[:4]), atol=1e-6)
    np.testing.assert_allclose(jnp.diag(cosines(a, b)), cosine(a, b), atol=1e-6)
    a, b = a[3:], b[3:]
    np.testing.assert_allclose(cosine(a, b), optax.losses.cosine_similarity(a, b), atol=1e-6)


def test_the_hinges_by_hand() -> None:
    left, right = jnp.array([[1.0, 0.0], [2.0, 0.0]]), jnp.array([[0.6, 0.8], [7.0, 0.0]])
    not_left, not_right = jnp.array([[0.0, 5.0], [0.0, 3.0]]), jnp.array([[2.0, 0.0], [-1.0, 0.0]])
    # Pair 1: max(0, .8 - .6 + 0) + max(0, .8 - .6 + .6) = .2 + .8 = 1
    # Pair 2: max(0, .8 - 1 + 0) + max(0, .8 - 1 - 1) = 0
    assert float(HingeLoss(0.8)(left, right, not_left, not_right)) == pytest.approx(0.5, abs=1e-6)
    assert float(HingeLoss(0.8, 1)(left, right, not_left)) == pytest.approx(0.1)


@pytest.mark.parametrize("zero", [(0,), (0, 1, 2, 3)])
def test_zero_vectors_have_a_finite_gradient(zero: tuple[int, ...]) -> None:
    sides = list(drawn(4, 5))
    for side in zero:
        sides[side] = sides[side].at[2].set(0.0)
    value, gradients = jax.value_and_grad(HingeLoss(0.8).__call__, argnums=(0, 1, 2, 3))(*sides)
    assert np.isfinite(value)
    assert all(np.isfinite(gradient).all() for gradient in gradients)


def test_the_decay_towards_the_start_by_hand() -> None:
    start = jnp.array([[1.0, 2.0], [3.0, 4.0]])
    table = jnp.array([[1.0, 0.0], [6.0, 4.0]])
    # Σ (0² + 2² + 3² + 0²) = 13; d/dW λ ‖S − W‖² = 2 λ (W − S)
    assert float(l2_to_init(table, start, weight=0.1)) == pytest.approx(1.3)
    gradient = jax.grad(lambda t: l2_to_init(t, start, weight=0.1))(table)
    np.testing.assert_allclose(gradient, [[0, -0.4], [0.6, 0]], atol=1e-6)


@pytest.mark.parametrize(("scale", "margin"), [(1.0, 0.0), (20.0, 0.3)])
def test_multiple_negatives_agree_with_the_softmax_of_scipy(scale: float, margin: float) -> None:
    left, right = drawn(9, 5)[:2]
    similar = cosine_similarity(left, right).astype(np.float64)
    similar[np.diag_indices(9)] -= margin
    to_right = log_softmax(scale * similar, axis=1).diagonal()
    to_left = log_softmax(scale * similar, axis=0).diagonal()
    expected = (-to_right.mean() - to_left.mean()) / 2
    loss = MarginScale(scale, margin, angular=False, both=True)
    for sides in ((left, right), (right, left)):
        assert float(loss(*sides)) == pytest.approx(expected, rel=1e-5)


ANCHORS = jnp.array([[1.0, 0], [0, 1]])
PARAPHRASES = jnp.array([[0.8, 0.6], [0, 2]])  # cosines .8 0 / .6 1
HARD = jnp.array([[3.0, 4]])  # .6 / .8


@pytest.mark.parametrize("gamma", [1.0, 0.5])
@pytest.mark.parametrize(
    ("angular", "own"),
    [(True, [math.cos(math.acos(0.8) + 0.5), math.cos(0.5)]), (False, [0.3, 0.5])],
)
def test_margin_scale_by_hand(gamma: float, angular: bool, own: list[float]) -> None:
    expected = 0.0
    for positive, (in_batch, hard) in zip(own, [[0, 0.6], [0.6, 0.8]], strict=True):
        p = math.exp(2 * positive)
        expected -= math.log(p / (p + math.exp(2 * in_batch) + gamma * math.exp(2 * hard))) / 2
    found = MarginScale(2.0, 0.5, gamma, angular)(ANCHORS, PARAPHRASES, HARD)
    assert found == pytest.approx(expected, rel=1e-3)


def test_a_sentence_that_means_the_same_is_no_negative() -> None:
    never = jnp.array([[False, True, False], [False, False, True]])
    expected = -(
        math.log(math.exp(0.8) / (math.exp(0.8) + math.exp(0.6)))
        + math.log(math.exp(1) / (math.exp(1) + math.exp(0.6)))
    )
    found = MarginScale(1.0, angular=False)(ANCHORS, PARAPHRASES, HARD, never)
    assert found == pytest.approx(expected / 2, rel=1e-5)


def test_the_slope_is_finite_where_the_sides_are_equal() -> None:
    slope = jax.grad(MarginScale(margin=0.5))(ANCHORS, ANCHORS)
    assert np.isfinite(np.asarray(slope)).all()
    opposite = MarginScale(1.0, 1.0)(ANCHORS, -ANCHORS)
    assert opposite == pytest.approx(math.log(1 + math.e), rel=1e-3)


STUDENT = jnp.array([[1.0, 0.0], [0.6, 0.8], [0.0, 5.0]])  # cosines .6, 0, .8
TEACHER = jnp.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [7.0, 0.0, 0.0]])  # 0, 1, 0


def test_agreement_of_neighbours_by_hand() -> None:
    def cross_entropy(wanted: list[float], found: list[float]) -> float:
        p, q = softmax(np.array(wanted) / 0.5), softmax(np.array(found) / 0.5)
        return float(-(p * np.log(q)).sum())

    rows = [([0, 1], [0.6, 0]), ([0, 0], [0.6, 0.8]), ([1, 0], [0, 0.8])]
    expected = np.mean([cross_entropy(wanted, found) for wanted, found in rows])
    assert float(NeighbourAgreement(0.5)(STUDENT, TEACHER)) == pytest.approx(expected, rel=1e-5)


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
    expected = 1 - np.corrcoef([1, 0.6, 0.8, 1], gold)[0, 1]
    assert Correlation()(LEFT, RIGHT, gold) == pytest.approx(expected, abs=1e-5)
    assert Correlation()(LEFT, RIGHT, jnp.ones(4)) == pytest.approx(1)
    assert SquaredError()(LEFT, RIGHT, gold) == pytest.approx((0.35**2 + 0.3**2) / 4, rel=1e-4)


def test_classification() -> None:
    loss = PairClassification()
    assert loss(LEFT, RIGHT, LABELS, loss.initial(2)) == pytest.approx(math.log(2))
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
        def forward(self, features: Any) -> Any:
            return {"sentence_embedding": features["v"]}

    sides = [{"v": torch.tensor(side)} for side in (left, right)]
    expected = float(getattr(losses, theirs)(Given(), **options)(sides, torch.tensor(gold)))
    found = PAIR_LOSSES[name]()(jnp.asarray(left), jnp.asarray(right), jnp.asarray(gold), {})
    assert float(found) * factor == pytest.approx(expected, rel=1e-4)


ROWS, DIM, STEPS, CHOSEN = 9, 3, 25, 4
DENSE: dict[OptimizerName, Callable[[Any], Any]] = {
    "adagrad": lambda rate: optax.adagrad(rate, initial_accumulator_value=0.1, eps=1e-7),
    "adadelta": lambda rate: optax.adadelta(rate, rho=0.95, eps=1e-6),
    "momentum": lambda rate: optax.sgd(rate, momentum=0.9),
    "adam": lambda rate: optax.adam(rate, b1=0.9, b2=0.999, eps=1e-8),
}
RATE = {"adagrad": 0.05, "adadelta": 20.0, "momentum": 0.05, "adam": 0.05}
"""Such that all move about as far: the first steps of Adadelta are tiny."""

rng = np.random.default_rng(0)
START = rng.standard_normal((ROWS, DIM)).astype(np.float32)
GRADIENTS = rng.standard_normal((STEPS, ROWS, DIM)).astype(np.float32)
SUBSETS = np.array([rng.permutation(ROWS - 1)[:CHOSEN] for _ in range(STEPS)])  # never the last
EVERYTHING = np.tile(np.arange(ROWS), (STEPS, 1))


def densely(name: OptimizerName, gradients: NDArray[np.float32]) -> NDArray[np.float32]:
    optimizer, table = DENSE[name](RATE[name]), jnp.asarray(START)
    state = optimizer.init(table)
    for gradient in gradients:
        updates, state = optimizer.update(jnp.asarray(gradient), state, table)
        table = optax.apply_updates(table, updates)
    return np.asarray(table)


def by_rows(optimizer: Optimizer, rate: float, subsets: NDArray[np.int64]) -> NDArray[np.float32]:
    table = START.copy()
    state = {name: np.array(value) for name, value in optimizer.init(jnp.asarray(START)).items()}
    seen = np.zeros(ROWS, int)
    for step, (chosen, gradient) in enumerate(zip(subsets, GRADIENTS, strict=True)):
        rows = jnp.asarray(table[chosen])
        used = {name: jnp.asarray(value[chosen]) for name, value in state.items()}
        missed = jnp.asarray((step - seen[chosen])[:, None], jnp.float32)
        rows, used = optimizer.catch_up(rows, used, missed, rate)
        rows, used = optimizer.update(rows, used, jnp.asarray(gradient[chosen]), rate)
        table[chosen] = rows
        for name, value in used.items():
            state[name][chosen] = value
        seen[chosen] = step + 1
    missed = jnp.asarray((len(subsets) - seen)[:, None], jnp.float32)
    final = {name: jnp.asarray(value) for name, value in state.items()}
    return np.asarray(optimizer.catch_up(jnp.asarray(table), final, missed, rate)[0])


def gradients_of_subsets() -> NDArray[np.float32]:
    """The gradients as a dense optimizer sees them: zero for all rows that are not chosen."""
    dense = np.zeros_like(GRADIENTS)
    for step, chosen in enumerate(SUBSETS):
        dense[step, chosen] = GRADIENTS[step, chosen]
    return dense


@pytest.mark.parametrize("name", DENSE)
def test_with_every_row_in_every_step_it_is_the_dense_optimizer(name: OptimizerName) -> None:
    found = by_rows(make_optimizer(name), RATE[name], EVERYTHING)
    expected = densely(name, GRADIENTS)
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    assert np.abs(found - START).max() > 0.1


@pytest.mark.parametrize("name", ["adagrad", "adadelta", "momentum"])
def test_rows_that_come_and_go_end_where_the_dense_optimizer_takes_them(
    name: OptimizerName,
) -> None:
    found = by_rows(make_optimizer(name), RATE[name], SUBSETS)
    expected = densely(name, gradients_of_subsets())
    np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)
    np.testing.assert_array_equal(found[-1], START[-1])


def test_lazy_adam_counts_the_steps_of_each_row_alone() -> None:
    expected = START.astype(np.float64)
    for row in range(ROWS):
        mean = squares = np.zeros(DIM)
        own_steps = [s for s in range(STEPS) if row in SUBSETS[s]]
        for t, step in enumerate(own_steps, start=1):
            g = GRADIENTS[step, row].astype(np.float64)
            mean = 0.9 * mean + 0.1 * g
            squares = 0.999 * squares + 0.001 * g * g
            corrected, spread = mean / (1 - 0.9**t), np.sqrt(squares / (1 - 0.999**t))
            expected[row] -= 0.05 * corrected / (spread + 1e-8)
    found = by_rows(make_optimizer("adam"), 0.05, SUBSETS)
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)
    np.testing.assert_array_equal(found[-1], START[-1])
