"""Tuned encoders are made once, read back as they were kept, and never stale."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from embeddings.training.configuration import Training
from embeddings.training.pairs_trainer import Corpus
from runs.pipeline import tuned_encoders
from runs.pipeline.recipe import Tuning
from sts.cache import cache_folder

START = Encoder(WordTokenizer(["cat", "dog"], 1), np.eye(3, 4, dtype=np.float32))
TUNING = Tuning(Training(epochs=1))
CORPUS = Corpus([("a cat", "the cat")], ["a cat", "the cat", "dogs"])


def moved() -> Encoder:
    """The start, one row moved by something that int8 cannot hold exactly."""
    table = START.table.copy()
    table[1] += np.array([0.1, 0.0123, 0, 0], np.float32)
    return Encoder(START.tokenizer, table)


def refuse() -> Encoder:
    raise AssertionError("tuned again")


def test_a_second_run_reads_what_the_first_one_used() -> None:
    first = tuned_encoders.kept("a" * 64, START, moved)
    second = tuned_encoders.kept("a" * 64, START, refuse)
    np.testing.assert_array_equal(first.table, second.table)
    np.testing.assert_allclose(first.table, moved().table, atol=1e-3)
    assert (first.table != moved().table).any()  # int8
    with pytest.raises(AssertionError, match="tuned again"):
        tuned_encoders.kept("b" * 64, START, refuse)


def test_a_damaged_file_is_made_again(capsys: pytest.CaptureFixture[str]) -> None:
    expected = tuned_encoders.kept("a" * 64, START, moved).table
    (path,) = (cache_folder() / "tuned").iterdir()
    path.write_bytes(path.read_bytes()[:-9])
    np.testing.assert_array_equal(tuned_encoders.kept("a" * 64, START, moved).table, expected)
    assert "tuning again" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = tuned_encoders.kept("a" * 64, START, moved).table
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "file"))
    np.testing.assert_array_equal(tuned_encoders.kept("a" * 64, START, moved).table, expected)
    assert "the tuned vectors are not kept" in capsys.readouterr().err


def test_the_digest_rests_on_everything() -> None:
    other = Encoder(START.tokenizer, START.table + 1)
    gold = Corpus([("a cat", "my cat")], CORPUS.others)
    digests = [
        tuned_encoders.digest_of(START, TUNING, 0, [CORPUS], []),
        tuned_encoders.digest_of(other, TUNING, 0, [CORPUS], []),
        tuned_encoders.digest_of(START, replace(TUNING, strong=4.0), 0, [CORPUS], []),
        tuned_encoders.digest_of(START, TUNING, 1, [CORPUS], []),
        tuned_encoders.digest_of(START, TUNING, 0, [gold], []),
        tuned_encoders.digest_of(START, TUNING, 0, [replace(CORPUS, others=["a cat"])], []),
        tuned_encoders.digest_of(START, TUNING, 0, [CORPUS, CORPUS], []),
        tuned_encoders.digest_of(START, TUNING, 0, [CORPUS], [CORPUS]),
    ]
    assert len(set(digests)) == len(digests)
    assert digests[0] == tuned_encoders.digest_of(START, TUNING, 0, [CORPUS], [])
