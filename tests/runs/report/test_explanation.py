"""Which features moved the score of a pair: the numbers, as JSON and as a table."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings import loading
from semaniacs.features.registry import FeatureColumns
from semaniacs.features.regressors.ensemble import Boosting, Ensemble
from semaniacs.features.resources import Resources
from semaniacs.runs.pipeline.fitted_heads import FittedColumns
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.tuning.encoders import name_encoders
from semaniacs.runs.report.explanation import (
    ExplainedPair,
    as_json,
    as_table,
    explain_pairs,
    figures_that_add_up,
)
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Pairs, concatenate
from semaniacs.sts.data.readers import pairs_from_text

COLUMNS = (
    "content_1gram", "content_2gram", "lemma_1gram", "lemma_2gram", "weighted_word_match",
    "number_match", "number_count", "case_match", "paraphrase1", "relative_len_difference",
)  # fmt: skip
OWN = (
    "the cat eats an apple\tthe cat is eating an apple\nmy café closes\tour teacher paints 7 maps\n"
)


@pytest.fixture
def model(toy: Any, toy_runs: Any) -> Model:
    """A small fusion."""
    extractor = FeatureColumns(
        COLUMNS, Resources(name_encoders([loading.load_static("tiny")]), "tiny")
    )
    pairs = concatenate([load(dataset, toy.data) for dataset in toy.task.train])
    training = pairs.select(pairs.scored)
    fusion = Ensemble([Boosting("sklearn", n_estimators=20, learning_rate=0.2, min_samples_leaf=2)])
    fitted = fusion.fit(extractor.compute(training), training.gold).fitted_
    return Model(Run("mine", "mine", columns=COLUMNS), FittedColumns(extractor, fitted))


def explained(model: Model, text: str = OWN) -> list[ExplainedPair]:
    return list(explain_pairs(model, pairs_from_text(text, "own")))


def lines_of(model: Model, text: str = OWN) -> list[dict[str, Any]]:
    return [json.loads(line) for line in as_json(explained(model, text))]


def test_a_pair_that_is_compared_in_other_words_is_shown_as_it_is_compared(model: Model) -> None:
    head = model.columns
    alike = replace(model, head=replace(head, features=replace(head.features, written_alike=True)))
    texts = (
        ("I recieved 2 maps", "a teacher paints"),
        ("I received two maps", "my teacher paints"),
    )
    pairs = Pairs("own", *texts, np.zeros(2))
    first, second = explain_pairs(alike, pairs, repeats=1)
    assert first.compared == ("I received two maps", "I received two maps")
    assert (first.left, second.compared) == ("I recieved 2 maps", None)
    assert as_table([first])[:6] == [first.left, first.right, "", "compared as", *first.compared]
    assert [json.loads(line).get("compared") for line in as_json([first, second])] == [
        ["I received two maps", "I received two maps"],
        None,
    ]
    assert all(one.compared is None for one in explain_pairs(model, pairs, repeats=1))


# JSON


def test_json_holds_every_feature_and_adds_up(model: Model) -> None:
    pairs = lines_of(model)
    scores = model.predict(pairs_from_text(OWN, "own"))
    np.testing.assert_allclose([pair["score"] for pair in pairs], scores, rtol=0, atol=1e-12)
    for pair, line in zip(pairs, OWN.splitlines(), strict=True):
        names = ["left", "right", "score", "base", "contributions", "differences", "decisive_words"]
        assert list(pair) == names
        assert [pair["left"], pair["right"]] == line.split("\t")
        parts = pair["contributions"]
        assert {part["feature"] for part in parts} == set(COLUMNS)
        sizes = [abs(part["contribution"]) for part in parts]
        assert sizes == sorted(sizes, reverse=True)
        assert sizes[0] > 0.1
        total = pair["base"] + sum(part["contribution"] for part in parts)
        assert total == pytest.approx(pair["score"], abs=1e-9)
    assert pairs[0]["base"] == pairs[1]["base"]


def test_decisive_words_are_shown_in_both_forms(model: Model) -> None:
    text = "my teacher paints 7 maps\tmy teacher paints 7 cats\n"
    (pair,) = lines_of(model, text)
    assert pair["decisive_words"] == [{"left": "maps", "right": "cats", "score": 5.0}]
    said = 'decisive words: "cats" instead of "maps" (5.0 without this difference)'
    (one,) = explained(model, text)
    assert str(one).split("\n") == as_table([one])
    assert as_table([one])[3] == said


# The table


def test_rounded_figures_add_up_to_the_last_digit() -> None:
    assert figures_that_add_up(1.0, [0.00004, 0.00004, 0.00004]) == [1.0, 0.0, 0.0001, 0.0]
    rng = np.random.default_rng(0)
    for _ in range(50):
        base, *parts = rng.normal(size=9)
        figures = figures_that_add_up(base, parts)
        assert round(sum(figures), 4) == round(base + sum(parts), 4)
        np.testing.assert_allclose(figures, [base, *parts], rtol=0, atol=1.01e-4)
