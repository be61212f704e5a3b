"""Fitting of runs: tune encoders, train networks, compute columns, fit regressors."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from semaniacs.embeddings import loading
from semaniacs.embeddings.configuration import CrossAttentionTuning
from semaniacs.embeddings.encoder import Encoder
from semaniacs.features.families.russian import learn_information
from semaniacs.features.registry import FeatureColumns, get_feature
from semaniacs.features.regressors.quantile_map import quantiles_of
from semaniacs.features.resources import NETWORK, Resources
from semaniacs.runs.pipeline.fitted_heads import (
    FittedColumns,
    NetworkScore,
    StaticCosine,
    compute_columns,
)
from semaniacs.runs.pipeline.model import Model, check_anchors, mean_of, untrained
from semaniacs.runs.pipeline.recipe_parts import (
    Classifier,
    Cosine,
    Ensemble,
    Labelled,
    NetworkTuning,
    ReadTogether,
    all_in,
)
from semaniacs.runs.pipeline.run import AnyRun, Mean, Run, no_features
from semaniacs.runs.pipeline.training_data import TrainingData
from semaniacs.runs.pipeline.tuning.cross_fitting import (
    Describe,
    Matrix,
    fit_folds,
    forward_chained,
    held_out_mask,
    out_of_fold,
    predict_out_of_fold,
    source_of,
)
from semaniacs.runs.pipeline.tuning.encoders import (
    name_encoders,
    tune,
    tune_if_possible,
    useful_round_trips,
)
from semaniacs.runs.pipeline.tuning.networks import train_encoder, train_reader, trained_network
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import HIGHEST, Pairs
from semaniacs.sts.errors import StsError
from semaniacs.sts.scoring.calibration import Intervals
from semaniacs.sts.scoring.classification import Threshold
from semaniacs.sts.scoring.cross_validation import out_of_fold_scores

CLASSIFIER_FOLDS = 5
"""Folds of the pairs that a classifier learns from, for its threshold."""

NETWORK_FOLDS = 3
"""Networks of a reader for labels, each trained without one fold."""

HELD_OUT = 0.1
"""Share of the labelled pairs that an encoder does not learn from, for its threshold."""


def fit(run: AnyRun, training: TrainingData, intervals: bool = False) -> Model:
    """Return the model that learned from training data.

    Encoders and networks that were trained before on the same data are taken from the cache. With
    ``intervals``, a run that learns from several sources also gets prediction intervals.
    """
    if isinstance(run, Mean):
        main, *others = (part for part, _ in run.parts)
        nothing = TrainingData(folder=training.folder)
        model = mean_of(run, [fit(main, training), *(fit(part, nothing) for part in others)])
        mapped = main.head.mapped if isinstance(main.head, Classifier) else ()
        own = thresholds_on(model, dev_sets(mapped, training))
        return replace(model, thresholds={**model.thresholds, **own})
    match run.head:
        case Ensemble():
            return _fit_ensemble(run, training, intervals)
        case Classifier() as head:
            return _fit_classifier(run, head, training)
        case ReadTogether() as head:
            how = head.training
            return Model(run, untrained(run)) if how is None else _fit_reader(run, how, training)
        case Cosine() as head:
            return _fit_cosine(run, head, training)


def check(run: AnyRun, translator: str | None = None) -> None:
    """Raise an error for what a run cannot work without, before the work begins.

    Raises:
        MissingResourceError: something must be installed first; the message says how.
        StsError: a translator is named, and the run uses none.
    """
    main = run.main
    if translator is not None and not main.reads.translated:
        raise StsError(
            f"--translator {translator}: run {run.name!r} reads sentences as they are; leave it out"
        )
    if isinstance(main.head, Ensemble) and main.head.anchors:
        check_anchors(run, missing_columns(main))


def missing_columns(run: Run) -> dict[str, str]:
    """Return features that cannot be computed here, with the command that installs each."""
    untuned = [loading.load_static(run.vectors.start)] * len(run.vectors.tunings)
    resources = Resources(name_encoders(untuned), run.vectors.start)
    return _columns(run, run.columns, resources).missing()


# Cosines and networks


def _fit_cosine(run: Run, head: Cosine, training: TrainingData) -> Model:
    if head.network is not None and run.learns is not None:
        return _fit_network(run, head.network, training)
    if not run.vectors.tunings:
        return Model(run, untrained(run, data=training.folder))
    (tuning,), start = run.vectors.tunings, run.vectors.start
    trips = useful_round_trips(start, run.vectors.tunings, training.round_trips)
    return Model(run, StaticCosine(tune(start, run.seed, tuning, training.sets, trips), start))


def _fit_network(run: Run, how: NetworkTuning, training: TrainingData) -> Model:
    if not isinstance(run.learns, Labelled):
        return Model(
            run, NetworkScore((train_encoder(how, run.seed, training.scored_sets, run.name),))
        )
    pairs = training.named
    out = held_out_mask(pairs, HELD_OUT, run.seed)
    network = train_encoder(how, run.seed, [pairs.select(~out)], run.name)
    model, held_out = Model(run, NetworkScore((network,))), pairs.select(out)
    chosen = Threshold.of(held_out, model.predict(held_out), out_of_fold=True)
    return replace(model, thresholds={"en": chosen})


def _fit_reader(run: Run, how: CrossAttentionTuning, training: TrainingData) -> Model:
    if not isinstance(run.learns, Labelled):
        return Model(
            run, NetworkScore((train_reader(how, run.seed, training.scored_sets, run.name),))
        )
    pairs = training.named
    found, scores = fit_folds(
        pairs,
        NETWORK_FOLDS,
        run.seed,
        fit=lambda some: train_reader(how, run.seed, [some], run.name, labelled=True),
        score=lambda network, some: HIGHEST * network.predict(some.left, some.right),
    )
    chosen = Threshold.of(pairs, scores, out_of_fold=True)
    return Model(run, NetworkScore(tuple(found)), thresholds={"en": chosen})


# Heads over columns


def _fit_ensemble(run: Run, training: TrainingData, intervals: bool) -> Model:
    features, matrix = fit_features(run, training)
    ensemble = run.make_ensemble(run.columns).fit(matrix, training.scored.gold).fitted_
    model = Model(run, FittedColumns(features, ensemble))
    sources = {source_of(pairs.name) for pairs in training.scored_sets}
    if not intervals or len(sources) < 2:
        return model
    make = partial(run.make_ensemble, run.columns)
    scores = predict_out_of_fold(make, [*training.scored_sets, *training.labelled], matrix)
    graded = np.concatenate([pairs.gold for pairs in training.scored_sets])
    return replace(model, own_intervals=Intervals.fit(scores[: len(graded)], graded))


def _fit_classifier(run: Run, head: Classifier, training: TrainingData) -> Model:
    features, matrix = fit_features(run, training)
    make, learned = partial(run.make_ensemble, run.columns), training.scored
    scores = out_of_fold_scores(make, matrix, learned, folds=CLASSIFIER_FOLDS, seed=run.seed)
    pairs = training.named
    chosen = Threshold.of(pairs, scores[: len(pairs)], out_of_fold=True)
    ensemble = make().fit(matrix, learned.gold).fitted_
    fitted = FittedColumns(features, ensemble, run.translated, run.reads.languages or ("en",))
    if not head.mapped:
        return Model(run, fitted, thresholds={"en": chosen})
    others = dev_sets(head.mapped, training)
    quantiles = {
        code: quantiles_of(features.compute(some))
        for code, some in {"en": learned, **others}.items()
    }
    model = Model(run, replace(fitted, quantiles=quantiles))
    return replace(model, thresholds={"en": chosen, **thresholds_on(model, others)})


def dev_sets(codes: Sequence[str], training: TrainingData) -> dict[str, Pairs]:
    """Return the development sets of PAWS-X in some languages."""
    sets = {code: get_task(f"paws-x-{code}").dev[0] for code in codes}
    return {code: load(dataset, training.folder) for code, dataset in sets.items()}


def thresholds_on(model: Model, sets: Mapping[str, Pairs]) -> dict[str, Threshold]:
    """Return the best threshold of a model on each set of pairs in one language."""
    return {
        code: Threshold.of(pairs, model.predict(pairs, all_in(code, pairs)))
        for code, pairs in sets.items()
    }


def fit_features(run: AnyRun, training: TrainingData) -> tuple[FeatureColumns, Matrix]:
    """Return an extractor of the columns of new pairs, and the columns (n, k) of training pairs.

    New pairs are described by encoders that were tuned on all training data sets; training pairs
    by encoders that saw no data set of their source, and by transformers that saw no pair of
    their year.
    """
    if isinstance(run, Mean) or not run.columns:
        raise no_features(run.name)
    if run.vectors.headlines:
        (pairs,) = training.sets
        headlines = learn_information((*pairs.left, *pairs.right))
        resources = Resources(word_vectors=run.vectors.start, headlines=headlines)
        features = _columns(run, run.columns, resources, progress=True)
        return features, compute_columns(features, pairs, run.translated)
    start, tunings = run.vectors.start, run.vectors.tunings
    trips = useful_round_trips(start, tunings, training.round_trips)
    names = set(name_encoders(tunings))
    tuned = [name for name in run.columns if names & set(get_feature(name).needs)]
    chained = [
        name for name in run.columns if run.vectors.network and NETWORK in get_feature(name).needs
    ]
    plain = [name for name in run.columns if name not in (*tuned, *chained)]

    def resources_of(tuner: Callable[..., Encoder], sets: Sequence[Pairs]) -> Resources:
        encoders = [tuner(start, run.seed, t, sets, trips) for t in tunings]
        network = trained_network(run.vectors, run.seed, training.graded_sets, run.name)
        return Resources(name_encoders(encoders), start, tuned=network)

    def train(sets: Sequence[Pairs]) -> Describe:
        return _columns(run, tuned, resources_of(tune_if_possible, sets)).compute

    resources = resources_of(tune, training.sets)
    plain_features = _columns(run, plain, resources, progress=True).compute(training.scored)
    columns = dict(zip(plain, plain_features.T, strict=True))
    if tuned:
        new = _columns(run, tuned, resources)  # no encoder saw the labelled pairs
        found = out_of_fold(training.sets, training.scored_sets, train)
        found += map(new.compute, training.labelled)
        columns |= zip(tuned, np.vstack(found).T, strict=True)
    if chained:
        columns |= zip(chained, _chained(run, chained, training, resources).T, strict=True)
    matrix = np.stack([columns[name] for name in run.columns], axis=1)
    return _columns(run, run.columns, resources, progress=True), matrix


def _columns(
    run: Run, names: Sequence[str], resources: Resources, progress: bool = False
) -> FeatureColumns:
    return FeatureColumns(names, resources, progress, run.written_alike)


def _chained(
    run: Run, names: Sequence[str], training: TrainingData, resources: Resources
) -> Matrix:
    """Return the contextual columns of the training pairs, then of the labelled ones."""

    def train(sets: Sequence[Pairs]) -> Describe:
        network = trained_network(run.vectors, run.seed, sets, run.name)
        own = Resources(word_vectors=run.vectors.start, tuned=network)
        return _columns(run, names, own, progress=True).compute

    years = training.years or [0] * len(training.sets)
    described = training.scored_sets
    found = forward_chained(training.graded_sets, years, described, train, run.seed)
    new = _columns(run, names, resources)  # it saw no labelled pair
    return np.vstack([*found, *map(new.compute, training.labelled)])
