"""The tables of English words, against the libraries that they come from."""

from __future__ import annotations

from pathlib import Path

import lemminflect
import pytest
import wordfreq
from hypothesis import given
from hypothesis import strategies as st

from semaniacs.sts.errors import DataError
from semaniacs.sts.tensors import WordTable, byte_order, write_words
from semaniacs.sts.text import analysis, make_tables

WORDS = st.lists(st.text(st.characters(), min_size=0, max_size=6), unique=True, max_size=40)


def words_of(name: str) -> list[str]:
    table = analysis.table(name)
    return [table.word(row) for row in range(len(table))]


def test_frequencies_are_wordfreqs() -> None:
    expected = wordfreq.get_frequency_dict("en")
    assert {word: analysis.frequency(word) for word in words_of("frequencies")} == expected
    assert analysis.frequency("qzzxyq") == 0.0
    assert sorted(analysis.frequencies()) == sorted(expected.values())


def test_lemmas_are_lemminflects() -> None:
    for word in filter(str.islower, words_of("lemmas")[::50]):
        expected = lemminflect.getAllLemmas(word)
        found = analysis.readings(word)
        assert {part: set(forms) for part, forms in found.items()} == {
            part: {form.lower() for form in forms} for part, forms in expected.items()
        }, word
    assert analysis.readings("qzzxyq") == {}


@pytest.mark.parametrize(
    ("word", "expected"),
    [("written", True), ("put", True), ("wrote", False), ("walked", False), ("table", False)],
)
def test_participles_that_do_not_end_in_ed(word: str, expected: bool) -> None:
    assert analysis.is_irregular_participle(word) is expected


@pytest.mark.parametrize("name", analysis.TABLES)
def test_the_tables_that_ship_are_those_that_the_command_makes(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.safetensors"
    getattr(make_tables, f"write_{name}")(path)
    assert path.read_bytes() == (analysis.FOLDER / path.name).read_bytes()


@given(words=WORDS, others=WORDS)
def test_a_table_finds_its_words_and_no_others(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], others: list[str]
) -> None:
    path = tmp_path_factory.mktemp("words") / "words.safetensors"
    words = sorted(words, key=byte_order)
    write_words(path, words, {})
    table = WordTable.open(path)
    assert len(table) == len(words)
    assert [table.word(table.row(word)) for word in words] == words
    assert [table.row(word) for word in others if word not in words] == [
        -1 for word in others if word not in words
    ]


def test_a_damaged_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "words.safetensors").write_bytes(b"no table")
    with pytest.raises(DataError, match="words.safetensors: damaged"):
        WordTable.open(tmp_path / "words.safetensors")
