"""The only file that knows the order: load → translate → fit → predict → write."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from features.extractor import describe_missing
from features.registry import get_feature
from features.resources import Resources
from runs.pipeline import shipped
from runs.pipeline.crosslingual import languages_of, load_model
from runs.pipeline.fitting import Lesson, fit
from runs.pipeline.models import FusionModel, Model
from runs.pipeline.recipe import Run
from runs.pipeline.result_file import results_json
from runs.pipeline.signature import signature
from runs.pipeline.translate_pairs import Translating
from runs.recipes.wieting2019 import BitextRun
from sts.data.fetch import load, load_gold
from sts.data.pairs import Pairs, Scores
from sts.data.schema import Task
from sts.errors import MissingResourceError, StsError
from sts.files import write_text
from sts.progress import note
from sts.scoring import submission
from sts.scoring.task_score import TaskScore, score_task


@dataclass(frozen=True)
class Outcome:
    """The predictions of a run on a task, and what they rest on.

    Attributes:
        task, run: what was scored, and by which recipe.
        english: the test sets as the model saw them: without gold, Spanish translated
            unless the run compares languages.
        model: the fitted run.
        predictions: (n,) scores of each data set.
        signature: see :func:`runs.pipeline.signature.signature`.
    """

    task: Task
    run: Run
    english: Sequence[Pairs]
    model: Model
    predictions: Mapping[str, Scores]
    signature: Mapping[str, Any]


def predict(run: Run, task: Task, data: Path | None, translator: str | None = None) -> Outcome:
    """Score every pair of a task. No gold of the task is opened here.

    Args:
        run: the recipe.
        task: what to score.
        data: the folder given with ``--data``.
        translator: the name given with ``--translator``; None is the memory, then Apertium.
    """
    if isinstance(run, BitextRun):
        return predict_across(run, task, data, translator)
    check_anchor(run)
    translating = Translating(translator, data)
    english = english_pairs(task, data, translating)
    if task.name == shipped.TASK and shipped.holds(run):
        model = shipped.load_model(run)
    else:
        model = fit_to_task(run, task, data, translating, english)
    announce_missing(model)
    predictions = {pairs.name: model.predict(pairs) for pairs in english}
    signed = signature(run, task, data, model, translating.signatures())
    return Outcome(task, run, english, model, predictions, signed)


def predict_across(
    run: BitextRun, task: Task, data: Path | None, translator: str | None
) -> Outcome:
    """Score every pair with both sentences as they are, each in its own language.

    Raises:
        StsError: a translator was named, or the encoder does not know a language.
    """
    refuse_translator(run, translator)
    model = load_model(run, data)
    sets = [(d, load(d, data, with_gold=False)) for d in task.datasets]
    predictions = {p.name: model.predict_in(p, *languages_of(d, p)) for d, p in sets}
    signed = signature(run, task, data, model, ())
    return Outcome(task, run, [pairs for _, pairs in sets], model, predictions, signed)


def refuse_translator(run: Run, translator: str | None) -> None:
    """Refuse a translator for a run that has no use for one."""
    if translator is not None:
        raise StsError(
            f"--translator {translator}: run {run.name!r} reads Spanish as it is; leave it out"
        )


def english_pairs(task: Task, data: Path | None, translating: Translating) -> list[Pairs]:
    """The test sets of a task without their gold, Spanish sentences translated."""
    return [
        translating.to_english(dataset, load(dataset, data, with_gold=False))
        for dataset in task.datasets
    ]


def fit_to_task(
    run: Run, task: Task, data: Path | None, translating: Translating, english: Sequence[Pairs]
) -> Model:
    """Fit a run to the training sets of a task and, for round trips, its test sentences."""
    return fit(run, lesson_for(run, task, data, translating, english))


def lesson_for(
    run: Run, task: Task, data: Path | None, translating: Translating, english: Sequence[Pairs]
) -> Lesson:
    """The training sets of a task and, if wanted, the round trips of its test sentences."""
    training = [load(dataset, data) for dataset in task.train] if run.learns else []
    trips = [translating.round_trips(p.sentences(), run.pivot) for p in english if run.pivot]
    echoes = []
    if run.echo and all("es" in dataset.languages for dataset in task.datasets):
        scored = [pairs.select(pairs.scored) for pairs in training]
        echoes = [translating.echo(pairs, "es", run.seed) for pairs in scored]
    return Lesson(training, trips, echoes)


def check_anchor(run: Run) -> None:
    """Refuse a run whose strongest feature cannot be computed here.

    Raises:
        MissingResourceError: it names the command that brings what is missing.
    """
    needs = get_feature(run.anchor).needs if run.anchor else ()
    for command in filter(None, map(Resources().missing, needs)):
        raise MissingResourceError(
            f"run {run.name!r} cannot do without the feature {run.anchor}; to have it: {command}"
        )


def announce_missing(model: Model) -> None:
    """Name, once, the features that this machine cannot compute, and what brings them."""
    if isinstance(model, FusionModel):
        for line in describe_missing(model.extractor.missing()):
            note(f"warning: {line}")


def evaluate(outcome: Outcome, data: Path | None) -> TaskScore:
    """Compare the predictions with the gold of the task: the only place where it is read."""
    gold = {
        dataset.name: load_gold(dataset, data, len(outcome.predictions[dataset.name]))
        for dataset in outcome.task.datasets
    }
    return score_task(outcome.predictions, gold)


def write(outcome: Outcome, score: TaskScore, folder: Path) -> Path:
    """Write ``folder/TASK/RUN/``: a file of scores for each data set, and results.json last."""
    target = folder / outcome.task.name / outcome.run.name
    (target / "results.json").unlink(missing_ok=True)  # it is here only if all the rest is
    for name, scores in outcome.predictions.items():
        file = submission.file_name(outcome.task.year, outcome.run.name, name)
        submission.write(target / file, scores)
    text = results_json(outcome.task.name, outcome.run.name, score, outcome.signature)
    write_text(target / "results.json", text)
    return target
