"""The studies of training: splits, figures by hand, tables, and that they go on after a stop."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

from embeddings.transformer.poolings import Mean
from runs.studies.ledger import Ledger
from runs.studies.sentence_training import negatives_study, poolings_study
from runs.studies.sentence_training.labelled_material import (
    FIGURES,
    Budget,
    Material,
    differences,
    material_of,
    spread,
)
from runs.studies.sentence_training.negatives_study import given_negatives
from sts.data.pairs import Pairs
from sts.errors import StsError
from tests.embeddings.transformer.fine_tuning import tiny

BUDGET = Budget(learned=24, chosen=30, tested=50, epochs=1, batch=8)


def toy_pairs(n: int) -> Pairs:
    """Pairs of six words: paraphrases if both sides are of one half of the vocabulary."""
    halves, gold = np.random.default_rng(0).integers(0, 2, (2, n))

    def words(half: int, drawn: Any) -> str:
        return " ".join(tiny.KNOWN[4 * half + word] for word in drawn)

    drawn = np.random.default_rng(1).integers(0, 4, (2, n, 6))
    left = [words(half, row) for half, row in zip(halves, drawn[0], strict=True)]
    right = [
        words(half if same else 1 - half, row)
        for half, same, row in zip(halves, gold, drawn[1], strict=True)
    ]
    return Pairs("toy", tuple(left), tuple(right), 5.0 * gold)


@pytest.fixture
def material(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Material:
    monkeypatch.setenv("STS_CACHE", str(tmp_path / "cache"))
    return material_of(tiny.network(), toy_pairs(120), BUDGET)


def test_no_sentence_stands_in_two_parts(material: Material) -> None:
    for seed in range(3):
        split = material.split(seed)
        parts = (split.learned, split.chosen, split.tested)
        texts = [set(material.own[pairs].reshape(-1).tolist()) for pairs in parts]
        assert not (texts[0] & texts[1] or texts[0] & texts[2] or texts[1] & texts[2])
        assert len(split.tested) <= 50
        assert len(split.learned) <= 24
        assert len(np.concatenate(parts)) > 90


def test_figures_of_vectors_that_are_known(
    material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Paraphrases at cosine 1, others at 0: every figure is known."""

    def known(parameters: Any, lower: Any, pooling: Any, rows: Any) -> Any:
        tokens = [lower.tokens.ids[lower.tokens.starts[row] + 1] for row in rows]
        return np.eye(2, dtype=np.float32)[[int(token >= 8) for token in tokens]]

    monkeypatch.setattr("runs.studies.sentence_training.labelled_material.unit_vectors", known)
    found = material.measure({}, Mean(), 0)
    assert found["auc"] == found["accuracy"] == found["f1"] == 1
    assert found["alignment"] == 0
    rows = np.unique(material.own[material.split(0).tested])
    halves = np.bincount([int(material.lower.tokens.ids[material.lower.tokens.starts[r] + 1] >= 8)
                          for r in rows])  # fmt: skip
    n = halves.sum()
    equal = (halves * (halves - 1)).sum() / (n * (n - 1))
    assert found["uniformity"] == pytest.approx(np.log(equal + (1 - equal) * np.exp(-4)))


def test_long_pairs_are_left_out_and_too_few_are_refused() -> None:
    pairs = Pairs("toy", ("aa", "bb " * 40, "cc"), ("cc", "dd", "aa"), np.array([0.0, 5.0, 5.0]))
    with pytest.raises(StsError, match="toy: 2 pairs; 104 are needed"):
        material_of(tiny.network(), pairs, BUDGET)


def test_given_negatives_by_hand() -> None:
    own = np.array([[0, 1], [0, 2], [3, 1], [4, 5], [6, 0]])
    labels = np.array([1, 0, 0, 1, 1])
    np.testing.assert_array_equal(given_negatives(own, labels), [[2], [2], [1], [-1], [2]])


def test_spread_by_hand() -> None:
    assert spread([1.0, 2.0, 3.0], 1) == "2.0 ± 1.0"
    assert spread([1.5]) == "1.500"
    assert differences([3.0, 4.0], [1.0, 4.0], 1) == "+1.0 ± 1.4"


@pytest.mark.parametrize(
    ("study", "cells"),
    [
        (
            poolings_study,
            [
                poolings_study.Cell("multi-head", loss, 0)
                for loss in ("untrained", "classification")
            ],
        ),
        (
            negatives_study,
            [
                negatives_study.Cell(negatives_study.RECIPES[name], 0)
                for name in ("untrained", "mega-batch 5, 2 closest")
            ],
        ),
    ],
)
def test_a_training_changes_the_figures(
    study: Any, cells: Any, material: Material, monkeypatch: pytest.MonkeyPatch
) -> None:
    def moved(model: Any, data: Any, how: Any, label: str) -> None:
        assert len(next(data.batches(0, 0, model)).extra) > 4
        model.dense = jax.tree.map(lambda value: 1.5 * value, model.dense)

    monkeypatch.setattr(study, "run", moved)
    before, after = (study.measure_cell(material, cell) for cell in cells)
    assert set(before) == set(after) == set(FIGURES)
    assert before["uniformity"] != after["uniformity"]
    assert all(np.isfinite(value) for value in after.values())


@pytest.mark.parametrize("study", [poolings_study, negatives_study])
def test_a_study_goes_on_after_a_stop(
    study: Any, material: Material, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[Any] = []

    def measured(_: Material, cell: Any) -> dict[str, float]:
        done.append(cell)
        return {name: len(repr(cell)) / 7 + cell.seed for name in FIGURES}

    monkeypatch.setattr(study, "measure_cell", measured)
    ask, table = (
        (study.study_poolings, study.poolings_tables)
        if study is poolings_study
        else (study.study_negatives, study.negatives_table)
    )
    whole = table(ask(material, 2, Ledger(tmp_path / "a.jsonl")), 2)
    every, raw = len(done), (tmp_path / "a.jsonl").read_bytes()
    assert " ± " in whole
    (tmp_path / "b.jsonl").write_bytes(raw[: len(raw) // 2])
    assert table(ask(material, 2, Ledger(tmp_path / "b.jsonl")), 2) == whole
    assert every < len(done) < 2 * every
