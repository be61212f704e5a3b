"""The word2vec space: trained by gensim, the same vectors every time."""

from __future__ import annotations

import gzip
import math
import random
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder import Encoder
from embeddings.formats.single_file import load_encoder
from embeddings.formats.word2vec import to_keyed_vectors
from features.resources import PRETRAINED
from features.word_spaces import word2vec_space
from features.word_spaces.text import SOURCES
from features.word_spaces.word2vec_space import DIMENSIONS, KNOWN_WORDS, train
from sts.data.pairs import Pairs

TOPICS = (
    "apple pear plum bread cheese soup".split(),
    "ship harbour sail wave anchor deck".split(),
)


def texts(n: int = 1200) -> list[list[str]]:
    """Each four words of one topic."""
    rng = random.Random(0)
    return [rng.sample(TOPICS[i % 2], 4) for i in range(n)]


@pytest.fixture(scope="module")
def trained() -> Encoder:
    return train(texts())


def test_words_of_one_topic_are_closer_than_words_of_two(monkeypatch: pytest.MonkeyPatch) -> None:
    # Of words so frequent as these twelve, 29 of 30 are left out: the corpus is read more often.
    monkeypatch.setattr(word2vec_space, "EPOCHS", 500)
    space = to_keyed_vectors(train(texts()))
    assert set(space.key_to_index) == {word for topic in TOPICS for word in topic}
    same = [space.similarity(a, b) for topic in TOPICS for a in topic for b in topic if a < b]
    other = [space.similarity(a, b) for a in TOPICS[0] for b in TOPICS[1]]
    assert min(same) > 0.5
    assert max(other) < 0


def test_what_all_words_share_is_taken_away(trained: Encoder) -> None:
    vectors = trained.table[: len(trained.tokenizer.known)]
    largest = np.abs(vectors).max()
    np.testing.assert_allclose(vectors.mean(axis=0), 0, atol=largest / 127)  # kept as int8


def test_the_same_seed_gives_the_same_vectors(trained: Encoder) -> None:
    again = train(texts())
    assert again.tokenizer.known == trained.tokenizer.known
    np.testing.assert_array_equal(again.table, trained.table)
    assert not np.array_equal(train(texts(), seed=1).table, trained.table)
    assert trained.dim == DIMENSIONS


def test_rare_words_are_left_out_and_share_a_row_of_zeros() -> None:
    encoder = train([["once", *text] if i < 4 else text for i, text in enumerate(texts(100))])
    assert "once" not in encoder.tokenizer
    assert not encoder.encode(["once"]).any()


def test_the_space_that_ships() -> None:
    encoder = load_encoder(PRETRAINED / "word2vec.safetensors")
    assert encoder.dim == DIMENSIONS
    assert len(encoder.tokenizer.known) <= KNOWN_WORDS
    space = to_keyed_vectors(encoder)
    assert space.similarity("cat", "dog") > space.similarity("cat", "parliament") + 0.2


def test_it_is_written_without_held_out_sentences(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [f"{a} {b} {c} {i}" for i, (a, b, c, _) in enumerate(texts(60))]
    tested = [f"The zebra saw {word}." for word in TOPICS[0]]
    for patterns in SOURCES.values():
        for pattern in patterns:
            path = tmp_path / pattern.replace("*", "xx")
            path.parent.mkdir(exist_ok=True)
            rows = "".join(f"{line}\t{line}\n" for line in (*lines, *tested))
            path.write_bytes(gzip.compress(rows.encode()))
    task = Pairs("tested", tuple(tested), tuple(tested), np.full(len(tested), math.nan))
    monkeypatch.setattr(word2vec_space, "PRETRAINED", tmp_path / "pretrained")
    monkeypatch.setattr("features.word_spaces.text.all_data_sets", lambda: ["tested"])
    monkeypatch.setattr("features.word_spaces.text.load", lambda dataset, root, with_gold: task)
    monkeypatch.setattr("sys.argv", ["word2vec", "--data", str(tmp_path)])
    word2vec_space.main()
    # both spaces' texts, each of which drops what it has seen before
    assert "word2vec: 12 words from 120 sentences" in capsys.readouterr().out
    encoder = load_encoder(tmp_path / "pretrained" / "word2vec.safetensors")
    assert set(encoder.tokenizer.known) == {word for topic in TOPICS for word in topic}
