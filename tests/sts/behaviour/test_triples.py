"""The triples of the behaviour suite: their reader, and what each of them must be."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from sts.behaviour.triples import (
    HALVES,
    HEADER,
    Triple,
    read_triples,
    shared_words,
    shipped_triples,
)
from sts.errors import DataError, UnknownNameError

TITLE = "\t".join(HEADER)


@pytest.mark.parametrize("half", HALVES)
def test_the_farther_sentence_shares_more_words(half: str) -> None:
    triples = shipped_triples(half)
    wrong = [
        t
        for t in triples
        if not shared_words(t.anchor, t.farther) > shared_words(t.anchor, t.closer)
    ]
    assert wrong == []


@pytest.mark.parametrize("half", HALVES)
def test_every_phenomenon_has_ten_triples_a_half(half: str) -> None:
    counts = Counter(triple.phenomenon for triple in shipped_triples(half))
    assert len(counts) == 27 and set(counts.values()) == {10}


def test_the_readme_names_every_phenomenon_and_no_other() -> None:
    readme = Path(__file__).parents[3] / "sts" / "behaviour" / "README.md"
    rows = [
        line.split("`")[1]
        for line in readme.read_text(encoding="utf-8").splitlines()
        if line.startswith("| `")
    ]
    for half in HALVES:
        assert [*dict.fromkeys(t.phenomenon for t in shipped_triples(half))] == rows


def test_no_sentence_occurs_twice() -> None:
    counts = Counter(
        sentence
        for half in HALVES
        for triple in shipped_triples(half)
        for sentence in (triple.anchor, triple.closer, triple.farther)
    )
    assert [sentence for sentence, count in counts.items() if count > 1] == []


def test_shared_words_by_hand() -> None:
    # the, dog, bit, man against man, bites, a, dog: two of six
    assert shared_words("The dog bit the man.", "Man bites a dog!") == pytest.approx(2 / 6)
    assert shared_words("👍", "👎") == 0.0


def test_a_file_is_read_as_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text(f'{TITLE}\nnegation\tHe "is".\tIndeed.\tHe "isn\'t".\n', encoding="utf-8")
    assert read_triples(file) == (Triple("negation", 'He "is".', "Indeed.", 'He "isn\'t".'),)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", ":1: an empty file, expected the header phenomenon<TAB>anchor"),
        ("negation\ta\tb\tc\n", ":1: 'negation\\ta\\tb\\tc', expected the header"),
        (f"{TITLE}\n", ":2: no triple"),
        (f"{TITLE}\nx\ta\tb\tc\nx\ta\tb\n", ":3: 3 columns, expected 4"),
        (f"{TITLE}\nx\ta\t \tc\n", ":2: the closer is empty"),
        (f"{TITLE}\nx\ta\tb\ta\n", ":2: a sentence twice"),
    ],
)
def test_a_malformed_file_is_refused(tmp_path: Path, text: str, told: str) -> None:
    file = tmp_path / "mine.tsv"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(DataError) as error:
        read_triples(file)
    assert str(error.value).startswith(f"{file}{told}")


def test_a_half_that_is_not_there_is_named() -> None:
    with pytest.raises(UnknownNameError, match="development, held_out"):
        shipped_triples("test")
