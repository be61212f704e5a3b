"""Measure runs on ParaPhraser, the Russian headlines of Vatolin et al. (2021).

``classes`` fits a run for each of the two tasks of ParaPhraser and measures the best threshold, the
three classes, and Spearman's ρ with the class. ``cosines`` measures that ρ for vectors alone, as
benchmarks of sentence vectors report it.
"""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from research.study import run_study, study
from semaniacs.embeddings.encoder import cosine
from semaniacs.embeddings.mining.corpus_vectors import mining_encoder
from semaniacs.runs.pipeline.fitting import fit_features
from semaniacs.runs.pipeline.run import Run
from semaniacs.runs.pipeline.training_data import read_training_data
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.runs.recipes import get_run
from semaniacs.sts.command_line import data_option, option
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load, load_gold
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.scoring.classification import (
    best_f1_threshold,
    best_threshold,
    labels_of,
    score_classification,
)
from semaniacs.sts.scoring.correlation import spearman
from semaniacs.sts.scoring.cross_validation import out_of_fold_scores


def classes_of(loose: Scores, strict: Scores, thresholds: tuple[float, float]) -> NDArray[np.int64]:
    """Return (n,) classes: 1 if the strict score is high enough, else 0 if the loose one is, else −1.

    Args:
        loose, strict: (n,) scores of class 0 or 1, and of class 1.
        thresholds: of both.
    """
    return np.where(strict >= thresholds[1], 1, np.where(loose >= thresholds[0], 0, -1))


def macro_f1(truth: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    """Return the mean F1 over the three classes."""
    scores = [score_classification(truth == c, found == c, 1.0).f1 for c in (-1, 0, 1)]
    return float(np.mean(scores))


def study_classes(name: str, data: Path | None) -> list[str]:
    """Measure a run on ParaPhraser's test set, fitted once for each of the two tasks."""
    run = get_run(name)
    assert isinstance(run, Run)
    scores: list[Scores] = []
    thresholds: list[float] = []
    gold: list[Scores] = []
    lines = []
    for task in map(get_task, ("paraphraser", "paraphraser-strict")):
        (test,) = task.datasets
        translating = Translating(data=data)
        training = read_training_data(run, task, data, translating, ())
        features, matrix = fit_features(run, training)
        (pairs,) = training.sets
        folds = out_of_fold_scores(
            lambda: run.make_ensemble(run.columns), matrix, pairs, folds=5, seed=run.seed
        )
        fitted = run.make_ensemble(run.columns).fit(matrix, pairs.gold)
        read, _ = run.reads.read(run.name, test, data, translating.to_english)
        scores.append(fitted.predict(features.compute(read)))
        labels = labels_of(pairs.gold)
        best = {
            "accuracy": best_threshold(labels, folds),
            "F1": best_f1_threshold(labels, folds),
        }
        thresholds.append(best["accuracy"])
        gold.append(load_gold(test, data, len(read)))
        for kind, value in best.items():
            found = score_classification(labels_of(gold[-1]), scores[-1], value)
            lines.append(
                f"{task.name:18}  threshold for {kind:8}  {value:.4f}  accuracy "
                f"{found.accuracy:.4f}  F1 {found.f1:.4f}  AUC {found.auc:.4f}"
            )
    loose, strict = (labels_of(one).astype(np.int64) for one in gold)
    truth = loose + strict - 1
    found_classes = classes_of(scores[0], scores[1], (thresholds[0], thresholds[1]))
    rho = spearman(scores[0] + scores[1], truth.astype(np.float64))
    lines.append(
        f"three classes: accuracy {np.mean(truth == found_classes):.4f}, macro F1 "
        f"{macro_f1(truth, found_classes):.4f}; Spearman {rho:.4f}"
    )
    return lines


def study_cosines(data: Path | None) -> list[str]:
    """Measure how well vectors that learned from no label order the classes of ParaPhraser."""
    loose, strict = map(get_task, ("paraphraser", "paraphraser-strict"))
    sets = []
    for one, other in ((loose.train[0], strict.train[0]), (loose.datasets[0], strict.datasets[0])):
        pairs = load(one, data)
        sets.append((pairs, pairs.gold + load_gold(other, data, len(pairs))))
    lines = [f"{'vectors':14}  {'training set':>12}  {'test set':>8}"]
    for name in ("bitext-sp", "multilingual"):
        encoder = mining_encoder(name, "ru")
        found = []
        for pairs, classes in sets:
            sides = encoder.encode(pairs.left), encoder.encode(pairs.right)
            found.append(spearman(cosine(*sides), classes))
        lines.append(f"{name:14}  {found[0]:12.4f}  {found[1]:8.4f}")
    return lines


@study(__doc__, "classes --run news-ru --data DIR", "cosines --data DIR")
@click.argument("what", type=click.Choice(["classes", "cosines"]))
@option("--run", "run", default="news-ru", show_default=True, help="Run for classes.")
@data_option()
def russian_news(what: str, run: str, data: Path | None) -> None:
    """Print a table."""
    click.echo("\n".join(study_classes(run, data) if what == "classes" else study_cosines(data)))


if __name__ == "__main__":
    run_study(russian_news)
