"""Tables are aligned, or in Markdown."""

from __future__ import annotations

from semaniacs.runs.tables.format import markdown_table, text_table

HEADER = ("feature", "gini", "loss")
ROWS = [("cosine", "0.5", "+0.0123"), ("dist_sim", "0.25", "-0.1")]


def test_tables_by_hand() -> None:
    assert text_table(HEADER, ROWS).splitlines() == [
        "feature   gini     loss",
        "cosine     0.5  +0.0123",
        "dist_sim  0.25     -0.1",
    ]
    assert text_table(HEADER, []) == "feature  gini  loss"
    assert text_table(("a",), [("long",), ("b",)]).splitlines() == ["a", "long", "b"]
    assert markdown_table(HEADER, ROWS).splitlines() == [
        "| feature | gini | loss |",
        "| --- | ---: | ---: |",
        "| cosine | 0.5 | +0.0123 |",
        "| dist_sim | 0.25 | -0.1 |",
    ]
