"""Scores a task with a run: read → load or fit → predict → evaluate → write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from features.columns import describe_missing
from runs.pipeline.result_file import results_json, signature
from runs.pipeline.run import SAMPLE, Model, Run
from runs.pipeline.translate_pairs import Translating
from sts.data.catalog import get_task
from sts.data.fetch import load_gold
from sts.data.pairs import Pairs, Scores
from sts.data.schema import Task
from sts.errors import StsError
from sts.files import write_text
from sts.progress import note, track
from sts.scoring import submission
from sts.scoring.classification import (
    TaskClassification,
    Threshold,
    labels_of,
    score_classification,
)
from sts.scoring.task_score import TaskScore, score_task


@dataclass(frozen=True)
class Outcome:
    """The predictions of a run on a task, and what they rest on.

    Attributes:
        task, run: what was scored, and by which recipe.
        tests: the test sets as the model read them: without gold, Spanish translated
            unless the run compares languages.
        model: the fitted run.
        predictions: (n,) scores of each data set.
        signature: see :func:`runs.pipeline.result_file.signature`.
        threshold: from which score on a pair of a labelled task is a paraphrase.
    """

    task: Task
    run: Run
    tests: Sequence[Pairs]
    model: Model
    predictions: Mapping[str, Scores]
    signature: Mapping[str, Any]
    threshold: Threshold | None = None


def predict(run: Run, task: Task, data: Path | None, translator: str | None = None) -> Outcome:
    """Score every pair of a task. No gold of its test sets is opened here.

    Args:
        run: the recipe.
        task: what to score.
        data: the folder given with ``--data``.
        translator: the name given with ``--translator``; None is the memory, then Apertium.

    Raises:
        StsError: the run cannot work here, or has no use for a translator.
    """
    run.check(translator)
    translating = Translating(translator, data)
    read = [run.read(dataset, data, translating) for dataset in task.datasets]
    tests = [pairs for pairs, _ in read]
    # What ships is fitted anew only if it learned from sentences of the task.
    as_it_ships = task.labelled and run.learns_from(task) == run.learns_from(get_task(SAMPLE))
    shipped = as_it_ships and run.learns and not run.fitted_when_needed
    if run.ships(SAMPLE if as_it_ships else task.name) or shipped:
        model = run.load()
    else:
        model = run.fit(run.training_data(task, data, translating, tests))
    announce_missing(model)
    to_score = track(read, f"scores of {task.name}", "data sets")
    predictions = {pairs.name: model.predict(pairs, languages) for pairs, languages in to_score}
    threshold = choose_threshold(run, task, data, translating, model)
    signed = signature(run, task, data, model, translating.signatures())
    return Outcome(task, run, tests, model, predictions, signed, threshold)


def choose_threshold(
    run: Run, task: Task, data: Path | None, translating: Translating, model: Model
) -> Threshold | None:
    """The most accurate threshold on the development set of a labelled task; else None.

    A model that was fitted to that very set chose it out of fold.

    Raises:
        StsError: all its pairs have one label.
    """
    if not task.labelled:
        return None
    if "en" in model.thresholds and task.dev == run.learns_from(task):
        return model.thresholds["en"]
    (dev,) = task.dev
    pairs, languages = run.read(dev, data, translating)
    gold = load_gold(dev, data, len(pairs))
    return Threshold.of(replace(pairs, gold=gold), model.predict(pairs, languages))


def announce_missing(model: Model) -> None:
    """Name on stderr the features that this machine cannot compute, and what brings them."""
    for line in describe_missing(model.missing()):
        note(f"warning: {line}")


def evaluate(outcome: Outcome, data: Path | None) -> TaskScore:
    """Compare the predictions with the gold of the task: the only place where it is read."""
    gold = {
        dataset.name: load_gold(dataset, data, len(outcome.predictions[dataset.name]))
        for dataset in outcome.task.datasets
    }
    return score_task(outcome.predictions, gold)


def classify(outcome: Outcome, data: Path | None) -> TaskClassification:
    """Compare the predictions with the labels of a labelled task, at the chosen threshold.

    Raises:
        StsError: the task is graded, and so has no threshold.
    """
    if outcome.threshold is None:
        raise StsError(f"task {outcome.task.name!r} has grades, no labels; evaluate it instead")
    scores = {}
    for dataset in outcome.task.datasets:
        predicted = outcome.predictions[dataset.name]
        labels = labels_of(load_gold(dataset, data, len(predicted)))
        scores[dataset.name] = score_classification(labels, predicted, outcome.threshold.value)
    return TaskClassification(scores, outcome.threshold)


def write(
    outcome: Outcome,
    score: TaskScore | TaskClassification,
    folder: Path,
    name: str = "",
    *,
    packed: bool = False,
) -> Path:
    """Write ``folder/TASK/NAME/``: a file of scores for each data set, and results.json last.

    Args:
        outcome: what is written.
        score: its evaluation.
        folder: the output.
        name: what the organisers are to call it, as a rule ``TEAM.RUN``; by default the run.
        packed: also write ``folder/TASK/NAME.zip`` with the files of scores.
    """
    name = name or outcome.run.name
    target = folder / outcome.task.name / name
    (target / "results.json").unlink(missing_ok=True)  # it is here only if all the rest is
    files = {
        submission.file_name(outcome.task.year, name, dataset): scores
        for dataset, scores in outcome.predictions.items()
    }
    for file, scores in files.items():
        submission.write(target / file, scores)
    if packed:
        submission.write_zip(target.with_name(f"{name}.zip"), files)
    text = results_json(outcome.task.name, outcome.run.name, score, outcome.signature)
    write_text(target / "results.json", text)
    return target
