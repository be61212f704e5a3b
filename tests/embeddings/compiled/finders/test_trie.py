"""The trie holds the strings that it was given, and nothing else."""

from __future__ import annotations

import sys
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.compiled.finders.trie import Trie, after, build_trie


def trie_of(strings: Sequence[str]) -> Trie:
    """Rows count down from 9,999, scores up in halves."""
    rows = [9999 - i for i in range(len(strings))]
    return build_trie(strings, rows, np.arange(len(strings), dtype=np.float32) / 2)


def look_up(trie: Trie, text: str) -> tuple[int, float] | None:
    node = 0
    for character in text:
        node = after(trie.nodes, node, trie.letters[ord(character)])
        if node < 0:
            return None
    found = trie.nodes[node]
    return (int(found["row"]), float(found["score"])) if found["row"] >= 0 else None


def assert_holds_just(trie: Trie, strings: Sequence[str]) -> None:
    expected = {string: (9999 - i, i / 2) for i, string in enumerate(strings)}
    cut = [(s[:end], s[end:]) for s in strings for end in range(len(s) + 1)]
    tried = {t for first, rest in cut for t in (first, rest, first + "a", first + "𝔘", rest + "b")}
    assert {text: found for text in tried if (found := look_up(trie, text))} == expected


FEW, MANY = st.text("abcd", min_size=1), st.text(st.characters(codec="utf-8"), min_size=1)


@given(st.lists(FEW, min_size=1, unique=True) | st.lists(MANY, min_size=1, unique=True))
def test_any_strings(strings: list[str]) -> None:
    assert_holds_just(trie_of(strings), strings)


@pytest.mark.parametrize(
    "strings",
    [["a"], ["\0"], [chr(sys.maxunicode)], ["a" * 200, "a"], ["ab", "a", "abc", "b"]],
    ids=ascii,
)
def test_strings_at_the_edge(strings: list[str]) -> None:
    assert_holds_just(trie_of(strings), strings)


def test_letters_far_apart_need_more_room_than_the_strings_are_long() -> None:
    """A hundred nodes with fifty children each, at random places, do not fit among each other."""
    rng = np.random.default_rng(0)
    strings = [
        chr(0x100 + first) + chr(0x5000 + second)
        for first in range(100)
        for second in rng.choice(1000, 50, replace=False)
    ]
    trie = trie_of(strings)
    taken = np.flatnonzero(trie.nodes["parent"] != trie.nodes["parent"][-1])
    assert taken[-1] > len("".join(strings)) + 2 * 1100  # it was made anew, with more room
    assert_holds_just(trie, strings)


def test_the_commonest_letters_have_the_lowest_numbers() -> None:
    trie = trie_of(["▁b", "▁a", "▁", "ba"])
    assert {letter: int(trie.letters[ord(letter)]) for letter in "▁abx"} == {
        "▁": 1, "a": 2, "b": 3, "x": 0,
    }  # fmt: skip
