"""Tags and lemmas."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from textblob.en import parser

from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.text.analysis import analyse, lemma, tag

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
        ("mice", "NNS", "mouse"),
        ("running", "VBG", "run"),
        ("was", "VBD", "be"),
        ("could", "MD", "can"),
        ("better", "JJR", "good"),
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
