"""``python -m embeddings tune``: train a transformer on a person's own pairs, and compare."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.transformer.fine_tuning.tuning_command.training_options import (
    add_training,
    checkpoint_of,
    configuration,
    find_start,
    opened,
    say,
    share,
)
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from sts.data.pairs import Pairs, Scores
from sts.errors import StsError
from sts.extras import require
from sts.files import check_writable

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
    from embeddings.transformer.fine_tuning.cross_encoder import CrossEncoder
    from embeddings.transformer.transformer_encoder import Transformer

POOLINGS = ("mean", "cls", "max", "weighted-layers", "multi-head", "multi-head-dimensions")
"""Keys of :data:`embeddings.transformer.poolings.POOLINGS`, which imports JAX."""

LOSSES = (
    "cosent", "contrastive", "online-contrastive", "classification", "correlation", "squared-error",
)  # fmt: skip
"""Keys of :data:`embeddings.training.losses.labelled_pairs.PAIR_LOSSES`, which imports JAX."""

CURVE = 500
"""Held-out pairs that the curve is drawn from, at most."""

USUAL = FineTuning(epochs=3, learning_rate=5e-5)

EXAMPLES = """\
examples:
  python -m embeddings tune pairs.tsv -o tuned --curve curve
  python -m embeddings tune pairs.tsv -o judge --cross --epochs 2
  python -m embeddings tune pairs.tsv -o tuned --from FOLDER --pooling multi-head --frozen 3

then:
  python -m embeddings encode sentences.txt -o vectors.npy --model tuned
  python -m embeddings similar new-pairs.tsv --model judge

A line of PAIRS is two sentences and their gold, or the gold first, separated by tabs. Gold is 0 and
1, or any grades. A fifth of the pairs is held out, in groups that share no sentence with the others;
on them the trained model is compared with the one that it started from. The folder that is written
is one of sentence-transformers. The same command goes on after a stop.
"""


def add_tune(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    add("file", metavar="PAIRS", help="left<TAB>right<TAB>gold a line, may be .gz")
    add_training(parser, USUAL, "pairs")
    add("--cross", action="store_true",
        help="read both sentences together, in both orders: slower, and nearer to the gold")  # fmt: skip
    add(
        "--pooling", choices=POOLINGS, help="from tokens to a vector (default: as the start has it)"
    )
    add("--loss", choices=LOSSES, help="of a batch (default: cosent; --cross has its own)")
    add("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
        help="gold of what is unrelated and of what is the same (default: 0 to 1, or 0 to 5)")  # fmt: skip
    add("--held-out", type=share, default=0.2, metavar="SHARE",
        help="of the pairs, to compare on (default: 0.2)")  # fmt: skip
    add("--dev", metavar="FILE", help="pairs to compare on, instead of held-out ones")
    add("--curve", type=Path, metavar="PREFIX",
        help="write loss and held-out metric as .csv and .png")  # fmt: skip
    parser.set_defaults(run=tune)


def tune(options: argparse.Namespace) -> None:
    """Train, write the folder, and print whether it is better on held-out pairs."""
    from embeddings.transformer.fine_tuning.transformer_folder import check_free
    from embeddings.transformer.fine_tuning.tuning_command.held_out_gain import gain

    if options.curve:
        require("matplotlib")
    if options.cross and (options.pooling or options.loss):
        raise StsError("--pooling and --loss have no meaning with --cross; leave them out")
    check_writable(options.output.absolute().parent)
    check_free(options.output, overwrite=options.overwrite)
    training, held_out = _pairs(options)
    source = find_start(options.start)
    start = opened(source, options)
    say(f"{len(training):,} pairs to learn from, {len(held_out):,} held out")
    work = _train_cross if options.cross else _train_bi
    scores = work(options, source, start, training, held_out)
    say(f"written to {options.output}")
    untuned = start.similarity_pairwise(held_out.left, held_out.right)
    print(gain(held_out, untuned, scores, options.seed))


def _pairs(options: argparse.Namespace) -> tuple[Pairs, Pairs]:
    """The pairs to learn from and those to compare on, with gold from 0 to 1."""
    from embeddings.transformer.fine_tuning.tuning_command.graded_pairs import (
        check_apart,
        check_loss,
        hold_out,
        range_of,
        read_graded,
        scaled,
    )

    pairs = read_graded(options.file)
    to = range_of(pairs.gold, options.range)
    pairs = scaled(pairs, to)
    check_loss(pairs, options.loss)
    if not options.dev:
        return hold_out(pairs, options.held_out, options.seed)
    dev = read_graded(options.dev)
    range_of(dev.gold, to)
    check_apart(pairs, dev)
    return pairs, scaled(dev, to)


def _options_of_loop(
    options: argparse.Namespace, held_out: Pairs, scores: Callable[[Any, Pairs], Scores]
) -> dict[str, Any]:
    from embeddings.transformer.fine_tuning.tuning_command.held_out_gain import metric_of

    some = held_out.select(np.arange(len(held_out)) < CURVE)
    return {
        "label": "training",
        "checkpoint": checkpoint_of(options),
        "curve": options.curve,
        "evaluate": (lambda model: metric_of(some.gold, scores(model, some)))
        if options.curve
        else None,
    }


def _recipe(options: argparse.Namespace, start: Transformer, training: Pairs) -> dict[str, str]:
    """What is said in the metadata of the weights."""
    from embeddings.training.checkpoint import digest

    recipe = configuration(options, USUAL).as_dict() | {
        "cross": options.cross,
        "start": start.digest,
        "pairs": digest([training.left, training.right, training.gold]),
    }
    return {"recipe": json.dumps(recipe)}


def _train_bi(
    options: argparse.Namespace, source: Path, start: Transformer, training: Pairs, held_out: Pairs
) -> Scores:
    """Train and write a bi-encoder; returns the cosines of held-out pairs."""
    from embeddings.training.losses.labelled_pairs import PAIR_LOSSES
    from embeddings.transformer.fine_tuning.bi_encoder import train_bi_encoder
    from embeddings.transformer.fine_tuning.transformer_folder import save_transformer
    from embeddings.transformer.poolings import POOLINGS

    loss = options.loss or "cosent"
    named = options.pooling or next((n for n in start.head.poolings if n in POOLINGS), "mean")
    if start.head.dense:
        say(f"{source}: its dense layers are left out; vectors have {start.width} numbers")

    def scores(model: BiEncoder, pairs: Pairs) -> Scores:
        return model.predict(pairs.left, pairs.right)

    made = train_bi_encoder(
        start, training.left, training.right, training.gold, configuration(options, USUAL),
        PAIR_LOSSES[loss](), POOLINGS[named](), **_options_of_loop(options, held_out, scores),
    )  # fmt: skip
    about = _recipe(options, start, training) | {"pooling": named, "loss": loss}
    save_transformer(options.output, made.network, source, **about)
    return scores(made, held_out)


def _train_cross(
    options: argparse.Namespace, source: Path, start: Transformer, training: Pairs, held_out: Pairs
) -> Scores:
    """Train and write a cross-encoder; returns its scores of held-out pairs."""
    from embeddings.transformer.fine_tuning.cross_encoder import train_cross_encoder
    from embeddings.transformer.fine_tuning.transformer_folder import save_cross_encoder

    def scores(model: CrossEncoder, pairs: Pairs) -> Scores:
        return model.predict(pairs.left, pairs.right)

    made = train_cross_encoder(
        start, training.left, training.right, training.gold, configuration(options, USUAL),
        **_options_of_loop(options, held_out, scores),
    )  # fmt: skip
    save_cross_encoder(options.output, made, source, **_recipe(options, start, training))
    return scores(made, held_out)
