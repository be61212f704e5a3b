"""The folds that a fusion is chosen on, and the features of their data sets.

Every choice is scored on data sets that it has not learned from, in three kinds of folds: each
year from the years before it (2012 from its train parts), each data set from all others, and each
genre from all other genres. 2016 takes no part.

Features of tuned encoders need encoders that saw neither the pairs they describe nor the test
sets. By year that takes a tuning for each fold of the training data sets and one for the test
sets, as in a run. For the other two kinds the genres are split into five groups: a test set is
described by encoders that were tuned outside its group, and so are the training data sets of its
group; those of another group by encoders that were tuned outside both. So few tunings, 15, serve
30 folds, at the price of encoders that have seen a little less than they might.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import jax
import numpy as np

from features.columns import FeatureColumns
from runs.pipeline.ensemble_run import EnsembleRun
from runs.pipeline.translate_pairs import Translating
from runs.pipeline.tuning.out_of_fold import Matrix, source_of, split_sources
from runs.pipeline.tuning.training_data import TrainingData
from runs.studies.scores.interval_coverage import untuned_columns
from sts.data.catalog import get_task
from sts.data.fetch import load
from sts.data.pairs import Pairs, Scores

YEARS = (2012, 2013, 2014, 2015)
TUNED = ("paraphrase1", "paraphrase2")
"""The columns that come from encoders that were tuned on training pairs."""

GENRES = {
    "OnWN": "glosses", "FNWN": "glosses", "MSRvid": "captions", "images": "captions",
    "SMTeuroparl": "machine translation", "SMTnews": "machine translation",
}  # fmt: skip
"""Sources of one genre under several names; the others are their own genre."""


def genre_of(name: str) -> str:
    """The genre of a data set, by its name."""
    return GENRES.get(source_of(name), source_of(name))


@dataclass(frozen=True)
class Scored:
    """A data set of 2012–2015.

    Attributes:
        pairs: all of it, with gold where there is any.
        year: of its task.
        features: (n, k) of the pairs with gold, but for those of tuned encoders.
    """

    pairs: Pairs
    year: int
    features: Matrix

    @property
    def name(self) -> str:
        """The official short name."""
        return self.pairs.name

    @property
    def trains_only(self) -> bool:
        """Whether it is a train part of 2012, which is never scored."""
        return self.name.endswith("-train")

    @property
    def gold(self) -> Scores:
        """(n,) gold of the pairs that have it."""
        return self.pairs.gold[self.pairs.scored]


@dataclass(frozen=True)
class Split:
    """Which data sets, by their places, encoders are tuned on and which they must not see.

    Attributes:
        tuned_on: learned from; described out of fold.
        unseen: described by encoders that were tuned on all of ``tuned_on``.
        groups: of each data set in ``tuned_on``, what it shares a fold with.
    """

    tuned_on: tuple[int, ...]
    unseen: tuple[int, ...]
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Fold:
    """Places of the data sets that are learned from and of those that are scored.

    ``kind`` is ``year``, ``data set`` or ``genre``; ``split`` says how both get their features.
    """

    kind: str
    training: tuple[int, ...]
    test: tuple[int, ...]
    split: Split


def read(run: EnsembleRun, data: Path | None) -> list[Scored]:
    """The distinct data sets of all years with the features of a run, the train parts first."""
    tasks = [get_task(f"sts{year}") for year in YEARS]
    records = {d.input.path: d for task in tasks for d in (*task.train, *task.datasets)}
    columns = untuned_columns(run)
    features = FeatureColumns(columns, progress=True, written_alike=run.written_alike)
    found = []
    for record in records.values():
        pairs = load(record, data)
        found.append(Scored(pairs, record.year, features.compute(pairs.select(pairs.scored))))
    return found


def folds(sets: Sequence[Scored]) -> list[Fold]:
    """By year, by data set, by genre."""
    every = range(len(sets))
    test = [i for i in every if not sets[i].trains_only]
    made = []
    for year in YEARS:
        before = tuple(i for i in every if sets[i].year < year or sets[i].trains_only)
        own = tuple(i for i in test if sets[i].year == year)
        sources = tuple(source_of(sets[i].name) for i in before)
        made.append(Fold("year", before, own, Split(before, own, sources)))
    splits = splits_by_genre(sets)
    for place in test:
        name = sets[place].name
        others = tuple(i for i in every if i != place and sets[i].name != f"{name}-train")
        made.append(Fold("data set", others, (place,), splits[genre_of(name)]))
    for genre in dict.fromkeys(genre_of(sets[i].name) for i in test):
        others = tuple(i for i in every if genre_of(sets[i].name) != genre)
        own = tuple(i for i in test if genre_of(sets[i].name) == genre)
        made.append(Fold("genre", others, own, splits[genre]))
    return made


def splits_by_genre(sets: Sequence[Scored]) -> dict[str, Split]:
    """For each genre, the split whose encoders saw no data set of its group of genres."""
    groups = split_sources([s.pairs for s in sets], source=genre_of)
    group = [next(g for g, genres in enumerate(groups) if genre_of(s.name) in genres) for s in sets]
    found: dict[str, Split] = {}
    for number, genres in enumerate(groups):
        inside = tuple(i for i in range(len(sets)) if group[i] == number)
        outside = tuple(i for i in range(len(sets)) if group[i] != number)
        split = Split(outside, inside, tuple(f"group {group[i]}" for i in outside))
        found |= dict.fromkeys(genres, split)
    return found


@dataclass(frozen=True)
class TunedFeatures:
    """The features of tuned encoders for one split, (n, 2) of each data set by its place.

    Attributes:
        honest: of training data sets out of fold, of the others by the encoders of all.
        seen: of training data sets too by encoders that were tuned on their pairs.
    """

    honest: dict[int, Matrix]
    seen: dict[int, Matrix]


def tuned_features(
    run: EnsembleRun, sets: Sequence[Scored], split: Split, translating: Translating
) -> TunedFeatures:
    """Tune the encoders of a run for a split; round trips are of the test sets in ``unseen``.

    The encoders are cached, and splits share those that were tuned on the same data sets.
    """
    training = [
        replace(sets[i].pairs, name=group)  # a fold holds whole groups
        for i, group in zip(split.tuned_on, split.groups, strict=True)
    ]
    tests = [sets[i].pairs for i in split.unseen if not sets[i].trains_only]
    trips = [translating.round_trips(pairs.sentences(), run.pivot) for pairs in tests if run.pivot]
    data = TrainingData(training, trips)
    features, matrix = replace(run, columns=TUNED).fit_features(data)

    def describe(i: int) -> Matrix:
        return features.compute(sets[i].pairs.select(sets[i].pairs.scored))

    ends = np.cumsum([len(pairs) for pairs in data.scored_sets])
    honest = dict(zip(split.tuned_on, np.split(matrix, ends[:-1]), strict=True))
    honest |= {i: describe(i) for i in split.unseen}
    # Every compiled step maps memory, and a process has 65,530 maps: some hundred trainings' worth.
    jax.clear_caches()  # type: ignore[no-untyped-call]
    return TunedFeatures(honest, honest | {i: describe(i) for i in split.tuned_on})
