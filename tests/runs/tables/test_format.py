"""Tables: what goes in comes out again, aligned, quoted or piped."""

from __future__ import annotations

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from runs.tables.format import csv_text, markdown_table, text_table

HEADER = ("feature", "gini", "loss")
ROWS = [("cosine", "0.5", "+0.0123"), ("dist_sim", "0.25", "-0.1")]


def test_text_is_aligned_the_first_column_to_the_left() -> None:
    assert text_table(HEADER, ROWS).splitlines() == [
        "feature   gini     loss",
        "cosine     0.5  +0.0123",
        "dist_sim  0.25     -0.1",
    ]


def test_a_table_without_rows_is_its_header() -> None:
    assert text_table(HEADER, []) == "feature  gini  loss"
    assert csv_text(HEADER, []) == "feature,gini,loss\n"
    assert markdown_table(HEADER, []) == "| feature | gini | loss |\n| --- | ---: | ---: |"


def test_no_line_ends_in_spaces() -> None:
    assert text_table(("a",), [("long",), ("b",)]).splitlines() == ["a", "long", "b"]


def test_csv_quotes_where_it_must() -> None:
    assert csv_text(("a", "b"), [("1,5", 'say "hi"')]) == 'a,b\n"1,5","say ""hi"""\n'


cells = st.text(st.characters(exclude_characters="\0\r", exclude_categories=["Cs"]))


@given(st.lists(st.tuples(cells, cells), max_size=4))
def test_csv_reads_back(rows: list[tuple[str, str]]) -> None:
    text = csv_text(("a", "b"), rows)
    read = csv.reader(io.StringIO(text, newline=""))
    assert [tuple(row) for row in read] == [("a", "b"), *rows]


def test_markdown() -> None:
    assert markdown_table(HEADER, ROWS).splitlines() == [
        "| feature | gini | loss |",
        "| --- | ---: | ---: |",
        "| cosine | 0.5 | +0.0123 |",
        "| dist_sim | 0.25 | -0.1 |",
    ]
