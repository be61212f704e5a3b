"""Tables of importance and ablation on the sample, as they were printed when they were checked.

After a change that is meant to change them: ``STS_GOLDEN=write pytest`` of this file writes them
anew; look at the difference before it is committed.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from runs.pipeline.ensemble_run import EnsembleRun, Regressor

from runs.recipes import by_name
from runs.studies import __main__ as command
from sts.data import catalog

GOLDEN = Path(__file__).with_name("golden")
COLUMNS = (
    "number_match", "content_1gram", "content_2gram", "lemma_1gram", "relative_len_difference",
    "chrf", "character_3gram", "dynamax", "soft_match",
)  # fmt: skip


@pytest.fixture
def sample(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sample, which here learns from three sets of its own, and a run that is fitted at once."""
    whole = catalog.get_task("sample")
    small = replace(whole, train=whole.datasets[:3], datasets=whole.datasets[3:5])
    monkeypatch.setitem(catalog.TASKS, "sample", small)
    part = Regressor.of(
        "boosting", library="sklearn", n_estimators=30, learning_rate=0.1, min_samples_leaf=5
    )
    run = EnsembleRun("small", "nine features", regressors=(part,), columns=COLUMNS)
    monkeypatch.setitem(by_name.RUNS, run.name, run)


@pytest.mark.parametrize("study", ["importance", "ablation"])
def test_the_table_of_a_study_on_the_sample(
    study: str, sample: None, cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "no programs"))  # Apertium is one
    monkeypatch.chdir(tmp_path)
    ended = cli(study, "--run", "small", "--task", "sample", "--jobs", "1", main=command.main)
    assert ended.code == 0, ended.err
    golden = GOLDEN / f"{study}.txt"
    if os.environ.get("STS_GOLDEN") == "write":
        golden.parent.mkdir(exist_ok=True)
        golden.write_text(ended.out, encoding="utf-8")
    assert ended.out == golden.read_text(encoding="utf-8")
    written = (tmp_path / "output" / "sample" / "small" / f"{study}.csv").read_text()
    assert {line.split(",")[0] for line in written.splitlines()[1:]} >= (
        set(COLUMNS) if study == "importance" else {"whole", "without", "alone", "cumulative"}
    )
