"""Training data of a run: data sets, round trips, back-translations, labelled pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.runs.pipeline.recipe_parts import GradedYears, Labelled, with_translations
from semaniacs.runs.pipeline.run import AnyRun
from semaniacs.runs.pipeline.translate_pairs import Translating
from semaniacs.sts.data.catalog import Task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import HIGHEST, LOWEST, Pairs, concatenate
from semaniacs.sts.partial_paraphrases.partial import multi_swap


@dataclass(frozen=True)
class TrainingData:
    """Data that a run learns from.

    Attributes:
        sets: data sets with gold; pairs without it are not used.
        round_trips: for each data set to be scored, (sentence, its round trip).
        back_translated: the data sets again, one side of each pair translated and back.
        labelled: labelled pairs with a grade for each label; regressors alone learn from them.
        folder: the folder of the official files, as given with ``--data``.
        years: of each of the ``sets``, if they are known.
    """

    sets: Sequence[Pairs] = ()
    round_trips: Sequence[Sequence[SentencePair]] = ()
    back_translated: Sequence[Pairs] = ()
    labelled: Sequence[Pairs] = ()
    folder: Path | None = None
    years: Sequence[int] = ()

    @property
    def graded_sets(self) -> list[Pairs]:
        """Pairs of each data set that have gold."""
        return [pairs.select(pairs.scored) for pairs in self.sets]

    @property
    def scored_sets(self) -> list[Pairs]:
        """Pairs of each data set that have gold; the back-translated sets last."""
        return [pairs.select(pairs.scored) for pairs in (*self.sets, *self.back_translated)]

    @property
    def scored(self) -> Pairs:
        """Pairs of :attr:`scored_sets` in one list, then the labelled ones."""
        return concatenate([*self.scored_sets, *self.labelled])

    @property
    def named(self) -> Pairs:
        """Pairs of :attr:`scored_sets` in one list, with the names of their sets."""
        names = " and ".join(pairs.name for pairs in self.sets)
        return replace(concatenate(self.scored_sets), name=names)


def read_training_data(
    run: AnyRun, task: Task, data: Path | None, translating: Translating, tests: Sequence[Pairs]
) -> TrainingData:
    """Return the data that a run learns from before it scores the test sets of a task.

    Raises:
        NoRoundTripsError: it needs round trips that cannot be made here; nothing was read.
    """
    run = run.main
    learns, pivot = run.learns, run.pivot
    trips = [translating.round_trips(p.sentences(), pivot) for p in tests] if pivot else []
    data_sets = run.learns_from(task)
    sets = [load(dataset, data) for dataset in data_sets]
    if run.translated:
        sets = [with_translations(d, data, p) for d, p in zip(data_sets, sets, strict=True)]
    found = TrainingData(sets, trips, folder=data, years=[d.year for d in data_sets])
    if isinstance(learns, Labelled) and learns.exchanges:
        made = partial_paraphrases(found.scored, learns.exchanges, run.seed)
        return replace(found, labelled=[made])
    if not isinstance(learns, GradedYears):
        return found
    if learns.labels is not None:
        *graded, labelled = found.sets
        grades = learns.labels.grades(labelled)
        found = replace(found, sets=graded, years=found.years[:-1], labelled=[grades])
    if learns.back_translation and all("es" in dataset.languages for dataset in task.datasets):
        translated = [translating.back_translate(p, "es", run.seed) for p in found.graded_sets]
        found = replace(found, back_translated=translated)
    return found


def read_tests(run: AnyRun, task: Task, data: Path | None, translating: Translating) -> list[Pairs]:
    """Return the test sets of a task as a run reads them, without gold."""
    read = run.main.reads.read
    return [read(run.name, d, data, translating.to_english)[0] for d in task.datasets]


def partial_paraphrases(pairs: Pairs, every: int, seed: int) -> Pairs:
    """Return right sides beside themselves after one, two or three exchanges of words.

    They are made of the paraphrases among labelled pairs, see :func:`.multi_swap`. Each shares a
    sentence with the pair that it is made of, so that no fold has one without the other. ``every``
    is the step between the returned ones.
    """
    both = zip(pairs.left, pairs.right, pairs.gold, strict=True)
    named = [(b, multi_swap("", a, b, seed=seed)) for a, b, gold in both if gold == HIGHEST]
    made = [(pair.left, b) for b, group in named if group for pair in group.pairs[1:]][::every]
    left, right = zip(*made, strict=True) if made else ((), ())
    return Pairs("partial paraphrases", left, right, np.full(len(made), LOWEST))
