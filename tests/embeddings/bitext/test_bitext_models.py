"""Word alignment and the LSTM, against the same models written out."""

from __future__ import annotations

import math
from collections import defaultdict
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.bitext.alignment import expected_links
from semaniacs.embeddings.bitext.lstm import BACKWARD, FORWARD, encode_parts, lstm_pool
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.embeddings.training.sentence_model import divisors, pack

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


DIM, HIDDEN, ROWS = 5, 3, 30
RNG = np.random.default_rng(0)
TABLE = RNG.standard_normal((ROWS, DIM)).astype(np.float32)


PARAMETERS = {  # large enough for the gates to leave the middle
    f"{direction}.{name}": RNG.normal(0, 1 / np.sqrt(HIDDEN), (height, 4 * HIDDEN)).astype("f")
    for direction in (FORWARD, BACKWARD)
    for name, height in {"input": DIM, "state": HIDDEN, "bias": 1}.items()
}
SENTENCES = [[1, 2, 2], [], [7], list(range(17)), [3, 4], [29, 0, 29, 5, 6, 1, 1], [8], []]


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def states_by_hand(direction: str, rows: Any) -> Any:
    w, u, b = (np.float64(PARAMETERS[f"{direction}.{name}"]) for name in ("input", "state", "bias"))
    h = c = np.zeros(len(u))
    states = []
    for x in rows:
        i, f, candidate, o = np.split(x @ w + h @ u + b[0], 4)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(candidate)
        h = sigmoid(o) * np.tanh(c)
        states.append(h)
    return np.array(states)


def vector_by_hand(rows: Any) -> Any:
    if not len(rows):
        return np.zeros(2 * HIDDEN)
    forward = states_by_hand("forward", rows)
    backward = states_by_hand("backward", rows[::-1])[::-1]
    return np.concatenate([forward, backward], axis=1).mean(axis=0)


def test_it_is_the_one_of_the_equations() -> None:
    expected = np.array([vector_by_hand(TABLE[ids]) for ids in SENTENCES])
    vectors = np.full((len(SENTENCES), 2 * HIDDEN), np.nan)
    for chosen, part in encode_parts(PARAMETERS, TABLE, Ragged.of(SENTENCES)):
        assert np.isnan(vectors[chosen]).all()
        vectors[chosen] = part
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    pool = lstm_pool(PARAMETERS)
    flat, owners, lengths = pack([Ragged.of(SENTENCES)])
    words, owners = pool.lay_out(np.arange(len(flat)), owners, lengths)
    assert pool.each_row is not None
    gates = pool.each_row(PARAMETERS, TABLE[flat])[words]
    found = pool.vectors(PARAMETERS, gates, owners, divisors(lengths))
    np.testing.assert_allclose(found, expected, atol=1e-6)
