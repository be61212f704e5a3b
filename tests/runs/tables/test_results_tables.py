"""The tables of docs/bitext.md."""

from __future__ import annotations

from runs.benchmarks import search_cost
from runs.tables.results_tables import mining_table, shipped_line, similarity_table


def result(run: str, task: str, mean: float, translator: str = "") -> dict[str, object]:
    return {"run": run, "task": task, "weighted_mean": mean, "translator": translator}


def test_a_line_a_run_and_a_column_a_task() -> None:
    table = similarity_table(
        [
            result("bitext-sp", "sts2015", 0.75),
            result("raw", "sts2016-es-en", 0.83, "apertium"),
            result("fusion", "sts2015", 0.84),
            result("bitext-sp", "sts2016-es-en", 0.71234),
        ]
    )
    lines = table.splitlines()
    assert lines[0].startswith("|  | 2012 | 2013 | 2014 | 2015 | 2016 | 2016-es-en |")
    assert lines[2] == "| `raw`, Spanish translated (apertium) |  |  |  |  |  | 0.8300 |  |  |"
    assert lines[3] == "| `bitext-sp` |  |  |  | 0.7500 |  | 0.7123 |  |  |"
    assert len(lines) == 4  # no fusion, and no run without a result


def test_runs_that_were_used_as_they_ship_are_named() -> None:
    signatures = {"raw": {}, "fusion": {"fit": "shipped"}, "synthetic": {"fit": "trained"}}
    results = [{"run": run, "signature": signed} for run, signed in signatures.items()]
    assert shipped_line(results) == ["Used as they ship, not trained for the task: `fusion`."]
    assert shipped_line(results[::2]) == []


def test_mining_and_search_as_they_were_recorded() -> None:
    row = {
        "language": "es", "name": "mine", "draws": 3, "sentences": 4120, "gold": 103, "f1": 0.95123,
        "f1_deviation": 0.012, "precision": 0.96, "recall": 0.94, "threshold": 1.1, "seconds": 2.0,
    }  # fmt: skip
    speed = {
        "search": "exact", "sentences": 1_000_000, "seconds": 1234.5, "peak_mb": 2000.0,
        "recall": None, "extrapolated": True,
    }  # fmt: skip
    expected = "| en-es | mine | **0.951** ± 0.012 | 0.960 | 0.940 | 103 in 4,120 | 2.0 |"
    assert mining_table([row]).splitlines()[2] == expected
    expected = "| exact, extrapolated | 1,000,000 | 1,234.5 | 2,000 |  |"
    assert search_cost.table([speed]).splitlines()[2] == expected
