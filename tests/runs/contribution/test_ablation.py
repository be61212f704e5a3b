"""Ablation on small matrices whose answer is known; and an ablation that was stopped."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from semaniacs.runs.contribution import ablation
from semaniacs.runs.contribution.ablation import ablate, ablation_json
from semaniacs.runs.contribution.ledger import Ledger
from semaniacs.runs.contribution.study import Study
from semaniacs.runs.tables.format import json_text
from semaniacs.sts.scoring.bootstrap import paired_bootstrap
from semaniacs.sts.scoring.task_score import score_task
from tests.runs.made_studies import make_study, with_column


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    return Ledger(tmp_path / "ablation.jsonl")


class Counting(Study):
    """A study that counts its fits, and can be stopped at one of them."""

    fitted: ClassVar[list[tuple[str, ...]]] = []
    stop: ClassVar[int] = 99

    def predict(self, columns: Sequence[str]) -> Any:
        if len(self.fitted) == self.stop:
            raise KeyboardInterrupt
        self.fitted.append(tuple(columns))
        return super().predict(columns)


def test_the_informative_group_is_missed_most(ledger: Ledger) -> None:
    study = make_study()
    found = ablate(study, ledger)
    assert found.whole.weighted_mean.score > 0.95
    without, alone, cumulative = (found.of(kind) for kind in ("without", "alone", "cumulative"))
    groups = {group: tuple(columns) for group, columns in study.groups.items()}
    assert {cell.group: cell.columns for cell in alone} == groups
    for cell in without:
        assert set(cell.columns) == set(study.columns) - set(groups[cell.group])
    assert without[0].group == alone[0].group == cumulative[0].group == "ngrams"
    assert alone[0].score > 0.95
    assert without[0].score < 0.5
    lost = without[0].result.weighted_mean
    assert lost.low < lost.difference < lost.high < -0.4
    for cell in without[1:]:
        assert abs(cell.result.weighted_mean.difference) < 0.05
    assert [c.score for c in without] == sorted(c.score for c in without)
    assert [c.score for c in alone] == sorted((c.score for c in alone), reverse=True)


def test_groups_are_added_in_the_order_of_their_score_alone(ledger: Ledger) -> None:
    study = make_study()
    found = ablate(study, ledger)
    cumulative = found.of("cumulative")
    assert [c.group for c in cumulative] == [c.group for c in found.of("alone")]
    assert cumulative[0].result == found.of("alone")[0].result
    for before, after in pairwise(cumulative):
        assert set(after.columns) - set(before.columns) == set(study.groups[after.group])
    assert cumulative[-1].columns == study.columns
    assert cumulative[-1].result == found.whole
    whole = found.whole.weighted_mean
    assert (whole.difference, whole.low, whole.high) == (0, 0, 0)


def test_figures_are_those_of_the_scorer(ledger: Ledger) -> None:
    study = make_study()
    found = ablate(study, ledger)
    whole = study.predict(study.columns)
    for cell in (*found.of("without"), *found.of("alone")):
        predicted = study.predict(cell.columns)
        score = score_task(predicted, study.test_gold)
        assert cell.score == pytest.approx(score.weighted_mean, abs=1e-12)
        for name, dataset in score.datasets.items():
            assert cell.result.datasets[name].score == pytest.approx(dataset.pearson, abs=1e-12)
        compared = paired_bootstrap(
            predicted, whole, study.test_gold, resamples=ablation.RESAMPLES, seed=study.run.seed
        )
        figure = cell.result.weighted_mean
        assert (figure.difference, figure.low, figure.high) == (
            compared.weighted_mean.value,
            compared.weighted_mean.low,
            compared.weighted_mean.high,
        )


def test_a_group_that_says_nothing_is_undefined_alone_and_comes_last(ledger: Ledger) -> None:
    study = with_column(with_column(make_study(), "det_1", np.nan), "det_2", np.nan)
    found = ablate(study, ledger)
    assert [cell.group for cell in found.of("alone")] == ["ngrams", "numbers", "determiners"]
    silent = found.of("alone")[-1]
    assert np.isnan(silent.score)
    assert all(np.isnan(figure.score) for figure in silent.result.datasets.values())
    (without,) = (cell for cell in found.of("without") if cell.group == "determiners")
    assert without.result == found.whole
    content = json.loads(json_text(ablation_json(study, found)))
    (cell,) = (c for c in content["cells"] if (c["kind"], c["group"]) == ("alone", "determiners"))
    assert set(cell["weighted_mean"].values()) == {None}
    assert ablate(study, Ledger(ledger.path)).of("without") == found.of("without")


def test_a_stopped_ablation_resumes(ledger: Ledger, tmp_path: Path) -> None:
    study = Counting(**vars(make_study()))
    Counting.stop = 4
    with pytest.raises(KeyboardInterrupt):
        ablate(study, ledger)
    Counting.stop = 99
    done = Counting.fitted.copy()
    assert len(done) == 4
    found = ablate(study, Ledger(ledger.path))
    assert len(Counting.fitted) == 8
    assert not set(Counting.fitted[4:]) & set(done[1:])
    assert found == ablate(study, Ledger(tmp_path / "fresh.jsonl"))
