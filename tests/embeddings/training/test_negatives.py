"""Negative examples: never the pair's own segments, and otherwise as the papers say."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import jax
import numpy as np
import pytest
import scipy.stats

from semaniacs.embeddings.training.corpora import distinct, read_corpus
from semaniacs.embeddings.training.losses import hardest_or_own
from semaniacs.embeddings.training.negatives import (
    HardNegatives,
    Indices,
    distinct_by_rank,
    random_segment,
)


@pytest.mark.parametrize(("n", "m"), [(2, 2), (33, 20)])
def test_the_hardest_agrees_with_looking_at_all(n: int, m: int) -> None:
    rng = np.random.default_rng(n)
    anchors = rng.standard_normal((n, 4)).astype(np.float32)
    candidates = rng.standard_normal((m, 4)).astype(np.float32)
    never = rng.random((n, m)) < 0.4
    never[:, -1] = False
    cosines = anchors @ (candidates / np.linalg.norm(candidates, axis=1, keepdims=True)).T
    expected = np.where(never, -np.inf, cosines).argmax(axis=1).tolist()
    assert jax.jit(hardest_or_own)(anchors, candidates, never).tolist() == expected


SOURCES = [
    [(0, 1), (2, 0), (1, 1)],  # of three segments; both sides of the last pair are the same
    [(0, 4), (4, 2), (2, 3), (3, 3), (0, 0), (4, 4)],  # of five
    [(0, 0), (1, 1)],  # of two
]
SIZES = (3, 5, 2)
BEGINS = (7, 10, 15)


def own_and_sources() -> tuple[Indices, Indices, Indices]:
    """The pairs of all sources, counted from 7, with the size and the begin of their source."""
    counts = [len(pairs) for pairs in SOURCES]
    first = np.repeat(BEGINS, counts)
    own = np.concatenate([np.array(pairs) for pairs in SOURCES]) + first[:, None]
    return own, np.repeat(SIZES, counts), first


def test_a_random_negative_is_any_segment_of_the_source_but_the_pairs_own() -> None:
    draws = 3000
    own, size, first = own_and_sources()
    repeated = (np.repeat(given, draws, axis=0) for given in (own, size, first))
    drawn = random_segment(np.random.default_rng(0), *repeated).reshape(-1, draws)
    for pair, length, begin, segments in zip(own, size, first, drawn, strict=True):
        others = [i for i in range(begin, begin + length) if i not in pair]
        seen, counts = np.unique(segments, return_counts=True)
        assert seen.tolist() == others
        assert len(others) == 1 or scipy.stats.chisquare(counts).pvalue > 0.01


# Mega-batches: candidates 0 and 2 mean the same as anchor 0 and anchor 1

ANCHORS = np.array([[1, 0], [0, 1]], np.float32)
CANDIDATES = np.array([[1, 0], [0.8, 0.6], [0.6, 0.8], [-1, 0], [0, -1]], np.float32)


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (HardNegatives(1), [[1], [1]]),
        (HardNegatives(2), [[1, 2], [1, 0]]),  # cosines .8 .6 / .6 0
        (HardNegatives(2, 0.0), [[1, 2], [1, -1]]),
        (HardNegatives(2, 0.7), [[1, -1], [-1, -1]]),
        (HardNegatives(6), [[1, 2, 4, 3, -1, -1], [1, 0, 3, 4, -1, -1]]),
    ],
)
def test_hard_negatives_by_number_and_by_threshold(
    search: HardNegatives, expected: list[list[int]]
) -> None:
    meaning, meanings = np.array([0, 1]), np.array([0, 2, 1, 3, 4])
    assert search.search(ANCHORS, CANDIDATES, meaning, meanings).tolist() == expected
    many = search.search(np.tile(ANCHORS, (400, 1)), CANDIDATES, np.tile(meaning, 400), meanings)
    assert many.tolist() == expected * 400  # more than are compared at once


def test_a_batch_has_each_hard_negative_once() -> None:
    found = np.array([[1, 2], [1, -1], [4, 3]])
    assert distinct_by_rank(found).tolist() == [1, 4, 2, 3]
    assert distinct_by_rank(found[:0]).tolist() == []


@pytest.mark.parametrize("source", ["corpus.tsv.gz", "corpus.tsv", "-"])
def test_a_corpus_is_read_in_order(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = 'a "lone quote\tb\nc\u2028d\te\r\nЯ\t😀'
    Path("corpus.tsv.gz").write_bytes(gzip.compress(text.encode()))
    Path("corpus.tsv").write_bytes(text.encode())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert read_corpus(source) == [('a "lone quote', "b"), ("c\u2028d", "e"), ("Я", "😀")]


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
