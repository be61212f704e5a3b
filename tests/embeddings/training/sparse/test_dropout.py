"""What dropout draws, and what it leaves of rows of ones."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from embeddings.training.sparse.dropout import draw, drop


def test_drawn_numbers_are_uniform() -> None:
    drawn = draw(0, 1, (500, 301)).astype(float)
    assert stats.kstest(drawn.ravel(), stats.uniform(0, 65536).cdf).pvalue > 0.01
    assert abs(stats.pearsonr(drawn[:, :-1].ravel(), drawn[:, 1:].ravel())[0]) < 0.01
    assert abs(stats.pearsonr(drawn[:-1].ravel(), drawn[1:].ravel())[0]) < 0.01


def test_the_seed_and_the_step_say_what_is_drawn() -> None:
    drawn = draw(3, 5, (40, 7))
    assert (draw(3, 5, (40, 7)) == drawn).all()
    for seed, step in ((3, 6), (4, 5), (5, 3)):
        assert (draw(seed, step, (40, 7)) != drawn).mean() > 0.99


@pytest.mark.parametrize("rate", [0.001, 0.1, 0.3, 0.5, 0.999])
def test_as_many_are_dropped_as_asked_for(rate: float) -> None:
    left = np.asarray(drop(np.ones((1000, 300), np.float32), draw(0, 1, (1000, 300)), rate))
    n, dropped = left.size, int((left == 0).sum())
    assert stats.binomtest(dropped, n, rate).pvalue > 0.001
    assert left.mean() == pytest.approx(1, abs=4 * np.sqrt(rate / (1 - rate) / n))
    assert len(np.unique(left)) == 2


def test_by_hand() -> None:
    drawn = np.array([[0, 16383, 16384, 65535]], np.uint16)
    rows = np.array([[3.0, 3.0, 3.0, -6.0]], np.float32)
    assert np.asarray(drop(rows, drawn, 0.25)).tolist() == [[0, 0, 4, -8]]
