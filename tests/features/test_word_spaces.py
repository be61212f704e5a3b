"""Word spaces and the uSIF transform: their training, on a corpus that fits on a page."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from semaniacs.features.families.vectors import fitted
from semaniacs.features.word_spaces import (
    DIRECTIONS,
    LENGTH,
    documents,
    fit_directions,
    smoothing,
    train_lsa,
)
from semaniacs.sts.errors import DataError
from semaniacs.sts.text.tokenizer import STOP_WORDS, fold

TOPICS = (
    "apple pear plum bread cheese soup".split(),
    "ship harbour sail wave anchor deck".split(),
    "violin drum flute chorus melody song".split(),
)


def texts_of(topics: int, words: int, n: int) -> list[list[str]]:
    """Texts of some words of one topic each."""
    rng = random.Random(0)
    return [rng.sample(TOPICS[i % topics], words) for i in range(n)]


TEXTS = texts_of(3, 3, 90)
# word2vec leaves 29 of 30 out of words so frequent, and has to read them more often


def test_lsa_vectors_are_those_of_the_matrix_of_words_and_sentences() -> None:
    # (U·S)(U·S)ᵀ = M·Mᵀ if every dimension is kept; M is tf · log₂(N/df), sentences of length 1
    texts = [[*text, text[0]] if i % 4 == 0 else text for i, text in enumerate(TEXTS)]
    encoder = train_lsa(texts, topics=18)
    assert encoder.table.dtype == np.float32
    known = encoder.tokenizer.known
    counts = np.array([[Counter(text)[word] for text in texts] for word in known], float)
    weights = counts * np.log2(len(texts) / (counts > 0).sum(axis=1, keepdims=True))
    weights /= np.linalg.norm(weights, axis=0)
    vectors = encoder.table[: len(known)].astype(np.float64)
    np.testing.assert_allclose(vectors @ vectors.T, weights @ weights.T, atol=1e-4)


# Reading


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def test_documents_are_the_content_words_of_distinct_sentences(tmp_path: Path) -> None:
    write(tmp_path / "bitext" / "x.en-de.tsv.gz", "The Cats sleep!\t-", "The Cats sleep!\t-")
    write(tmp_path / "bitext" / "x.en-es.tsv.gz", "A dog isn't here.\t-", "The Cats sleep!\t-")
    found = documents(tmp_path, ["bitext/x.en-*.tsv.gz"], set(), stop_words=STOP_WORDS)
    assert found == [["cats", "sleep"], ["dog"]]


@pytest.mark.parametrize("spelling", ["the CAT slept!", "The cat ｓｌｅｐｔ"])
def test_a_held_out_sentence_does_not_enter_in_any_spelling(tmp_path: Path, spelling: str) -> None:
    write(tmp_path / "bitext" / "x.tsv.gz", f"{spelling}\t-", "The cat slept well.\t-")
    held_out = {fold("The cat slept.")}
    assert documents(tmp_path, ["bitext/*"], held_out) == [["the", "cat", "slept", "well"]]


def test_a_missing_corpus(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"bitext/x\*: no such file; .* --data"):
        documents(tmp_path, ["bitext/x*"], set())


# Weights


def test_smoothing_by_hand() -> None:
    # ten words; a word turns up in a sentence of 11 with 1 − (1 − 1/10)¹¹ = 0.686 by chance alone;
    # one of them is more frequent, α = 1/10; a = (1 − α) / (α · 10/2)
    assert LENGTH == 11
    assert smoothing([0.7] + [0.01] * 9) == pytest.approx(0.9 / 0.5)


# Directions


def vectors(n: int = 500, dim: int = 12) -> np.ndarray:
    """Sentence vectors that have much in common, one of them zero."""
    rng = np.random.default_rng(0)
    common = rng.standard_normal((3, dim)) * np.array([[5], [3], [2]])
    found = rng.standard_normal((n, 3)) @ common + rng.standard_normal((n, dim)) + 2
    found[7] = 0
    return found


def test_directions_are_numpys_singular_vectors() -> None:
    found = vectors()
    lengths = np.linalg.norm(found, axis=1, keepdims=True)
    unit = found / np.where(lengths > 0, lengths, 1)
    _, values, rows = np.linalg.svd(unit, full_matrices=False)
    usif = fit_directions(found, 1e-3)
    assert usif.directions.shape == (DIRECTIONS, 12)
    cosines = np.abs(np.sum(usif.directions * rows[:DIRECTIONS], axis=1))
    np.testing.assert_allclose(cosines, 1, atol=1e-4)
    shares = values[:DIRECTIONS] ** 2 / np.sum(values[:DIRECTIONS] ** 2)
    np.testing.assert_allclose(usif.shares, shares, atol=1e-5)
    assert usif.shares.sum() == pytest.approx(1)
    assert (usif.directions.sum(axis=1) > 0).all()  # a sign of their own


def test_a_sentence_has_one_vector_in_every_file() -> None:
    found = np.random.default_rng(0).standard_normal((300, 256))
    usif = fitted()
    together = usif.without_common(found)
    for n in (1, 2, 7, 100):
        np.testing.assert_array_equal(usif.without_common(found[:n]), together[:n])
    np.testing.assert_array_equal(usif.without_common(found[::-1]), together[::-1])
