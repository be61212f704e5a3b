"""Scoring of a task with a run: read → load or fit → predict → evaluate → write.

The fitted model that comes with the project scores every task that is later than all data that
it learned from. For other tasks the run is fitted when they are scored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from semaniacs.features.registry import describe_missing
from semaniacs.runs.pipeline.fitting import check, fit
from semaniacs.runs.pipeline.model import Model
from semaniacs.runs.pipeline.recipe_parts import SAMPLE
from semaniacs.runs.pipeline.result_file import (
    SHIPPED_FIT,
    TRAINED,
    TRAINED_WITH,
    TRAINED_WITHOUT,
    results_json,
    signature,
)
from semaniacs.runs.pipeline.run import AnyRun
from semaniacs.runs.pipeline.training_data import TrainingData, read_tests, read_training_data
from semaniacs.runs.pipeline.translate_pairs import NoRoundTripsError, Translating
from semaniacs.sts.data.catalog import Task, get_task
from semaniacs.sts.data.fetch import load_gold
from semaniacs.sts.data.pairs import Pairs, Scores
from semaniacs.sts.errors import MissingResourceError, StsError
from semaniacs.sts.files import write_text
from semaniacs.sts.progress import note, track
from semaniacs.sts.scoring import submission
from semaniacs.sts.scoring.classification import (
    TaskClassification,
    Threshold,
    labels_of,
    score_classification,
)
from semaniacs.sts.scoring.task_score import TaskScore, score_task

_ADVICE = "to have them: apt-get install apertium apertium-eng-spa"


@dataclass(frozen=True)
class Outcome:
    """Predictions of a run on a task, and everything that they depend on.

    Attributes:
        tests: the test sets as the model read them, without gold.
        predictions: (n,) scores of each data set.
        signature: see :func:`semaniacs.runs.pipeline.result_file.signature`.
        threshold: the score from which a pair of a labelled task is a paraphrase.
    """

    task: Task
    run: AnyRun
    tests: Sequence[Pairs]
    model: Model
    predictions: Mapping[str, Scores]
    signature: Mapping[str, Any]
    threshold: Threshold | None = None


def predict(
    run: AnyRun,
    task: Task,
    data: Path | None,
    translator: str | None = None,
    *,
    train: bool = False,
    round_trips: bool | None = None,
) -> Outcome:
    """Score every pair of a task. No gold of its test sets is opened here.

    Args:
        run, task: the recipe, and the task to score.
        data: the folder given with ``--data``.
        translator: the name given with ``--translator``; None means the memory, then Apertium.
        train: fit the run for the task, even if the fitted model that ships may score it.
        round_trips: whether it is then fitted with round trips; None means if they can be made.

    Raises:
        StsError: the run cannot work here, or uses no translator.
    """
    check(run, translator)
    check_unseen(run, task)
    translating = Translating(translator, data)
    main = run.main
    read = [main.reads.read(run.name, d, data, translating.to_english) for d in task.datasets]
    tests = [pairs for pairs, _ in read]
    if not train and shipped_fit_may_score(run, task):
        model, how = Model.load(run), SHIPPED_FIT
        if main.learns and not task.labelled and task.name != SAMPLE:
            years = [d.year for d in main.learns_from(get_task(SAMPLE)) if d.kind == "graded"]
            learned = f"{min(years)}–{max(years)}" if years else "labelled pairs"
            note(f"{run.name} is used as it ships, learned from {learned}; --train fits it anew")
    else:
        recipe, training = prepare_training(run, task, data, translating, tests, round_trips)
        model = fit(recipe, training)
        if recipe is not run:
            how = TRAINED_WITHOUT
        else:
            trips = training.round_trips or training.back_translated
            how = TRAINED_WITH if trips else TRAINED
    for line in describe_missing(model.head.missing()):
        note(f"warning: {line}")
    to_score = track(read, f"scores of {task.name}", "data sets")
    predictions = {pairs.name: model.predict(pairs, languages) for pairs, languages in to_score}
    threshold = choose_threshold(run, task, data, translating, model)
    signed = signature(run, task, data, model, translating.signatures(), how)
    return Outcome(task, run, tests, model, predictions, signed, threshold)


SEEN = {"gte": ("paws-x", "paws-any-both"), "multilingual": ("paws-wiki", "paws-both")}
"""By the network of a reader, the tasks whose sentences it learned from, and a run that did not."""


def check_unseen(run: AnyRun, task: Task) -> None:
    """Raise an :class:`StsError` if the reader that ships learned from sentences of a task."""
    seen, other = SEEN.get(run.reader or "", ("", ""))
    if seen and task.name.startswith(seen):
        raise StsError(
            f"{task.name}: the network of run {run.name!r} learned from its sentences; "
            f"type --run {other}"
        )


def shipped_fit_may_score(run: AnyRun, task: Task) -> bool:
    """Return whether the fitted model that comes with the project may score a task.

    It may if its key is that of the model for the task, see :meth:`semaniacs.runs.pipeline.run.Run.key`.
    It may also if every graded data set that it learned from is of an earlier year, unless the
    run has to learn from round trips of the very sentences of the task.
    """
    if run.ships(task.name):
        return True
    if task.labelled or not run.ships():
        return False
    learned = run.main.learns_from(get_task(SAMPLE))
    earlier = all(d.year < task.year for d in learned if d.kind == "graded")
    return earlier and (run.main.pivot is None or run.without_round_trips() is not None)


def prepare_training(
    run: AnyRun,
    task: Task,
    data: Path | None,
    translating: Translating,
    tests: Sequence[Pairs],
    round_trips: bool | None = None,
) -> tuple[AnyRun, TrainingData]:
    """Return the recipe to fit on this machine, and its training data.

    The recipe is the run itself, or the run without round trips if none can be made here;
    ``round_trips``: see :func:`predict`.

    Raises:
        MissingResourceError: the run cannot do without round trips; two lines say what helps.
    """
    simpler, used = run.without_round_trips(), list(translating.used)
    if round_trips is not False or simpler is None:
        try:
            return run, read_training_data(run, task, data, translating, tests)
        except NoRoundTripsError:
            if simpler is None or round_trips:
                raise _round_trips_needed(run, task) from None
        translating.used[:] = used  # those of some data sets may have been in the memory
        note(f"{run.name} learns without round trips of the test sentences; {_ADVICE}")
    assert simpler is not None
    return simpler, read_training_data(simpler, task, data, translating, tests)


def record_translations(
    run: AnyRun, task: Task, data: Path | None, translator: str | None, folder: Path
) -> None:
    """Put every translation that fitting a run for a task needs into the memory in a folder."""
    check(run, translator)
    translating = Translating(translator, data, folder)
    read_training_data(run, task, data, translating, read_tests(run, task, data, translating))


def _round_trips_needed(run: AnyRun, task: Task) -> MissingResourceError:
    command = f"semaniacs submit --run {run.name} --task {task.name} --data DIR"
    return MissingResourceError(
        f"run {run.name!r} learns from each test sentence translated to Spanish and back, and "
        f"no translator is here; {_ADVICE}\n"
        f"or record the translations where Apertium is: {command} --record trips; then copy the "
        f"folder trips here and type: STS_MEMORY=trips {command}"
    )


def choose_threshold(
    run: AnyRun, task: Task, data: Path | None, translating: Translating, model: Model
) -> Threshold | None:
    """Return the most accurate threshold on the development set of a labelled task; else None.

    A model that was fitted to that very set chose it out of fold.
    """
    if not task.labelled:
        return None
    main, (dev,) = run.main, task.dev
    if "en" in model.thresholds and main.learns_from(task) == (dev,):
        return model.thresholds["en"]
    pairs, languages = main.reads.read(run.name, dev, data, translating.to_english)
    gold = load_gold(dev, data, len(pairs))
    return Threshold.of(replace(pairs, gold=gold), model.predict(pairs, languages))


def evaluate(outcome: Outcome, data: Path | None) -> TaskScore:
    """Compare the predictions with the gold of the task: the only place where it is read."""
    gold = {
        dataset.name: load_gold(dataset, data, len(outcome.predictions[dataset.name]))
        for dataset in outcome.task.datasets
    }
    return score_task(outcome.predictions, gold)


def classify(outcome: Outcome, data: Path | None) -> TaskClassification:
    """Compare the predictions with the labels of a labelled task, at the chosen threshold."""
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
    """Write ``folder/TASK/NAME/``: a file of scores per data set, and results.json last.

    The name is for the organisers, usually ``TEAM.RUN`` (default: the run's). If ``packed``,
    ``folder/TASK/NAME.zip`` gets the files of scores too.
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
