"""The score of a tuned run after each epoch, to choose how many to tune for.

The choice is made on 2015 (Hokamp and Arora, 2016, section 3.6). Writes epochs.csv and epochs.png to
OUTPUT/TASK/RUN, prints the table, and names the best epoch.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from embeddings import loading
from embeddings.encoder import Encoder
from runs.pipeline.cosine_run import CosineModel
from runs.pipeline.run import Run
from runs.pipeline.task_run import prepare_training
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.encoders import Tuning, tune, useful_round_trips
from runs.recipes.by_name import get_run
from runs.studies.contribution.prepare import check_studied, study_options
from runs.tables.charts import line_chart
from runs.tables.format import csv_text, text_table
from sts.data.catalog import get_task
from sts.data.fetch import load_gold
from sts.data.schema import Task
from sts.errors import StsError
from sts.files import write_bytes, write_text
from sts.scoring.task_score import score_task

LONGEST = 15
"""Most epochs that are tried."""


def curve(run: Run, task: Task, data: Path | None, translator: str | None) -> list[float]:
    """Weighted mean on the task before tuning and after each of ``LONGEST`` epochs."""
    check_studied(task)
    if not run.tunings or run.columns:
        raise StsError(f"run {run.name!r} is not tuned; use --run task-internal or synthetic")
    translating = Translating(translator, data)
    tests = run.read_tests(task, data, translating)
    _, training = prepare_training(run, task, data, translating, tests)
    gold = {
        pairs.name: load_gold(dataset, data, len(pairs))
        for dataset, pairs in zip(task.datasets, tests, strict=True)
    }

    def weighted_mean(encoder: Encoder) -> float:
        model = CosineModel(run, encoder)
        return score_task({p.name: model.predict(p) for p in tests}, gold).weighted_mean

    scores = [weighted_mean(loading.load_static(run.start))]
    tuning = _longer(run.tunings[0])
    trips = useful_round_trips(run.start, (tuning,), training.round_trips)

    def after_epoch(_: int, encoder: Encoder) -> None:
        scores.append(weighted_mean(encoder))

    tune(run.start, run.seed, tuning, training.sets, trips, after_epoch)
    return scores


def _longer(tuning: Tuning) -> Tuning:
    """The tuning with ``LONGEST`` epochs in its last stage, which is that of round trips if any."""
    trips = tuning.round_trips
    if trips is None:
        return replace(tuning, training=replace(tuning.training, epochs=LONGEST))
    training = replace(trips.training, epochs=LONGEST)
    return replace(tuning, round_trips=replace(trips, training=training))


def main() -> None:
    """Draw the curve, write it, name its best epoch."""
    options = study_options("epochs", __doc__, run="synthetic")
    run, task = get_run(options.run).with_seed(options.seed), get_task(options.task)
    scores = curve(run, task, options.data, options.translator)
    folder = options.output / task.name / run.name
    cells = [(str(epoch), f"{score:.4f}") for epoch, score in enumerate(scores)]
    write_text(folder / "epochs.csv", csv_text(("epoch", "weighted_mean"), cells))
    chart = line_chart(
        range(len(scores)),
        {run.name: scores},
        title=f"{task.name}: weighted mean by epochs of tuning",
        x_label="epochs",
    )
    write_bytes(folder / "epochs.png", chart)
    print(text_table(("epoch", "weighted mean"), cells))
    best = max(range(len(scores)), key=scores.__getitem__)
    print(f"\nbest: epoch {best}, {scores[best]:.4f}")
