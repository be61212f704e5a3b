"""Ways to fine-tune a transformer on a person's own pairs: a table of how each is trained and saved."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np

from embeddings.training.checkpoint import digest
from embeddings.training.configuration import CrossAttentionTuning, FineTuning
from embeddings.training.losses import PAIR_LOSSES, MarginScale
from embeddings.training.negatives import HardNegatives
from embeddings.transformer.fine_tuning.bi_encoder import train_bi_encoder
from embeddings.transformer.fine_tuning.cross_encoders.cross_attention_training import (
    train_cross_attention,
)
from embeddings.transformer.fine_tuning.cross_encoders.cross_encoder import train_cross_encoder
from embeddings.transformer.fine_tuning.cross_encoders.folders import save_cross_attention
from embeddings.transformer.fine_tuning.own_pairs import OF_PARAPHRASES, Paraphrases, of_labels
from embeddings.transformer.fine_tuning.paraphrase_training import MegaBatch, train_on_paraphrases
from embeddings.transformer.fine_tuning.transformer_folder import (
    save_cross_encoder,
    save_transformer,
)
from embeddings.transformer.poolings import POOLINGS, Pooling
from embeddings.transformer.transformer_encoder import Transformer
from sts.data.pairs import Pairs
from sts.progress import note

Options = SimpleNamespace
"""Options of ``semaniacs tune`` by name."""


class Way(NamedTuple):
    """A kind of training.

    Attributes:
        train: makes a model of options, start, training pairs and the loop's options, with
            further metadata.
        save: writes it.
    """

    train: Callable[..., tuple[Any, dict[str, str]]]
    save: Callable[..., None]


def _settings(options: Options) -> FineTuning:
    names = ("epochs", "batch", "accumulate", "learning_rate", "dropout", "seed", "frozen")
    return FineTuning(**{name: getattr(options, name) for name in names})


def _recipe(options: Options, start: Transformer, pairs: list[Any]) -> dict[str, str]:
    """Return the metadata of the weights."""
    recipe = _settings(options).as_dict() | {
        "cross": options.cross,
        "cross_attention": options.cross_attention,
        "same_token": options.same_token,
        "start": start.digest,
        "pairs": digest(pairs),
    }
    return {"recipe": json.dumps(recipe)}


def _pooling(options: Options, start: Transformer) -> tuple[str, Pooling]:
    """Return the pooling and its name; parts of the start that are left out are noted."""
    if start.head.dense:
        note(f"{options.source}: its dense layers are left out; vectors have {start.width} numbers")
    named = options.pooling or next((n for n in start.head.poolings if n in POOLINGS), "mean")
    return named, POOLINGS[named]()


def _train_bi_encoder(
    options: Options, start: Transformer, pairs: Pairs, loop: dict[str, Any]
) -> tuple[Any, dict[str, str]]:
    loss = options.loss or "cosent"
    named, pooling = _pooling(options, start)
    columns = [pairs.left, pairs.right, pairs.gold]
    how, objective = _settings(options), PAIR_LOSSES[loss]()
    model = train_bi_encoder(
        start, pairs.left, pairs.right, pairs.gold, how, objective, pooling, **loop
    )
    return model, _recipe(options, start, columns) | {"pooling": named, "loss": loss}


def _train_on_paraphrases(
    options: Options,
    start: Transformer,
    training: Pairs | Paraphrases,
    loop: dict[str, Any],
) -> tuple[Any, dict[str, str]]:
    pairs = training if isinstance(training, Paraphrases) else of_labels(training)
    margin = 0.1 if options.margin is None else options.margin
    if options.loss == "multiple-negatives":
        margin = 0.0
    objective = MarginScale(options.scale or 20.0, margin, angular=options.angular)
    how, mega = _settings(options), None
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
    columns = [pairs.left, pairs.right, pairs.given]
    about = {"pooling": named, "loss": repr((objective, mega))}
    return model, _recipe(options, start, columns) | about


def _train_cross_encoder(
    options: Options, start: Transformer, pairs: Pairs, loop: dict[str, Any]
) -> tuple[Any, dict[str, str]]:
    columns = [pairs.left, pairs.right, pairs.gold]
    model = train_cross_encoder(
        start, pairs.left, pairs.right, pairs.gold, _settings(options), **loop
    )
    return model, _recipe(options, start, columns)


def _train_cross_attention(
    options: Options, start: Transformer, pairs: Pairs, loop: dict[str, Any]
) -> tuple[Any, dict[str, str]]:
    how = CrossAttentionTuning(**vars(_settings(options)), same=options.same_token)
    sets = np.zeros(len(pairs), np.int64) if len(np.unique(pairs.gold)) > 2 else None
    columns = [pairs.left, pairs.right, pairs.gold]
    model = train_cross_attention(
        start, pairs.left, pairs.right, pairs.gold, how, sets=sets, **loop
    )
    return model, _recipe(options, start, columns)


def save_encoder(path: Path, model: Any, source: Path, **about: str) -> None:
    """Write the network of a bi-encoder."""
    save_transformer(path, model.network, source, **about)


def name_of_way(options: Options) -> str:
    """Return the key in :data:`WAYS` of the options."""
    if options.cross or options.cross_attention:
        return "cross" if options.cross else "cross-attention"
    return "paraphrases" if options.loss in OF_PARAPHRASES else "bi-encoder"


WAYS = {
    "bi-encoder": Way(_train_bi_encoder, save_encoder),
    "paraphrases": Way(_train_on_paraphrases, save_encoder),
    "cross": Way(_train_cross_encoder, save_cross_encoder),
    "cross-attention": Way(_train_cross_attention, save_cross_attention),
}
