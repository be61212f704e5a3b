"""Ways to fine-tune a transformer on a person's own pairs."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from semaniacs.embeddings.configuration import CrossAttentionTuning, FineTuning
from semaniacs.embeddings.loading import load_reader
from semaniacs.embeddings.training.checkpoint import digest
from semaniacs.embeddings.training.losses import PAIR_LOSSES, MarginScale
from semaniacs.embeddings.training.negatives import HardNegatives
from semaniacs.embeddings.transformer.fine_tuning import transformer_folder as folders
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import (
    BiEncoder,
    train_bi_encoder,
    train_on_paraphrases,
)
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import (
    OF_PARAPHRASES,
    Paraphrases,
    of_labels,
)
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import MegaBatch
from semaniacs.embeddings.transformer.fine_tuning.reader import Reader, of_grades
from semaniacs.embeddings.transformer.fine_tuning.reader_training import (
    train_cross_encoder,
    train_reader,
)
from semaniacs.embeddings.transformer.poolings import POOLINGS, Pooling
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.progress import note

Options = SimpleNamespace  # options of the command by name


def train(
    options: Options, start: Transformer, pairs: Pairs | Paraphrases, loop: dict[str, Any]
) -> tuple[Any, Callable[..., None], dict[str, str]]:
    """Return a model trained on pairs, the function that saves it, and metadata of its weights.

    ``options`` are those of the command, and ``loop`` those of the loop.
    """
    names = ("epochs", "batch", "accumulate", "learning_rate", "dropout", "seed", "frozen")
    how = FineTuning(**{name: getattr(options, name) for name in names})
    model: Any
    about: dict[str, str] = {}
    save: Callable[..., None] = _save_encoder
    if isinstance(pairs, Paraphrases) or options.loss in OF_PARAPHRASES:
        model, about = _paraphrases(options, start, pairs, how, loop)
    elif options.cross:
        save = folders.save_cross_encoder
        model = train_cross_encoder(start, pairs.left, pairs.right, pairs.gold, how, **loop)
    elif options.reader:
        save, model = folders.save_reader, _reader(options, start, pairs, how, loop)
    else:
        model, about = _bi_encoder(options, start, pairs, how, loop)
    third = pairs.given if isinstance(pairs, Paraphrases) else pairs.gold
    recipe = how.as_dict() | {
        "cross": options.cross,
        "reader": options.reader,
        "same_token": options.same_token,
        "start": start.digest,
        "pairs": digest([pairs.left, pairs.right, third]),
    }
    return model, save, {"recipe": json.dumps(recipe)} | about


def _save_encoder(path: Path, model: BiEncoder, source: Path | None, **about: str) -> None:
    folders.save_transformer(path, model.network, source, **about)


def _pooling(options: Options, start: Transformer) -> tuple[str, Pooling]:
    if start.head.dense:
        note(f"{options.start}: its dense layers are left out; vectors have {start.width} numbers")
    named = options.pooling or next((n for n in start.head.poolings if n in POOLINGS), "mean")
    return named, POOLINGS[named]()


def _bi_encoder(
    options: Options, start: Transformer, pairs: Pairs, how: FineTuning, loop: dict[str, Any]
) -> tuple[Any, dict[str, str]]:
    loss = options.loss or "cosent"
    named, pooling = _pooling(options, start)
    columns = pairs.left, pairs.right, pairs.gold
    model = train_bi_encoder(start, *columns, how, PAIR_LOSSES[loss](), pooling, **loop)
    return model, {"pooling": named, "loss": loss}


def _paraphrases(
    options: Options,
    start: Transformer,
    training: Pairs | Paraphrases,
    how: FineTuning,
    loop: dict[str, Any],
) -> tuple[Any, dict[str, str]]:
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


def _reader(
    options: Options, start: Transformer, pairs: Pairs, how: FineTuning, loop: dict[str, Any]
) -> Reader:
    graded = not options.labels and len(np.unique(pairs.gold)) > 2
    sets = np.zeros(len(pairs), np.int64) if graded else None
    head = None
    if options.start is None:
        shipped = load_reader()
        start, how = start.with_weights(shipped.network.weights), replace(how, frozen=shipped.first)
        head = shipped.head if sets is None else of_grades(shipped.head)
    gated = CrossAttentionTuning(**vars(how), same=options.same_token)
    columns = pairs.left, pairs.right, pairs.gold
    return train_reader(start, *columns, gated, sets=sets, head=head, **loop)
