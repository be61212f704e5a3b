"""Margins and candidates, by hand and against the equations written out."""

from __future__ import annotations

from typing import get_args

import numpy as np
import pytest
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from semaniacs.embeddings.encoder import unit
from semaniacs.embeddings.mining.bucc import MiningTask, Split, make_task
from semaniacs.embeddings.mining.candidates import (
    Candidates,
    Floats,
    Margin,
    margin_score,
    mine,
    mine_paraphrases,
)
from semaniacs.embeddings.mining.groups import Copies, Keep, graph_of, group, order_of
from semaniacs.embeddings.mining.neighbours import close_pairs
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.training.corpora import SentencePair


@pytest.mark.parametrize(
    ("margin", "expected"), [("absolute", 0.7), ("distance", 0.7 - 0.6), ("ratio", 0.7 / 0.6)]
)
def test_margins_by_hand(margin: Margin, expected: float) -> None:
    assert margin_score(np.array(0.7), np.array(0.55), np.array(0.65), margin) == pytest.approx(
        expected
    )


def make_rows(count: int, seed: int = 0) -> Vectors:
    """Rows that all lean one way, so that their mean cosines are positive."""
    vectors = np.random.default_rng(seed).standard_normal((count, 6)) + 2
    return unit(vectors.astype(np.float32))


def cosines_of(a: Vectors, b: Vectors) -> Floats:
    return a.astype(np.float64) @ b.T.astype(np.float64)


def plain_scores(cosines: Floats, k: int, margin: Margin) -> Floats:
    scores = np.empty_like(cosines)
    for x in range(cosines.shape[0]):
        for y in range(cosines.shape[1]):
            a = cosines[x, y]
            b = sum(sorted(cosines[x], reverse=True)[:k]) / (2 * k)
            b += sum(sorted(cosines[:, y], reverse=True)[:k]) / (2 * k)
            scores[x, y] = {"absolute": a, "distance": a - b, "ratio": a / b}[margin]
    return scores


def plain_best(scores: Floats, cosines: Floats, k: int) -> list[tuple[float, int, int]]:
    best = []
    for x in range(len(scores)):
        near = sorted(range(scores.shape[1]), key=lambda y: -cosines[x, y])[:k]
        y = max(near, key=lambda y: scores[x, y])
        best.append((-scores[x, y], x, y))
    return best


def plain_mine(
    cosines: Floats, k: int, margin: Margin, candidates: Candidates
) -> list[list[float]]:
    scores = plain_scores(cosines, k, margin)
    forward = plain_best(scores, cosines, k)
    backward = [(s, x, y) for s, y, x in plain_best(scores.T, cosines.T, k)]
    both = set(forward) & set(backward)
    chosen = {"forward": forward, "backward": backward, "intersection": both}
    if candidates in chosen:
        return [list(pair) for pair in sorted(chosen[candidates])]
    kept: list[list[float]] = []
    for s, x, y in sorted(set(forward) | set(backward)):
        if all(x != other[1] and y != other[2] for other in kept):
            kept.append([s, x, y])
    return kept


@pytest.mark.parametrize("candidates", ["max", "intersection", "forward", "backward"])
@pytest.mark.parametrize("margin", ["ratio", "distance", "absolute"])
def test_mining_is_what_the_equations_say(margin: Margin, candidates: Candidates) -> None:
    k, source, target = 4, make_rows(40), make_rows(30, seed=1)
    cosines = cosines_of(source, target)
    found = mine(source, target, k, margin=margin, candidates=candidates)
    expected = plain_mine(cosines, k, margin, candidates)
    np.testing.assert_array_equal(np.stack(found[:2], axis=1), [pair[1:] for pair in expected])
    np.testing.assert_allclose(found.scores, [-pair[0] for pair in expected], atol=1e-9)


def test_between_two_lists_either_may_be_the_neighbour() -> None:
    rows, against = make_rows(20), make_rows(9, seed=1)
    found = mine_paraphrases(rows, against, k=2)
    every = cosines_of(rows, against)
    expected = {(i, int(j)) for i in range(20) for j in np.argsort(-every[i])[:2]}
    expected |= {(int(i), j) for j in range(9) for i in np.argsort(-every[:, j])[:2]}
    pairs = list(zip(found.source.tolist(), found.target.tolist(), strict=True))
    assert len(pairs) == len(set(pairs))
    assert set(pairs) == expected
    np.testing.assert_allclose(found.scores, [every[pair] for pair in pairs], atol=1e-9)
    assert (np.diff(found.scores) <= 0).all()


N = 120
RNG = np.random.default_rng(3)
ROWS = unit(RNG.standard_normal((N, 5)).astype(np.float32))
LENGTHS = RNG.integers(5, 40, N)
COUNTS = RNG.integers(1, 4, N)
THRESHOLD = 0.85
PAIRS = close_pairs(ROWS, THRESHOLD)
CLOSE = np.round(cosines_of(ROWS, ROWS), 6)
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


def test_copies_differ_in_white_space_alone() -> None:
    texts = ["a b", " ", "a  b\t", "A b", "", "a b"]
    copies = Copies(texts)
    assert copies.text_of.tolist() == [0, -1, 0, 1, -1, 0]
    assert (copies.first.tolist(), copies.counts.tolist()) == ([0, 3], [3, 1])
    assert (copies.blank, copies.lengths.tolist()) == (2, [3, 3])
    assert list(copies.distinct(texts)) == ["a b", "A b"]
    nothing = Copies([])
    assert (len(nothing.first), len(nothing.counts), nothing.blank) == (0, 0, 0)


def pairs(name: str, count: int) -> list[SentencePair]:
    return [
        (f"{name} number {i} in English", f"{name} número {i} en español") for i in range(count)
    ]


def origin(sentence: str) -> str:
    name, _, number, *_ = sentence.split()
    return f"{name} {number}"


def parallel(task: MiningTask) -> list[tuple[int, int]]:
    there = {origin(sentence): i for i, sentence in enumerate(task.second)}
    return [
        (i, there[origin(sentence)])
        for i, sentence in enumerate(task.first)
        if origin(sentence) in there
    ]


@pytest.mark.parametrize("split", [None, "dev", "test"])
def test_the_gold_is_all_that_is_parallel(split: Split | None) -> None:
    task = make_task(pairs("good", 100), [pairs("news", 700), pairs("talk", 301)], split=split)
    assert task.gold == parallel(task)
    assert all(task.first[i].startswith("good") for i, _ in task.gold)
    assert all("English" in sentence for sentence in task.first)
    assert all("español" in sentence for sentence in task.second)
    assert len(task.first) == len(task.second)
    assert len(set(task.first)) == len(task.first)
    share = len(task.gold) / len(task.first)
    assert 0.02 < share <= 0.025
    assert [x for x, _ in task.gold] != list(range(len(task.gold)))


def test_a_sentence_that_stands_twice_is_left_out() -> None:
    """Else its translation, in the other half, would make false gold or hide some."""
    news = pairs("news", 400)
    first, last = news[0], news[-1]
    news[200] = ("NEWS number 0, in English!", "algo muy diferente por aquí")
    news[300] = ("something quite different over here", last[1])
    news[100] = ("good number 1 in English", "algo distinto por aquí también")
    news[101] = ("untranslated as it stands here", "Untranslated as it stands here.")
    good = pairs("good", 30)
    task = make_task(good, [news], share=0.1)
    everything = {*task.first, *task.second}
    assert everything.isdisjoint({*first, *last, *news[200], *news[300], *news[100], *news[101]})
    assert everything.isdisjoint(good[1])
    assert task.gold == parallel(task)
