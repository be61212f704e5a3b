"""The tables of ``docs/bitext.md`` that rest on kept figures: similarity and mining."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from runs.recipes import wieting2019
from runs.tables.format import markdown_table

TASKS = (
    "sts2012", "sts2013", "sts2014", "sts2015", "sts2016", "sts2016-es-en", "sts2014-es",
    "sts2015-es",
)  # fmt: skip

BESIDE = (("raw", ""), ("raw", "apertium"), ("raw", "recorded"))
"""What stands beside the runs: the bundled English vectors, Spanish translated for them."""

Figures = Sequence[dict[str, Any]]


def similarity_table(results: Figures) -> str:
    """The weighted mean of every task, a line a run."""
    wanted = [*BESIDE, *((run.name, "") for run in wieting2019.RUNS)]
    means = {(r["run"], r["translator"], r["task"]): float(r["weighted_mean"]) for r in results}
    rows = []
    for run, translator in wanted:
        cells = [means.get((run, translator, task)) for task in TASKS]
        if any(cell is not None for cell in cells):
            name = f"`{run}`" + (f", Spanish translated ({translator})" if translator else "")
            rows.append([name, *("" if c is None else f"{c:.4f}" for c in cells)])
    return markdown_table(["", *(task.removeprefix("sts") for task in TASKS)], rows)


def mining_table(quality: Sequence[Mapping[str, Any]]) -> str:
    """How well planted pairs were found, with which vectors."""
    rows = [
        [
            f"en-{row['language']}",
            row["name"],
            f"**{row['f1']:.3f}** ± {row['f1_deviation']:.3f}",
            f"{row['precision']:.3f}",
            f"{row['recall']:.3f}",
            f"{row['gold']:,} in {row['sentences']:,}",
            f"{row['seconds']:.1f}",
        ]
        for row in quality
    ]
    header = ["", "vectors", "F1", "precision", "recall", "planted", "seconds"]
    return markdown_table(header, rows)
