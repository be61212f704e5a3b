"""Generated sentences that look alike, and rewriters of the values in real ones."""

from __future__ import annotations

import random
import re
from itertools import chain
from statistics import fmean

import pytest

from research.contrast import grammar_pairs, value_pairs
from research.contrast.grammar_pairs import SLOT, frames, inflect, words
from research.contrast.sampling import overlap
from research.contrast.sources import Group
from research.contrast.value_rewriters import REWRITERS

MAKERS = {**grammar_pairs.MAKERS, **value_pairs.MAKERS}


def draw(phenomenon: str, count: int, seed: int = 0) -> list[Group]:
    rng = random.Random(seed)
    return [MAKERS[phenomenon](rng) for _ in range(count)]


@pytest.mark.parametrize("phenomenon", MAKERS)
def test_groups_are_well_formed_and_balanced(phenomenon: str) -> None:
    groups = draw(phenomenon, 1000)
    assert groups[:50] == draw(phenomenon, 50) != draw(phenomenon, 50, seed=1)
    assert len({group.anchor for group in groups}) >= 990
    for group in groups:
        sentences = [group.anchor, *group.same, *group.different]
        assert (len(group.same), len(group.different), len(set(sentences))) == (2, 2, 5)
        for text in sentences:
            first = text.lstrip('"')[0]
            assert first == first.upper()
            assert not re.search(r"[{}\[\]|\0]|\$(?!\d)|  |,[,.]| [,.?]|\ba (?!one)[aeio]", text), (
                text
            )
    same, different = (
        fmean(overlap(group.anchor, text) for group in groups for text in group[side])
        for side in (2, 3)
    )
    assert abs(same - different) < 0.15  # overlap does not give the label away


def test_every_slot_and_kind_of_the_frames_exists() -> None:
    for frame in chain(*frames().values()):
        kinds = {
            kind for one in frame.fillings for some in one.values() for kind in some.split("|")
        }
        assert {kind for kind in kinds if len(kind) > 1} <= set(words())
        slots = {slot[0] for filling in frame.fillings for slot in filling} | {"x"}
        for template in frame.right + frame.wrong:
            assert {match[1] for match in SLOT.finditer(template)} <= slots, template


def test_verbs_are_inflected() -> None:
    assert (inflect("lie down", "ing"), inflect("carry", "s")) == ("lying down", "carries")


@pytest.mark.parametrize(
    ("phenomenon", "sentence", "same"),
    [
        ("units", "The road is 2 km long.", "The road is 2,000 metres long."),
        ("units", "About 25% of the pupils cycle.", "About a quarter of the pupils cycle."),
        ("numbers", "two men are singing", "2 men are singing"),
        ("names", "She moved to the United States.", "She moved to the US."),
    ],
)
def test_a_value_is_written_otherwise(phenomenon: str, sentence: str, same: str) -> None:
    groups = [REWRITERS[phenomenon](sentence, random.Random(seed)) for seed in range(200)]
    rights = {text.lower() for group in groups if group for text in group.same}
    assert same.lower() in rights
    assert not rights & {text.lower() for group in groups if group for text in group.different}


def test_a_sentence_without_values_is_not_rewritten() -> None:
    assert all(rewrite("It rained.", random.Random(0)) is None for rewrite in REWRITERS.values())
