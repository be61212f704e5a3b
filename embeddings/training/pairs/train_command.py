"""``python -m embeddings train``: tune word vectors on pairs that mean the same."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from embeddings import loading
from embeddings.encoder import Encoder
from embeddings.formats.export import check_output, save_by_name
from embeddings.formats.fingerprint import fingerprint
from embeddings.table import as_int8
from embeddings.training.configuration import MEANINGS, OptimizerName, Training
from embeddings.training.objectives import NEGATIVES, OBJECTIVES, HingeLoss, NegativeSampling
from embeddings.training.pairs.corpora import SentencePair
from sts.command_line import count, positive, seed
from sts.data.tables.pair_options import TABLES, add_pair_columns, pair_columns
from sts.data.tables.pair_table import GOLD, PairColumns, pair_blocks, read_graded
from sts.errors import StsError
from sts.extras import require
from sts.files import check_distinct, sha256_of_bytes
from sts.progress import note

if TYPE_CHECKING:
    from sts.data.pairs import Pairs

EXAMPLES = """\
examples:
  python -m embeddings train pairs.tsv.gz -o tuned.safetensors --dev dev.tsv --curve curve
  python -m embeddings train pairs.tsv -o tuned --from glove.txt --objective ranking \\
      --optimizer adam --learning-rate 0.003 --batch 256

A line of PAIRS is two sentences that mean the same, separated by a tab; a line of DEV is
two sentences and a score. Tables of any format do as well; columns that are named are those of
both. A name ending in .safetensors is written as one file, any other as a folder.
"""


def add_train(parser: argparse.ArgumentParser) -> None:
    """Add the options of the command to its parser."""
    add, usual = parser.add_argument, Training()
    add("file", metavar="PAIRS", help=f"left<TAB>right a line, or a table: {TABLES}")
    add("-o", "--output", type=Path, required=True, metavar="MODEL", help="file to write")
    names = ", ".join(loading.ENGLISH)
    about = f"bundled name ({names}), file or folder (default: {loading.DEFAULT})"
    add("--from", dest="model", default=loading.DEFAULT, metavar="MODEL", help=about)
    add("--dev", help="the same with gold, to correlate with")
    add("--checkpoint", type=Path, metavar="FILE", help="to resume from")
    add("--curve", type=Path, metavar="PREFIX", help="write loss and correlation as .csv and .png")
    for name, choices, default in (
        ("objective", [*OBJECTIVES], "paragram"),
        ("negatives", [*NEGATIVES], "random"),
        ("optimizer", [*get_args(OptimizerName)], usual.optimizer),
    ):
        about = f"{MEANINGS[name]} (default: {default})"
        add(f"--{name}", choices=choices, default=default, help=about)
    for name, kind, value in (
        ("epochs", count, usual.epochs),
        ("batch", count, usual.batch),
        ("megabatch", count, usual.negatives.megabatch),
        ("margin", positive, HingeLoss.margin),
        ("learning-rate", positive, usual.learning_rate),
        ("seed", seed, usual.seed),
    ):
        add(f"--{name}", type=kind, default=value, help=f"{MEANINGS[name]} (default: {value})")
    add_pair_columns(parser, gold=True, read_as=False)
    parser.set_defaults(run=train)


def train(options: argparse.Namespace) -> None:
    """Tune an encoder on pairs and write it; print its correlation on ``dev`` before and after."""
    if options.curve:
        require("matplotlib")
    if options.gold and not options.dev:
        raise StsError("--gold names a column of --dev FILE; all pairs of PAIRS mean the same")
    configuration = Training(
        epochs=options.epochs,
        batch=options.batch,
        objective=OBJECTIVES[options.objective](options.margin),
        negatives=NegativeSampling(NEGATIVES[options.negatives], options.megabatch),
        optimizer=options.optimizer,
        learning_rate=options.learning_rate,
        seed=options.seed,
    )
    for given in (options.file, options.dev):
        check_distinct(given, options.output)
    encoder = loading.load_static(options.model)
    check_output(options.output, encoder)
    where = pair_columns(options)
    pairs = read_same(options.file, where)
    dev = read_graded(options.dev, where, options.gold) if options.dev else None
    from embeddings.training.pairs.pair_data import Corpus
    from embeddings.training.pairs.pair_training import train as learn

    tuned = learn(
        encoder,
        [Corpus(pairs)],
        configuration,
        checkpoint=options.checkpoint,
        evaluate=(lambda so_far: correlation(so_far, dev)) if dev else None,
        curve=options.curve,
    )
    # The correlation is that of the encoder as it is written: in int8.
    tuned = tuned.with_table(as_int8(tuned.rows))
    recipe = configuration.as_dict() | {
        "start": fingerprint(encoder),
        "pairs": sha256_of_bytes(json.dumps(pairs).encode()),
    }
    save_by_name(options.output, tuned, recipe=json.dumps(recipe))
    if dev:
        before, after = (correlation(e, dev) for e in (encoder, tuned))
        print(f"dev Pearson {before:.4f} before, {after:.4f} after")
    print(f"written to {options.output}", file=sys.stderr)


def read_same(path: str, where: PairColumns) -> list[SentencePair]:
    """The pairs of a table, all of which are taken to mean the same; gold beside them is told of.

    Raises:
        DataError, StsError: as for :func:`.pair_table.pair_blocks`.
    """
    pairs: list[SentencePair] = []
    columns: Sequence[str] = ()
    for rows, left, right in pair_blocks(path, where, option=None):
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
    """Pearson's r of the cosines with the gold scores."""
    from sts.scoring.correlation import pearson

    return pearson(encoder.similarity_pairwise(dev.left, dev.right), dev.gold)
