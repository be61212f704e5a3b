"""A network of a run: what it learns from, what it is kept as, and both orders of a pair."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from semaniacs.embeddings.compiled import interpret_few
from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.transformer.fine_tuning import upper_layers
from semaniacs.runs.pipeline import fitting
from semaniacs.runs.pipeline.fitted_heads import NetworkScore
from semaniacs.runs.pipeline.fitting import fit
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import (
    Cosine,
    GradedYears,
    Labelled,
    NetworkTuning,
    ReadTogether,
)
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.runs.pipeline.tuning import networks
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import StsError
from tests.embeddings.transformer import tiny

HOW = FineTuning(epochs=1, batch=8, learning_rate=1e-3, frozen=2, dropout=0.0)
TOGETHER = CrossAttentionTuning(**vars(HOW))


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TrainingData:
    """Two data sets with gold, and a tiny transformer instead of the one that ships."""
    monkeypatch.setenv("STS_CACHE", str(tmp_path))
    monkeypatch.setattr(networks, "load_network", tiny.network)
    left, right, gold = tiny.pairs(32)
    numbered = [f"{text} {tiny.KNOWN[i % 8]} w{i}" for i, text in enumerate(left)]
    half = [slice(0, 16), slice(16, 32)]
    return TrainingData(
        [
            Pairs(f"toy{i}", tuple(numbered[s]), tuple(right[s]), 5 * gold[s])
            for i, s in enumerate(half)
        ]
    )


def test_grades_are_learned_once_and_kept(
    training: TrainingData, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = Run("toy-reader", "a toy", head=ReadTogether(TOGETHER), learns=GradedYears())
    model = fit(run, training)
    pairs = training.sets[0]
    scores = model.predict(pairs)
    assert np.ptp(scores) > 0
    exchanged = pairs.with_sentences(pairs.right, pairs.left)
    np.testing.assert_array_equal(model.predict(exchanged), scores)
    monkeypatch.setattr(upper_layers, "train_network", None)  # the cache has it
    np.testing.assert_array_equal(fit(run, training).predict(pairs), scores)


def test_labelled_pairs_give_it_a_threshold(
    training: TrainingData, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(fitting, "NETWORK_FOLDS", 2)
    model = fit(
        Run("toy-labels", "a toy", head=ReadTogether(TOGETHER), learns=Labelled()), training
    )
    assert model.thresholds["en"].out_of_fold
    assert isinstance(model.head, NetworkScore)
    one, other = model.head.networks
    assert one.head["gates"].shape == (tiny.LAYERS - 2, tiny.HEADS)
    assert len({one.digest, other.digest, model.head.hashes()["transformer"]}) == 3
    pairs = training.sets[0]
    with interpret_few(len(pairs)):  # as the model is: the network has two ways
        both = [network.predict(pairs.left, pairs.right) for network in (one, other)]
    np.testing.assert_allclose(model.predict(pairs), 5 * np.mean(both, axis=0), rtol=1e-12)
    assert not np.array_equal(*both)


def test_sentence_vectors_are_learned_from_labels_and_give_a_threshold(
    training: TrainingData, capsys: pytest.CaptureFixture[str]
) -> None:
    run = Run("toy-bi", "a toy", head=Cosine(NetworkTuning(HOW)), learns=Labelled())
    model = fit(run, training)
    assert model.thresholds["en"].out_of_fold
    graded = fit(replace(run, learns=GradedYears()), training)
    assert graded.thresholds == {}
    assert graded.head.hashes() != model.head.hashes()
    with pytest.raises(StsError, match="'toy-bi' keeps its network in the cache"):
        model.save(Path("nowhere"))
    with pytest.raises(StsError, match="'toy-bi' does not ship: it is trained where a task asks"):
        Model.load(run)
