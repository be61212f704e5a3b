"""A fusion learns from features of its training pairs by encoders that never saw those pairs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from semaniacs.embeddings import loading
from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.embeddings.transformer.fine_tuning.reader import Reader, untrained_head
from semaniacs.runs.pipeline.fitting import fit, fit_features
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import NetworkTuning, Vectors
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.runs.pipeline.tuning import networks
from semaniacs.runs.report.explanation import as_table, explain_pairs
from semaniacs.sts.cache import cache_folder, entries_in
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import DataError
from tests.embeddings.transformer import tiny

SOURCES = ("forum", "news", "images")
WORDS = 12
COLUMNS = ("content_1gram", "paraphrase1", "paraphrase2")


def data_set(name: str, source: str, seed: int, size: int = 15) -> Pairs:
    """Pairs of words that no other source has; some mean the same, some do not."""
    rng = np.random.default_rng(seed)
    drawn = rng.integers(WORDS, size=(size, 2, 3))
    left, right = (
        tuple(" ".join(f"{source}{word}" for word in row) for row in drawn[:, side])
        for side in (0, 1)
    )
    return Pairs(name, left, right, np.where(np.arange(size) % 2, 5.0, 1.0))


TRAINING = [
    data_set("forum-train", "forum", 1),
    data_set("forum", "forum", 2),
    data_set("news", "news", 3),
    data_set("surprise.images", "images", 4),
]
TRIPS = [[("cat forum1", "cat forum2"), ("dog news1", "dog news2")]]


@pytest.fixture
def run(toy_runs: dict[str, Run], monkeypatch: pytest.MonkeyPatch) -> Run:
    """A fusion over vectors of the words of the training pairs."""
    words = [f"{source}{word}" for source in SOURCES for word in range(WORDS)] + ["cat", "dog"]
    table = np.random.default_rng(0).standard_normal((len(words) + 1, 8)).astype(np.float32)
    start = Encoder(WordTokenizer(words, 1), table)
    monkeypatch.setattr(loading, "load_static", lambda _: start)
    return replace(toy_runs["toy-fusion"], columns=COLUMNS)


def without_tunings(run: Run, *columns: str, **vectors: Any) -> Run:
    """The run over these columns, and with a network, if any."""
    return replace(run, vectors=Vectors("tiny", **vectors), columns=columns)


def cosines(encoder: Encoder, pairs: Pairs) -> np.ndarray:
    return encoder.similarity_pairwise(pairs.left, pairs.right)


def test_training_pairs_are_described_by_encoders_that_never_saw_them(run: Run) -> None:
    training = TrainingData(TRAINING)
    vectors = replace(run.vectors, tunings=run.vectors.tunings[:1])
    run = replace(run, vectors=vectors, columns=COLUMNS[:2])
    features, matrix = fit_features(run, training)
    # No other source has a word of a pair: without the pair's own source its words do not move.
    start = loading.load_static("tiny")
    unmoved = np.concatenate([cosines(start, pairs) for pairs in TRAINING])
    np.testing.assert_allclose(matrix[:, 1], unmoved, atol=1e-6)
    # New pairs are described by an encoder that was tuned on all of them.
    for pairs in TRAINING:
        seen = features.compute(pairs)[:, 1]
        assert np.abs(seen - cosines(start, pairs)).max() > 0.01


def test_round_trips_are_learned_from_in_every_fold(run: Run) -> None:
    _, matrix = fit_features(run, TrainingData(TRAINING, TRIPS))
    assert np.isfinite(matrix).all()
    for source, rows in (("forum", slice(0, 30)), ("news", slice(30, 45))):
        assert (matrix[rows, 1] != matrix[rows, 2]).any(), source


def test_the_stage_of_strong_pairs_is_trained_once(run: Run) -> None:
    def encoders() -> int:
        return len(list(entries_in(cache_folder() / "tuned")))

    training = TrainingData(TRAINING, TRIPS)
    fit(run, training)
    assert encoders() == 2 * (1 + 3)  # both stages, on everything and without each source
    for tuning in run.vectors.tunings:
        fit(Run("alone", "a test", vectors=Vectors("tiny", (tuning,))), training)
    assert encoders() == 8


def test_what_ships_has_intervals_and_keeps_them(run: Run, tmp_path: Path) -> None:
    run = without_tunings(run, *COLUMNS[:1])
    training = TrainingData(TRAINING)
    assert fit(run, training).intervals is None
    model = fit(run, training, intervals=True)
    assert model.intervals is not None
    model.save(tmp_path)
    again = Model.load(run, tmp_path).intervals
    assert again is not None
    np.testing.assert_array_equal(again.residuals, model.intervals.residuals)
    (explained,) = explain_pairs(model, TRAINING[0].select(np.arange(15) == 0), repeats=1)
    assert explained.interval is not None
    low, high = explained.interval
    assert low <= explained.score <= high
    assert as_table([explained])[-1].endswith(f"scores: {low:.1f} to {high:.1f}")


NETWORK_COLUMNS = ("content_1gram", "gte", "gte_middle", "reader")


def in_known_words(pairs: Pairs) -> Pairs:
    """The pairs in words that the tiny transformer knows."""
    known = [
        tuple(
            re.sub(r"[a-z]+(\d+)", lambda found: tiny.KNOWN[int(found[1]) % 8], text)
            for text in side
        )
        for side in (pairs.left, pairs.right)
    ]
    return pairs.with_sentences(*known)


KNOWN = [in_known_words(pairs) for pairs in TRAINING]


@pytest.fixture
def with_network(run: Run, monkeypatch: pytest.MonkeyPatch) -> Run:
    """A run whose transformer, a tiny one, is trained further."""
    monkeypatch.setattr(networks, "load_network", tiny.network)
    monkeypatch.setattr(loading, "load_network", tiny.network)
    untrained = untrained_head(tiny.network(), CrossAttentionTuning(frozen=1), graded=False)
    monkeypatch.setattr(loading, "load_reader", lambda: Reader(tiny.network(), untrained))
    how = NetworkTuning(FineTuning(frozen=1, epochs=1, batch=4, learning_rate=1e-2, dropout=0.0))
    return without_tunings(run, *NETWORK_COLUMNS, network=how)


@pytest.mark.filterwarnings("ignore:the model has no words")
def test_training_pairs_are_described_by_a_transformer_of_earlier_years(with_network: Run) -> None:
    years = (2012, 2012, 2013, 2014)
    features, matrix = fit_features(with_network, TrainingData(KNOWN, years=years))
    before = TrainingData(KNOWN[:3], years=years[:3])
    new, _ = fit_features(with_network, before)
    np.testing.assert_array_equal(new.compute(KNOWN[3]), matrix[45:])
    last = features.compute(KNOWN[3])  # new pairs: a transformer of all years
    assert (last[:, 1] != matrix[45:, 1]).all()
    np.testing.assert_array_equal(last[:, 2], matrix[45:, 2])  # lower layers stay
    read = (last[:, 3] > 0) & (matrix[45:, 3] > 0)  # both found the sentences near
    assert read.any()
    np.testing.assert_array_equal(last[read, 3], matrix[45:][read, 3])


@pytest.mark.filterwarnings("ignore:the model has no words")
def test_the_trained_transformer_is_saved_beside_the_model(
    with_network: Run, tmp_path: Path
) -> None:
    model = fit(with_network, TrainingData(KNOWN))
    model.save(tmp_path)
    again = Model.load(with_network, tmp_path)
    assert again.head.hashes() == model.head.hashes()
    assert again.head.hashes()["gte"] != tiny.network().digest
    np.testing.assert_array_equal(again.predict(KNOWN[0]), model.predict(KNOWN[0]))
    damaged = tmp_path / "toy-fusion.transformer.safetensors"
    tensors = load_file(damaged)
    save_file({k: v for k, v in tensors.items() if not k.startswith("exponent/")}, damaged)
    with pytest.raises(DataError, match=r"toy-fusion.transformer.*: .* no scale for each row"):
        Model.load(with_network, tmp_path).predict(KNOWN[0])
