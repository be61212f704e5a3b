"""Columns of sentences and gold scores in a table."""

from __future__ import annotations

from pathlib import Path

import pytest

from sts.data.tables.table_cells import find_columns, gold_in, sentences_in
from sts.data.tables.table_kinds import kind_of
from sts.data.tables.table_reader import Block, read_blocks
from sts.errors import DataError, StsError


def test_columns_are_found() -> None:
    assert find_columns("f", ("id", "Text1", "TEXT2"), None, None) == ("Text1", "TEXT2")
    assert find_columns("f", ("x", "y"), None, None) == ("x", "y")
    assert find_columns("f", ("x", "y", "z"), "z", "x") == ("z", "x")
    with pytest.raises(StsError, match="It has x, y, z; name two with --left and --right"):
        find_columns("f", ("x", "y", "z"), None, None)
    with pytest.raises(StsError, match="f: one column; a pair takes two, with a tab between"):
        find_columns("f", ("x",), None, None)
    with pytest.raises(StsError, match="no column 'q' for --left; it has x, y"):
        find_columns("f", ("x", "y"), "q", "x")
    with pytest.raises(StsError, match="f: --left and --right are both x; name two columns"):
        find_columns("f", ("x", "y"), "x", "x")


BLOCK = Block(
    [2, 3, 7], ("a", "b", "gold"), [["x", "y", "4"], ["x", " ", 2.5], [None, "y", "88.0"]]
)


def test_a_missing_sentence_is_named_by_its_line() -> None:
    with pytest.raises(DataError, match=r"^f:3: the cell in column b is empty .* Leave it out$"):
        sentences_in("f", BLOCK, ("b", "a"), advice="Leave it out")
    assert sentences_in("f", BLOCK, ("a", "b"), advice=None) == (["x", "x", ""], ["y", " ", "y"])


def test_a_cell_that_is_no_string_is_named_by_its_line() -> None:
    block = Block([2, 5, 9], ("a", "b"), [["x", "y"], [None, "y"], [3, "y"]])
    with pytest.raises(DataError, match="^f:9: column a is 3; expected a string$"):
        sentences_in("f", block, ("a", "b"), advice=None)


@pytest.mark.parametrize("cell", ["88.0", "-1", "nan", "much", "", None, True, 5.1])
def test_a_gold_score_off_the_scale_is_named_by_line_and_column(cell: object) -> None:
    rows = [["x", "y", "5"], ["x", "y", cell]]
    shown = "empty" if cell in ("", None) else cell
    with pytest.raises(DataError, match=rf"^f:3: column gold is {shown}; expected a number from 0"):
        gold_in("f", Block([2, 3], BLOCK.columns, rows), "gold")
    assert gold_in("f", Block([2], BLOCK.columns, rows[:1]), "gold") == [5.0]
    with pytest.raises(DataError, match="^f: no column 'score' for --gold; it has a, b, gold$"):
        gold_in("f", BLOCK, "score")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.csv", 'a,b,gold\n"one\nand a half",two,5\nthree,four,much\n'),
        ("t.jsonl", '{"a": "x", "b": "y", "gold": 5}\n\n\n{"a": "x", "b": "y", "gold": "much"}\n'),
    ],
)
def test_a_line_is_the_one_in_the_file(name: str, text: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    (block,) = read_blocks(str(path), kind_of(name))
    with pytest.raises(DataError, match=rf"{name}:4: column gold is much"):
        gold_in(str(path), block, "gold")
