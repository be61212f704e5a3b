"""Latent semantic analysis of a corpus that fits on a page."""

from __future__ import annotations

import gzip
import math
import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder import Encoder
from embeddings.formats.single_file import load_encoder
from embeddings.formats.word2vec import to_keyed_vectors
from features.word_spaces import lsa
from features.word_spaces.lsa import train
from features.word_spaces.text import documents, read_sentences
from sts.data.pairs import Pairs
from sts.errors import DataError
from sts.text.tokenizer import STOP_WORDS, fold

TOPICS = (
    "apple pear plum bread cheese soup".split(),
    "ship harbour sail wave anchor deck".split(),
    "violin drum flute chorus melody song".split(),
)


def sentences(n: int = 90) -> list[str]:
    """Each three words of one topic, with a few words of grammar."""
    rng = random.Random(0)
    drawn = [(rng.sample(TOPICS[i % 3], 3), i) for i in range(n)]
    return [f"The {a} and the {b} of {c}, {i}." for (a, b, c), i in drawn]


TEXTS = [[w for w in s.rstrip(".").replace(",", "").split() if len(w) > 3] for s in sentences()]


@pytest.fixture(scope="module")
def trained() -> Encoder:
    return train(TEXTS, topics=3)


def test_words_of_one_topic_are_closer_than_words_of_two(trained: Encoder) -> None:
    space = to_keyed_vectors(trained)
    assert set(space.key_to_index) == {word for topic in TOPICS for word in topic}
    same = [space.similarity(a, b) for topic in TOPICS for a in topic for b in topic]
    other = [space.similarity(a, b) for a in TOPICS[0] for b in (*TOPICS[1], *TOPICS[2])]
    assert min(same) > 0.9
    assert max(map(abs, other)) < 0.1


def test_the_vectors_are_those_of_the_matrix_of_words_and_sentences() -> None:
    # (U·S)(U·S)ᵀ = M·Mᵀ if every dimension is kept; M is tf · log₂(N/df), sentences of length 1
    texts = [[*text, text[0]] if i % 4 == 0 else text for i, text in enumerate(TEXTS)]
    encoder = train(texts, topics=18)
    known = encoder.tokenizer.known
    counts = np.array([[Counter(text)[word] for text in texts] for word in known], float)
    weights = counts * np.log2(len(texts) / (counts > 0).sum(axis=1, keepdims=True))
    weights /= np.linalg.norm(weights, axis=0)
    vectors = encoder.table[: len(known)].astype(np.float64)
    np.testing.assert_allclose(vectors @ vectors.T, weights @ weights.T, atol=1e-4)


def test_the_same_seed_gives_the_same_vectors(trained: Encoder) -> None:
    again = train(TEXTS, topics=3)
    assert again.tokenizer.known == trained.tokenizer.known
    np.testing.assert_array_equal(again.table, trained.table)
    assert trained.table.dtype == np.float32


def test_rare_words_are_left_out_and_share_a_row_of_zeros() -> None:
    encoder = train([["once", *text] if i < 4 else text for i, text in enumerate(TEXTS)], topics=3)
    assert "once" not in encoder.tokenizer
    assert not encoder.encode(["once"]).any()


def test_sentences_without_content_do_no_harm(trained: Encoder) -> None:
    encoder = train([*TEXTS, [], []], topics=3)
    assert encoder.tokenizer.known == trained.tokenizer.known
    assert np.isfinite(encoder.table).all()


# Reading


def write(path: Path, *lines: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(gzip.compress("".join(f"{line}\n" for line in lines).encode()))
    return path


def test_the_english_columns(tmp_path: Path) -> None:
    bitext = write(tmp_path / "bitext" / "x.tsv.gz", "A cat\tEine Katze", "A\u2028dog\tEin Hund")
    assert list(read_sentences(bitext)) == ["A cat", "A\u2028dog"]
    both = write(tmp_path / "paraphrases" / "y.tsv.gz", "A cat\tOne cat")
    assert list(read_sentences(both)) == ["A cat", "One cat"]


def test_documents_are_the_content_words_of_distinct_sentences(tmp_path: Path) -> None:
    write(tmp_path / "bitext" / "x.en-de.tsv.gz", "The Cats sleep!\t-", "The Cats sleep!\t-")
    write(tmp_path / "bitext" / "x.en-es.tsv.gz", "A dog isn't here.\t-", "The Cats sleep!\t-")
    found = documents(tmp_path, ["bitext/x.en-*.tsv.gz"], set(), stop_words=STOP_WORDS)
    assert found == [["cats", "sleep"], ["dog"]]


def test_documents_with_stop_words_and_a_part_of_the_sentences(tmp_path: Path) -> None:
    write(tmp_path / "bitext" / "x.tsv.gz", *(f"The cat {i}\t-" for i in range(10)))
    every = documents(tmp_path, ["bitext/*"], set())
    assert every == [["the", "cat", str(i)] for i in range(10)]
    held_out = {fold("The cat 4")}
    some = documents(tmp_path, ["bitext/*"], held_out, stop_words=("the",), every=4)
    assert some == [["cat", "0"], ["cat", "8"]]  # the fifth is held out; none takes its place


@pytest.mark.parametrize(
    "spelling", ["The cat slept", "the CAT slept!", "The  cat – slept.", "The cat ｓｌｅｐｔ"]
)
def test_a_held_out_sentence_does_not_enter_in_any_spelling(tmp_path: Path, spelling: str) -> None:
    write(tmp_path / "bitext" / "x.tsv.gz", f"{spelling}\t-", "The cat slept well.\t-")
    held_out = {fold("The cat slept.")}
    assert documents(tmp_path, ["bitext/*"], held_out) == [["the", "cat", "slept", "well"]]


def test_a_missing_corpus(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"bitext/x\*: no such file; .* --data"):
        documents(tmp_path, ["bitext/x*"], set())


def test_both_spaces_are_written_without_held_out_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    corpus = sentences()
    tested = [f"The zebra saw {word}." for word in TOPICS[0]]
    for patterns in lsa.SOURCES.values():
        for pattern in patterns:
            lines = [f"{sentence}\t{sentence}" for sentence in (*corpus, *tested)]
            write(tmp_path / pattern.replace("*", "xx"), *lines)
    task = Pairs("tested", tuple(tested), tuple(tested), np.full(len(tested), math.nan))
    monkeypatch.setattr(lsa, "PRETRAINED", tmp_path / "pretrained")
    monkeypatch.setattr("features.word_spaces.text.all_data_sets", lambda: ["tested"])
    monkeypatch.setattr("features.word_spaces.text.load", lambda dataset, root, with_gold: task)
    monkeypatch.setattr("sys.argv", ["lsa", "--data", str(tmp_path)])
    lsa.main()
    assert "lsa-news: 18 words from 90 sentences" in capsys.readouterr().out
    for name in lsa.SOURCES:
        encoder = load_encoder(tmp_path / "pretrained" / f"{name}.safetensors")
        assert "ship" in encoder.tokenizer
        assert "zebra" not in encoder.tokenizer
