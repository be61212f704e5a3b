"""Recorded results, and the Markdown tables of README and docs that cog makes of them.

A page holds a table between two comments, and ``make tables`` writes it anew::

    <!-- [[[cog from research.tables import show; show("summary") ]]] -->
    <!-- [[[end]]] -->

``research/results.jsonl`` has one result per line: a JSON object with the key ``name``, such as
``sts2016.raw``. Results of tasks have ``datasets``, ``weighted_mean`` and a short ``signature``;
figures of studies have ``figures``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from semaniacs.runs.partial.partial_groups import LOWEST, percent
from semaniacs.runs.pipeline.result_file import SHIPPED_FIT
from semaniacs.runs.recipes import RUNS, wieting2019
from semaniacs.runs.tables.format import markdown_table, null_for_nan
from semaniacs.runs.tables.published import published_on
from semaniacs.sts.data.catalog import TASKS, Task
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import parse_json, read_text, write_text

ROOT = Path(__file__).parents[1]
RESULTS = ROOT / "research" / "results.jsonl"

YEARS = ("sts2012", "sts2013", "sts2014", "sts2015", "sts2016")
SPANISH = ("sts2014-es", "sts2015-es")
CROSSLINGUAL = "sts2016-es-en"
SUMMARY = "raw task-internal synthetic fusion-gbr fusion contextual crosslingual".split()

RETRIEVED = {
    "from_english": "en → xx",
    "from_english_f1": "F1",
    "to_english": "xx → en",
    "to_english_f1": "F1",
    "from_english_margin": "with margin",
    "to_english_margin": "with margin",
}
"""Figures of retrieval, as they are recorded and shown."""

RANKED = {
    "b": "against B",
    "b_unflagged": "no x and y",
    "back_translated": "back-translated",
    "a": "against A",
    "continued": "continued",
}
"""Sets of groups, as they are recorded and shown."""

RANKED_BEFORE = (
    ("BERT, cross-encoder", (77.57, 73.42), (67.00, 71.00)),
    ("RoBERTa, cross-encoder", (85.31, 69.90), (74.00, 69.20)),
    ("SimCSE, BERT", (41.97, 57.68), (31.00, 48.40)),
    ("SimCSE, BERT, with BERTScore", (42.33, 71.43), (31.00, 61.60)),
    ("SimCSE, RoBERTa", (43.20, 56.98), (33.00, 47.80)),
    ("SimCSE, RoBERTa, with BERTScore", (44.21, 69.90), (30.00, 56.00)),
    ("SBERT v1", (35.60, 47.97), (26.00, 38.20)),
    ("SBERT v2", (28.44, 37.77), (15.00, 17.20)),
)
"""R-Precision and ρ × 100 of the paper (tables 5 and 7): against B, and back-translated."""

Result = dict[str, Any]


def read_lines() -> list[Result]:
    """Return every line of results.jsonl."""
    return [dict(parse_json(line)) for line in read_text(RESULTS).splitlines()]


def read_record(name: str) -> Any:
    """Return the figures of a study.

    Raises:
        DataError: none are recorded under this name.
    """
    for line in read_lines():
        if line["name"] == name:
            return line["figures"]
    raise DataError(f"{RESULTS}: nothing is recorded under the name {name!r}")


def write_lines(results: Sequence[Result]) -> None:
    """Write results into results.jsonl; each one replaces the line of the same name."""
    lines = {line["name"]: line for line in read_lines()} if RESULTS.exists() else {}
    lines |= {result["name"]: result for result in results}
    text = "".join(
        json.dumps(null_for_nan(line), ensure_ascii=False, allow_nan=False) + "\n"
        for _, line in sorted(lines.items())
    )
    write_text(RESULTS, text)


def write_record(name: str, figures: Any) -> None:
    """Record the figures of a study."""
    write_lines([{"name": name, "figures": figures}])


def task_results() -> list[Result]:
    """Return the results of tasks, in the order of the tasks and of the runs."""
    tasks, runs = list(TASKS), list(RUNS)
    return sorted(
        (line for line in read_lines() if "task" in line),
        key=lambda r: (tasks.index(r["task"]), r["translator"], runs.index(r["run"])),
    )


def results_tables(*tasks: str) -> str:
    """Return one table per task, by default of all tasks."""
    results, parts = task_results(), []
    for task in map(TASKS.__getitem__, tasks or TASKS):
        own = [result for result in results if result["task"] == task.name]
        if own:
            parts.append(f"**{task.name}**, Pearson\n\n{task_table(task, own)}")
            fits = {r["run"]: r["signature"].get("fit") for r in own}
            shipped = ", ".join(f"`{run}`" for run, fit in fits.items() if fit == SHIPPED_FIT)
            if shipped:
                parts.append(f"Used as they ship, not trained for the task: {shipped}.")
    return "\n\n".join(parts)


def task_table(task: Task, results: Sequence[Result]) -> str:
    """Return our runs with their intervals, then the published systems."""
    names = [dataset.name for dataset in task.datasets]
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
    return markdown_table(["", *names, "weighted mean", "95 % interval", "mean"], rows)


def _means() -> dict[tuple[str, str, str], str]:
    """Return the weighted means by run, task and translator."""
    results = task_results()
    return {(r["run"], r["task"], r["translator"]): f"{r['weighted_mean']:.4f}" for r in results}


def summary_table() -> str:
    """Return the weighted mean of each English year and of the crosslingual task, by run."""
    columns = [(task, "") for task in YEARS]
    columns += [(CROSSLINGUAL, "apertium"), (CROSSLINGUAL, "recorded")]
    means = _means()
    cells = {run: [means.get((run, *column), "") for column in columns] for run in SUMMARY}
    rows = [[f"`{run}`", *known] for run, known in cells.items() if any(known)]
    winners = [[o for o in published_on(task) if o.kind == "winner"] for task, _ in columns]
    rows.append(["winner of the year", *(f"{found[0].average:g}" for found in winners)])
    names = [" · ".join(filter(None, (task.removeprefix("sts"), by))) for task, by in columns]
    return markdown_table(["", *names], rows)


def similarity_table() -> str:
    """Return the weighted mean of every task, by run that compares languages."""
    tasks = (*YEARS, CROSSLINGUAL, *SPANISH)
    translated = [("raw", translator) for translator in ("", "apertium", "recorded")]
    own = [(name, "") for name in (*(run.name for run in wieting2019.RUNS), "multilingual")]
    means, rows = _means(), []
    for run, translator in (*translated, *own):
        cells = [means.get((run, task, translator), "") for task in tasks]
        if any(cells):
            name = f"`{run}`" + (f", Spanish translated ({translator})" if translator else "")
            rows.append([name, *cells])
    return markdown_table(["", *(task.removeprefix("sts") for task in tasks)], rows)


def peers_table() -> str:
    """Return our vectors beside those of other libraries."""
    peers = read_record("peers")
    years = list(peers[0]["quality"])
    rows = []
    for peer in peers:
        quality = (f"{peer['quality'][year]:.3f}" for year in years)
        speed = f"{peer['sentences_per_second']:,}"
        rows.append([peer["name"], f"{peer['megabytes']:.1f}", *quality, speed])
    return markdown_table(["encoder", "MB", *years, "sentences/s"], rows)


def retrieval_table() -> str:
    """Return how often the nearest sentence of NTREX is the translation."""
    rows = [
        (f"en-{row['language']}", row["name"], *(f"{row[kind]:.3f}" for kind in RETRIEVED))
        for row in read_record("retrieval")
    ]
    return markdown_table(("", "vectors", *RETRIEVED.values()), rows)


def ranking_table() -> str:
    """Return R-Precision / ρ × 100 on partial paraphrases: our scorers, then the paper's."""
    figures, rows = read_record("partial-paraphrases"), []
    for name, of in figures["scorers"].items():
        ranks = ((percent(of[part][f]) for f in ("r_precision", "spearman")) for part in RANKED)
        rows.append((name, *map(" / ".join, ranks)))
    for name, swap, returned in RANKED_BEFORE:
        cells = dict.fromkeys(RANKED, "")
        cells |= {"b": f"{swap[0]:.2f} / {swap[1]:.2f}"}
        cells |= {"back_translated": f"{returned[0]:.2f} / {returned[1]:.2f}"}
        rows.append((f"{name} (paper)", *cells.values()))
    counts, trips = figures["counts"], figures["back_translation"]
    said = (
        f"{figures['groups']['b']:,} groups; of {counts['paraphrases']:,} paraphrases "
        f"{counts['groups']:,} have three groups of like words. "
        f"{figures['groups']['b_unflagged']:,} groups have no exchange inside a coordination. "
        f"Back-translated: {trips['kept']:,} kept ({trips['unchanged']:,} unchanged), "
        f"{trips['dropped']:,} dropped at a cosine below {LOWEST}; lexical overlap of the kept "
        f"{trips['overlap']['before']:.3f} before and {trips['overlap']['after']:.3f} after."
    )
    return f"{said}\n\n{markdown_table(('R-Precision / ρ × 100', *RANKED.values()), rows)}"


TABLES: dict[str, Callable[..., str]] = {
    "peers": peers_table,
    "ranking": ranking_table,
    "results": results_tables,
    "retrieval": retrieval_table,
    "similarity": similarity_table,
    "summary": summary_table,
}


def show(name: str, *parts: str) -> None:
    """Write a table, or the named parts of it, where cog runs this."""
    import cog

    cog.out(f"\n{TABLES[name](*parts)}\n\n")
