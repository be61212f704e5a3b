"""The folds that choices are made on: nothing is scored, or described, by what saw it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from runs.pipeline.ensemble_run import EnsembleRun

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.tokenizers.words import WordTokenizer
from runs.pipeline.run import Run
from runs.studies.selection_folds import Scored, folds, genre_of, tuned_features
from sts.data.pairs import Pairs

NAMES = (
    ("MSRvid-train", 2012), ("MSRvid", 2012), ("surprise.OnWN", 2012), ("FNWN", 2013),
    ("headlines", 2013), ("headlines", 2014), ("images", 2014), ("belief", 2015),
)  # fmt: skip


def scored(name: str, year: int, seed: int) -> Scored:
    """Pairs of words that no other data set has; half of them mean the same."""
    drawn = np.random.default_rng(seed).integers(9, size=(12, 2, 3))
    left, right = (
        tuple(" ".join(f"d{seed}w{word}" for word in row) for row in drawn[:, side])
        for side in (0, 1)
    )
    gold = np.where(np.arange(12) % 2, 5.0, 1.0)
    return Scored(Pairs(name, left, right, gold), year, np.zeros((12, 1)))


SETS = [scored(name, year, seed) for seed, (name, year) in enumerate(NAMES)]


def test_folds_never_score_what_they_learn_from() -> None:
    made = folds(SETS)
    for fold in made:
        assert fold.test
        assert not set(fold.training) & set(fold.test)
        assert 0 not in fold.test  # the train part is learned from alone
        for place in fold.test:
            learned = [SETS[i] for i in fold.training]
            if fold.kind == "year":
                assert all(s.year < SETS[place].year or s.trains_only for s in learned)
            if fold.kind == "data set":
                assert fold.test == (place,)
                trained = [s.name.removesuffix("-train") for s in learned if s.trains_only]
                assert SETS[place].name not in trained
            if fold.kind == "genre":
                assert genre_of(SETS[place].name) not in {genre_of(s.name) for s in learned}
    for kind in ("year", "data set", "genre"):
        tested = sorted(place for fold in made if fold.kind == kind for place in fold.test)
        assert tested == list(range(1, len(SETS)))  # each once


def test_encoders_see_no_test_set() -> None:
    for fold in folds(SETS):
        assert not set(fold.split.tuned_on) & set(fold.test)
        assert set(fold.test) <= set(fold.split.unseen)
        assert set(fold.training) <= {*fold.split.tuned_on, *fold.split.unseen}
        if fold.kind == "year":
            assert fold.split.tuned_on == fold.training
        else:
            assert genre_of(SETS[fold.test[0]].name) not in {
                genre_of(SETS[i].name) for i in fold.split.tuned_on
            }


def test_genres() -> None:
    assert genre_of("MSRvid-train") == genre_of("MSRvid") == genre_of("images") == "captions"
    assert genre_of("surprise.OnWN") == genre_of("FNWN") == "glosses"
    assert genre_of("headlines") == "headlines"


class Back:
    """A translator that never changes a word."""

    def round_trips(self, sentences: list[str], pivot: str) -> list[tuple[str, str]]:
        return [(sentence, f"{sentence} again") for sentence in sentences]


def test_features_of_encoders_that_never_saw_a_pair(
    toy_runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = sorted({word for s in SETS for side in s.pairs.sentences() for word in side.split()})
    table = np.random.default_rng(0).standard_normal((len(words) + 1, 8)).astype(np.float32)
    start = Encoder(WordTokenizer(words, 1), table)
    monkeypatch.setattr(loading, "load_static", lambda _: start)
    run = toy_runs["toy-fusion"]
    assert isinstance(run, EnsembleRun)
    run = replace(run, paraphrases=(run.paraphrases[0],) * 2)  # of strong pairs alone
    split = next(f.split for f in folds(SETS) if f.kind == "genre")
    found = tuned_features(run, SETS, split, Back())  # type: ignore[arg-type]
    for place, one in enumerate(SETS):
        before = start.similarity_pairwise(one.pairs.left, one.pairs.right)
        # No other data set has its words: an encoder that never saw it leaves them as they were.
        np.testing.assert_allclose(found.honest[place][:, 0], before, atol=1e-6)
        moved = np.abs(found.seen[place][:, 0] - before).max()
        assert (moved > 0.01) == (place in split.tuned_on)
