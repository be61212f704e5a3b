"""The alignment against the same model written with dictionaries, and by hand."""

from __future__ import annotations

import math
from collections import defaultdict

import numpy as np
import pytest

from semaniacs.embeddings.bitext.alignment import expected_links
from semaniacs.embeddings.tokenizers.row_numbers import Ragged

Sentence = list[int]


def near(i: int, rows: int, j: int, columns: int) -> float:
    return math.exp(-4 * abs((i + 0.5) / rows - (j + 0.5) / columns))


def choices(
    chosen: Sentence, among: Sentence, t: dict[tuple[int, int], float]
) -> dict[tuple[int, int], float]:
    """For each place of ``chosen`` and of ``among``: the share of the one in choosing the other."""
    shares = {}
    for i, word in enumerate(chosen):
        weights = [
            t[word, other] * near(i, len(chosen), j, len(among)) for j, other in enumerate(among)
        ]
        for j, weight in enumerate(weights):
            shares[i, j] = weight / sum(weights)
    return shares


def translation_table(
    pairs: list[tuple[Sentence, Sentence]], iterations: int
) -> dict[tuple[int, int], float]:
    """t(word | other word), Brown et al. (1993), 4.1, smoothed, with places near the diagonal."""
    t: dict[tuple[int, int], float] = defaultdict(lambda: 1.0)
    for _ in range(iterations):
        counts: dict[tuple[int, int], float] = defaultdict(float)
        totals: dict[int, float] = defaultdict(float)
        for chosen, among in pairs:
            for (i, j), share in choices(chosen, among, t).items():
                counts[chosen[i], among[j]] += share
                totals[among[j]] += share
        t = {link: count / (totals[link[1]] + 0.5) for link, count in counts.items()}
    return t


def plainly(
    pairs: list[tuple[Sentence, Sentence]], sizes: tuple[int, int], iterations: int
) -> np.ndarray:
    back = [(right, left) for left, right in pairs]
    there, here = translation_table(pairs, iterations), translation_table(back, iterations)
    links = np.zeros(sizes)
    for left, right in pairs:
        by_left, by_right = choices(left, right, there), choices(right, left, here)
        for (i, j), share in by_left.items():
            links[left[i], right[j]] += share * by_right[j, i]
    return links


@pytest.mark.parametrize("iterations", [1, 2, 6])
def test_links_are_those_of_the_model_written_with_dictionaries(iterations: int) -> None:
    rng = np.random.default_rng(0)
    sides = [
        [rng.integers(0, size, rng.integers(0, 7)).tolist() for _ in range(40)] for size in (9, 12)
    ]
    assert [] in sides[0] and [] in sides[1]  # a pair of which one side has no word
    links = expected_links(Ragged.of(sides[0]), Ragged.of(sides[1]), (9, 12), iterations)
    expected = plainly(list(zip(*sides, strict=True)), (9, 12), iterations)
    np.testing.assert_allclose(links.toarray(), expected, rtol=1e-9, atol=1e-12)
    assert links.dtype == np.float64


@pytest.mark.parametrize("iterations", [1, 2, 3])
def test_one_pair_by_hand(iterations: int) -> None:
    """Both words are alike but for their place: each round favours the diagonal by e² once more."""
    links = expected_links(Ragged.of([[0, 1]]), Ragged.of([[0, 1]]), (2, 3), iterations).toarray()
    share = 1 / (1 + math.exp(-2 * (iterations + 1)))
    diagonal, other = share**2, (1 - share) ** 2
    np.testing.assert_allclose(links, [[diagonal, other, 0], [other, diagonal, 0]], rtol=1e-9)
