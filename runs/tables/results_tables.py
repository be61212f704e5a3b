"""The README's tables: our results next to published ones, our vectors next to others."""

from __future__ import annotations

from collections.abc import Sequence

from runs.tables import pages
from runs.tables.format import markdown_table
from runs.tables.kept_results import Result
from runs.tables.published import published_on
from sts.data.catalog import TASKS
from sts.data.schema import Task


def results_tables(results: Sequence[Result]) -> str:
    """A table for each task that has results."""
    parts = []
    for task in TASKS.values():
        own = [result for result in results if result["task"] == task.name]
        if own:
            parts.append(f"**{task.name}**, Pearson\n\n{task_table(task, own)}")
    return "\n\n".join(parts)


def task_table(task: Task, results: Sequence[Result]) -> str:
    """Our runs with their intervals, then what was published."""
    names = [dataset.name for dataset in task.datasets]
    header = ["", *names, "weighted mean", "95 % interval", "mean"]
    rows = [
        [
            " · ".join(filter(None, (f"`{r['run']}`", r["translator"]))),
            *(f"{r['datasets'][name]['pearson']:.3f}" for name in names),
            f"**{r['weighted_mean']:.4f}**",
            f"{r['interval'][0]:.3f}–{r['interval'][1]:.3f}",
            f"{r['mean']:.4f}",
        ]
        for r in results
    ]
    for other in published_on(task.name):
        known = other.datasets
        figures = [f"{known[name]:.3f}" if name in known else "" for name in names]
        rows.append([other.system, *figures, f"{other.average:g}", "", ""])
    return markdown_table(header, rows)


def peers_table() -> str:
    """Our vectors next to others, as :mod:`runs.benchmarks.peers` measured them."""
    peers = pages.read_json(pages.PEERS)
    years = list(peers[0]["quality"])
    rows = [
        [
            peer["name"],
            f"{peer['megabytes']:.1f}",
            *(f"{peer['quality'][year]:.3f}" for year in years),
            f"{peer['sentences_per_second']:,}",
        ]
        for peer in peers
    ]
    return markdown_table(["encoder", "MB", *years, "sentences/s"], rows)
