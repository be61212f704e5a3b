"""Groups against SciPy's components, sentence-transformers' communities, and the definition."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.mining.close_pairs import close_pairs
from semaniacs.embeddings.mining.duplicates import duplicates
from semaniacs.embeddings.mining.groups import Copies, Keep, graph_of, group, order_of
from semaniacs.sts.errors import StsError

N = 120
RNG = np.random.default_rng(3)
ROWS = unit(RNG.standard_normal((N, 5)).astype(np.float32))
LENGTHS = RNG.integers(5, 40, N)
COUNTS = RNG.integers(1, 4, N)
THRESHOLD = 0.85
PAIRS = close_pairs(ROWS, THRESHOLD)
CLOSE = np.round(ROWS.astype(np.float64) @ ROWS.T.astype(np.float64), 6)
np.fill_diagonal(CLOSE, 0)
NEAR = CLOSE >= THRESHOLD


@pytest.mark.parametrize("keep", get_args(Keep))
def test_a_star_is_what_the_definition_says(keep: Keep) -> None:
    order = order_of(keep, PAIRS, LENGTHS, COUNTS)
    expected = {}
    kept: list[int] = []
    for text in order.tolist():
        ahead = [k for k in kept if NEAR[k, text]]
        if ahead:
            # max takes the first of equals: kept in the order.
            expected[text] = max(ahead, key=lambda k, text=text: CLOSE[k, text])  # type: ignore[misc]
        else:
            kept.append(text)
            expected[text] = text
    assert group(graph_of(PAIRS, N), order, "star").tolist() == [
        expected[text] for text in range(N)
    ]


def test_the_orders_are_what_their_names_say() -> None:
    near = COUNTS + NEAR @ COUNTS
    keys = {"first": [0] * N, "longest": -LENGTHS, "shortest": LENGTHS, "central": -near}
    for keep, key in keys.items():
        expected = sorted(range(N), key=lambda i, key=key: (key[i], i))  # type: ignore[misc]
        assert order_of(keep, PAIRS, LENGTHS, COUNTS).tolist() == expected  # type: ignore[arg-type]


@pytest.mark.parametrize("threshold", [0.6, 0.8, 0.9])
def test_components_are_those_of_scipy(threshold: float) -> None:
    pairs = close_pairs(ROWS, threshold)
    graph = coo_array((np.ones(len(pairs.low)), (pairs.low, pairs.high)), shape=(N, N))
    _, labels = connected_components(graph, directed=False)
    order = order_of("longest", pairs, LENGTHS, COUNTS)
    kept = group(graph_of(pairs, N), order, "components")
    rank = np.argsort(order)
    for label in range(labels.max() + 1):
        members = np.flatnonzero(labels == label)
        assert {*kept[members].tolist()} == {int(members[rank[members].argmin()])}


# Copies


def test_copies_differ_in_white_space_alone() -> None:
    texts = ["a b", " ", "a  b\t", "A b", "", "a b"]
    copies = Copies(texts)
    assert copies.text_of.tolist() == [0, -1, 0, 1, -1, 0]
    assert (copies.first.tolist(), copies.counts.tolist()) == ([0, 3], [3, 1])
    assert (copies.blank, copies.lengths.tolist()) == (2, [3, 3])
    assert list(copies.distinct(texts)) == ["a b", "A b"]
    nothing = Copies([])
    assert (len(nothing.first), len(nothing.counts), nothing.blank) == (0, 0, 0)


def test_components_give_the_cosine_of_members_far_apart() -> None:
    chain = [
        "a big dog ran",
        "a big dog ran away",
        "a big dog ran away home",
        "a dog ran away home",
    ]
    (found,) = duplicates(chain, threshold=0.9, groups="components")
    from semaniacs.embeddings import load

    expected = np.round(load().similarity([chain[0]], chain)[0], 5)
    cosines = dict(zip(found.rows, found.cosines, strict=True))
    assert [cosines[i] for i in range(4)] == pytest.approx(expected.tolist(), abs=1e-5)
    assert min(found.cosines) < 0.8


@pytest.mark.parametrize("threshold", [0, -1, 1.1, float("nan")])
def test_a_threshold_is_a_cosine_above_0(threshold: float) -> None:
    with pytest.raises(StsError, match="expected a cosine above 0"):
        duplicates(["a"], threshold=threshold)
