"""Tuning of encoders on training pairs that mean the same: strong pairs, then perhaps round trips.

Every tuned encoder is cached, because several runs use the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

from semaniacs.embeddings import loading
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.single_file import load_patch, save_patch
from semaniacs.embeddings.training.corpora import SentencePair, distinct, keep_useful_round_trips
from semaniacs.runs.pipeline.recipe_parts import RoundTrips, Tuning
from semaniacs.sts.cache import Cache, key
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import require
from semaniacs.sts.progress import note

T = TypeVar("T")

if TYPE_CHECKING:
    from semaniacs.embeddings.training.pair_training import Corpus

STRONG_PAIRS, ROUND_TRIPS = "tuning on strong pairs", "tuning on round trips"
"""Labels of the progress bars of the stages."""

VERSION = 1
"""Part of the cache key: raise it when an encoder tuned on the same pairs differs."""

LIBRARIES = ("jax", "numpy", "optax")
"""Part of the cache key, with their versions."""

Trips = Mapping[RoundTrips, "Sequence[Corpus]"]
"""Round trips that each configuration of a last stage learns from."""


def tune(
    start_name: str, seed: int, tuning: Tuning, training: Sequence[Pairs], trips: Trips
) -> Encoder:
    """Return the starting vectors, tuned on strong pairs and then, if asked for, on round trips.

    Strong pairs of the same words are left out: like a round trip that comes back unchanged, they
    teach nothing. Tunings that share the first stage train it once.

    Args:
        start_name: bundled name or file of the starting vectors.
        seed: random seed of shuffling and of negatives.
        tuning, training: the configuration of both stages, and data sets with gold.
        trips: see :func:`useful_round_trips`.
    """
    require("jax", "optax")
    from semaniacs.embeddings.training.pair_training import Corpus, train

    start = loading.load_static(start_name)
    strong = [
        Corpus(distinct(strong_pairs([pairs], tuning.strong)), pairs.sentences())
        for pairs in training
    ]
    last = tuning.round_trips
    own_trips = list(trips[last]) if last else []

    def make() -> Encoder:
        first, corpora, how, label = start, strong, tuning.training, STRONG_PAIRS
        if last is not None:
            first_stage = replace(tuning, round_trips=None)
            first = tune_if_possible(start_name, seed, first_stage, training, trips)
            corpora, how, label = own_trips, last.training, ROUND_TRIPS
        return train(first, corpora, replace(how, seed=seed), label=label)

    stages = STRONG_PAIRS if last is None else f"{STRONG_PAIRS}, then {ROUND_TRIPS}"
    return Cache("tuned", __name__).get(
        key_of(start, tuning, seed, strong, own_trips),
        read=lambda path: load_patch(path, start),
        write=lambda path: save_patch(path, make(), start),
        about=f"{start_name}, {stages} of {len(training)} data sets, seed {seed}",
    )


def tune_if_possible(
    start_name: str, seed: int, tuning: Tuning, training: Sequence[Pairs], trips: Trips
) -> Encoder:
    """Return the tuned encoder, or the starting vectors where there are fewer than two strong pairs."""
    if tuning.round_trips is None and len(strong_pairs(training, tuning.strong)) < 2:
        return loading.load_static(start_name)
    return tune(start_name, seed, tuning, training, trips)


def strong_pairs(training: Iterable[Pairs], threshold: float) -> list[SentencePair]:
    """Return the training pairs with gold ≥ ``threshold``; unscored pairs never qualify."""
    return [
        (left, right)
        for pairs in training
        for left, right, gold in zip(pairs.left, pairs.right, pairs.gold, strict=True)
        if gold >= threshold
    ]


def key_of(
    start: Encoder, tuning: Tuning, seed: int, corpora: Sequence[Corpus], trips: Sequence[Corpus]
) -> str:
    """Return the key of a tuned encoder: everything that it depends on."""
    pairs = [[[corpus.pairs, list(corpus.others)] for corpus in c] for c in (corpora, trips)]
    inputs = {"start": start.digest, "seed": seed, "pairs": pairs}
    return key(VERSION, LIBRARIES, inputs=inputs, configuration=tuning)


def useful_round_trips(
    start_name: str, tunings: Sequence[Tuning], round_trips: Sequence[Sequence[SentencePair]]
) -> Trips:
    """Return the round trips of each data set that teach something; print their count on stderr.

    The starting vectors judge whether a round trip stays as near as a tuning's last stage asks.
    """
    from semaniacs.embeddings.training.pair_training import Corpus

    start = loading.load_static(start_name)
    found: dict[RoundTrips, list[Corpus]] = {}
    for stage in dict.fromkeys(t.round_trips for t in tunings if t.round_trips):
        counts: Counter[str] = Counter()
        found[stage] = []
        for trips in round_trips:
            useful, counted = keep_useful_round_trips(
                trips, start, lowest=stage.lowest, highest=stage.highest
            )
            found[stage].append(Corpus(useful, [sentence for sentence, _ in trips]))
            counts.update(counted)
        shown = ", ".join(f"{count} {reason}" for reason, count in counts.items())
        note(f"{sum(map(len, round_trips))} round trips: {shown}")
    return found


def name_encoders(encoders: Sequence[T]) -> dict[str, T]:
    """Return encoders as ``paraphrase1``, ``paraphrase2``, …."""
    return {f"paraphrase{number}": encoder for number, encoder in enumerate(encoders, start=1)}
