"""Tests of the generated sentences whose grammar decides what they mean."""

import random
import re
from itertools import chain
from statistics import fmean

import pytest

from research.contrast.grammar_pairs import MAKERS, SLOT, frames, inflect, words
from research.contrast.groups import Group

each = pytest.mark.parametrize("phenomenon", MAKERS)


def draw(phenomenon: str, number: int, seed: int = 0) -> list[Group]:
    return [*map(MAKERS[phenomenon], [random.Random(seed)] * number)]


def overlap(left: str, right: str) -> float:
    one, two = (set(re.findall(r"\w+", text.lower())) for text in (left, right))
    return len(one & two) / len(one | two)


@each
def test_the_seed_decides_the_groups(phenomenon: str) -> None:
    assert draw(phenomenon, 20) == draw(phenomenon, 20) != draw(phenomenon, 20, seed=1)


@each
def test_sentences_are_whole_and_distinct(phenomenon: str) -> None:
    groups = draw(phenomenon, 1_000)
    assert len({group.anchor for group in groups}) >= 990
    for group in groups:
        sentences = [group.anchor, *group.same, *group.different]
        assert (len(group.same), len(group.different), len(set(sentences))) == (2, 2, 5)
        for text in sentences:
            assert text.lstrip('"')[0].isupper(), text
            assert not re.search(r"[{}$]|  | [,.?]|,,|\ba [aei]\w", text), text


@each
def test_overlap_does_not_give_the_label_away(phenomenon: str) -> None:
    groups = draw(phenomenon, 1_000)
    same, different = (
        fmean(overlap(group[1], text) for group in groups for text in group[side])
        for side in (2, 3)
    )
    assert abs(same - different) < 0.15


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
