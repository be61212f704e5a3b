"""Word spaces: their training, on a corpus that fits on a page."""

from __future__ import annotations

import gzip
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from semaniacs.features.word_spaces import documents, train_lsa
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
