"""Measure runs for Russian news: whole articles, and the three classes of ParaPhraser.

``articles`` compares whole articles (tgcontest) by several parts of their text; the threshold for F1
is from the 40 pairs that annotators were trained with, and F1 is measured on the 175 pairs that
they were checked with. ``classes`` scores both tasks of ParaPhraser with a run: the threshold for
F1, the three classes, and Spearman's ρ with the class. ``cosines`` measures that ρ for vectors
alone, as benchmarks of sentence vectors report it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from embeddings import loading
from embeddings.encoder import SentenceEncoder
from features.columns import FeatureColumns
from features.measures.russian_words import learn_information
from features.resources import Resources
from runs.pipeline.fitting import fit_features
from runs.pipeline.model import Model
from runs.pipeline.run import Run
from runs.pipeline.training_data import read_training_data
from runs.pipeline.translate_pairs import Translating
from runs.recipes.by_name import get_run
from sts.command_line import data_option, examples, option, run_command, run_tool
from sts.data.catalog import TGCONTEST, get_task
from sts.data.fetch import load, load_gold
from sts.data.pairs import Pairs, Scores, concatenate
from sts.scoring.classification import (
    best_f1_threshold,
    best_threshold,
    labels_of,
    score_classification,
)
from sts.scoring.correlation import spearman
from sts.scoring.cross_validation import out_of_fold_scores

Vectors = NDArray[np.float32]
_END = re.compile(r"(?<=[.!?…])\s+(?=[«\"—–-]?\s?[А-ЯЁA-Z0-9])")

FIRST = 3
"""Number of sentences at the beginning of an article, where news says what happened."""


def sentences_of(text: str) -> list[str]:
    """Split an article after a final mark and a blank, before a capital or a digit."""
    return [part for part in _END.split(text.strip()) if part]


def best_matches(one: Vectors, other: Vectors) -> float:
    """Return the mean over both sides of each sentence's best cosine with the other side.

    Args:
        one, other: (m, dim) and (n, dim) of length 1.
    """
    cosines = one @ other.T
    return float(np.concatenate([cosines.max(axis=1), cosines.max(axis=0)]).mean())


def pooled(vectors: Vectors) -> Vectors:
    """Return the (dim,) mean of (n, dim) with length 1; zeros stay zeros."""
    mean = vectors.mean(axis=0)
    return np.asarray(mean / max(float(np.linalg.norm(mean)), 1e-9), np.float32)


def pool_scores(titles: Pairs, texts: Pairs, encoder: SentenceEncoder) -> Mapping[str, Scores]:
    """Return (n,) scores of pairs of articles, by the compared parts."""
    found: dict[str, list[float]] = {}
    for row in range(len(titles)):
        heads = encoder.encode([titles.left[row], titles.right[row]], normalize=True)
        bodies = [
            encoder.encode(sentences_of(side[row]), normalize=True)
            for side in (texts.left, texts.right)
        ]
        starts = [pooled(body[:FIRST]) for body in bodies]
        wholes = [pooled(body) for body in bodies]
        title, start, whole = (float(a @ b) for a, b in (heads, starts, wholes))
        values = {
            "title": title,
            "body, mean of sentences": whole,
            f"body, mean of the first {FIRST}": start,
            "body, best matches": best_matches(*bodies),
            "title and mean of sentences": (title + whole) / 2,
            f"title and mean of the first {FIRST}": (title + start) / 2,
            "title and best matches": (title + best_matches(*bodies)) / 2,
        }
        for name, value in values.items():
            found.setdefault(name, []).append(value)
    return {name: np.array(values) for name, values in found.items()}


def word_scores(
    titles: Pairs, texts: Pairs, headlines: Mapping[str, float]
) -> Mapping[str, Scores]:
    """Return (n,) scores by the words in common, where rare words count more."""
    columns = FeatureColumns(("ru_information",), Resources(headlines=headlines))
    title, body = (columns.compute(pairs)[:, 0] for pairs in (titles, texts))
    return {
        "title, words": title,
        "body, words": body,
        "title and body, words": (title + body) / 2,
    }


def study_articles(data: Path | None) -> list[str]:
    """Return one line per comparison: F1 and accuracy on the pairs of *honey*."""

    def read(parts: Sequence[str], column: str) -> Pairs:
        return concatenate([load(TGCONTEST[part, column], data) for part in parts])

    encoder = loading.load_once("bitext-teacher", "ru")
    chosen, tested = (
        [read(parts, column) for column in ("title", "text")]
        for parts in (("train", "exam"), ("honey",))
    )
    headlines = learn_information(
        text for pairs in (*chosen, *tested) for text in pairs.sentences()
    )
    dev, test = (
        {**pool_scores(titles, texts, encoder), **word_scores(titles, texts, headlines)}
        for titles, texts in (chosen, tested)
    )
    labels, truth = labels_of(chosen[0].gold), labels_of(tested[0].gold)
    lines = [f"{'':32}  {'F1':>6}  {'accuracy':>8}  {'AUC':>6}  {'F1, 40 pairs':>12}"]
    for name in dev:
        threshold = best_f1_threshold(labels, dev[name])
        own = score_classification(labels, dev[name], threshold)
        found = score_classification(truth, test[name], threshold)
        lines.append(
            f"{name:32}  {found.f1:6.4f}  {found.accuracy:8.4f}  {found.auc:6.4f}  {own.f1:12.4f}"
        )
    return lines


def classes_of(loose: Scores, strict: Scores, thresholds: tuple[float, float]) -> NDArray[np.int64]:
    """Return (n,) classes: 1 if the strict score is high enough, else 0 if the loose one is, else −1.

    Args:
        loose, strict: (n,) scores of class 0 or 1, and of class 1.
        thresholds: of both.
    """
    return np.where(strict >= thresholds[1], 1, np.where(loose >= thresholds[0], 0, -1))


def macro_f1(truth: NDArray[np.int64], found: NDArray[np.int64]) -> float:
    """Return the mean F1 over the three classes."""
    return float(
        np.mean([score_classification(truth == c, found == c, 1.0).f1 for c in (-1, 0, 1)])
    )


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
        thresholds.append(best_threshold(labels, folds))
        gold.append(load_gold(test, data, len(read)))
        for kind, value in (
            ("accuracy", thresholds[-1]), ("F1", best_f1_threshold(labels, folds))
        ):  # fmt: skip
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
    for name in ("bitext-teacher", "bitext-sp", "bitext-both"):
        model = Model.load(get_run(name))
        found = []
        for pairs, classes in sets:
            russian = ["ru"] * len(pairs)
            found.append(spearman(model.head.compare(pairs, (russian, russian)), classes))
        lines.append(f"{name:14}  {found[0]:12.4f}  {found[1]:8.4f}")
    return lines


@click.command(
    help=__doc__,
    epilog=examples(
        "python -m research.russian_news articles --data DIR",
        "python -m research.russian_news classes --run news-ru --data DIR",
        "python -m research.russian_news cosines --data DIR",
    ),
)
@click.argument("what", type=click.Choice(["articles", "classes", "cosines"]))
@option("--run", "run", default="news-ru", show_default=True, help="Run for classes.")
@data_option()
def russian_news(what: str, run: str, data: Path | None) -> None:
    """Print a table."""
    if what == "articles":
        lines = study_articles(data)
    else:
        lines = study_classes(run, data) if what == "classes" else study_cosines(data)
    click.echo("\n".join(lines))


if __name__ == "__main__":
    run_tool(lambda: run_command(russian_news, "python -m research.russian_news"))
