"""How much may a conflict take from a score? Graded pairs and exchanged words pull apart.

    python -m runs.studies conflict-weights --data DIR

People who grade pairs forgive much; who ranks exchanged words wants all of it. The regressors of a
run are fitted for each year from 2012 to 2015 on the sets before it (for 2012 on its own training
sets), once; then their scores are lowered in several ways. Beside Pearson's r stand the triples of
the development half of the behaviour suite, and the AUC on every fourth pair of PAWS-Wiki's
development set, none of which was learned from, though some share a sentence with those that were.
The columns of tuned encoders and of a tuned transformer are left out, as in interval-coverage.

Writes conflict_weights.json to OUTPUT and prints the table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from features.columns import FeatureColumns
from features.regressors.conflicts import ConflictColumns
from runs.options import new_parser
from runs.pipeline.ensemble_run import EnsembleRun
from runs.pipeline.tuning.out_of_fold import Matrix
from runs.recipes.by_name import get_run
from runs.studies.scores.interval_coverage import untuned_columns
from runs.tables.format import markdown_table
from runs.tables.pages import MEANING, STUDIES, check_checkout, show, write_json
from sts.data.behaviour.triples import shipped_triples
from sts.data.catalog import PAWS_WIKI_DEV, get_task
from sts.data.fetch import load
from sts.data.pairs import LOWEST, Pairs, Scores
from sts.errors import StsError
from sts.files import check_writable
from sts.progress import note
from sts.scoring.classification import roc_auc
from sts.scoring.correlation import pearson
from sts.scoring.task_score import weighted_mean

YEARS = (2012, 2013, 2014, 2015)
HEADER = ("weights", "words", "decay", *map(str, YEARS), "mean", "behaviour", "AUC")

CHOSEN = "by kind: what runs"
RECORDED = STUDIES / "conflict_weights.json"

_EVERY = 4
_FIRST = 2
"""Every fourth pair of PAWS-Wiki from the third on; the run learns from every sixteenth from the first."""


@dataclass(frozen=True)
class Scored:
    """Some pairs: their features (n, k), scores (n,) without conflicts, and gold or labels."""

    features: Matrix
    scores: Scores
    gold: Scores


@dataclass(frozen=True)
class Material:
    """What every setting is tried on.

    Attributes:
        columns: names of the features.
        years: the data sets of each year.
        closer, farther: the triples, anchor beside either.
        phenomena: of the triples.
        labelled: pairs of PAWS-Wiki.
    """

    columns: Sequence[str]
    years: Mapping[int, Sequence[Scored]]
    closer: Scored
    farther: Scored
    phenomena: Sequence[str]
    labelled: Scored


def settings(shipped: ConflictColumns) -> dict[str, ConflictColumns]:
    """What is tried, by what is said of the weights; the form is that of a run."""

    def flat(weight: float) -> tuple[tuple[str, float], ...]:
        return tuple((name, weight) for name, _ in shipped.weights)

    found = {"none": replace(shipped, weights=flat(0.0))}
    for weight in (0.2, 0.35, 0.5, 0.7):
        found[f"all {weight:g}"] = replace(shipped, weights=flat(weight))
    for words, decay in ((8.0, 1.0), (8.0, 2.0), (10.0, 1.0), (10.0, 2.0), (12.0, 4.0)):
        found[f"all 0.5, {words:g} words, decay {decay:g}"] = replace(
            shipped, weights=flat(0.5), words=words, decay=decay
        )
    found["by kind, 8 words, decay 1"] = replace(shipped, words=8.0, decay=1.0)
    found[CHOSEN] = shipped
    return found


def gather(run: EnsembleRun, data: Path | None) -> Material:
    """Compute the features, fit each year without conflicts, and score."""
    columns = untuned_columns(run)
    features = FeatureColumns(columns, progress=True, written_alike=run.written_alike)
    plain = replace(run, conflicts=None)
    computed: dict[str, tuple[Matrix, Scores]] = {}

    def of(pairs: Pairs) -> tuple[Matrix, Scores]:
        return features.compute(pairs), pairs.gold

    labelled = load(PAWS_WIKI_DEV, data)
    learned = of(run.labels.grades(labelled)) if run.labels else None
    years, fitted = {}, None
    for year in YEARS:
        task = get_task(f"sts{year}")
        for record in (*task.train, *task.datasets):
            if record.input.path not in computed and record != PAWS_WIKI_DEV:
                pairs = load(record, data)
                computed[record.input.path] = of(pairs.select(pairs.scored))
        training = [computed[r.input.path] for r in task.train if r != PAWS_WIKI_DEV]
        matrices, golds = zip(*training, *([learned] if learned else []), strict=True)
        ensemble = plain.make_ensemble(columns)
        fitted = ensemble.fit(np.vstack(matrices), np.concatenate(golds)).fitted_
        years[year] = [
            Scored(matrix, fitted.predict(matrix), gold)
            for matrix, gold in (computed[r.input.path] for r in task.datasets)
        ]
        note(f"{year} is done")
    assert fitted is not None

    def scored(pairs: Pairs) -> Scored:
        matrix, gold = of(pairs)
        return Scored(matrix, fitted.predict(matrix), gold)

    triples = shipped_triples("development")
    anchors, nothing = tuple(t.anchor for t in triples), np.zeros(len(triples))
    return Material(
        columns,
        years,
        scored(Pairs("closer", anchors, tuple(t.closer for t in triples), nothing)),
        scored(Pairs("farther", anchors, tuple(t.farther for t in triples), nothing)),
        [t.phenomenon for t in triples],
        scored(labelled.select(np.arange(len(labelled)) % _EVERY == _FIRST)),
    )


def try_setting(material: Material, conflicts: ConflictColumns) -> dict[str, float]:
    """The figures of one way to lower scores."""
    places = conflicts.among(list(material.columns))
    if places is None:
        raise StsError("the run has no columns of conflict")

    def lowered(scored: Scored) -> Scores:
        return scored.scores * places.factors(scored.features)

    found = {}
    for year, sets in material.years.items():
        figures = [pearson(lowered(s), s.gold) for s in sets]
        found[str(year)] = weighted_mean(figures, [len(s.gold) for s in sets])
    found["mean"] = float(np.mean(list(found.values())))
    right = lowered(material.closer) > lowered(material.farther)
    kinds = np.array(material.phenomena)
    found["behaviour"] = float(np.mean([right[kinds == k].mean() for k in dict.fromkeys(kinds)]))
    labels = material.labelled.gold > LOWEST
    found["AUC"] = roc_auc(labels, lowered(material.labelled))
    return found


def weights_table(found: Mapping[str, Mapping[str, Any]]) -> str:
    """Markdown: a setting a row, what runs in bold."""
    rows = []
    for name, setting in found.items():
        what = name.split(",")[0]
        figures = (f"{setting[column]:.4f}".removeprefix("0") for column in HEADER[3:])
        form = (f"{setting[column]:g}" for column in HEADER[1:3])
        rows.append([f"**{what}**" if what == CHOSEN else what, *form, *figures])
    return markdown_table(HEADER, rows)


def main() -> None:
    """Fit, try every setting, write and print."""
    parser = new_parser("runs.studies conflict-weights", __doc__)
    parser.add_argument("--run", default="fusion", help="fusion or contextual (default: fusion)")
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    parser.add_argument("--write", action="store_true", help=f"keep it, for docs/{MEANING.name}")
    options = parser.parse_args()
    if options.write:
        check_checkout()
        if options.run != "fusion":
            raise StsError("--write keeps the table of fusion; leave out --run")
    run = get_run(options.run)
    if not isinstance(run, EnsembleRun) or run.conflicts is None:
        raise StsError(f"--run {options.run}: expected one with conflicts, fusion or contextual")
    check_writable(options.output)
    material = gather(run, options.data)
    found = {}
    for name, how in settings(run.conflicts).items():
        form = {"weights": dict(how.weights), "words": how.words, "decay": how.decay}
        figures = try_setting(material, how).items()
        found[name] = form | {column: round(figure, 5) for column, figure in figures}
    text = weights_table(found)
    write_json(options.output / RECORDED.name, {"run": run.name, "settings": found})
    if options.write:
        write_json(RECORDED, {"run": run.name, "settings": found})
        show(MEANING, "weights", text)
    print(text)
