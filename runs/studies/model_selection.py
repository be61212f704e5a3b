"""The figures behind the fusion: what its parts, their mean and the pull are worth on 2012–2015.

    python -m runs.studies.model_selection --data DIR

Each candidate is fitted and scored three ways: every year from the years before it (2012 from its
train parts), every data set from all others, and every genre from all other genres, which is the
nearest to a new year, most of whose data sets are of a kind never seen. Features are those of the
run ``fusion`` but for the two tuned similarities, which would have to be tuned for every fold.
Writes the table into ``docs/fusion.md``. Finished folds are kept in OUTPUT/choosing.jsonl.

A second table says what it brings on translated text to learn from translated text as well: on the
Spanish tasks, and on English 2015 with one side of each pair translated to Spanish and back.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from features.extractor import FeatureExtractor
from features.regressors.boosting import Boosting
from features.regressors.ensemble import Ensemble
from features.regressors.extra_trees import ExtraTrees
from features.regressors.ridge import Ridge, SimpleRegression
from features.regressors.svr import SVR
from runs.pipeline.translate_pairs import Translating
from runs.recipes import ensemble2026
from runs.studies.ledger import Ledger, Value, each_once
from runs.studies.workers import EVERY_CORE, check_jobs
from runs.tables.documents import between
from runs.tables.format import markdown_table
from sts.command_line import run_tool
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.data.pairs import Scores
from sts.data.records import DataSet
from sts.files import read_text, sha256_of_bytes, write_text
from sts.scoring.correlation import pearson
from sts.scoring.task_score import score_task, weighted_mean

YEARS = (2012, 2013, 2014, 2015)
DOCUMENT = Path(__file__).parents[2] / "docs" / "fusion.md"
COLUMNS = tuple(name for name in ensemble2026.COLUMNS if not name.startswith("paraphrase"))
PARTS: dict[str, Any] = {
    "boosting (LightGBM)": Boosting(),
    "boosting (scikit-learn)": Boosting("sklearn"),
    "forest": ExtraTrees(),
    "kernel": SVR(),
    "line": Ridge(),
}
ANCHORS = ("dynamax", "paragram", "soft_match")
WEIGHTED = "weighted to the test set"
PULL = 0.4
CHOSEN = ("boosting (LightGBM)", "forest", "kernel")
GENRES = {
    "OnWN": "glosses", "FNWN": "glosses", "MSRvid": "captions", "images": "captions",
    "SMTeuroparl": "machine translation", "SMTnews": "machine translation",
}  # fmt: skip
"""Data sets of one genre under several names; the others are their own genre."""


@dataclass(frozen=True)
class Scored:
    """A data set as a matrix (n, k) and its gold (n,)."""

    name: str
    year: int
    trains_only: bool
    matrix: NDArray[np.float64]
    gold: Scores

    @property
    def genre(self) -> str:
        """What kind of text it is."""
        name = self.name.removesuffix("-train").removeprefix("surprise.")
        return GENRES.get(name, name)


@dataclass(frozen=True)
class Fold:
    """Places of the data sets that are learned from and of those that are scored."""

    kind: str
    training: tuple[int, ...]
    test: tuple[int, ...]


def data_sets() -> list[DataSet]:
    """The distinct data sets of all years, the train parts of 2012 first."""
    tasks = [get_task(f"sts{year}") for year in YEARS]
    found = {d.input.path: d for task in tasks for d in (*task.train, *task.datasets)}
    return list(found.values())


def read(data: Path | None) -> list[Scored]:
    """Every data set with its features."""
    extractor = FeatureExtractor(COLUMNS, progress=True)
    found = []
    for dataset in data_sets():
        pairs = load(dataset, data)
        pairs = pairs.select(pairs.scored)
        matrix = extractor.transform(pairs)
        trains_only = dataset.name.endswith("-train")
        found.append(Scored(dataset.name, dataset.year, trains_only, matrix, pairs.gold))
    return found


def folds(sets: Sequence[Scored]) -> list[Fold]:
    """By year, by data set, by genre."""
    every = range(len(sets))
    test = [i for i in every if not sets[i].trains_only]
    made = []
    for year in YEARS:
        before = [i for i in every if sets[i].year < year or sets[i].trains_only]
        made.append(Fold("year", tuple(before), tuple(i for i in test if sets[i].year == year)))
    for place in test:
        name = sets[place].name
        others = [i for i in every if i != place and sets[i].name != f"{name}-train"]
        made.append(Fold("data set", tuple(others), (place,)))
    for genre in dict.fromkeys(sets[i].genre for i in test):
        others = [i for i in every if sets[i].genre != genre]
        own = tuple(i for i in test if sets[i].genre == genre)
        made.append(Fold("genre", tuple(others), own))
    return made


def predict_fold(sets: Sequence[Scored], fold: Fold) -> Value:
    """What every part, every anchor and the weighted mean say of each test set of a fold."""
    matrix = np.vstack([sets[i].matrix for i in fold.training])
    gold = np.concatenate([sets[i].gold for i in fold.training])
    medians = np.nanmedian(matrix, axis=0)
    matrix = np.where(np.isnan(matrix), medians, matrix)
    anchors = {name: SimpleRegression(COLUMNS.index(name)) for name in ANCHORS}
    said: dict[str, dict[str, list[float]]] = {}
    tests = {i: np.where(np.isnan(sets[i].matrix), medians, sets[i].matrix) for i in fold.test}
    for name, part in {**PARTS, **anchors}.items():
        part.fit(matrix, gold)
        said[name] = {str(i): part.predict(test).tolist() for i, test in tests.items()}
    if fold.kind != "data set":  # it fits all parts anew for each test set
        said[WEIGHTED] = {
            str(i): weighted_prediction(matrix, gold, test).tolist() for i, test in tests.items()
        }
    return said


def weighted_prediction(
    matrix: NDArray[np.float64], gold: Scores, test: NDArray[np.float64]
) -> Scores:
    """The mean of the chosen parts, fitted to training pairs drawn by their likeness to a test set.

    A logistic regression tells training from test pairs by their features; a
    pair is drawn with the square root of the odds (covariate shift: Shimodaira,
    2000). The gold of the test set takes no part.
    """
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    scale = StandardScaler().fit(matrix)
    known, new = (np.clip(scale.transform(m), -4, 4) for m in (matrix, test))
    model = LogisticRegression(C=0.01, class_weight="balanced", max_iter=500)
    model.fit(np.vstack([known, new]), np.repeat([0, 1], [len(known), len(new)]))
    odds = np.exp(np.clip(model.decision_function(known), -3, 3) / 2)
    rng = np.random.default_rng(0)
    drawn = np.sort(rng.choice(len(gold), len(gold), p=odds / odds.sum()))
    fitted = [PARTS[name].fit(matrix[drawn], gold[drawn]) for name in CHOSEN]
    return np.asarray(np.mean([part.predict(test) for part in fitted], axis=0), np.float64)


Said = Mapping[str, NDArray[np.float64]]


def candidates(said: Said) -> dict[str, NDArray[np.float64]]:
    """What each candidate says of a data set, from what its parts say."""
    mean = np.mean([said[name] for name in CHOSEN], axis=0)
    found = {name: said[name] for name in (*ANCHORS, *PARTS)}
    found["mean of LightGBM, forest, kernel, line"] = np.mean(
        [said[name] for name in (*CHOSEN, "line")], axis=0
    )
    found["mean of LightGBM, forest, kernel"] = mean
    if WEIGHTED in said:
        found["… training pairs weighted to the test set"] = said[WEIGHTED]
    for anchor in ANCHORS:
        for pull in (0.2, 0.4, 0.6) if anchor == "dynamax" else (0.4,):
            found[f"… pulled {pull} to {anchor}"] = mean + pull * said[anchor]
    if WEIGHTED in said:
        found["… weighted and pulled 0.4 to dynamax"] = said[WEIGHTED] + 0.4 * said["dynamax"]
    return found


def measure(sets: Sequence[Scored], predicted: Mapping[Fold, Value]) -> dict[str, dict[str, float]]:
    """By candidate and column of the table, the weighted mean of Pearson."""
    scores: dict[str, dict[str, list[tuple[float, int]]]] = {}
    for fold, value in predicted.items():
        for i in fold.test:
            said = {name: np.array(by_set[str(i)]) for name, by_set in value.items()}
            column = str(sets[i].year) if fold.kind == "year" else f"other {fold.kind}s"
            for name, prediction in candidates(said).items():
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


def translated(data: Path | None) -> str:
    """Markdown: fusions without and with echoes of their training pairs, on translated text."""
    translating = Translating(data=data)
    extractor = FeatureExtractor(COLUMNS, progress=True)
    scores: dict[bool, list[str]] = {False: [], True: []}
    header = [""]
    for name, echoed in (("sts2014-es", False), ("sts2015-es", False), ("sts2015", True)):
        task = get_task(name)
        header.append(f"{name}, one side there and back" if echoed else name)
        tests = [load(dataset, data) for dataset in task.datasets]
        tests = [pairs.select(pairs.scored) for pairs in tests]
        english = [
            translating.echo(pairs, "es", seed=1)
            if echoed
            else translating.to_english(dataset, pairs)
            for dataset, pairs in zip(task.datasets, tests, strict=True)
        ]
        matrices = {pairs.name: extractor.transform(pairs) for pairs in english}
        gold = {pairs.name: pairs.gold for pairs in tests}
        training = [load(dataset, data) for dataset in task.train]
        training = [pairs.select(pairs.scored) for pairs in training]
        plain = [extractor.transform(pairs) for pairs in training]
        echoes = [extractor.transform(translating.echo(pairs, "es", seed=0)) for pairs in training]
        wanted = np.concatenate([pairs.gold for pairs in training])
        for with_echoes, figures in scores.items():
            matrix = np.vstack([*plain, *echoes] if with_echoes else plain)
            fusion = Ensemble([PARTS[part] for part in CHOSEN], COLUMNS.index("dynamax"), PULL)
            fusion.fit(matrix, np.tile(wanted, 2 if with_echoes else 1))
            predicted = {name: fusion.predict(test) for name, test in matrices.items()}
            figures.append(f"{score_task(predicted, gold).weighted_mean:.4f}")
    rows = [["as they are", *scores[False]], ["and with one side there and back", *scores[True]]]
    return markdown_table(header, rows)


def main() -> None:
    """Fit, score and write both tables."""
    parser = argparse.ArgumentParser(
        prog="python -m runs.studies.model_selection",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, help="STS data folder; otherwise STS_DATA")
    parser.add_argument("--output", type=Path, default=Path("output"))
    parser.add_argument("--jobs", type=int, default=EVERY_CORE, help="processes")
    options = parser.parse_args()
    check_jobs(options.jobs)
    sets = read(options.data)
    parts = b"".join(s.matrix.tobytes() + s.gold.tobytes() for s in sets)
    rests_on = sha256_of_bytes(parts + repr(PARTS).encode())
    predicted = each_once(
        partial(predict_fold, sets),
        folds(sets),
        Ledger(options.output / "choosing.jsonl"),
        lambda fold: f"{rests_on} {fold}",
        jobs=options.jobs,
        label="choosing",
        unit="fold",
    )
    shown = table(measure(sets, predicted))
    write_text(DOCUMENT, between(read_text(DOCUMENT), "choice", shown))
    print(shown, end="\n\n")
    shown = translated(options.data)
    write_text(DOCUMENT, between(read_text(DOCUMENT), "translated", shown))
    print(shown)


if __name__ == "__main__":
    run_tool(main)
