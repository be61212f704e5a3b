"""Do the intervals hold what they say? Each year from the years before it.

    python -m runs.studies interval-coverage --data DIR

A fusion is fitted on the years before; its intervals come from scores of its training pairs, each
by regressors that learned from no data set of the same source; then the gold of the year's pairs
is compared with them. Beside them stands what a map of the scores would do, linear or isotonic,
fitted to the same scores out of fold: the mean absolute error, and Pearson's r. The columns of
tuned encoders, and of a tuned transformer, are left out: they would have to be tuned for every fold
of every year. Choices were made on 2013 to 2015; 2016 is reported.

"Own labels" is what ``semaniacs calibrate`` makes of a hundred labelled pairs of the year, drawn
at random: how many of its other pairs lie in such intervals, the mean over twenty draws.

Writes interval_coverage.json to OUTPUT and prints the table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from features.columns import FeatureColumns
from features.registry import get_feature
from runs.options import new_parser
from runs.pipeline.ensemble_run import EnsembleRun
from runs.pipeline.score_columns import ScoreColumns, calibrate
from runs.pipeline.tuning.encoders import name_encoders
from runs.pipeline.tuning.ensemble_networks import RESOURCES
from runs.pipeline.tuning.out_of_fold import predict_out_of_fold
from runs.recipes.by_name import get_run
from runs.tables.format import markdown_table
from runs.tables.pages import MEANING, STUDIES, check_checkout, read_json, show, write_json
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.data.pairs import HIGHEST, LOWEST, Pairs, Scores, concatenate
from sts.errors import StsError, UnknownNameError
from sts.files import check_writable
from sts.progress import note
from sts.scoring.calibration.intervals import LEVEL, Intervals
from sts.scoring.calibration.monotone import MonotoneMap
from sts.scoring.correlation import pearson
from sts.scoring.task_score import weighted_mean

YEARS = (2013, 2014, 2015, 2016)
LABELLED, DRAWS = 100, 20

HEADER = ("run", "year", "pairs", "covered", "width", "least of a data set", "most",
          f"by {LABELLED} own labels", "width")  # fmt: skip
MAPS = ("run", "year", "error", "r", "error, linear", "r", "error, isotonic", "r")

RECORDED = STUDIES / "interval_coverage.json"

Figures = dict[str, Any]


def untuned_columns(run: EnsembleRun) -> list[str]:
    """The columns of a run that nothing behind was tuned on training pairs, in their order."""
    tuned = {*name_encoders(run.tunings), *RESOURCES}
    return [name for name in run.columns if not tuned & set(get_feature(name).needs)]


def measure(run: EnsembleRun, data: Path | None, years: Sequence[int] = YEARS) -> list[Figures]:
    """The figures of each year."""
    columns = untuned_columns(run)
    features = FeatureColumns(columns, progress=True, written_alike=run.written_alike)
    kept: dict[str, tuple[Pairs, Any]] = {}
    found = []
    for year in years:
        task = get_task(f"sts{year}")
        for record in (*task.train, *task.datasets):
            if record.input.path not in kept:
                pairs = load(record, data)
                pairs = pairs.select(pairs.scored)
                kept[record.input.path] = pairs, features.compute(pairs)
        training = [kept[record.input.path] for record in task.train]
        tests = [kept[record.input.path] for record in task.datasets]
        make = partial(run.make_ensemble, columns)
        found.append({"year": year} | of_year(make, training, tests))
        note(f"{year} is done")
    return found


def of_year(
    make: Callable[[], Any],
    training: Sequence[tuple[Pairs, Any]],
    tests: Sequence[tuple[Pairs, Any]],
) -> Figures:
    """Coverage, width and errors on the test sets of a year.

    Args:
        make: an ensemble, not fitted.
        training, tests: data sets, all with gold, and their features (n, k).
    """
    matrix = np.vstack([features for _, features in training])
    gold = np.concatenate([pairs.gold for pairs, _ in training])
    unseen = predict_out_of_fold(make, [pairs for pairs, _ in training], matrix)
    fitted = make().fit(matrix, gold)
    predicted = [fitted.predict(features) for _, features in tests]
    intervals = Intervals.fit(unseen, gold)
    covered, widths = [], []
    for (pairs, _), scores in zip(tests, predicted, strict=True):
        low, high = intervals.around(scores)
        covered.append(float(((low <= pairs.gold) & (pairs.gold <= high)).mean()))
        widths.append(float((high - low).mean()))
    sizes = [len(pairs) for pairs, _ in tests]
    slope, intercept = np.polyfit(unseen, gold, 1)
    maps: dict[str, Callable[[Scores], Scores]] = {
        "none": lambda scores: scores,
        "linear": lambda scores: np.clip(intercept + slope * scores, LOWEST, HIGHEST),
        "isotonic": MonotoneMap.fit(unseen, gold),
    }
    return {
        "pairs": sum(sizes),
        "level": LEVEL,
        "covered": round(weighted_mean(covered, sizes), 4),
        "width": round(weighted_mean(widths, sizes), 4),
        "by_data_set": {p.name: round(c, 4) for (p, _), c in zip(tests, covered, strict=True)},
        "own_labels": by_own_labels(concatenate([p for p, _ in tests]), np.concatenate(predicted)),
        "line": [round(float(slope), 4), round(float(intercept), 4)],
        "maps": {name: _errors(f, tests, predicted, sizes) for name, f in maps.items()},
    }


def by_own_labels(pairs: Pairs, scores: Scores) -> dict[str, float]:
    """Coverage and width on what is left of ``pairs`` when some of them have calibrated."""
    covered, widths = [], []
    for seed in range(DRAWS):
        chosen = np.random.default_rng(seed).permutation(len(pairs)) < LABELLED
        calibration = calibrate("", pairs.select(chosen), scores[chosen])
        columns = ScoreColumns(LEVEL, calibration=calibration).named("score", scores[~chosen])
        low, high, gold = columns["score_low"], columns["score_high"], pairs.gold[~chosen]
        covered.append(((low <= gold) & (gold <= high)).mean())
        widths.append((high - low).mean())
    return {"covered": round(float(np.mean(covered)), 4), "width": round(float(np.mean(widths)), 4)}


def _errors(
    change: Callable[[Scores], Scores],
    tests: Sequence[tuple[Pairs, Any]],
    predicted: Sequence[Scores],
    sizes: Sequence[int],
) -> list[float]:
    """The weighted means of absolute error and of Pearson's r of changed scores."""
    gold = [pairs.gold for pairs, _ in tests]
    changed = [change(scores) for scores in predicted]
    errors = [float(np.abs(c - g).mean()) for c, g in zip(changed, gold, strict=True)]
    figures = [pearson(c, g) for c, g in zip(changed, gold, strict=True)]
    return [round(weighted_mean(errors, sizes), 4), round(weighted_mean(figures, sizes), 4)]


def coverage_table(found: Mapping[str, Sequence[Figures]]) -> str:
    """Markdown: how often the intervals of each run hold, a year a row."""
    rows = [
        [
            f"`{run}`", str(year["year"]), f"{year['pairs']:,}", _percent(year["covered"]),
            f"{year['width']:.2f}",
            *(_percent(most(year["by_data_set"].values())) for most in (min, max)),
            _percent(year["own_labels"]["covered"]), f"{year['own_labels']['width']:.2f}",
        ]
        for run, years in found.items()
        for year in years
    ]  # fmt: skip
    return markdown_table(HEADER, rows)


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def maps_table(found: Mapping[str, Sequence[Figures]]) -> str:
    """Markdown: what maps from score to gold do to the error and to Pearson's r."""
    rows = [
        [
            f"`{run}`",
            str(year["year"]),
            *(f"{x:.4f}" for pair in year["maps"].values() for x in pair),
        ]
        for run, years in found.items()
        for year in years
    ]
    return markdown_table(MAPS, rows)


def main() -> None:
    """Fit each year, compare, write and print."""
    parser = new_parser("runs.studies interval-coverage", __doc__)
    parser.add_argument("--run", default="fusion", help="recipe (default: fusion)")
    parser.add_argument(
        "--years",
        type=int,
        nargs="+",
        default=list(YEARS),
        choices=YEARS,
        help="which years (default: all)",
    )
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    parser.add_argument("--write", action="store_true", help=f"keep it, for docs/{MEANING.name}")
    options = parser.parse_args()
    if options.write:
        check_checkout()
        if options.years != list(YEARS):
            raise StsError("--write keeps all years; leave out --years")
    run = get_run(options.run)
    if not isinstance(run, EnsembleRun):
        raise UnknownNameError("run with regressors", options.run, ("fusion", "contextual"))
    check_writable(options.output)
    found = measure(run, options.data, options.years)
    figures = {run.name: found}
    write_json(options.output / RECORDED.name, figures)
    if options.write:
        kept = read_json(RECORDED) if RECORDED.exists() else {}
        write_json(RECORDED, kept | figures)
        show(MEANING, "coverage", coverage_table(kept | figures))
    print(f"{coverage_table(figures)}\n\n{maps_table(figures)}")
