"""Does it matter which language stands beside English? (Wieting et al., 2019, 5.2, Table 5)

    python -m runs.studies language-overlap --data DIR                  all designs, hours
    python -m runs.studies language-overlap --data DIR --study ntrex    one of them, some minutes
    python -m runs.studies language-overlap --data DIR --limit 300 --seeds 1 --work TRIAL
    python -m runs.studies language-overlap --write                     into docs/bitext.md

DIR holds sts/ and bitext/. The encoder SP is trained for 10 epochs on as many pairs of every
language, both sides cut by SentencePiece models of their own; then the English vectors are scored
on STS 2012 to 2015. The overlap is given twice: types, the share of all pieces that both models
have, |A ∩ B| / |A ∪ B|; and tokens, the share of the other language's running pieces that the
English model has too. "apart" is the control of the paper: the two share no row of the table.

Finished cells are kept in WORK/cells.jsonl and not computed again; remove the file after a
change of the code. The figures are recorded in runs/results/studies/overlap.json; --limit tries
the command out on few pairs and records nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from functools import partial
from itertools import permutations
from math import factorial
from pathlib import Path
from typing import Any

import numpy as np

from runs.options import add_jobs, new_parser
from runs.studies.languages.shared_pieces import (
    DESIGNS,
    YEARS,
    Cell,
    Design,
    measure_cell,
    read_material,
)
from runs.studies.ledger import Ledger, each_once
from runs.tables.format import markdown_table
from runs.tables.pages import BITEXT, STUDIES, check_checkout, read_json, show, write_json
from sts.errors import StsError
from sts.files import check_writable
from sts.scoring.correlation import spearman

OVERLAP = STUDIES / "overlap.json"
SEEDS = 3
HEADER = ("with English", "types", "tokens", "shared", "±", "apart", "±")

Figures = dict[str, Any]


def study_design(design: Design, options: argparse.Namespace) -> Figures:
    """The figures of a design: for each language a list of one a seed."""
    material = read_material(design, options.data, options.limit)
    cells = [Cell(code, seed) for seed in range(options.seeds) for code in design.languages]
    found = each_once(
        partial(measure_cell, material),
        cells,
        Ledger(options.work / "cells.jsonl"),
        material.key,
        jobs=options.jobs,
        label=design.name,
        unit="cells",
    )
    return {
        "name": design.name,
        "what": design.what,
        "pairs": material.count,
        "pieces": design.size,
        "languages": {
            code: {
                figure: [round(found[cell][figure], 5) for cell in cells if cell.language == code]
                for figure in ("types", "tokens", "shared", "apart")
            }
            for code in design.languages
        },
    }


def design_table(figures: Mapping[str, Any]) -> str:
    """A design in Markdown, the largest overlap first, and its correlations."""
    means = means_of(figures)
    rows = []
    for code in sorted(means["types"], key=lambda code: -means["types"][code]):
        own = figures["languages"][code]
        scores = [cell for way in ("shared", "apart") for cell in _score(own[way])]
        overlaps = (f"{means[kind][code]:.3f}" for kind in ("types", "tokens"))
        rows.append((code, *overlaps, *scores))
    seeds = len(own["shared"])
    title = (
        f"**{figures['what']}**: {figures['pairs']:,} pairs of each language, up to "
        f"{figures['pieces']:,} pieces a side, {seeds} seed{'s' * (seeds != 1)}; mean of STS "
        f"{YEARS[0]}–{YEARS[-1]}, and its standard deviation over the seeds"
    )
    return f"{title}\n\n{markdown_table(HEADER, rows)}\n\n{correlations(means)}"


def correlations(means: Mapping[str, Mapping[str, float]]) -> str:
    """Spearman's ρ × 100 of overlap and score over the languages, and how little that can say."""
    count = len(means["types"])
    said = []
    for kind in ("types", "tokens"):
        for way in ("shared", "apart"):
            two = [np.array([*means[name].values()]) for name in (kind, way)]
            said.append(f"{kind}, {way} {100 * spearman(*two):.0f} (p = {exact_p(*two):.2f})")
    least = 2 / factorial(count)
    return (
        f"Spearman's ρ × 100 between overlap and score: {'; '.join(said)}. These are {count} "
        f"points: even a perfect order has p = {least:.3f}"
        + (", so that no ρ here is sure at the usual 5 %." if least > 0.05 else ".")
    )


def means_of(figures: Mapping[str, Any]) -> dict[str, dict[str, float]]:
    """The mean over the seeds of each kind of figure, by language."""
    languages = figures["languages"]
    kinds = next(iter(languages.values()))
    return {
        kind: {code: float(np.mean(own[kind])) for code, own in languages.items()} for kind in kinds
    }


def exact_p(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> float:
    """Two-sided p of Spearman's rho: the share of all orders of ``b`` that are as extreme.

    Args:
        a, b: (n,) of a handful of points; all n! orders are tried. NaN if one is constant.
    """
    observed = abs(spearman(a, b))
    every = np.array([abs(spearman(a, np.array(order))) for order in permutations(b.tolist())])
    return float(np.mean(every >= observed - 1e-9)) if np.isfinite(observed) else observed


def _score(values: Sequence[float]) -> tuple[str, str]:
    """Mean and standard deviation; one value has no deviation."""
    spread = f"{np.std(values, ddof=1):.4f}" if len(values) > 1 else ""
    return f"{np.mean(values):.4f}", spread


def main() -> None:
    """Measure and record, or read what was recorded; print, and write into the document."""
    options = _parse()
    kept: dict[str, Figures] = read_json(OVERLAP) if OVERLAP.exists() else {}
    shown = kept
    if options.data:
        shown = run_designs(options, kept)
    elif not kept:
        raise StsError(f"{OVERLAP.name}: nothing is kept yet; give --data DIR")
    print(overlap_tables(shown))
    if options.write:
        show(BITEXT, "overlap", overlap_tables(kept | shown))


def run_designs(options: argparse.Namespace, kept: Mapping[str, Figures]) -> dict[str, Figures]:
    """The designs that the options name; each is recorded as soon as it is finished."""
    check_writable(options.work)
    found: dict[str, Figures] = {}
    for name in [options.study] if options.study else DESIGNS:
        found[name] = study_design(DESIGNS[name], options)
        if options.limit is None:
            write_json(OVERLAP, {**kept, **found})
    return found


def overlap_tables(figures: Mapping[str, Figures]) -> str:
    """The tables of the designs that there are figures of."""
    return "\n\n".join(design_table(figures[name]) for name in DESIGNS if name in figures)


def _parse() -> argparse.Namespace:
    parser = new_parser("runs.studies language-overlap", __doc__, data=False)
    parser.add_argument("--data", type=Path, help="folder with sts/ and bitext/")
    parser.add_argument("--study", choices=[*DESIGNS], help="which languages (default: all)")
    parser.add_argument(
        "--seeds", type=int, default=SEEDS, help=f"trainings of each encoder (default: {SEEDS})"
    )
    parser.add_argument(
        "--limit", type=int, metavar="PAIRS", help="to try it out with few, which keeps nothing"
    )
    parser.add_argument(
        "--work", type=Path, default=Path("output/overlap"), help="folder for finished cells"
    )
    add_jobs(parser, default=1)
    parser.add_argument("--write", action="store_true", help="show the tables in docs/bitext.md")
    options = parser.parse_args()
    if options.write:
        check_checkout()
    if options.seeds < 1:
        raise StsError(f"--seeds {options.seeds}: expected 1 or more")
    if options.limit is not None and options.limit < 2:
        raise StsError(f"--limit {options.limit}: expected 2 pairs or more")
    if options.write and options.limit:
        raise StsError("--write shows what is kept, and --limit keeps nothing; leave out one")
    return options
