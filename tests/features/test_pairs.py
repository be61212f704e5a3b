"""Pairs of ``pairs.tsv`` that conflict in one thing, and pairs that say the same in other words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from semaniacs.features.families import factuality, polarity, quantifiers
from semaniacs.features.families.names import name_differences
from semaniacs.features.families.numbers import calendar_differences, quantity_differences
from semaniacs.features.families.structure import comparable, conflicts, find_conflicts
from semaniacs.features.measures.spelling import respell
from semaniacs.features.resources import Resources
from semaniacs.sts.text.analysis import Sentence, analyse
from tests.features.support import Value, make_batch, sentence_of, wrong_so_far

ROWS = [
    tuple(line.split("\t"))
    for line in Path(__file__).with_name("pairs.tsv").read_text("utf-8").splitlines()[1:]
]

ASSERTED: dict[str, tuple[Callable[[Sentence, Sentence], list[str]], Sequence[str]]] = {
    "polarity": (polarity.conflicts, ("polarity_conflict", "opposite_words")),
    "quantifiers": (quantifiers.conflicts, ("quantifier_conflict",)),
    "factuality": (factuality.conflicts, ("factuality_conflict",)),
    "exclusive_words": (polarity.exclusive_conflicts, ("exclusive_words",)),
}
VALUES: dict[str, Callable[[Sentence, Sentence], tuple[Any, ...]]] = {
    "amounts": quantity_differences,
    "dates": calendar_differences,
    "names": name_differences,
}
KINDS = (
    "role", "path", "comparison", "time", "cause", "condition", "place", "lack", "modifier",
    "role moved", "modifier moved",
)  # fmt: skip
ALSO = {"cause": {"role"}, "role": {"modifier", "role moved"}, "modifier moved": {"role"}}
"""A cause may be read as who does what, and two people's roles as what is said of them."""

MISSED = {"Boys read less often than girls."}


def rows(groups: Sequence[str], verdict: str) -> list[tuple[str, str, str]]:
    return [(g, left, right) for g, v, left, right in ROWS if g in groups and v == verdict]


CONFLICTING = rows(KINDS, "conflict")


def test_every_row_is_used() -> None:
    conflicting = {(group, "conflict") for group in (*ASSERTED, *VALUES, *KINDS)}
    agreeing = {(group, "agree") for group in (*ASSERTED, *VALUES, "structure", "spelling")}
    assert {row[:2] for row in ROWS} == conflicting | agreeing


@pytest.mark.parametrize(("group", "left", "right"), rows([*ASSERTED], "conflict"))
def test_what_is_asserted_conflicts(value: Value, group: str, left: str, right: str) -> None:
    tell, columns = ASSERTED[group]
    assert max(value(name, left, right) for name in columns) > 0
    assert tell(sentence_of(left), sentence_of(right))


@pytest.mark.parametrize(("group", "left", "right"), rows([*ASSERTED], "agree"))
def test_what_is_asserted_agrees(value: Value, group: str, left: str, right: str) -> None:
    tell, columns = ASSERTED[group]
    assert max(value(name, left, right) for name in columns) == 0
    assert tell(sentence_of(left), sentence_of(right)) == []


@pytest.mark.parametrize(("group", "left", "right"), rows([*VALUES], "conflict"))
def test_values_conflict_both_ways(group: str, left: str, right: str) -> None:
    there = VALUES[group](sentence_of(left), sentence_of(right))
    back = VALUES[group](sentence_of(right), sentence_of(left))
    assert there and all(0 < found.grade <= 1 for found in there)
    assert sorted(found.grade for found in there) == sorted(found.grade for found in back)


@pytest.mark.parametrize(("group", "left", "right"), rows([*VALUES], "agree"))
def test_values_agree_both_ways(group: str, left: str, right: str) -> None:
    assert VALUES[group](sentence_of(left), sentence_of(right)) == ()
    assert VALUES[group](sentence_of(right), sentence_of(left)) == ()


def kinds(a: str, b: str) -> set[str]:
    read = analyse([a, b])
    return {conflict.kind for conflict in find_conflicts(read[a], read[b])}


@pytest.mark.parametrize(
    ("kind", "a", "b"),
    [wrong_so_far(*row) if row[1] in MISSED else row for row in CONFLICTING],
)
def test_structure_that_is_exchanged_is_found_both_ways(kind: str, a: str, b: str) -> None:
    assert kinds(a, a) == set()
    assert kinds(a, b) & ({kind} | ALSO.get(kind, set()))
    assert kinds(a, b) == kinds(b, a)


@pytest.mark.parametrize(("_", "a", "b"), rows(["structure"], "agree"))
def test_structure_that_is_only_reordered_does_not_conflict(_: str, a: str, b: str) -> None:
    assert kinds(a, b) == kinds(b, a) == set()


def test_nearly_every_conflict_of_structure_is_read() -> None:
    left, right = [a for _, a, _ in CONFLICTING], [b for _, _, b in CONFLICTING]
    assert comparable(make_batch(left, right, Resources())).mean() >= 0.97


def test_conflicts_of_structure_are_told_in_words() -> None:
    one, other = analyse(["the dog bit the man", "the man bit the dog"]).values()
    assert conflicts(one, other)[0] == "bite: dog → man, here man → dog"
    assert conflicts(one, one) == []


@pytest.mark.parametrize(("_", "left", "right"), rows(["spelling"], "agree"))
def test_two_words_stay_two(_: str, left: str, right: str) -> None:
    assert respell(left, right) == (left, right)
    assert respell(right, left) == (right, left)


@pytest.mark.parametrize(
    ("left", "right", "said"),
    [
        ("It is useful", "It is not useful", ["denied on one side only: useful"]),
        ("The door is open", "The door is closed", ["opposites: open ↔ closed"]),
        ("The door is open", "The door is not closed", []),
        ("He is happy", "He is unhappy", ["opposites: happy ↔ unhappy"]),
    ],
)
def test_denials_in_words(left: str, right: str, said: list[str]) -> None:
    assert polarity.conflicts(sentence_of(left), sentence_of(right)) == said
