"""results.json for programs, a table for people: the same numbers in both."""

from __future__ import annotations

import json
import math
from typing import Any

from semaniacs.runs.pipeline.result_file import results_json, score_table
from semaniacs.sts.scoring.task_score import DatasetScore, TaskScore

KEYS = ["task", "run", "datasets", "weighted_mean", "mean", "spearman_all", "signature"]
"""Keys of results.json, in order."""

NAN = float("nan")
SCORE = TaskScore(
    {"zeta": DatasetScore(1572, 254, 0.51234567890123, 0.5), "años": DatasetScore(9, 0, NAN, NAN)},
    weighted_mean=NAN,
    mean=0.25,
    spearman_all=-0.125,
)


def test_the_keys_and_their_order() -> None:
    text = results_json("a-task", "a-run", SCORE, {"seed": 3})
    content: dict[str, Any] = json.loads(text)
    assert list(content) == KEYS
    assert (content["task"], content["run"]) == ("a-task", "a-run")
    assert content["signature"] == {"seed": 3}
    assert content["datasets"]["zeta"] == {
        "pairs": 1572,
        "scored": 254,
        "pearson": 0.51234567890123,
        "spearman": 0.5,
    }
    assert text.endswith("}\n")
    assert "años" in text


def test_an_undefined_correlation_is_null() -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    text = results_json("t", "r", SCORE, {"deep": {"value": math.inf}})
    content = json.loads(text, parse_constant=refuse)
    assert content["weighted_mean"] is None
    assert content["datasets"]["años"]["pearson"] is None
    assert content["signature"]["deep"]["value"] is None
    assert content["mean"] == 0.25


def test_the_table_names_each_figure() -> None:
    assert score_table(SCORE).splitlines() == [
        "                pairs  scored  Pearson  Spearman",
        "zeta             1572     254   0.5123    0.5000",
        "años                9       0      nan       nan",
        "",
        "weighted mean  nan  (official: by scored pairs)",
        "mean           0.2500  (every data set the same)",
        "Spearman all   -0.1250  (all pairs in one list)",
    ]
