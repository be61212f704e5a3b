"""Pairs of ``pairs.tsv`` that conflict in one thing, and pairs that say the same in other words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.features.families import polarity
from semaniacs.features.families.names import name_differences
from semaniacs.features.families.numbers import calendar_differences, quantity_differences
from semaniacs.features.measures.spelling import respell
from semaniacs.features.registry import get_feature
from semaniacs.sts.text.analysis import Sentence
from tests.features.support import MakeBatch, sentence_of

ROWS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("pairs.tsv").read_text("utf-8").splitlines()[1:]
]

ASSERTED: dict[str, tuple[Callable[[Sentence, Sentence], list[str]], Sequence[str]]] = {
    "polarity": (polarity.conflicts, ("polarity_conflict", "opposite_words")),
    "exclusive_words": (polarity.exclusive_conflicts, ("exclusive_words",)),
}
VALUES: dict[str, Callable[[Sentence, Sentence], tuple[Any, ...]]] = {
    "amounts": quantity_differences,
    "dates": calendar_differences,
    "names": name_differences,
}


def rows(group: str, verdict: str) -> list[tuple[str, str]]:
    return [(left, right) for g, v, left, right in ROWS if (g, v) == (group, verdict)]


def test_every_row_is_used() -> None:
    conflicting = {(group, "conflict") for group in (*ASSERTED, *VALUES)}
    agreeing = {(group, "agree") for group in (*ASSERTED, *VALUES, "spelling")}
    assert {row[:2] for row in ROWS} == conflicting | agreeing


@pytest.mark.parametrize("verdict", ["conflict", "agree"])
@pytest.mark.parametrize("group", ASSERTED)
def test_what_is_asserted(batch_of: MakeBatch, group: str, verdict: str) -> None:
    tell, columns = ASSERTED[group]
    pairs = rows(group, verdict)
    batch = batch_of(*zip(*pairs, strict=True))
    largest = np.max([get_feature(name).compute(batch) for name in columns], axis=0)
    told = [bool(tell(sentence_of(left), sentence_of(right))) for left, right in pairs]
    found = zip(pairs, largest > 0, told, strict=True)
    expected = verdict == "conflict"
    assert [pair for pair, *both in found if both != [expected, expected]] == []


@pytest.mark.parametrize("group", VALUES)
def test_values_conflict_both_ways(group: str) -> None:
    for left, right in rows(group, "conflict"):
        there = VALUES[group](sentence_of(left), sentence_of(right))
        back = VALUES[group](sentence_of(right), sentence_of(left))
        assert there and all(0 < found.grade <= 1 for found in there), left
        assert sorted(found.grade for found in there) == sorted(found.grade for found in back), left


@pytest.mark.parametrize("group", VALUES)
def test_values_agree_both_ways(group: str) -> None:
    for left, right in rows(group, "agree"):
        assert VALUES[group](sentence_of(left), sentence_of(right)) == (), left
        assert VALUES[group](sentence_of(right), sentence_of(left)) == (), left


def test_two_words_stay_two() -> None:
    for left, right in rows("spelling", "agree"):
        assert respell(left, right) == (left, right)
        assert respell(right, left) == (right, left)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("It is useful", "It is not useful", ["denied on one side only: useful"]),
        ("The door is open", "The door is closed", ["opposites: open ↔ closed"]),
        ("The door is open", "The door is not closed", []),
        ("He is happy", "He is unhappy", ["opposites: happy ↔ unhappy"]),
        ("I hope it rains", "It rains", ["only the second says that it is so"]),
        ("It rains", "It is not true that it rains", ["only the first says that it is so"]),
    ],
)
def test_denials_in_words(left: str, right: str, said: list[str]) -> None:
    assert polarity.conflicts(sentence_of(left), sentence_of(right)) == said
