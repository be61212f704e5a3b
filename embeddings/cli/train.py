"""``semaniacs train``: tune word vectors on pairs that mean the same."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from semaniacs.embeddings import loading
from semaniacs.embeddings.cli.shared_options import (
    FILE,
    checkpoint_option,
    choice,
    mega_batch_option,
    pair_columns,
)
from semaniacs.embeddings.configuration import NegativeSampling, Training
from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.formats.folder import check_output, save_by_name
from semaniacs.embeddings.table import as_int8
from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.sts.command_line import (
    COUNT,
    POSITIVE,
    examples,
    model_option,
    option,
    output_option,
    seed_option,
)
from semaniacs.sts.data.pair_table import GOLD, PairColumns, pair_blocks, read_graded
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.data.table_kinds import pair_options
from semaniacs.sts.errors import StsError, require
from semaniacs.sts.files import check_distinct, sha256_of_bytes
from semaniacs.sts.progress import note
from semaniacs.sts.scoring.correlation import pearson


@click.command(
    short_help="Tune word vectors on pairs of the same meaning.",
    epilog=examples(
        "semaniacs train pairs.tsv.gz -o tuned.safetensors --dev dev.tsv --curve curve",
        "semaniacs train pairs.tsv -o tuned --model glove.txt --objective ranking \\",
        "    --optimizer adam --learning-rate 0.003 --batch 256",
    ),
)
@click.argument("file", metavar="PAIRS")
@output_option(
    required=True, writes="safetensors", metavar="MODEL", help="File or folder to write."
)
@model_option(old=("--from",), default="paragram", help="Encoder to start from.")
@option("--dev", metavar="FILE", help="Pairs with gold scores, to measure the correlation on.")
@option("--gold", metavar="COLUMN", help="Column of the gold scores of --dev.")
@checkpoint_option
@option("--curve", type=FILE, metavar="PREFIX", help="Write the curves as .csv and .png.")
@choice("--objective", "paragram one-sided ranking additive", "Loss of a batch.")
@choice("--negatives", "random hardest mixed", "Choice of negative examples.")
@choice("--optimizer", "adadelta adam adagrad momentum", "Optimizer.")
@option("--epochs", type=COUNT, default=10, help="Passes over the pairs.")
@option("--batch", type=COUNT, default=100, help="Pairs per step.")
@mega_batch_option(default=1, help="Batches searched together for hard negatives.")
@option("--margin", type=POSITIVE, default=0.8, help="Margin between a pair and its negatives.")
@option("--learning-rate", type=POSITIVE, default=1.0, help="Learning rate of the first step.")
@seed_option()
@partial(pair_options, old=())
def train(
    file: str,
    output: Path,
    model: str,
    dev: str | None,
    gold: str | None,
    checkpoint: Path | None,
    curve: Path | None,
    **options: Any,
) -> None:
    """Tune an encoder on pairs that mean the same, and print its correlation before and after.

    A line of PAIRS is two sentences, separated by a tab; a line of DEV is two sentences and a
    score. Tables of any format work too; column names apply to both files.
    """
    from semaniacs.embeddings.training.losses import NEGATIVES, OBJECTIVES

    if curve:
        require("matplotlib")
    if gold and not dev:
        raise StsError("--gold names a column of --dev FILE; all pairs of PAIRS mean the same")
    configuration = Training(
        objective=OBJECTIVES[options["objective"]](options["margin"]),
        negatives=NegativeSampling(NEGATIVES[options["negatives"]], options["mega_batch"]),
        **{
            name: options[name]
            for name in ("epochs", "batch", "optimizer", "learning_rate", "seed")
        },
    )
    for given in (file, dev):
        check_distinct(given, output)
    encoder = loading.load_static(model)
    check_output(output, encoder)
    where = pair_columns(options)
    pairs = read_same(file, where)
    graded = read_graded(dev, where, gold) if dev else None
    from semaniacs.embeddings.training.pair_training import Corpus
    from semaniacs.embeddings.training.pair_training import train as learn

    tuned = learn(
        encoder,
        [Corpus(pairs)],
        configuration,
        checkpoint=checkpoint,
        evaluate=(lambda so_far: correlation(so_far, graded)) if graded else None,
        curve=curve,
    )
    # The correlation is that of the encoder as it is written: in int8.
    tuned = tuned.with_table(as_int8(tuned.rows))
    recipe = configuration.as_dict() | {
        "start": encoder.digest,
        "pairs": sha256_of_bytes(json.dumps(pairs).encode()),
    }
    save_by_name(output, tuned, recipe=json.dumps(recipe))
    if graded:
        before, after = (correlation(e, graded) for e in (encoder, tuned))
        print(f"dev Pearson {before:.4f} before, {after:.4f} after")
    note(f"written to {output}")


def read_same(path: str, where: PairColumns) -> list[SentencePair]:
    """Return the pairs of a table, which all mean the same; a column of gold scores is noted."""
    pairs: list[SentencePair] = []
    columns: Sequence[str] = ()
    for rows, left, right in pair_blocks(path, where):
        pairs += zip(left, right, strict=True)
        columns = rows.columns
    for name in columns:
        if name.lower() in GOLD:
            note(
                f"{path}: column {name} is not read, and all {len(pairs):,} pairs are taken to mean "
                "the same; leave out those that do not"
            )
    return pairs


def correlation(encoder: Encoder, dev: Pairs) -> float:
    """Return Pearson's r of the cosines with the gold scores."""
    return pearson(encoder.similarity_pairwise(dev.left, dev.right), dev.gold)
