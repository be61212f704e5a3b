"""The figures behind ``fusion``: what each part, their mean and the blend are worth on 2012–2015.

    python -m runs.studies model-selection --data DIR

Each candidate is fitted and scored on the folds of :mod:`runs.studies.selection_folds`, with
every feature of the run, those of tuned encoders out of fold. It learns from graded pairs alone,
and no conflict lowers its score. The tables are written into ``docs/fusion.md``. Finished folds are
kept in OUTPUT/model_selection.jsonl. The first time this takes an hour or two.

Another table says what it brings on translated text to learn from translated text as well: on the
Spanish tasks, and on English 2015 with one side of each pair translated to Spanish and back. There
the ensemble is that of the run, but for its tuned encoders and its labelled pairs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from features.columns import FeatureColumns
from features.regressors.boosting import Boosting
from features.regressors.extra_trees import ExtraTrees
from features.regressors.ridge import Ridge, SimpleRegression
from features.regressors.svr import SVR
from runs.options import add_jobs, new_parser
from runs.pipeline.ensemble_run import EnsembleRun
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.out_of_fold import Matrix
from runs.recipes.ensemble2026 import FUSION
from runs.studies.ledger import Ledger, Value, each_once
from runs.studies.scores.interval_coverage import untuned_columns
from runs.studies.selection_folds import (
    TUNED,
    YEARS,
    Fold,
    Scored,
    Split,
    TunedFeatures,
    folds,
    read,
    tuned_features,
)
from runs.tables.format import markdown_table
from runs.tables.pages import FUSION as PAGE
from runs.tables.pages import STUDIES, check_checkout, show, write_json
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.files import sha256_of_bytes
from sts.scoring.correlation import pearson
from sts.scoring.task_score import score_task, weighted_mean

PARTS: dict[str, Any] = {
    "boosting (LightGBM)": Boosting(),
    "boosting (scikit-learn)": Boosting("sklearn"),
    "extra trees": ExtraTrees(),
    "SVR": SVR(C=2.0, gamma=0.006),
    "SVR, C 1, γ .003": SVR(C=1.0, gamma=0.003),
    "Ridge": Ridge(),
}
CHOSEN = ("boosting (LightGBM)", "extra trees", "SVR")
ANCHORS = ("dynamax", "paragram", "soft_match", *TUNED)
"""Features that are scored alone and that the mean is blended with, after the run's own."""

BLENDS = (0.4, 0.7, 1.0)
"""Weights of the run's own blend."""

OUT_OF_FOLD, WITHOUT, SEEN = "out of fold", "without", "seen"
"""What the features of tuned encoders are in training: out of fold, left out, or computed by
encoders that were tuned on the very pairs, which is only scored to compare."""


def matrix_of(
    sets: Sequence[Scored], place: int, tuned: Mapping[int, Matrix] | None
) -> NDArray[np.float64]:
    """(n, k) features of a data set; those of tuned encoders last, if given."""
    features = sets[place].features
    return features if tuned is None else np.hstack([features, tuned[place]])


def predict_fold(
    sets: Sequence[Scored],
    columns: Sequence[str],
    tuned: Mapping[Split, TunedFeatures],
    anchors: Sequence[str],
    fold: Fold,
) -> Value:
    """What every part and every anchor says of each test set of a fold.

    Args:
        sets: every data set.
        columns: names of their features, without those of tuned encoders.
        tuned: the features of tuned encoders for each split.
        anchors: features to fit alone.
        fold: what to learn from and what to score.

    Returns:
        By treatment of the tuned features, part and place of the test set, (n,) predictions.
    """
    found = tuned[fold.split]
    treatments = {OUT_OF_FOLD: found.honest, WITHOUT: None, SEEN: found.seen}
    gold = np.concatenate([sets[i].gold for i in fold.training])
    said: Value = {}
    for treatment, own in treatments.items():
        matrix = np.vstack([matrix_of(sets, i, own) for i in fold.training])
        tests = {i: matrix_of(sets, i, own) for i in fold.test}
        medians = np.nanmedian(matrix, axis=0)
        names = [*columns] if own is None else [*columns, *TUNED]
        parts = {name: PARTS[name] for name in (PARTS if treatment == OUT_OF_FOLD else CHOSEN)}
        if fold.kind == "data set":  # it is slow, and has many folds
            parts.pop("boosting (scikit-learn)", None)
        parts |= {name: SimpleRegression(names.index(name)) for name in anchors if name in names}
        said[treatment] = {}
        for name, part in parts.items():
            fitted = clone(part).fit(np.where(np.isnan(matrix), medians, matrix), gold)
            said[treatment][name] = {
                str(i): fitted.predict(np.where(np.isnan(test), medians, test)).tolist()
                for i, test in tests.items()
            }
    return said


Predictions = Mapping[str, Mapping[str, NDArray[np.float64]]]


def candidates(
    said: Predictions, run_anchors: Sequence[str], weight: float
) -> dict[str, NDArray[np.float64]]:
    """What each candidate says of a data set, from what its parts say.

    A blend is not divided by its weights: Pearson's r does not change by that.

    Args:
        said: by treatment and part.
        run_anchors, weight: the features that the run blends with, and their weight.
    """

    def mean(treatment: str, names: Sequence[str] = CHOSEN) -> NDArray[np.float64]:
        return np.asarray(np.mean([said[treatment][name] for name in names], axis=0), np.float64)

    def blend(treatment: str, anchors: Sequence[str], w: float = weight) -> NDArray[np.float64]:
        there = [name for name in anchors if name in said[treatment]]  # one may be a tuned cosine
        return mean(treatment) + w * mean(treatment, there)

    parts = said[OUT_OF_FOLD]
    alone = dict.fromkeys((*run_anchors, *ANCHORS))
    found = {name: parts[name] for name in (*alone, *PARTS) if name in parts}
    found["mean of LightGBM, extra trees, SVR, Ridge"] = mean(OUT_OF_FOLD, (*CHOSEN, "Ridge"))
    found["mean of LightGBM, extra trees, SVR"] = mean(OUT_OF_FOLD)
    blends = [(run_anchors, w) for w in BLENDS] + [((name,), weight) for name in alone]
    for names, w in blends:
        found[f"… blended with {' and '.join(names)}, weight {w}"] = blend(OUT_OF_FOLD, names, w)
    for treatment, note in (
        (WITHOUT, "without paraphrase1, paraphrase2"),
        (SEEN, "paraphrase1, paraphrase2 of encoders that saw the training pairs"),
    ):
        found[f"… {note}"] = mean(treatment)
        found[f"… blended as the run is, {note}"] = blend(treatment, run_anchors)
    return found


def measure(
    sets: Sequence[Scored],
    predicted: Mapping[Fold, Value],
    run_anchors: Sequence[str],
    weight: float,
) -> dict[str, dict[str, float]]:
    """By candidate and column of the table, the weighted mean of Pearson."""
    scores: dict[str, dict[str, list[tuple[float, int]]]] = {}
    for fold, value in predicted.items():
        for i in fold.test:
            said = {
                treatment: {name: np.array(by_set[str(i)]) for name, by_set in parts.items()}
                for treatment, parts in value.items()
            }
            column = str(sets[i].year) if fold.kind == "year" else f"other {fold.kind}s"
            for name, prediction in candidates(said, run_anchors, weight).items():
                found = pearson(prediction, sets[i].gold), len(sets[i].gold)
                scores.setdefault(name, {}).setdefault(column, []).append(found)
    return {
        name: {c: _average(found) for c, found in by_column.items()}
        for name, by_column in scores.items()
    }


def _average(found: Sequence[tuple[float, int]]) -> float:
    """The mean of scores, each weighted by its pairs."""
    values, weights = zip(*found, strict=True)
    return weighted_mean(values, weights)


def table(scores: Mapping[str, Mapping[str, float]]) -> str:
    """Markdown: a candidate a row."""
    columns = [*map(str, YEARS), "other data sets", "other genres"]
    rows = [
        [name, *(f"{found[c]:.4f}" if c in found else "" for c in columns)]
        for name, found in scores.items()
    ]
    return markdown_table(["", *columns], rows)


def seen_and_unseen(
    columns: Sequence[str],
    sets: Sequence[Scored],
    every_fold: Sequence[Fold],
    tuned: Mapping[Split, TunedFeatures],
) -> str:
    """Markdown: how well tuned cosines follow the gold of pairs that were tuned on, and of others.

    By year; Pearson's r over the training pairs of all data sets, and the weighted mean of
    the test sets.
    """
    before = columns.index("paragram")
    rows = []
    for fold in (fold for fold in every_fold if fold.kind == "year"):
        features = tuned[fold.split]
        gold = np.concatenate([sets[i].gold for i in fold.training])
        training = [
            np.concatenate([sets[i].features[:, before] for i in fold.training]),
            *(np.concatenate([m[i][:, 0] for i in fold.training])
              for m in (features.seen, features.honest)),
        ]  # fmt: skip
        figures = [pearson(column, gold) for column in training]
        for column in (None, 0, 1):
            cosines = {
                i: sets[i].features[:, before] if column is None else features.honest[i][:, column]
                for i in fold.test
            }
            figures.append(
                _average([(pearson(c, sets[i].gold), len(c)) for i, c in cosines.items()])
            )
        rows.append([str(sets[fold.test[0]].year), *(f"{figure:.4f}" for figure in figures)])
    header = [
        "", "training: before tuning", "paraphrase1, seen", "paraphrase1, out of fold",
        "test: before tuning", "paraphrase1", "paraphrase2",
    ]  # fmt: skip
    return markdown_table(header, rows)


def choose(run: EnsembleRun, data: Path | None, output: Path, jobs: int) -> dict[str, str]:
    """Markdown tables by the name of their place in the document."""
    sets = read(run, data)
    every_fold = folds(sets)
    translating = Translating(data=data)
    splits = dict.fromkeys(fold.split for fold in every_fold)
    tuned = {split: tuned_features(run, sets, split, translating) for split in splits}
    columns = untuned_columns(run)
    anchors = tuple(dict.fromkeys((*run.anchors, *ANCHORS)))
    arrays = [a for s in sets for a in (s.features, s.gold)]
    arrays += [t.seen[i] for t in tuned.values() for i in sorted(t.seen)]
    arrays += [t.honest[i] for t in tuned.values() for i in sorted(t.honest)]
    rests_on = sha256_of_bytes(b"".join(a.tobytes() for a in arrays) + repr(PARTS).encode())
    predicted = each_once(
        partial(predict_fold, sets, columns, tuned, anchors),
        every_fold,
        Ledger(output / "model_selection.jsonl"),
        lambda fold: f"{rests_on} {anchors} {fold}",
        jobs=jobs,
        label="model selection",
        unit="folds",
    )
    return {
        "seen": seen_and_unseen(columns, sets, every_fold, tuned),
        "choice": table(measure(sets, predicted, run.anchors, run.blend_weight)),
    }


def translated(run: EnsembleRun, data: Path | None) -> str:
    """Markdown: fusions without and with echoes of their training pairs, on translated text."""
    columns = untuned_columns(run)
    translating = Translating(data=data)
    features = FeatureColumns(columns, progress=True, written_alike=run.written_alike)
    scores: dict[bool, list[str]] = {False: [], True: []}
    header = [""]
    for name, echoed in (("sts2014-es", False), ("sts2015-es", False), ("sts2015", True)):
        task = get_task(name)
        header.append(f"{name}, one side there and back" if echoed else name)
        tests = [load(dataset, data) for dataset in task.datasets]
        tests = [pairs.select(pairs.scored) for pairs in tests]
        english = [
            translating.back_translate(pairs, "es", seed=1)
            if echoed
            else translating.to_english(dataset, pairs)
            for dataset, pairs in zip(task.datasets, tests, strict=True)
        ]
        matrices = {pairs.name: features.compute(pairs) for pairs in english}
        gold = {pairs.name: pairs.gold for pairs in tests}
        training = [load(dataset, data) for dataset in task.train]
        training = [pairs.select(pairs.scored) for pairs in training]
        plain = [features.compute(pairs) for pairs in training]
        echoes = [
            features.compute(translating.back_translate(pairs, "es", seed=0)) for pairs in training
        ]
        wanted = np.concatenate([pairs.gold for pairs in training])
        for with_echoes, figures in scores.items():
            matrix = np.vstack([*plain, *echoes] if with_echoes else plain)
            fusion = run.make_ensemble(columns)
            fusion.fit(matrix, np.tile(wanted, 2 if with_echoes else 1))
            predicted = {name: fusion.predict(test) for name, test in matrices.items()}
            figures.append(f"{score_task(predicted, gold).weighted_mean:.4f}")
    rows = [["as they are", *scores[False]], ["and with one side there and back", *scores[True]]]
    return markdown_table(header, rows)


def main() -> None:
    """Fit, score and write the tables."""
    parser = new_parser("runs.studies model-selection", __doc__)
    parser.add_argument(
        "--output", type=Path, default=Path("output"), help="folder (default: output)"
    )
    add_jobs(parser)
    options = parser.parse_args()
    check_checkout()
    tables = choose(FUSION, options.data, options.output, options.jobs)
    tables["translated"] = translated(FUSION, options.data)
    write_json(STUDIES / "model_selection.json", tables)
    for block, text in tables.items():
        show(PAGE, block, text)
    print("\n\n".join(tables.values()))
