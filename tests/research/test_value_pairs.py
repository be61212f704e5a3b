"""Test the generator of look-alike sentences about values, and the rewriters."""

import random
import re
from statistics import mean

import pytest

from research.contrast.groups import Group
from research.contrast.value_pairs import MAKERS, REWRITERS


def _draw(phenomenon: str, count: int, seed: int = 0) -> list[Group]:
    rng = random.Random(seed)
    return [MAKERS[phenomenon](rng) for _ in range(count)]


def _jaccard(left: str, right: str) -> float:
    first, second = (set(re.findall(r"\w+", text.lower())) for text in (left, right))
    return len(first & second) / len(first | second)


@pytest.mark.parametrize("phenomenon", MAKERS)
def test_groups_are_well_formed_and_balanced(phenomenon: str) -> None:
    """Draw 1,000 groups: reproducible, distinct, filled, and overlap says little about the label."""
    groups = _draw(phenomenon, 1000)
    assert groups[:50] == _draw(phenomenon, 50)
    assert len({group.anchor for group in groups}) >= 990
    for group in groups:
        sentences = [group.anchor, *group.same, *group.different]
        assert len(set(sentences)) == 5
        for sentence in sentences:
            assert not re.search(r"[{}\[\]|\0]|  |,[,.]| ,|\ba [aeio]", sentence), sentence
            assert sentence[0] == sentence[0].upper()
    same, different = (
        mean(_jaccard(g.anchor, s) for g in groups for s in g[side]) for side in (2, 3)
    )
    assert abs(same - different) < 0.15


@pytest.mark.parametrize(
    ("phenomenon", "sentence", "same"),
    [
        ("units", "The road is 2 km long.", "The road is 2,000 metres long."),
        ("units", "About 25% of the pupils cycle.", "About a quarter of the pupils cycle."),
        ("numbers", "two men are singing", "2 men are singing"),
        ("names", "She moved to the United States.", "She moved to the US."),
    ],
)
def test_rewriter_writes_the_same_value(phenomenon: str, sentence: str, same: str) -> None:
    """Find an exact rewriting among many draws, and never among the different ones."""
    groups = [REWRITERS[phenomenon](sentence, random.Random(seed)) for seed in range(200)]
    rights = {text.lower() for group in groups if group for text in group.same}
    assert same.lower() in rights
    assert not rights & {text.lower() for group in groups if group for text in group.different}


def test_rewriter_skips_a_sentence_without_values() -> None:
    """Return None where there is nothing to rewrite."""
    assert all(rewrite("It rained.", random.Random(0)) is None for rewrite in REWRITERS.values())
