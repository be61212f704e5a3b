"""Training pairs: which are taken, which are left out, and that every one is accounted for."""

from __future__ import annotations

import gzip
import io
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from embeddings.training.pairs.corpora import (
    distinct,
    fold,
    keep_useful_round_trips,
    read_corpus,
    read_held_out,
    without,
)
from sts.errors import DataError

ANY_TEXT = st.text(st.characters(), max_size=5)


def write_corpus(path: Path, text: str) -> bytes:
    raw = gzip.compress(text.encode())
    path.write_bytes(raw)
    return raw


@pytest.mark.parametrize("source", ["corpus.tsv.gz", "corpus.tsv", "-"])
def test_a_corpus_is_read_in_order(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'a "lone quote\tb\nc\u2028d\te\r\nЯ\t😀'
    write_corpus(Path("corpus.tsv.gz"), text)
    Path("corpus.tsv").write_bytes(text.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read_corpus(source) == [('a "lone quote', "b"), ("c\u2028d", "e"), ("Я", "😀")]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a\tb\nc\n", "corpus.tsv.gz:2: 1 column; expected 2, separated by tabs"),
        ("a\tb\tc\n", "corpus.tsv.gz:1: 3 columns; expected 2"),
        ("a\tb\n\n", "corpus.tsv.gz:2: 1 column"),
        ("a\tb\n\tc\n", "corpus.tsv.gz:2: the left side is empty"),
        ("a\tb\nc\t \u00a0\n", "corpus.tsv.gz:2: the right side is empty; expected two"),
        ("", "corpus.tsv.gz: empty"),
    ],
)
def test_a_bad_line_of_a_corpus_is_named(tmp_path: Path, text: str, message: str) -> None:
    write_corpus(tmp_path / "corpus.tsv.gz", text)
    with pytest.raises(DataError) as caught:
        read_corpus(tmp_path / "corpus.tsv.gz")
    assert message in str(caught.value)


def test_a_corpus_that_is_not_utf8_is_refused(tmp_path: Path) -> None:
    (tmp_path / "corpus.tsv.gz").write_bytes(gzip.compress(b"a\tb\nc\xe9\td\n"))
    with pytest.raises(DataError, match=r"corpus\.tsv\.gz:2: byte 0xe9"):
        read_corpus(tmp_path / "corpus.tsv.gz")


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"corpus\.tsv\.gz: no such file"):
        read_corpus(tmp_path / "corpus.tsv.gz")


@pytest.mark.parametrize("length", [1, 5, 15, -9, -1])
def test_a_truncated_corpus_is_refused(tmp_path: Path, length: int) -> None:
    path = tmp_path / "corpus.tsv.gz"
    path.write_bytes(write_corpus(path, "one sentence\tanother sentence\n" * 50)[:length])
    with pytest.raises(DataError, match=r"corpus\.tsv\.gz: cannot be read"):
        read_corpus(path)


def test_a_corpus_damaged_anywhere_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "corpus.tsv.gz"
    raw = write_corpus(path, "".join(f"a{i * 7919 % 997}\tb{i}\n" for i in range(100)))
    for position in range(10, len(raw), 3):  # the header before holds only the time
        path.write_bytes(raw[:position] + bytes([raw[position] ^ 0x55]) + raw[position + 1 :])
        with pytest.raises(DataError):
            read_corpus(path)
    path.write_bytes(b"a\tb\n")
    with pytest.raises(DataError, match="cannot be read"):
        read_corpus(path)


@pytest.mark.parametrize(
    ("sentence", "same"),
    [
        ("The CAT, sat!", "the cat sat"),
        ("  the\u00a0cat   sat.", "“The cat” sat"),
        ("ﬁne café", "fine cafe\u0301"),
        ("ＣＡＴ", "cat"),
        ("?!", "?!"),
    ],
)
def test_folding_forgets_case_marks_and_spaces(sentence: str, same: str) -> None:
    assert fold(sentence) == fold(same)


def test_folding_keeps_words_apart() -> None:
    assert fold("a cat sat") != fold("a cats at")
    assert fold("he can") != fold("he can't")
    assert fold(" ") == ""


def test_held_out_sentences_are_left_out_on_either_side() -> None:
    pairs = [("A cat.", "x"), ("y", "a CAT"), ("a cat sat", "z"), ("u", "v")]
    assert list(without(pairs, {fold("a cat")})) == pairs[2:]
    assert list(without(pairs, set())) == pairs


def test_held_out_sentences_are_read_folded(tmp_path: Path) -> None:
    path = tmp_path / "held-out.txt"
    path.write_text("A Cat.\nun  gato!\r\n", encoding="utf-8")
    assert read_held_out(str(path)) == {fold("a cat"), fold("un gato")}
    with pytest.raises(DataError, match="gone: no such file"):
        read_held_out(str(tmp_path / "gone"))


def test_each_pair_is_taken_once_whichever_way_round() -> None:
    pairs = [
        ("One cat", "a dog"),
        ("a dog!", "one CAT"),  # the other way round
        ("one cat", "A dog."),  # again
        ("Same", "same!"),  # nothing to learn
        ("", "blank"),
        ("one cat", "a cow"),
    ]
    assert distinct(pairs) == [pairs[0], pairs[5]]


@given(st.lists(st.tuples(ANY_TEXT, ANY_TEXT)))
def test_taking_each_once_twice_changes_nothing(pairs: list[tuple[str, str]]) -> None:
    once = distinct(pairs)
    assert distinct(once) == once
    assert all(fold(left) != fold(right) for left, right in once)
    assert not Counter(once) - Counter(pairs)


def make_encoder() -> Encoder:
    """Three directions in a plane: cos(east, northeast) = .71, cos(east, north) = 0."""
    known = ["east", "northeast", "north", "eastern"]
    table = np.array([[1, 0], [1, 1], [0, 1], [5, 0], [1, -1]], np.float32)
    return Encoder(WordTokenizer(known, buckets=1), table)


def test_round_trips_are_kept_or_counted_as_lost() -> None:
    trips = [
        ("east", "northeast"),  # .71, kept
        ("East", "east!"),  # identical
        ("northeast", "east"),  # again
        ("east", "north"),  # 0, drifted
        ("east", "eastern"),  # 1, too close
        ("", "east"),
        ("northeast north", "east northeast"),  # .8, kept
    ]
    kept, counts = keep_useful_round_trips(trips, make_encoder(), lowest=0.5, highest=0.95)
    assert kept == [trips[0], trips[6]]
    assert counts == {"identical": 3, "drifted": 1, "too close": 1, "kept": 2}
    assert sum(counts.values()) == len(trips)


def test_the_bounds_of_round_trips_are_inclusive() -> None:
    trips = [("east", "north"), ("east", "eastern")]
    kept, _ = keep_useful_round_trips(trips, make_encoder(), lowest=0.0, highest=1.0)
    assert kept == trips


@pytest.mark.parametrize("trips", [[], [("east", "East")]])
def test_no_round_trip_may_be_left(trips: list[tuple[str, str]]) -> None:
    kept, counts = keep_useful_round_trips(trips, make_encoder(), lowest=0.5, highest=0.95)
    assert kept == []
    assert sum(counts.values()) == len(trips)


def test_the_real_corpora_are_read_whole(sts_data: Path) -> None:
    folder = sts_data.parent / "paraphrases"
    for name, rows in {"msrp-positives": 2256, "twitter-url": 9522}.items():
        if not (folder / f"{name}.tsv.gz").exists():
            pytest.skip(f"{name} is not there")
        assert len(read_corpus(folder / f"{name}.tsv.gz")) == rows
