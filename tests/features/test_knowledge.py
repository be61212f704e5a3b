"""The harmonic mean of both sides' coverage, with a WordNet of three words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from features.knowledge import wordnet_match
from features.wordnet import WordNet


class Three:
    """Similarities in alphabetical order only, so that one cache entry serves both ways."""

    known = {("cat", "dog"): 0.2, ("cat", "ship"): 0.1, ("dog", "ship"): 0.05}  # noqa: RUF012

    def similarity(self, a: str, b: str) -> float:
        return 1.0 if a == b else self.known[a, b]


three: Any = Three()


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("cat", "dog", 0.2),
        ("cat dog", "cat dog", 1.0),
        # cat 0.2, ship 0.05: mean 0.125; dog 0.2: harmonic mean 2 · 0.125 · 0.2 / 0.325
        ("cat ship", "dog", 0.05 / 0.325),
        # cat 1, cat 1, dog 0.2: mean 2.2 / 3; cat 1
        ("cat cat dog", "cat", 2 * (2.2 / 3) / (2.2 / 3 + 1)),
        ("", "cat", 1.0),
        ("", "", 1.0),
    ],
)
def test_wordnet_match(a: str, b: str, expected: float) -> None:
    assert wordnet_match(a.split(), b.split(), three) == pytest.approx(expected)
    assert wordnet_match(b.split(), a.split(), three) == pytest.approx(expected)


def test_a_synonym_matches_wholly(
    value: Callable[[str, str, str], float], wordnet: WordNet
) -> None:
    assert value("wn_sim_match", "The car stopped", "The automobile stopped") == 1.0
    assert value("wn_sim_match", "The car stopped", "The xqzzy stopped") < 1.0
