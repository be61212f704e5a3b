"""The study of round trips: what it compares, what it keeps, what it prints."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

import pytest

from runs.pipeline import task_run
from runs.pipeline.run import Run
from runs.studies import round_trip_cost
from runs.studies.ledger import Ledger
from runs.studies.round_trip_cost import round_trips_table
from runs.tables.pages import ROUND_TRIPS

RUN = "toy-fusion"


def test_each_year_is_fitted_with_round_trips_and_without(
    toy: Any, toy_runs: dict[str, Run], cli: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_trip_cost, "TASKS", ("toy",))
    found = round_trip_cost.measure(toy.data, Ledger(tmp_path / "ledger.jsonl"), (RUN,))
    run, means = toy_runs[RUN], {}
    for kind, recipe in (("with", run), ("without", run.without_round_trips())):
        assert recipe is not None
        outcome = task_run.predict(recipe, toy.task, toy.data)
        means[kind] = task_run.evaluate(outcome, toy.data).weighted_mean
    assert found == {RUN: [{"task": "toy", **means}]}
    assert means["with"] != means["without"]

    def again(*_: object, **__: object) -> NoReturn:
        raise AssertionError("a finished fit was made again")

    monkeypatch.setattr(round_trip_cost, "predict", again)
    kept = round_trip_cost.measure(toy.data, Ledger(tmp_path / "ledger.jsonl"), (RUN,))
    assert kept == found


def test_a_line_for_each_run_with_and_without() -> None:
    rows = [{"task": "sts2014", "with": 0.81236, "without": 0.8},
            {"task": "sts2015", "with": 0.9, "without": 0.85}]  # fmt: skip
    assert round_trips_table({"fusion": rows}).splitlines() == [
        "|  | 2014 | 2015 |",
        "| --- | ---: | ---: |",
        "| `fusion`, with round trips | 0.8124 | 0.9000 |",
        "| `fusion`, without round trips | 0.8000 | 0.8500 |",
    ]


def test_a_fusion_needs_no_round_trips() -> None:
    """The promise of the pages: on the years that were chosen on, they are worth .002 at most."""
    years = json.loads(ROUND_TRIPS.read_text(encoding="utf-8"))["fusion"]
    assert [year["task"] for year in years] == list(round_trip_cost.TASKS)
    lost = [year["with"] - year["without"] for year in years]
    assert max(lost) <= 0.002
