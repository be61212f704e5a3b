"""Tables of recorded results: next to published ones, of other encoders, and of mining."""

from __future__ import annotations

from collections.abc import Sequence

from runs.pipeline.result_file import SHIPPED_FIT
from runs.recipes import bitext2026, wieting2019
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
            parts += shipped_line(own)
    return "\n\n".join(parts)


def shipped_line(results: Sequence[Result]) -> list[str]:
    """A line that names the runs that were used as they ship; none if all were trained."""
    fits = {r["run"]: r["signature"].get("fit") for r in results}
    names = [f"`{run}`" for run, fit in fits.items() if fit == SHIPPED_FIT]
    return [f"Used as they ship, not trained for the task: {', '.join(names)}."] if names else []


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


SUMMARY = (
    "raw", "task-internal", "synthetic", "fusion-gbr", "fusion", "contextual", "crosslingual",
)  # fmt: skip
YEARS = ("sts2012", "sts2013", "sts2014", "sts2015", "sts2016")
CROSSLINGUAL = "sts2016-es-en"


def summary_table(results: Sequence[Result]) -> str:
    """The weighted mean of each English year and of the crosslingual task, a line a run.

    The last line is the winner of each year.
    """
    columns = [(task, "") for task in YEARS]
    columns += [(CROSSLINGUAL, "apertium"), (CROSSLINGUAL, "recorded")]
    means = _means(results)
    cells = {run: [means.get((run, *column), "") for column in columns] for run in SUMMARY}
    rows = [[f"`{run}`", *known] for run, known in cells.items() if any(known)]
    winners = [[o for o in published_on(task) if o.kind == "winner"] for task, _ in columns]
    rows.append(["winner of the year", *(f"{found[0].average:g}" for found in winners)])
    names = [" · ".join(filter(None, (task.removeprefix("sts"), by))) for task, by in columns]
    return markdown_table(["", *names], rows)


def similarity_table(results: Sequence[Result]) -> str:
    """The weighted mean of every task, a line a run that compares languages.

    Above them stand the bundled English vectors, with Spanish translated for them.
    """
    tasks = (*YEARS, CROSSLINGUAL, "sts2014-es", "sts2015-es")
    beside = [("raw", translator) for translator in ("", "apertium", "recorded")]
    means, rows = _means(results), []
    runs = (*wieting2019.RUNS, *bitext2026.RUNS)
    for run, translator in (*beside, *((run.name, "") for run in runs)):
        cells = [means.get((run, task, translator), "") for task in tasks]
        if any(cells):
            name = f"`{run}`" + (f", Spanish translated ({translator})" if translator else "")
            rows.append([name, *cells])
    return markdown_table(["", *(task.removeprefix("sts") for task in tasks)], rows)


def _means(results: Sequence[Result]) -> dict[tuple[str, str, str], str]:
    """Weighted means by run, task and translator."""
    return {(r["run"], r["task"], r["translator"]): f"{r['weighted_mean']:.4f}" for r in results}


def peers_table(peers: Sequence[Result]) -> str:
    """Our vectors next to others, as :mod:`runs.benchmarks.peers` measured them."""
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


def mining_table(quality: Sequence[Result]) -> str:
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
