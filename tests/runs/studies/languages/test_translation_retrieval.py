"""Retrieval of translations, against scikit-learn's F1, which MTEB reports."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, f1_score

from embeddings.encoder import unit
from runs.studies.languages.translation_retrieval import accuracy, f1, retrieval_table, retrieve


@pytest.mark.parametrize("seed", range(3))
def test_the_figures_are_those_of_mteb(seed: int) -> None:
    rng = np.random.default_rng(seed)
    english = unit(rng.standard_normal((60, 8)).astype("f4"))
    other = unit(english + 0.4 * rng.standard_normal((60, 8)).astype("f4"))
    found, gold = (english @ other.T).argmax(axis=1), np.arange(60)
    assert 0 < accuracy(found) < 1
    assert accuracy(found) == pytest.approx(accuracy_score(gold, found))
    expected = f1_score(gold, found, average="weighted", zero_division=0)
    assert f1(found) == pytest.approx(expected)
    figures = retrieve(english, other)
    assert figures["from_english"] == pytest.approx(accuracy(found), abs=1e-4)
    assert figures["to_english"] == pytest.approx(
        accuracy_score(gold, (other @ english.T).argmax(axis=1)), abs=1e-4
    )
    assert f"{figures['from_english']:.3f}" in retrieval_table(
        [{"language": "es", "name": "toy"} | figures]
    )


def test_a_sentence_that_is_near_to_all_is_told_apart_by_the_margin() -> None:
    english = unit(np.array([[3, 1, 0, 1], [0, 3, 1, 1], [1, 0, 3, 1], [1, 1, 1, 9]], "f4"))
    figures = retrieve(english, english)
    assert figures["from_english"] == figures["from_english_f1"] == 1
    assert figures["sentences"] == 4
