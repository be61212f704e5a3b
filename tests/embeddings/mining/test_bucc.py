"""Corpora, gold and mined files: what is read, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from semaniacs.embeddings.mining.bucc import (
    check_gold_pairs,
    open_sentences,
    read_gold_pairs,
    read_mined_pairs,
)
from semaniacs.sts.errors import DataError, StsError

BUCC = "es-1\tHola.\nes-2\t \nes-3\tAdiós \u2028.\n"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, text: str) -> str:
    Path(name).write_text(text, encoding="utf-8", newline="")
    return name


def test_a_line_with_an_id_makes_a_corpus_of_bucc() -> None:
    corpus = open_sentences(write("es", BUCC))
    assert (corpus.format, corpus.ids, corpus.filled) == ("bucc", ["es-1", "es-2", "es-3"], 2)
    assert list(corpus.sentences()) == ["Hola.", " ", "Adiós \u2028."]
    assert corpus.texts([2, 0]) == {0: "Hola.", 2: "Adiós \u2028."}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tx\nb\ty\na\tz\n", "c:3: id 'a' is in line 1 already; keep one of them"),
        ("a\tx\n\ty\n", "c:2: no id; expected id<TAB>sentence"),
        ("a\tx\nb y\n", "c:2: 1 column; expected 2, separated by tabs: id, sentence"),
        ("a\tx\ty\n", "c:1: 3 columns; expected 2"),
        ("", "c: empty; expected at least one line"),
    ],
)
def test_a_bad_corpus_is_refused_by_line(text: str, message: str) -> None:
    with pytest.raises(DataError) as refused:
        open_sentences(write("c", text))
    assert message in str(refused.value)


def test_a_corpus_must_be_a_file() -> None:
    with pytest.raises(StsError, match="read more than once; put stdin into a file"):
        open_sentences("-")
    with pytest.raises(DataError, match="none: no such file"):
        open_sentences("none")


def test_gold_is_pairs_of_ids_with_their_lines() -> None:
    assert read_gold_pairs(write("gold", "es-1\ten-2\nes-3\ten-2\n")) == {
        ("es-1", "en-2"): 1,
        ("es-3", "en-2"): 2,
    }
    with pytest.raises(DataError, match="gold:2: pair 'es-1 en-2' is in line 1 already"):
        read_gold_pairs(write("gold", "es-1\ten-2\nes-1\ten-2\n"))
    with pytest.raises(DataError, match="gold:1: 3 columns; expected 2.*source-id, target-id"):
        read_gold_pairs(write("gold", "es-1\ten-2\t1.0\n"))


def test_gold_must_be_of_these_files() -> None:
    es, en = (
        open_sentences(write("es", BUCC)),
        open_sentences(write("en", "en-1\tHi.\nen-2\tBye.\n")),
    )
    check_gold_pairs({("es-3", "en-2"): 1}, "gold", es, en)
    with pytest.raises(DataError) as refused:
        check_gold_pairs({("es-3", "en-2"): 1, ("es-3", "en-9"): 2}, "gold", es, en)
    assert str(refused.value) == (
        "gold:2: 'en-9' is no id of en (its first is 'en-1'); give the gold of these two files"
    )
    with pytest.raises(DataError, match="gold:4: 'en-1' is of en .* the other way round"):
        check_gold_pairs({("en-1", "es-3"): 4}, "gold", es, en)


def test_mined_pairs_are_read_with_or_without_texts() -> None:
    mined = read_mined_pairs(write("m", "a\tx\t1.25\nb\ty\t-0.5\tUn perro.\tA dog.\n"))
    assert mined.pairs == [("a", "x"), ("b", "y")]
    np.testing.assert_array_equal(mined.scores, [1.25, -0.5])


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("a\tx", "m:2: 'a\\tx'; expected source-id, target-id and score, separated by tabs"),
        ("a\tx\thigh", "m:2: score 'high'; expected a number"),
        ("a\tx\tnan", "m:2: score 'nan'; expected a number"),
        ("b\ty\t0.5", "m:2: pair 'b y' is in line 1 already"),
    ],
)
def test_a_bad_mined_file_is_refused_by_line(line: str, message: str) -> None:
    with pytest.raises(DataError) as refused:
        read_mined_pairs(write("m", f"b\ty\t1\n{line}\n"))
    assert message in str(refused.value)
