"""Training pairs: which are taken, which are left out, and that every one is accounted for."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pytest

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.training.corpora import (
    distinct,
    fold,
    keep_useful_round_trips,
    read_corpus,
    read_held_out,
    without,
)
from semaniacs.sts.errors import DataError


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


def test_a_missing_corpus_is_named(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"corpus\.tsv\.gz: no such file"):
        read_corpus(tmp_path / "corpus.tsv.gz")


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
