"""Keep results, and show them in the README next to the paper's.

python -m runs.tables.documents --record output --data DIR    keep every result found in output
python -m runs.tables.documents                               write the README's tables anew
python -m runs.tables.documents --check                       fail if they are not up to date
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from runs.recipes.registry import RUNS
from runs.tables.format import markdown_table
from runs.tables.pages import BITEXT, PEERS, README, RESULTS, STUDIES, between
from runs.tables.published import published_on
from sts.command_line import run_tool
from sts.data.catalog import TASKS, get_task
from sts.data.fetch import load_gold
from sts.data.schema import Task
from sts.errors import DataError, StsError
from sts.files import read_text, write_text
from sts.scoring import submission
from sts.scoring.bootstrap import bootstrap_weighted_mean

KEPT = ("task", "run", "datasets", "weighted_mean", "mean", "spearman_all")

Result = dict[str, Any]


def record(folder: Path, data: Path | None) -> list[Path]:
    """Keep every result below ``folder``, with a 95 % bootstrap interval of its weighted mean.

    Raises:
        StsError: there is none.
        DataError: a score file or the gold is not as it should be.
    """
    found = sorted(folder.rglob("results.json"))
    if not found:
        raise StsError(f"{folder}: no results.json below it; run run_submission.py first")
    return [_keep(path, data) for path in found if _is_official(path)]


def _is_official(path: Path) -> bool:
    return path.parent.parent.name in TASKS and path.parent.name in RUNS


def _keep(path: Path, data: Path | None) -> Path:
    try:
        result = json.loads(read_text(path))
        signature = result["signature"]
        task = get_task(result["task"])
        kept = {key: result[key] for key in KEPT}
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(f"{path}: not a result of run_submission.py ({error!r})") from None
    gold, predicted = {}, {}
    for dataset in task.datasets:
        gold[dataset.name] = load_gold(dataset, data, dataset.input.rows)
        file = path.parent / submission.file_name(task.year, result["run"], dataset.name)
        predicted[dataset.name] = submission.read(file, dataset.input.rows)
    kept["interval"] = list(bootstrap_weighted_mean(predicted, gold))
    kept["translator"] = _translator_of(task, signature)
    kept["signature"] = {key: signature[key] for key in ("run", "seed", "encoders", "translators")}
    name = ".".join(filter(None, (task.name, result["run"], kept["translator"])))
    target = RESULTS / f"{name}.json"
    write_text(target, json.dumps(kept, indent=2, ensure_ascii=False) + "\n")
    return target


def _translator_of(task: Task, signature: Result) -> str:
    """Who translated the Spanish sentences; empty for English tasks, and where nobody did."""
    spanish = any("es" in dataset.languages for dataset in task.datasets)
    translators = signature["translators"] if spanish else []
    return str(translators[0]["provider"]) if translators else ""


def read_results() -> list[Result]:
    """Every kept result, in the order of the tasks and of the runs."""
    kept = [path for path in sorted(RESULTS.glob("*.json")) if path != PEERS]
    results = [json.loads(read_text(path)) for path in kept]
    tasks, runs = list(TASKS), list(RUNS)
    return sorted(
        results, key=lambda r: (tasks.index(r["task"]), r["translator"], runs.index(r["run"]))
    )


def tables() -> str:
    """The README's tables, one a task that has results."""
    results = read_results()
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
    peers = json.loads(read_text(PEERS))
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


def with_tables(readme: str) -> str:
    """The README with fresh tables between its markers."""
    return between(between(readme, "results", tables()), "peers", peers_table())


def with_bitext_tables(document: str) -> str:
    """``docs/bitext.md`` with the tables of similarity and mining."""
    from runs.tables.bitext_tables import mining_table, search_table, similarity_table

    fresh = between(document, "similarity", similarity_table(read_results()), BITEXT)
    mining = STUDIES / "mining.json"
    if mining.exists():
        fresh = between(fresh, "mining", mining_table(mining), BITEXT)
        fresh = between(fresh, "search", search_table(mining), BITEXT)
    return fresh


def main() -> None:
    """Record, write or check."""
    parser = argparse.ArgumentParser(
        prog="python -m runs.tables.documents",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--record", type=Path, metavar="FOLDER", help="keep the results in it")
    parser.add_argument("--data", type=Path, help="STS data folder; otherwise STS_DATA")
    parser.add_argument("--check", action="store_true", help="change nothing, exit 2 if stale")
    options = parser.parse_args()
    if options.record:
        for path in record(options.record, options.data):
            print(path.name)
    for path, renew in ((README, with_tables), (BITEXT, with_bitext_tables)):
        document = read_text(path)
        fresh = renew(document)
        if options.check and fresh != document:
            raise StsError(
                f"{path.name} is not up to date; write it with: python -m runs.tables.documents"
            )
        if not options.check:
            write_text(path, fresh)


if __name__ == "__main__":
    run_tool(main)
