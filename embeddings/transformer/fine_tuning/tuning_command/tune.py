"""``python -m embeddings tune``: train a transformer on a person's own pairs, and compare."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from embeddings.transformer.fine_tuning.tuning_command.training_options import (
    add_training,
    checkpoint_of,
    configuration,
    find_start,
    opened,
    probability,
    say,
    share,
    within_memory,
)
from embeddings.transformer.fine_tuning.tuning_configuration import CrossAttentionTuning, FineTuning
from sts.command_line import count, positive
from sts.data.pairs import Pairs, Scores
from sts.data.tables.pair_options import TABLES, add_pair_columns, pair_columns
from sts.data.tables.pair_table import read_graded
from sts.errors import StsError
from sts.extras import require
from sts.files import check_writable

if TYPE_CHECKING:
    from embeddings.transformer.fine_tuning.bi_encoder import BiEncoder
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention import CrossAttention
    from embeddings.transformer.fine_tuning.cross_encoders.cross_encoder import CrossEncoder
    from embeddings.transformer.fine_tuning.tuning_command.paraphrase_pairs import Paraphrases
    from embeddings.transformer.poolings import Pooling
    from embeddings.transformer.transformer_encoder import Transformer

POOLINGS = ("mean", "cls", "max", "weighted-layers", "multi-head", "multi-head-dimensions")
"""Keys of :data:`embeddings.transformer.poolings.POOLINGS`, which imports JAX."""

LOSSES = (
    "cosent", "contrastive", "online-contrastive", "classification", "correlation", "squared-error",
)  # fmt: skip
"""Keys of :data:`embeddings.training.losses.labelled_pairs.PAIR_LOSSES`, which imports JAX."""

OF_PARAPHRASES = ("margin-scale", "multiple-negatives")
"""Losses of pairs that mean the same, against negatives."""

NEGATIVES = ("scale", "margin", "angular", "mega-batch", "closest", "threshold")
"""Options of these."""

CURVE = 500
"""Held-out pairs that the curve is drawn from, at most."""

USUAL = FineTuning(epochs=3, learning_rate=5e-5)

EXAMPLES = """\
examples:
  python -m embeddings tune pairs.tsv -o tuned --curve curve
  python -m embeddings tune pairs.tsv -o judge --cross-attention --frozen 3 --epochs 2
  python -m embeddings tune swaps.tsv -o judge --cross-attention --same-token 6 --frozen 3
  python -m embeddings tune pairs.tsv -o tuned --from FOLDER --pooling multi-head --frozen 3
  python -m embeddings tune paraphrases.tsv -o tuned --loss margin-scale --mega-batch 20 --closest 2

then:
  python -m embeddings encode sentences.txt -o vectors.npy --model tuned
  python -m embeddings similar new-pairs.tsv --model judge

A row of PAIRS is two sentences and their gold, or the gold first. Gold is 0 and 1, or any grades. A
fifth of the pairs is held out, in groups that share no sentence with the others; on them the trained
model is compared with the one that it started from. The folder that is written is one of
sentence-transformers, but with --cross-attention. The same command goes on after a stop.

The losses margin-scale and multiple-negatives need no gold: a line is two sentences that mean the
same, and a third one if there is one that is close to them and means something else; where columns
have names, it is called negative. Every other pair of a batch is a negative. The comparison is how
often the right side of a held-out pair is found by its left one. With labels, the pairs of 1 learn,
and those of 0 are hard negatives.
"""


def add_tune(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add = parser.add_argument
    add(
        "file",
        metavar="PAIRS",
        help=f"left<TAB>right<TAB>gold a line (see below), or a table: {TABLES}",
    )
    add_training(parser, USUAL, "pairs")
    together = parser.add_mutually_exclusive_group()
    together.add_argument("--cross-attention", action="store_true",
        help="the layers that are trained read both sentences together; this program alone reads "
        "the folder")  # fmt: skip
    together.add_argument("--cross", action="store_true",
        help="all layers do, in both orders, as a cross-encoder of sentence-transformers: slower, "
        "and it wants many pairs")  # fmt: skip
    add("--same-token", type=positive, metavar="GATE",
        help="with --cross-attention: how much more a word sees at first of the same word on the "
        "other side; 6 is good where pairs that differ in meaning have the same words")  # fmt: skip
    add(
        "--pooling", choices=POOLINGS, help="from tokens to a vector (default: as the start has it)"
    )
    add("--loss", choices=(*LOSSES, *OF_PARAPHRASES),
        help="of a batch (default: cosent; --cross and --cross-attention have their own)")  # fmt: skip
    add("--range", type=float, nargs=2, metavar=("LOW", "HIGH"),
        help="gold of what is unrelated and of what is the same (default: 0 to 1, or 0 to 5)")  # fmt: skip
    add("--held-out", type=share, default=0.2, metavar="SHARE",
        help="of the pairs, to compare on (default: 0.2)")  # fmt: skip
    add("--dev", metavar="FILE", help="pairs to compare on, instead of held-out ones")
    add("--curve", type=Path, metavar="PREFIX",
        help="write loss and held-out metric as .csv and .png")  # fmt: skip
    add_pair_columns(parser, gold=True, read_as=False)
    negatives = parser.add_argument_group("of --loss margin-scale and multiple-negatives")
    add = negatives.add_argument
    add("--scale", type=positive, help="of the cosines (default: 20)")
    add("--margin", type=probability,
        help="by which a cosine is to be higher; of margin-scale alone (default: 0.1)")  # fmt: skip
    add("--angular", action="store_true",
        help="the margin is an angle, in radians; of margin-scale alone")  # fmt: skip
    add("--mega-batch", type=count, metavar="N",
        help="search hard negatives in N batches together, by the model as it is")  # fmt: skip
    add("--closest", type=count, metavar="K", help="so many of each sentence (default: 1)")
    add("--threshold", type=float, metavar="T", help="only those of a higher cosine than this")
    parser.set_defaults(run=tune)


def tune(options: argparse.Namespace) -> None:
    """Train, write the folder, and print whether it is better on held-out pairs."""
    from embeddings.transformer.fine_tuning.transformer_folder import check_free
    from embeddings.transformer.fine_tuning.tuning_command.held_out_gain import gain
    from embeddings.transformer.fine_tuning.tuning_command.paraphrase_pairs import has_gold

    if options.curve:
        require("matplotlib")
    _check_options(options)
    check_writable(options.output.absolute().parent)
    check_free(options.output, overwrite=options.overwrite)
    if options.loss in OF_PARAPHRASES and not has_gold(
        options.file, pair_columns(options), options.gold
    ):
        _tune_without_gold(options)
        return
    training, held_out = _pairs(options)
    source = find_start(options.start)
    start = opened(source, options)
    say(f"{len(training):,} pairs to learn from, {len(held_out):,} held out")
    together = _train_cross_attention if options.cross_attention else _train_cross
    work = together if options.cross or options.cross_attention else _train_bi
    scores = work(options, source, start, training, held_out)
    say(f"written to {options.output}")
    untuned = start.similarity_pairwise(held_out.left, held_out.right)
    print(gain(held_out, untuned, scores, options.seed))


def _check_options(options: argparse.Namespace) -> None:
    """Raise an :class:`StsError` if one has no meaning beside the others."""
    if (options.cross or options.cross_attention) and (options.pooling or options.loss):
        way = "--cross" if options.cross else "--cross-attention"
        raise StsError(f"--pooling and --loss have no meaning with {way}; leave them out")
    if options.same_token and not options.cross_attention:
        raise StsError("--same-token belongs to --cross-attention")
    given = {name: getattr(options, name.replace("-", "_")) for name in NEGATIVES}
    named = [f"--{name}" for name, value in given.items() if value not in (None, False)]
    if named and options.loss not in OF_PARAPHRASES:
        raise StsError(f"{named[0]} belongs to --loss {' or '.join(OF_PARAPHRASES)}")
    if options.loss == "multiple-negatives" and (options.angular or options.margin is not None):
        raise StsError("--loss multiple-negatives has no margin; take --loss margin-scale")
    if not options.mega_batch and (options.closest or options.threshold is not None):
        raise StsError("--closest and --threshold say what --mega-batch searches; give it too")


def _tune_without_gold(options: argparse.Namespace) -> None:
    """:func:`tune` of pairs that all mean the same."""
    from embeddings.transformer.fine_tuning.tuning_command.paraphrase_gain import (
        mean_reciprocal_rank,
        paraphrase_gains,
        ranks,
    )
    from embeddings.transformer.fine_tuning.tuning_command.paraphrase_pairs import (
        check_paraphrases_apart,
        hold_out_paraphrases,
        read_paraphrases,
    )

    where = pair_columns(options)
    pairs = read_paraphrases(options.file, where)
    if options.dev:
        training, held_out = pairs, read_paraphrases(options.dev, where)
        check_paraphrases_apart(training, held_out)
    else:
        training, held_out = hold_out_paraphrases(pairs, options.held_out, options.seed)
    source = find_start(options.start)
    start = opened(source, options)
    say(f"{len(training):,} pairs to learn from, {len(held_out):,} held out")
    some = held_out.select(np.arange(len(held_out)) < CURVE)
    made = _train_on_paraphrases(
        options, source, start, training, lambda model: mean_reciprocal_rank(ranks(model, some))
    )
    say(f"written to {options.output}")
    found, rank = paraphrase_gains(
        held_out, ranks(start, held_out), ranks(made, held_out), options.seed
    )
    print(f"{found.figures}\n{rank}")


def _pairs(options: argparse.Namespace) -> tuple[Pairs, Pairs]:
    """The pairs to learn from and those to compare on, with gold from 0 to 1."""
    from embeddings.transformer.fine_tuning.tuning_command.graded_pairs import (
        check_apart,
        check_loss,
        hold_out,
        range_of,
        scaled,
    )

    where, without = pair_columns(options), "; without it, learn with --loss multiple-negatives"
    pairs = read_graded(options.file, where, options.gold, without=without)
    to = range_of(pairs.gold, options.range)
    pairs = scaled(pairs, to)
    check_loss(pairs, options.loss)
    if not options.dev:
        return hold_out(pairs, options.held_out, options.seed)
    dev = read_graded(options.dev, where, options.gold)
    range_of(dev.gold, to)
    check_apart(pairs, dev)
    return pairs, scaled(dev, to)


def _options_of_loop(
    options: argparse.Namespace, evaluate: Callable[[Any], float]
) -> dict[str, Any]:
    return {
        "label": "training",
        "checkpoint": checkpoint_of(options),
        "curve": options.curve,
        "evaluate": evaluate if options.curve else None,
    }


def _metric(held_out: Pairs) -> Callable[[BiEncoder | CrossEncoder | CrossAttention], float]:
    """The metric of a model on some held-out pairs."""
    from embeddings.transformer.fine_tuning.tuning_command.held_out_gain import metric_of

    some = held_out.select(np.arange(len(held_out)) < CURVE)
    return lambda model: metric_of(some.gold, model.predict(some.left, some.right))


def _recipe(options: argparse.Namespace, start: Transformer, pairs: list[Any]) -> dict[str, str]:
    """What is said in the metadata of the weights."""
    from embeddings.training.checkpoint import digest

    recipe = configuration(options, USUAL).as_dict() | {
        "cross": options.cross,
        "cross_attention": options.cross_attention,
        "same_token": options.same_token,
        "start": start.digest,
        "pairs": digest(pairs),
    }
    return {"recipe": json.dumps(recipe)}


def _train_bi(
    options: argparse.Namespace, source: Path, start: Transformer, training: Pairs, held_out: Pairs
) -> Scores:
    """Train and write a bi-encoder; returns the cosines of held-out pairs."""
    from embeddings.training.losses.labelled_pairs import PAIR_LOSSES
    from embeddings.transformer.fine_tuning.bi_encoder import train_bi_encoder
    from embeddings.transformer.fine_tuning.transformer_folder import save_transformer
    from embeddings.transformer.fine_tuning.tuning_command.paraphrase_pairs import of_labels

    if options.loss in OF_PARAPHRASES:
        alike = of_labels(training)
        made = _train_on_paraphrases(options, source, start, alike, _metric(held_out))
        return made.predict(held_out.left, held_out.right)
    loss = options.loss or "cosent"
    named, pooling = _pooling(options, source, start)
    how = configuration(options, USUAL)
    with within_memory(how):
        made = train_bi_encoder(
            start, training.left, training.right, training.gold, how, PAIR_LOSSES[loss](),
            pooling, **_options_of_loop(options, _metric(held_out)),
        )  # fmt: skip
    pairs = [training.left, training.right, training.gold]
    about = _recipe(options, start, pairs) | {"pooling": named, "loss": loss}
    save_transformer(options.output, made.network, source, None, **about)
    return made.predict(held_out.left, held_out.right)


def _pooling(options: argparse.Namespace, source: Path, start: Transformer) -> tuple[str, Pooling]:
    """The name of the pooling and the pooling itself; what is left out of the start is told."""
    from embeddings.transformer.poolings import POOLINGS

    if start.head.dense:
        say(f"{source}: its dense layers are left out; vectors have {start.width} numbers")
    named = options.pooling or next((n for n in start.head.poolings if n in POOLINGS), "mean")
    return named, POOLINGS[named]()


def _train_on_paraphrases(
    options: argparse.Namespace,
    source: Path,
    start: Transformer,
    pairs: Paraphrases,
    evaluate: Callable[[BiEncoder], float],
) -> BiEncoder:
    """Train and write a bi-encoder, on pairs that mean the same against negatives."""
    from embeddings.training.losses.margin_scale import MarginScale
    from embeddings.training.losses.mega_batch import HardNegatives
    from embeddings.transformer.fine_tuning.paraphrases.paraphrase_batches import MegaBatch
    from embeddings.transformer.fine_tuning.paraphrases.paraphrase_training import (
        train_on_paraphrases,
    )
    from embeddings.transformer.fine_tuning.transformer_folder import save_transformer

    margin = 0.1 if options.margin is None else options.margin
    if options.loss == "multiple-negatives":
        margin = 0.0
    objective = MarginScale(options.scale or 20.0, margin, angular=options.angular)
    how, mega = configuration(options, USUAL), None
    if options.mega_batch:
        lowest = -np.inf if options.threshold is None else options.threshold
        search = HardNegatives(options.closest or 1, lowest)
        mega = MegaBatch(options.mega_batch, search, most=options.batch)
        how = replace(how, warm_up=0.0)  # a mega-batch has one rate, and the first one would have 0
    given = sum(negative is not None for negative in pairs.given)
    say(f"{len(pairs):,} pairs mean the same, {given:,} of them with a hard negative")
    named, pooling = _pooling(options, source, start)
    with within_memory(how):
        made = train_on_paraphrases(
            start, pairs.left, pairs.right, how, objective, pairs.given if given else (), mega,
            pooling, **_options_of_loop(options, evaluate),
        )  # fmt: skip
    columns = [pairs.left, pairs.right, pairs.given]
    about = _recipe(options, start, columns) | {"pooling": named, "loss": repr((objective, mega))}
    save_transformer(options.output, made.network, source, None, **about)
    return made


def _train_cross(
    options: argparse.Namespace, source: Path, start: Transformer, training: Pairs, held_out: Pairs
) -> Scores:
    """Train and write a cross-encoder; returns its scores of held-out pairs."""
    from embeddings.transformer.fine_tuning.cross_encoders.cross_encoder import train_cross_encoder
    from embeddings.transformer.fine_tuning.transformer_folder import save_cross_encoder

    how = configuration(options, USUAL)
    with within_memory(how):
        made = train_cross_encoder(
            start, training.left, training.right, training.gold, how,
            **_options_of_loop(options, _metric(held_out)),
        )  # fmt: skip
    pairs = [training.left, training.right, training.gold]
    save_cross_encoder(options.output, made, source, **_recipe(options, start, pairs))
    return made.predict(held_out.left, held_out.right)


def _train_cross_attention(
    options: argparse.Namespace, source: Path, start: Transformer, training: Pairs, held_out: Pairs
) -> Scores:
    """Train and write a network with cross-attention; returns its scores of held-out pairs."""
    from embeddings.transformer.fine_tuning.cross_encoders.cross_attention_training import (
        train_cross_attention,
    )
    from embeddings.transformer.fine_tuning.cross_encoders.folders import save_cross_attention

    how = CrossAttentionTuning(**vars(configuration(options, USUAL)), same=options.same_token)
    graded = len(np.unique(training.gold)) > 2
    with within_memory(how):
        made = train_cross_attention(
            start, training.left, training.right, training.gold, how,
            sets=np.zeros(len(training), np.int64) if graded else None,
            **_options_of_loop(options, _metric(held_out)),
        )  # fmt: skip
    pairs = [training.left, training.right, training.gold]
    save_cross_attention(options.output, made, source, **_recipe(options, start, pairs))
    return made.predict(held_out.left, held_out.right)
