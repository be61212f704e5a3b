"""A tiny reader learns grades and labels together; a score does not depend on the order of sides."""

from __future__ import annotations

import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import pearsonr

from semaniacs.embeddings.configuration import CrossAttentionTuning
from semaniacs.embeddings.transformer.fine_tuning.reader import (
    LABELS,
    Lessons,
    Reader,
    initial_head,
    ranking,
    train_reader,
)
from semaniacs.embeddings.transformer.fine_tuning.scorer_training import SLOPE
from semaniacs.sts.scoring.classification import roc_auc
from tests.embeddings.transformer import tiny

LEFT, RIGHT, _ = tiny.pairs(48)
BOTH = [f"{a} {b}" for a, b in zip(LEFT, RIGHT, strict=True)]
LABEL = np.array([float("aa" in text) for text in BOTH])
GRADE = np.array([len({*text.split()} & {"aa", "bb", "cc"}) / 3 for text in BOTH])
HOW = CrossAttentionTuning(
    epochs=25, batch=12, learning_rate=3e-3, frozen=1, dropout=0.0, head_rate=3.0, same=1.0
)
START = tiny.network()
UNTRAINED = Reader(START, initial_head(START, HOW))


@pytest.fixture(scope="module")
def reader() -> Reader:
    gold = np.concatenate([LABEL, GRADE]).astype(np.float32)
    lessons = Lessons(2 * LEFT, 2 * RIGHT, gold, np.repeat([LABELS, 0], len(LEFT)))
    return train_reader(START, initial_head(START, HOW), lessons, HOW)


def test_it_learns_labels_and_grades(reader: Reader) -> None:
    before, after = (model.predict(LEFT, RIGHT) for model in (UNTRAINED, reader))
    assert roc_auc(LABEL, before[:, 1]) < 0.8
    assert roc_auc(LABEL, after[:, 1]) > 0.85
    assert pearsonr(GRADE, before[:, 0])[0] + 0.1 < pearsonr(GRADE, after[:, 0])[0]


def test_a_score_is_that_of_the_pair_alone_and_of_both_orders_to_the_last_bit(
    reader: Reader,
) -> None:
    found = reader.predict(LEFT, RIGHT)
    np.testing.assert_array_equal(found, reader.predict(RIGHT, LEFT))
    np.testing.assert_array_equal(found[3:5], reader.predict(LEFT[3:5], RIGHT[3:5]))


def test_before_training_the_grade_is_the_cosine_of_the_sentences_read_alone() -> None:
    shut = {"gates": np.full_like(UNTRAINED.head["gates"], -1e9)}
    found = Reader(START, UNTRAINED.head | shut).predict(LEFT, RIGHT)
    a, b = (START.encode(side).astype(np.float64) for side in (LEFT, RIGHT))
    cosines = (a * b).sum(axis=1)
    np.testing.assert_allclose(found[:, 0], cosines, rtol=1e-5)
    np.testing.assert_allclose(found[:, 1], expit(SLOPE * (cosines - 0.9)), rtol=1e-5)


def test_pairs_are_ranked_within_their_group_only() -> None:
    logits = jnp.array([1.0, 3.0, -2.0, 0.0])
    gold, groups = jnp.array([0.95, 0.05, 0.95, 0.95]), jnp.array([0, 0, 1, 0])
    expected = (np.logaddexp(0, 3.0 - 1.0) + np.logaddexp(0, 3.0 - 0.0)) / 2
    np.testing.assert_allclose(ranking(logits, gold, groups), expected, rtol=1e-6)
    assert ranking(logits, gold, jnp.arange(4)) == 0
