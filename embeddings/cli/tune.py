"""``semaniacs tune``: fine-tune a transformer on a person's own pairs, and compare."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import numpy as np

from semaniacs.embeddings.cli.shared_options import FILE, flag, mega_batch_option, pair_columns
from semaniacs.embeddings.loading import NETWORK, load_network, load_reader
from semaniacs.embeddings.transformer.bert_folder import load_bert
from semaniacs.embeddings.transformer.fine_tuning import held_out_gain, own_pairs
from semaniacs.embeddings.transformer.fine_tuning.own_pairs import OF_PARAPHRASES, Paraphrases
from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import check_free
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.command_line import (
    COUNT,
    FINITE,
    POSITIVE,
    SHARE,
    Number,
    Whole,
    examples,
    model_option,
    option,
    output_option,
    seed_option,
    threshold_option,
)
from semaniacs.sts.data.pair_table import read_graded
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.data.table_kinds import pair_options
from semaniacs.sts.errors import StsError, require
from semaniacs.sts.files import check_writable
from semaniacs.sts.progress import note

POOLINGS = ("mean", "cls", "max", "weighted-layers", "multi-head", "multi-head-dimensions")
"""Keys of :data:`semaniacs.embeddings.transformer.poolings.POOLINGS`, which imports JAX."""

LOSSES = frozenset(
    "cosent contrastive online-contrastive classification correlation squared-error "
    "margin-scale multiple-negatives".split()
)
"""Keys of :data:`semaniacs.embeddings.training.losses.PAIR_LOSSES`, and two for paraphrases."""

CURVE = 500  # largest number of held-out pairs that the curve is drawn from

PROBABILITY = Number(0, 1, max_open=True)


class Layers(Whole):
    """A number of layers, or ``none``."""

    name = "layers"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Parse it; none is -1."""
        return -1 if value in ("none", -1) else super().convert(value, param, ctx)


@click.command(
    short_help="Fine-tune a transformer on labelled pairs.",
    epilog=examples(
        "semaniacs tune pairs.tsv -o tuned --curve curve",
        "semaniacs tune pairs.tsv -o judge --reader --epochs 2",
        "semaniacs tune swaps.tsv -o judge --reader --model FOLDER --same-token 6 --frozen 3",
        "semaniacs tune pairs.tsv -o tuned --model FOLDER --pooling multi-head --frozen 3",
        "semaniacs tune paraphrases.tsv -o tuned --loss margin-scale --mega-batch 20 --closest 2",
        "semaniacs encode sentences.txt -o vectors.npy --model tuned",
        "semaniacs similar new-pairs.tsv --model judge",
    ),
)
@click.argument("file", metavar="PAIRS")
@output_option(required=True, writes="", metavar="FOLDER", help="Folder to write.")
@model_option(
    "start",
    old=("--from",),
    default=None,
    type=FILE,
    metavar="MODEL",
    help="Network to start from: gte (the default), multilingual, or a folder of a BERT, RoBERTa or "
    "XLM-R.",
)
@option("--epochs", type=COUNT, default=3, help="Passes over the pairs.")
@option("--batch", type=COUNT, default=32, help="Pairs per batch.")
@option("--accumulate", type=COUNT, default=1, help="Batches per step, where memory is short.")
@option("--learning-rate", type=POSITIVE, default=5e-5, help="Highest learning rate.")
@option("--dropout", type=PROBABILITY, default=0.1, help="Share of the numbers left out of a step.")
@option(
    "--frozen",
    type=Layers(0),
    default=0,
    help="Lower layers that are not trained; none trains the embeddings too.",
)
@option("--tokens", type=COUNT, help="Tokens read of a text (default: as the start has it).")
@option("--checkpoint", type=FILE, help="File to resume from (default: beside the folder).")
@flag("--overwrite", "Replace the folder if it exists.")
@flag(
    "--reader",
    "Let the trained layers read both sentences together, from the network that ships and does so; "
    "only this program reads the folder.",
)
@flag(
    "--cross",
    "Train a cross-encoder of sentence-transformers, which reads both sentences together in all "
    "layers: slower, and it needs many pairs.",
)
@option(
    "--same-token",
    type=POSITIVE,
    metavar="GATE",
    help="With --reader and --model: attention at first to the same word on the other side; 6 is "
    "good where pairs that differ in meaning have the same words.",
)
@option("--pooling", type=click.Choice(POOLINGS), help="Pooling of tokens (default: of the start).")
@option("--loss", type=click.Choice(sorted(LOSSES)), help="Loss of a batch (default: cosent).")
@option(
    "--range",
    "limits",
    type=FINITE,
    nargs=2,
    help="Lowest and highest gold (default: 0 1, or 0 5).",
)
@option("--held-out", type=SHARE, default=0.2, help="Share of the pairs to compare on.")
@option("--dev", metavar="FILE", help="Pairs to compare on, instead of held-out ones.")
@option("--gold", metavar="COLUMN", help="Column of the gold scores.")
@option("--curve", type=FILE, metavar="PREFIX", help="Write the curves as .csv and .png.")
@option("--scale", type=POSITIVE, help="Factor of the cosines (default: 20).")
@option("--margin", type=PROBABILITY, help="Margin with --loss margin-scale (default: 0.1).")
@flag("--angular", "Take the margin as an angle, in radians.")
@mega_batch_option(help="Search hard negatives in N batches together, by the model as it is.")
@option("--closest", type=COUNT, metavar="K", help="Hard negatives per sentence (default: 1).")
@threshold_option(help="Lowest cosine of a hard negative.")
@seed_option()
@partial(pair_options, old=())
def tune(**given: Any) -> None:
    """Train a transformer on PAIRS, write it to a folder, and print whether it is better.

    A row of PAIRS is two sentences and their gold, or the gold first: 0 and 1, or any grades. A
    fifth of the pairs is held out, in groups that share no sentence with the others; on them the
    trained model is compared with its start. The folder is one of sentence-transformers, except
    with --reader. The same command resumes after a stop.

    The gold may be labels in words: contradiction, neutral, entailment, not_entailment,
    paraphrase, not_paraphrase. They imply --reader.

    The losses margin-scale and multiple-negatives need no gold: a row is two sentences that mean
    the same, and a third one if a close sentence means something else (column: negative). Every
    other pair of a batch is a negative. They are compared by how often the right side of a
    held-out pair is found by its left one. With labels, pairs of 1 are learned from, and pairs of
    0 are hard negatives.
    """
    from semaniacs.embeddings.transformer.fine_tuning.ways import train

    options = SimpleNamespace(**given)
    options.where = pair_columns(given)
    options.labels = False
    options.frozen = None if options.frozen == -1 else options.frozen
    if options.curve:
        require("matplotlib")
    _check(options)
    check_writable(options.output.absolute().parent)
    check_free(options.output, overwrite=options.overwrite)
    graded = options.loss not in OF_PARAPHRASES or own_pairs.has_gold(
        options.file, options.where, options.gold
    )
    training: Any
    held_out: Any
    training, held_out = _graded_pairs(options) if graded else _paraphrases(options)
    start = _opened(options)
    note(f"{len(training):,} pairs to learn from, {len(held_out):,} held out")
    some = held_out.select(np.arange(len(held_out)) < CURVE)

    def metric(model: Any) -> float:
        if graded:
            return held_out_gain.metric_of(some.gold, model.predict(some.left, some.right))
        return held_out_gain.mean_reciprocal_rank(held_out_gain.ranks(model, some))

    beside = options.output.with_name(f"{options.output.name}.checkpoint.safetensors")
    loop = {
        "label": "training",
        "checkpoint": options.checkpoint or beside,
        "curve": options.curve,
        "evaluate": metric if options.curve else None,
    }
    with within_memory(options):
        model, save, about = train(options, start, training, loop)
    save(options.output, model, _source(options), **about)
    note(f"written to {options.output}")
    if graded:
        tuned = model.predict(held_out.left, held_out.right)
        shipped = options.reader and options.start is None
        old = load_reader().predict if shipped else start.similarity_pairwise
        untuned = old(held_out.left, held_out.right)
        print(held_out_gain.gain(held_out, untuned, tuned, options.seed))
    else:
        before, after = (held_out_gain.ranks(one, held_out) for one in (start, model))
        recall, rank = held_out_gain.paraphrase_gains(held_out, before, after, options.seed)
        print(f"{recall.figures}\n{rank}")


def _check(options: SimpleNamespace) -> None:
    if options.cross and options.reader:
        raise StsError("--cross and --reader are two ways; choose one")
    if (options.cross or options.reader) and (options.pooling or options.loss):
        way = "--cross" if options.cross else "--reader"
        raise StsError(f"--pooling and --loss have no meaning with {way}; leave them out")
    if options.same_token and not (options.reader and options.start):
        raise StsError("--same-token belongs to --reader with --model")
    names = ("scale", "margin", "angular", "mega-batch", "closest", "threshold")
    given = {name: getattr(options, name.replace("-", "_")) for name in names}
    named = [f"--{name}" for name, value in given.items() if value not in (None, False)]
    if named and options.loss not in OF_PARAPHRASES:
        raise StsError(f"{named[0]} belongs to --loss {' or '.join(OF_PARAPHRASES)}")
    if options.loss == "multiple-negatives" and (options.angular or options.margin is not None):
        raise StsError("--loss multiple-negatives has no margin; take --loss margin-scale")
    if not options.mega_batch and (options.closest or options.threshold is not None):
        raise StsError("--closest and --threshold say what --mega-batch searches; give it too")


def _graded_pairs(options: SimpleNamespace) -> tuple[Pairs, Pairs]:
    where, gold = options.where, options.gold
    pairs, limits = own_pairs.read_own_pairs(
        options.file, where, gold, options.limits or None, options.loss
    )
    if limits is None:
        _take_labels(options)
    if not options.dev:
        training, dev = own_pairs.hold_out(
            pairs, options.held_out, options.seed, labels=options.labels
        )
        return training, own_pairs.classes(dev) if options.labels else dev
    if limits is None:
        dev = own_pairs.classes(own_pairs.read_own_pairs(options.dev, where, gold, None, None)[0])
    else:
        dev = read_graded(options.dev, where, gold)
        dev = own_pairs.scaled(dev, own_pairs.range_of(dev.gold, limits))
    own_pairs.check_apart(pairs, dev)
    return pairs, dev


def _take_labels(options: SimpleNamespace) -> None:
    """Choose the reader, which learns from labels in words; an StsError if an option excludes it."""
    given = {"--cross": options.cross, "--loss": options.loss, "--pooling": options.pooling}
    named = [name for name, value in (given | {"--range": options.limits}).items() if value]
    if named:
        raise StsError(
            f"{options.file}: labels in words are learned with --reader, without {named[0]}; leave "
            "it out, or write numbers: 1 for pairs that mean the same, and 0"
        )
    if not options.reader:
        note(f"{options.file}: labels in words, so --reader")
    options.labels = options.reader = True


def _paraphrases(options: SimpleNamespace) -> tuple[Paraphrases, Paraphrases]:
    pairs = own_pairs.read_paraphrases(options.file, options.where)
    if not options.dev:
        return own_pairs.hold_out(pairs, options.held_out, options.seed)
    dev = own_pairs.read_paraphrases(options.dev, options.where)
    own_pairs.check_apart(pairs, dev)
    return pairs, dev


def _source(options: SimpleNamespace) -> Path | None:
    """Return the folder to start from, if one is named; else it is one file."""
    start = options.start
    return start if start and start.is_dir() else None


def _opened(options: SimpleNamespace) -> Transformer:
    """Return the network to start from, which reads ``--tokens``; an StsError if it has too few."""
    source = _source(options)
    start = load_bert(source) if source else load_network(options.start or NETWORK)
    if options.frozen is not None and options.frozen > start.shape.layers:
        raise StsError(
            f"--frozen {options.frozen}: the network has {start.shape.layers} layers; expected fewer"
        )
    tokens = options.tokens or start.longest
    if tokens > start.longest:
        raise StsError(f"--tokens {tokens}: the network reads {start.longest} at most")
    return Transformer(
        start.weights, start.shape, start.tokenizer, start.head, tokens, lowercase=start.lowercase
    )


@contextmanager
def within_memory(options: SimpleNamespace) -> Iterator[None]:
    """Report a training that runs out of memory in one line that says what to set."""
    try:
        yield
    except (MemoryError, RuntimeError) as error:  # XLA raises a RuntimeError
        if isinstance(error, RuntimeError) and "RESOURCE_EXHAUSTED" not in str(error):
            raise
        raise StsError(
            f"out of memory: set --batch {max(1, options.batch // 2)} "
            f"--accumulate {2 * options.accumulate}, fewer --tokens, or a higher --frozen"
        ) from None
