"""Sentences of a text, and what two sentences do not share."""

from __future__ import annotations

import pytest

from semaniacs.sts.text.sentences import split_sentences, unlike_parts


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("No end", ["No end"]),
        ("First. Second! Third?", ["First.", "Second!", "Third?"]),
        ("He said “Stop.” She did not.", ["He said “Stop.”", "She did not."]),
        ("It opened in 1931. Now it is shut.", ["It opened in 1931.", "Now it is shut."]),
        (
            "Water is filtered; fluoride is not added.",
            ["Water is filtered;", "fluoride is not added."],
        ),
        ("Dr. Ito and J. Lee met at 5 p.m. Monday.", ["Dr. Ito and J. Lee met at 5 p.m. Monday."]),
        ("It costs 3.50 euros. See e.g. Table 2.", ["It costs 3.50 euros.", "See e.g. Table 2."]),
        ("Items\n\nThe first one", ["Items", "The first one"]),
        ("1. Mix the eggs\n2. Bake the cake", ["1. Mix the eggs\n2. Bake the cake"]),
    ],
)
def test_a_text_is_split_at_the_ends_of_its_sentences(text: str, sentences: list[str]) -> None:
    assert split_sentences(text) == sentences


@pytest.mark.parametrize(
    ("left", "right", "parts"),
    [
        ("He left.", "He stayed.", ("He left.", "He stayed.")),
        (
            "In the end, Tom is not shot at all, says Eve.",
            "In the end, Tom is shot by them, says Eve.",
            ("Tom is not shot at all", "Tom is shot by them"),
        ),
        ("First, A or B.", "First, A and B.", ("A or B.", "A and B.")),
        ("Yes, I do.", "Yes, I did.", ("Yes, I do.", "Yes, I did.")),
    ],
)
def test_clauses_that_both_sentences_have_are_left_out(
    left: str, right: str, parts: tuple[str, str]
) -> None:
    assert unlike_parts(left, right) == parts
    assert unlike_parts(right, left) == parts[::-1]
