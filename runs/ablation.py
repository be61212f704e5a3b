"""What each group of features brings: the fusion without it, and with it alone.

Writes ablation.csv and ablation.png to OUTPUT/TASK/RUN and prints the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from tqdm import tqdm

from runs.charts import bar_chart
from runs.study import Study, study_from, study_options
from runs.tables import csv_text, text_table
from sts.files import write_bytes, write_text
from sts.tool import run_tool


@dataclass(frozen=True)
class Ablation:
    """One group of features.

    Attributes:
        group: its name; columns: how many it has.
        without: weighted mean of the fusion without the group.
        alone: weighted mean of a fusion of the group alone; NaN if that is undefined.
        loss: weighted mean of the whole fusion minus ``without``.
    """

    group: str
    columns: int
    without: float
    alone: float
    loss: float


def ablate(study: Study) -> tuple[float, list[Ablation]]:
    """Weighted mean of the whole fusion, and every group, the largest loss first."""
    whole = study.score(study.fit(study.columns), study.columns).weighted_mean
    rows = []
    for group, columns in tqdm(study.groups.items(), desc="ablation", unit="group", leave=False):
        others = [name for name in study.columns if name not in columns]
        without = study.score(study.fit(others), others).weighted_mean
        alone = study.score(study.fit(columns), columns).weighted_mean
        rows.append(Ablation(group, len(columns), without, alone, whole - without))
    return whole, sorted(rows, key=lambda row: -row.loss)


def main() -> None:
    """Ablate, write, print."""
    study, folder = study_from(study_options("ablation", __doc__))
    whole, rows = ablate(study)
    header = ("group", "columns", "without", "alone", "loss")
    cells = [
        (r.group, str(r.columns), f"{r.without:.4f}", f"{r.alone:.4f}", f"{r.loss:+.4f}")
        for r in rows
    ]
    write_text(folder / "ablation.csv", csv_text(header, cells))
    chart = bar_chart(
        [row.group for row in rows],
        [row.loss for row in rows],
        title=f"{study.run.name}: loss of weighted mean without a group",
    )
    write_bytes(folder / "ablation.png", chart)
    print(f"{study.run.name}, all features: weighted mean {whole:.4f}\n")
    print(text_table(header, cells))


if __name__ == "__main__":
    run_tool(main)
