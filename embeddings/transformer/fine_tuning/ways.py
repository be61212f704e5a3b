"""Ways to fine-tune a transformer on a person's own pairs: a table of training and saving."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.loading import load_reader
from semaniacs.embeddings.training.checkpoint import digest
from semaniacs.embeddings.training.losses import PAIR_LOSSES, MarginScale
from semaniacs.embeddings.training.negatives import HardNegatives
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import (
    train_bi_encoder,
    train_on_paraphrases,
)
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import (
    OF_PARAPHRASES,
    Paraphrases,
    of_labels,
)
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import MegaBatch
from semaniacs.embeddings.transformer.fine_tuning.reader import of_grades
from semaniacs.embeddings.transformer.fine_tuning.reader_training import (
    train_cross_encoder,
    train_reader,
)
from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import (
    save_cross_encoder,
    save_encoder,
    save_reader,
)
from semaniacs.embeddings.transformer.poolings import POOLINGS, Pooling
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.progress import note

Options = SimpleNamespace  # options of the command by name

Made = tuple[Any, dict[str, str]]  # A model, and metadata of its training


class Way(NamedTuple):
    """A kind of training: functions that make a model and write it."""

    train: Callable[..., Made]
    save: Callable[..., None]


def train(
    options: Options, start: Transformer, pairs: Pairs | Paraphrases, loop: dict[str, Any]
) -> tuple[Any, Callable[..., None], dict[str, str]]:
    """Return a model trained on pairs, the function that saves it, and metadata of its weights.

    ``options`` are those of the command, and ``loop`` those of the loop.
    """
    named = "paraphrases" if options.loss in OF_PARAPHRASES else "bi-encoder"
    way = WAYS["cross" if options.cross else "reader" if options.reader else named]
    names = ("epochs", "batch", "accumulate", "learning_rate", "dropout", "seed", "frozen")
    how = FineTuning(**{name: getattr(options, name) for name in names})
    model, about = way.train(options, start, pairs, how, loop)
    third = pairs.given if isinstance(pairs, Paraphrases) else pairs.gold
    recipe = how.as_dict() | {
        "cross": options.cross,
        "reader": options.reader,
        "same_token": options.same_token,
        "start": start.digest,
        "pairs": digest([pairs.left, pairs.right, third]),
    }
    return model, way.save, {"recipe": json.dumps(recipe)} | about


def _pooling(options: Options, start: Transformer) -> tuple[str, Pooling]:
    if start.head.dense:
        note(f"{options.start}: its dense layers are left out; vectors have {start.width} numbers")
    named = options.pooling or next((n for n in start.head.poolings if n in POOLINGS), "mean")
    return named, POOLINGS[named]()


def _bi_encoder(
    options: Options, start: Transformer, pairs: Pairs, how: FineTuning, loop: dict[str, Any]
) -> Made:
    loss = options.loss or "cosent"
    named, pooling = _pooling(options, start)
    objective = PAIR_LOSSES[loss]()
    model = train_bi_encoder(
        start, pairs.left, pairs.right, pairs.gold, how, objective, pooling, **loop
    )
    return model, {"pooling": named, "loss": loss}


def _paraphrases(
    options: Options,
    start: Transformer,
    training: Pairs | Paraphrases,
    how: FineTuning,
    loop: dict[str, Any],
) -> Made:
    pairs = training if isinstance(training, Paraphrases) else of_labels(training)
    margin = 0.1 if options.margin is None else options.margin
    if options.loss == "multiple-negatives":
        margin = 0.0
    objective, mega = MarginScale(options.scale or 20.0, margin, angular=options.angular), None
    if options.mega_batch:
        lowest = float("-inf") if options.threshold is None else options.threshold
        search = HardNegatives(options.closest or 1, lowest)
        mega = MegaBatch(options.mega_batch, search, most=options.batch)
        how = replace(how, warm_up=0.0)  # a mega-batch has one rate, and the first one would have 0
    given = sum(negative is not None for negative in pairs.given)
    note(f"{len(pairs):,} pairs mean the same, {given:,} of them with a hard negative")
    named, pooling = _pooling(options, start)
    negatives = pairs.given if given else ()
    model = train_on_paraphrases(
        start, pairs.left, pairs.right, how, objective, negatives, mega, pooling, **loop
    )
    return model, {"pooling": named, "loss": repr((objective, mega))}


def _cross_encoder(
    _: Options, start: Transformer, pairs: Pairs, how: FineTuning, loop: dict[str, Any]
) -> Made:
    return train_cross_encoder(start, pairs.left, pairs.right, pairs.gold, how, **loop), {}


def _reader(
    options: Options, start: Transformer, pairs: Pairs, how: FineTuning, loop: dict[str, Any]
) -> Made:
    graded = not options.labels and len(np.unique(pairs.gold)) > 2
    sets = np.zeros(len(pairs), np.int64) if graded else None
    head = None
    if options.start is None:
        shipped = load_reader()
        start, how = start.with_weights(shipped.network.weights), replace(how, frozen=shipped.first)
        head = shipped.head if sets is None else of_grades(shipped.head)
    gated = CrossAttentionTuning(**vars(how), same=options.same_token)
    model = train_reader(
        start, pairs.left, pairs.right, pairs.gold, gated, sets=sets, head=head, **loop
    )
    return model, {}


WAYS = {
    "bi-encoder": Way(_bi_encoder, save_encoder),
    "paraphrases": Way(_paraphrases, save_encoder),
    "cross": Way(_cross_encoder, save_cross_encoder),
    "reader": Way(_reader, save_reader),
}
