"""The tables of English words, against the libraries that they come from."""

from __future__ import annotations

import runpy
import warnings
from pathlib import Path

import lemminflect
import pytest
import wordfreq
from hypothesis import given
from hypothesis import strategies as st
from textblob.en import parser

from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.errors import DataError
from semaniacs.sts.tensors import WordTable, byte_order, write_words
from semaniacs.sts.text import analysis
from semaniacs.sts.text.analysis import analyse, lemma, tag
from tests.sts.running import ROOT

MAKING = runpy.run_path(str(ROOT / ".ci" / "make_words.py"))
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


@pytest.mark.parametrize("name", analysis.TABLES)
def test_the_tables_that_ship_are_those_that_the_command_makes(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.safetensors"
    MAKING[f"write_{name}"](path)
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


# Tags and lemmas


SENTENCES = [
    "The U.S. President didn't meet Angela Merkel in Berlin on 3 May 2015.",
    "Time flies like an arrow; fruit flies like a banana.",
    "$5 million?! 12,500 re-elected MPs walked quickly",
    "",
    "...",
    "日本語 naïve Ünïcode unfriended",
]


def test_tags_are_textblobs(sts_data: Path) -> None:
    pairs = load(get_task("sts2015").datasets[0], sts_data, with_gold=False)
    unlisted = ["unfriended wugs quickishly zorp-like glorps", "A blicking Blick zorpized it"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # TextBlob leaves its lexicon open
        for text, sentence in analyse([*SENTENCES, *unlisted, *pairs.sentences()]).items():
            expected = tuple(str(found[1]) for found in parser.find_tags(list(sentence.tokens)))
            assert sentence.tags == expected, text


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("cats", "NNS", "cat"),
        ("was", "VBD", "be"),
        ("saw", "VBD", "see"),
        ("saw", "NN", "saw"),
        ("qwzx", "NN", "qwzx"),
    ],
)
def test_lemmas(word: str, tag: str, expected: str) -> None:
    assert lemma(word, tag) == expected


def test_tags_by_hand() -> None:
    assert tag(["The", "cats", "were", "sleeping", "."]) == ("DT", "NNS", "VBD", "VBG", ".")
    assert tag([]) == ()
