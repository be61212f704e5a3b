"""Which features the fusion rests on: Gini importance beside permutation importance.

Gini importance (the paper's Table 4) is the share of the training error that a
column's splits took away. Permutation importance is what the weighted mean on
the test sets loses when the column is shuffled among the pairs of a data set.
Writes importance.csv and importance.png to OUTPUT/TASK/RUN and prints the table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from tqdm import tqdm

from features.fusion import Fusion
from features.registry import get_feature
from runs.charts import bar_chart
from runs.study import Study, study_from, study_options
from runs.tables import csv_text, text_table
from sts.files import write_bytes, write_text
from sts.tool import run_tool

REPEATS = 5


@dataclass(frozen=True)
class Importance:
    """One column.

    Attributes:
        feature, group: its names.
        gini: share of the impurity taken away, from 0 to 1; all columns sum to 1.
        permutation, spread: mean and standard deviation of the loss over the repeats.
    """

    feature: str
    group: str
    gini: float
    permutation: float
    spread: float


def measure(study: Study) -> list[Importance]:
    """Every column, the most important by Gini first."""
    fusion = study.fit(study.columns)
    whole = study.score(fusion, study.columns).weighted_mean
    rng = np.random.default_rng(study.run.seed)
    rows = []
    names = tqdm(study.columns, desc="importance", unit="feature", leave=False)
    for place, name in enumerate(names):
        losses = [whole - score for score in shuffled_scores(study, fusion, place, rng)]
        rows.append(
            Importance(
                name,
                get_feature(name).group,
                float(fusion.feature_importances_[place]),
                float(np.mean(losses)),
                float(np.std(losses)),
            )
        )
    return sorted(rows, key=lambda row: -row.gini)


def shuffled_scores(
    study: Study, fusion: Fusion, place: int, rng: np.random.Generator
) -> Iterator[float]:
    """The weighted mean with one column shuffled within each data set, ``REPEATS`` times."""
    for _ in range(REPEATS):
        test = {name: matrix.copy() for name, matrix in study.test.items()}
        for matrix in test.values():
            rng.shuffle(matrix[:, place])
        yield replace(study, test=test).score(fusion, study.columns).weighted_mean


def main() -> None:
    """Measure, write, print."""
    study, folder = study_from(study_options("importance", __doc__))
    rows = measure(study)
    header = ("feature", "group", "gini", "permutation", "spread")
    cells = [
        (r.feature, r.group, f"{r.gini:.4f}", f"{r.permutation:+.4f}", f"{r.spread:.4f}")
        for r in rows
    ]
    write_text(folder / "importance.csv", csv_text(header, cells))
    chart = bar_chart(
        [row.feature for row in rows],
        [row.gini for row in rows],
        title=f"{study.run.name}: Gini importance",
    )
    write_bytes(folder / "importance.png", chart)
    print(text_table(header, cells))


if __name__ == "__main__":
    run_tool(main)
