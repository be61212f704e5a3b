"""The study of intervals counts what it says, on scores whose errors are known."""

from __future__ import annotations

import numpy as np
import pytest

from runs.studies.scores.interval_coverage import by_own_labels, coverage_table, maps_table, of_year
from sts.data.pairs import Pairs


class Nearest:
    """Scores are the first feature; nothing is learned."""

    def fit(self, matrix: np.ndarray, gold: np.ndarray) -> Nearest:
        return self

    def predict(self, matrix: np.ndarray) -> np.ndarray:
        return matrix[:, 0]


def drawn(name: str, bias: float, n: int = 400) -> tuple[Pairs, np.ndarray]:
    """Pairs whose score is their gold less ``bias`` and a normal error of .3."""
    rng = np.random.default_rng(len(name))
    gold = rng.uniform(1.5, 3.5, n)
    left, right = ([f"{name} {side} {i}" for i in range(n)] for side in "ab")
    pairs = Pairs(name, tuple(left), tuple(right), gold)
    return pairs, (gold - bias + rng.normal(0, 0.3, n))[:, None]


def test_own_labels_cover_what_other_years_do_not() -> None:
    found = of_year(Nearest, [drawn("then", 0), drawn("later", 0)], [drawn("elsewhere", 1)])
    assert found["pairs"] == 400
    assert found["covered"] < 0.2
    assert found["maps"]["none"][0] == pytest.approx(1, abs=0.05)
    pairs, scores = drawn("elsewhere", 1)
    own = found["own_labels"]
    assert own == by_own_labels(pairs, scores[:, 0])
    assert own["covered"] == pytest.approx(0.9, abs=0.03)
    assert 0.8 < own["width"] < 1.3  # of N(0, .3) nine tenths are within .99
    years = {"fusion": [found | {"year": 2016}]}
    assert f"| `fusion` | 2016 | 400 | {100 * found['covered']:.1f} % |" in coverage_table(years)
    assert f"| `fusion` | 2016 | {found['maps']['none'][0]:.4f} |" in maps_table(years)
