"""Groups of partial paraphrases: rows by hand, draws, coordinations, continuations, files."""

from __future__ import annotations

import io
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from semaniacs.sts.errors import DataError
from semaniacs.sts.partial_paraphrases.like_words import coordinations, units_of
from semaniacs.sts.partial_paraphrases.partial import (
    CONTINUATIONS,
    Group,
    continued,
    graded_pairs,
    make_groups,
    multi_swap,
    read_groups,
    write_groups,
)

LIMA = (
    "In 1998 the bold painter Ana Ruiz left Lima and quickly sold two small houses .",
    "In 1998 the bold painter Ana Ruiz went away from Lima and quickly sold two small houses .",
    "In 1998 the bold painter Lima went away from Ana Ruiz and quickly sold two small houses .",
    "In 1998 the small painter Lima went away from Ana Ruiz and quickly sold two bold houses .",
    "In 1998 the small houses Lima went away from Ana Ruiz and quickly sold two bold painter .",
)
ORNE = (
    "The old river Orne was crossed by 40 soldiers before the young captain slept .",
    "The old river Orne was crossed by 40 soldiers before the young captain fell asleep .",
    "The young river Orne was crossed by 40 soldiers before the old captain fell asleep .",
    "The young captain Orne was crossed by 40 soldiers before the old river fell asleep .",
    "The young captain Orne was fell by 40 soldiers before the old river crossed asleep .",
)
"""The left side, the right side, and the latter after one, two and three exchanges, by hand."""


def swapped(a: str, b: str, seed: int = 0) -> Group:
    group = multi_swap("1", a, b, seed=seed)
    assert group is not None
    return group


@pytest.mark.parametrize(("rows", "seed"), [(LIMA, 62), (ORNE, 13)])
def test_the_eight_rows_by_hand(rows: tuple[str, ...], seed: int) -> None:
    a, b, *changed = rows
    expected = [(4, a, b, ""), *((3 - i, text, b, "") for i, text in enumerate(changed))]
    assert swapped(a, b, seed).pairs == tuple(expected)  # the seeds were looked for


def test_a_sentence_with_too_few_groups_is_skipped_and_counted() -> None:
    pairs = [("1", "The dog sleeps .", "The dog sleeps ."), ("2", *LIMA[:2])]
    groups, counts = make_groups(pairs, multi_swap)
    assert [group.name for group in groups] == ["2"]
    assert counts == {"paraphrases": 2, "groups": 1, "skipped": 1, "flagged": 0}


def test_an_exchange_inside_a_coordination_is_flagged() -> None:
    text = "He was singing and playing ."
    units = units_of(text)
    assert [unit.text for unit in units] == ["singing", "playing"]  # and not "was"
    assert coordinations(text, units) == [range(2)]
    longer = "In Lima the singing and playing of young Ana Ruiz pleased nine old men in Quito ."
    flags = Counter(p.flags for s in range(40) for p in swapped(longer, longer, s).pairs if p.flags)
    assert flags["coordination"] > 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("She sold apples , pears and a melon .", [["apples", "pears", "melon"]]),
        ("They flew from Lima , Peru to Quito or Cusco .", [["Quito", "Cusco"]]),
        ("The old men and young women ate .", []),  # an exchange would change who is old
        ("He left on 3 May 1901 and 5 June 1902 .", [["3 May 1901", "5 June 1902"]]),
    ],
)
def test_coordinations(text: str, expected: list[list[str]]) -> None:
    units = units_of(text)
    found = [[units[place].text for place in run] for run in coordinations(text, units)]
    assert found == expected


def test_a_group_depends_on_its_sentence_and_the_seed_alone() -> None:
    pairs = [("1", *LIMA[:2]), ("2", *ORNE[:2]), ("3", ORNE[1], LIMA[1])]
    drawn = partial(multi_swap, seed=5)
    alone = [group for pair in pairs for group in make_groups([pair], drawn)[0]]
    together, _ = make_groups(pairs, drawn)
    assert together == alone == list(make_groups(pairs[::-1], drawn)[0])[::-1]
    assert len({swapped(*LIMA[:2], seed).pairs for seed in range(30)}) > 15


def test_a_pair_without_words_is_named() -> None:
    with pytest.raises(DataError, match=r"mine\.tsv:7: the right side '\.\.\.' has no words"):
        make_groups([("7", "A dog .", "...")], multi_swap, "mine.tsv")


@pytest.mark.parametrize(("end", "space"), [(" .", " "), ("", "")])
def test_a_continuation_adds_five_words_a_degree(end: str, space: str) -> None:
    group = continued("1", f"The dog sleeps{end}", "The dog is asleep .")
    assert group.pairs[0] == (4, f"The dog sleeps{end}", "The dog is asleep .", "")
    for count, pair in enumerate(group.pairs[1:], 1):
        begin = f"The dog sleeps{space}, and "
        assert pair.left.startswith(begin) and pair.left.endswith(end)
        more = pair.left.removeprefix(begin).removesuffix(end)
        assert any(words.split()[: 5 * count] == more.split() for words in CONTINUATIONS)
        assert pair.right == "The dog is asleep ." and pair.degree == 4 - count
    assert {len(words.split()) for words in CONTINUATIONS} == {15}
    drawn = {continued("1", "The dog sleeps .", "x", seed=seed) for seed in range(60)}
    assert len(drawn) > 6


def test_groups_are_read_as_they_were_written(tmp_path: Path) -> None:
    groups = [swapped(*LIMA[:2], 62)._replace(name="7"), swapped(*ORNE[:2], 13)]
    path = tmp_path / "groups.tsv"
    write_groups(str(path), groups, io.StringIO())
    found, expected = read_groups(str(path)), graded_pairs(groups)
    assert found[:3] == expected[:3]
    np.testing.assert_array_equal(found.groups, [[0, 1, 2, 3], [4, 5, 6, 7]])
    assert path.read_text("utf-8").splitlines()[1].split("\t") == ["7", "4", *LIMA[:2], ""]


HEADER = "group\tdegree\tleft\tright\tflags\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("group\tdegree\tleft\n1\t4\ta\n", r"g\.tsv:1: no column 'right'"),
        (HEADER + "1\t5\ta\tb\t\n", r"g\.tsv:2: degree '5'; expected 4, 3, 2 or 1"),
        (HEADER + "1\t4\ta\tb\t\n1\t3\ta\tb\t\n1\t2\ta\tb\t\n", r"g\.tsv:2: group '1' has 3 pairs"),
        (HEADER + "1\t4\ta\t\t\n", r"g\.tsv:2: the cell in column right is empty"),
    ],
)
def test_a_damaged_file_of_groups_is_refused(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "g.tsv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(DataError, match=said):
        read_groups(str(path))
