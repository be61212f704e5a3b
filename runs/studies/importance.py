"""Which features the fusion rests on: four measures side by side, and which features are alike.

Gini importance (the paper's Table 4) is the share of the training error that a
column's splits took away in scikit-learn's booster; gain is the same in
LightGBM's, and splits the share of its splits. They are learned from training
alone, and columns that say the same share what they are worth. Permutation
importance is what the weighted mean of the run's own fusion on the test sets
loses when the column is shuffled among the pairs of a data set; a column that
another one can replace loses little. So the nearest other feature is named,
with Spearman's correlation of the two over the training pairs.

Writes importance.csv, importance.json, importance.png, correlation.csv and
correlation.png to OUTPUT/TASK/RUN, beside matrices.safetensors and importance.jsonl,
which hold what need not be computed again, and prints the table. :func:`as_json`
says what is in importance.json. Stopped and started again, the command goes on where
it was.
"""

from __future__ import annotations

import json
from typing import Any

from runs.studies.boosted import BOOSTER
from runs.studies.ledger import Ledger, or_none
from runs.studies.study import Study, signed, study_from, study_options
from runs.studies.weighing import REPEATS, Importance, Weighed, measure
from runs.tables.charts import Panel, heat_map, panel_chart
from runs.tables.format import Row, csv_text, text_table
from sts.command_line import run_tool
from sts.files import write_bytes, write_text

HEADER = (
    "feature", "group", "gini", "gain", "splits", "permutation", "spread", "nearest", "correlation",
)  # fmt: skip


OWN = ("library", "random_state")
"""Settings that the two boosters do not share, or that the run gives."""


def table_rows(found: Weighed) -> list[Row]:
    """A line a feature, as in the table and the CSV."""
    return [
        (
            row.feature,
            row.group,
            *(f"{share:.4f}" for share in (row.gini, row.gain, row.splits)),
            signed(row.permutation),
            f"{row.spread:.4f}",
            row.nearest or "none",
            signed(row.correlation, 3),
        )
        for row in found.rows
    ]


def correlation_csv(found: Weighed) -> str:
    """The whole matrix: a line and a column a feature, by group and name."""
    rows = [
        (name, *(f"{value:.4f}" for value in values))
        for name, values in zip(found.features, found.correlation, strict=True)
    ]
    return csv_text(("feature", *found.features), rows)


def as_json(study: Study, found: Weighed) -> dict[str, Any]:
    """What importance.json holds; what is undefined is null.

    - ``task``, ``run``: names; ``recipe``, ``run_digest``, ``seed``: of the run.
    - ``inputs``: sha256 of recipe, columns, matrices and gold.
    - ``boosters``: the settings that both libraries' boosters share.
    - ``repeats``: of the shuffles.
    - ``weighted_mean``: of the run's fusion, with nothing shuffled. It is fitted to the
      columns sorted by name, so that it does not depend on their order; a library that
      draws columns draws others than in the run's own order, and the figure differs a
      little from the run's.
    - ``features``: a list, the largest Gini importance first, of ``feature``, ``group``,
      ``gini``, ``gain`` and ``splits`` (shares from 0 to 1; ``gini`` in scikit-learn's
      booster, the others in LightGBM's), ``permutation`` (a mean loss of the weighted
      mean), ``spread`` (its standard deviation), ``losses`` (one a repeat), ``nearest``
      (the name of the feature most like it, or null) and ``correlation`` (with it).
    """
    return {
        "task": study.task,
        "run": study.run.name,
        "recipe": repr(study.run),
        "run_digest": study.run.digest,
        "seed": study.run.seed,
        "inputs": study.digest,
        "boosters": {k: v for k, v in BOOSTER.get_params().items() if k not in OWN},
        "repeats": REPEATS,
        "weighted_mean": or_none(found.whole),
        "features": [_feature(row) for row in found.rows],
    }


def _feature(row: Importance) -> dict[str, Any]:
    return {
        "feature": row.feature,
        "group": row.group,
        "gini": row.gini,
        "gain": row.gain,
        "splits": row.splits,
        "permutation": or_none(row.permutation),
        "spread": or_none(row.spread),
        "losses": [or_none(loss) for loss in row.losses],
        "nearest": row.nearest or None,
        "correlation": or_none(row.correlation),
    }


def chart(study: Study, found: Weighed) -> bytes:
    """A panel a measure, the features in the same order in each."""
    names = [row.feature for row in found.rows]
    lost = [row.permutation for row in found.rows]
    ends = [(r.permutation - r.spread, r.permutation + r.spread) for r in found.rows]
    panels = [
        Panel("Gini (scikit-learn)", names, [row.gini for row in found.rows]),
        Panel("gain (LightGBM)", names, [row.gain for row in found.rows]),
        Panel("splits (LightGBM)", names, [row.splits for row in found.rows]),
        Panel("loss when shuffled", names, lost, ends),
    ]
    return panel_chart(panels, title=f"{study.run.name} on {study.task}: importance of features")


def main() -> None:
    """Measure, write, print."""
    options = study_options("importance", __doc__, parallel=True)
    study, folder = study_from(options)
    found = measure(study, Ledger(folder / "importance.jsonl"), options.jobs)
    rows = table_rows(found)
    text = json.dumps(as_json(study, found), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(folder / "importance.json", f"{text}\n")
    write_text(folder / "importance.csv", csv_text(HEADER, rows))
    write_bytes(folder / "importance.png", chart(study, found))
    write_text(folder / "correlation.csv", correlation_csv(found))
    title = f"{study.run.name} on {study.task}: Spearman correlation over the training pairs"
    heat = heat_map(found.features, found.correlation, title=title)
    write_bytes(folder / "correlation.png", heat)
    print(f"{study.run.name} on {study.task}: weighted mean {found.whole:.4f}\n")
    print(text_table(HEADER, rows))


if __name__ == "__main__":
    run_tool(main)
