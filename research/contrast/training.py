"""Train the reader on labelled pairs that look alike; no graded pair is among them.

Training starts from `gte`, which ships. DIR holds contrast/ and paws/, and for the network of several languages
sts/ and bitext/ too. Pairs are also generated, for phenomena that no data set has. Training
resumes where it was stopped. At the end come the area under the curve on pairs that were left out,
and the share of the development triples that are ordered right.

OUTPUT holds how the layers changed, in four bits a weight, and the head.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from research.contrast import grammar_pairs, several_languages, value_pairs
from research.contrast.sampling import at_most, balanced, distinct, with_itself
from research.contrast.sources import Labelled, known_sources, labelled_paws, read_source
from research.contrast.value_rewriters import REWRITERS
from research.study import study
from semaniacs.embeddings.configuration import CrossAttentionTuning
from semaniacs.embeddings.loading import NETWORK, READERS, load_network
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import groups_of, numbered
from semaniacs.embeddings.transformer.fine_tuning.reader import Reader
from semaniacs.embeddings.transformer.fine_tuning.reader_training import train_reader
from semaniacs.embeddings.transformer.fine_tuning.saved_tuning import (
    load_tuning,
    rounded,
    save_tuning,
)
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.sts.behaviour.triples import shipped_triples
from semaniacs.sts.command_line import COUNT, SEED, Number, data_option, option, output_option
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV
from semaniacs.sts.progress import note
from semaniacs.sts.scoring.classification import roc_auc

HOW = CrossAttentionTuning(
    epochs=2, learning_rate=1.5e-4, warm_up=0.08, frozen=0, dropout=0.0, gate=-3.0, same=6.0,
    alone=6, lower_rate=0.3,
)  # fmt: skip
"""With a tenth of this rate, or closed gates of the same token, the same pairs teach little."""

LONGEST = 48
"""Tokens of a sentence beyond which its pairs are left out: few pairs, and many seconds."""

ITSELF = 0.02
"""Share of pairs of a sentence with itself."""

RANK, HEAD_RANK = 64, 32
"""Ranks of the changes of the network of several languages, and of the head's matrix."""

LEFT_OUT = 1500
"""Pairs that are left out, to measure on."""


def read_pairs(data: Path, share: float, seed: int) -> list[Labelled]:
    """Return pairs of all sources, at most a share of what each may give, and PAWS-Wiki's.

    Raises:
        DataError: a file is missing or damaged.
    """
    rng, found = np.random.default_rng(seed), list[Labelled]()
    for source in known_sources():
        pairs = list(read_source(data / "contrast", source))
        found += at_most(pairs, round(share * source.most), rng)
    return found + labelled_paws(PAWS_WIKI_DEV, data)


def generate_pairs(groups: int, seed: int) -> list[Labelled]:
    """Return the pairs of so many generated groups of each phenomenon."""
    rng = random.Random(seed)
    makers = (*grammar_pairs.MAKERS.values(), *value_pairs.MAKERS.values())
    return [pair for make in makers for _ in range(groups) for pair in make(rng).pairs()]


def rewrite_values(pairs: Sequence[Labelled], groups: int, seed: int) -> list[Labelled]:
    """Return so many groups of each kind of value, rewritten in left sentences of pairs."""
    rng, found = random.Random(seed), list[Labelled]()
    sentences = list(dict.fromkeys(pair.left for pair in pairs))
    rng.shuffle(sentences)
    for rewrite in REWRITERS.values():
        made = (rewrite(sentence, rng) for sentence in sentences)
        found += [pair for group in islice(filter(None, made), groups) for pair in group.pairs()]
    return found


def without_long(network: Transformer, pairs: Sequence[Labelled]) -> list[Labelled]:
    """Return the pairs whose sentences have at most :data:`LONGEST` tokens."""
    sides: list[list[str]] = [[pair.left for pair in pairs], [pair.right for pair in pairs]]
    read = [network.read_tokens(side) for side in sides]
    lengths = np.max([[len(one.ids) for one in side] for side in read], axis=0)
    return [pair for pair, length in zip(pairs, lengths, strict=True) if length <= LONGEST]


def left_out(pairs: Sequence[Labelled], seed: int) -> NDArray[np.bool_]:
    """Return (n,) whether a pair is left out of training; no sentence is on both sides."""
    groups = groups_of(numbered(*zip(*(pair[:2] for pair in pairs), strict=True))[1])
    sizes = np.bincount(groups)
    order = np.random.default_rng(seed).permutation(len(sizes))
    chosen = order[np.cumsum(sizes[order]) <= min(LEFT_OUT, len(pairs) // 10)]
    return np.isin(groups, chosen)


def measure(reader: Reader, pairs: Sequence[Labelled]) -> str:
    """Return the area under the curve of labelled pairs, and the triples ordered right, by kind."""
    left, right, targets, _ = zip(*pairs, strict=True)
    area = roc_auc(np.array(targets) > 0.5, reader.predict(left, right))
    triples = shipped_triples("development")
    anchors = [triple.anchor for triple in triples]
    closer, farther = (
        reader.predict(anchors, [getattr(triple, side) for triple in triples])
        for side in ("closer", "farther")
    )
    right_order = closer > farther
    kinds = np.array([triple.phenomenon for triple in triples])
    lines = [f"{kind}\t{right_order[kinds == kind].mean():.2f}" for kind in dict.fromkeys(kinds)]
    figures = f"area under the curve, {len(pairs):,} pairs left out\t{area:.3f}"
    return "\n".join([figures, f"development triples\t{right_order.mean():.3f}", *lines])


@study(__doc__, "--data DIR -o reader.safetensors")
@data_option(required=True, help="Folder with contrast/ and paws/.")
@output_option(required=True, help="File of the reader.")
@option("--network", "name", type=click.Choice([*READERS]), default=NETWORK, show_default=True,
        help="Network that is changed; that of several languages learns from translations too.")  # fmt: skip
@option("--share", type=Number(0, 1, min_open=True), default=1.0, help="Share of each source.")
@option("--groups", type=COUNT, default=400, help="Generated groups of each phenomenon.")
@option("--seed", type=SEED, default=0, help="Random seed.")
def contrast(
    data: Path,
    output: Path,
    name: str,
    share: float,
    groups: int,
    seed: int,
) -> None:
    """Train the reader and write it."""
    network, rng = load_network(name), np.random.default_rng(seed)
    several = name != NETWORK
    pairs = read_pairs(data, share, seed)
    pairs += generate_pairs(groups, seed) + rewrite_values(pairs, groups, seed)
    pairs = balanced(without_long(network, distinct(pairs)), rng)
    pairs = several_languages.pairs_from(pairs, data, share, seed) if several else pairs
    pairs += with_itself(pairs, ITSELF, rng)
    held_out = left_out(pairs, seed)
    learned = [pair for pair, held in zip(pairs, held_out, strict=True) if not held]
    note(f"{len(learned):,} pairs to learn from, {held_out.sum():,} left out")
    left, right, targets, _ = zip(*learned, strict=True)
    trained = train_reader(
        network,
        left,
        right,
        np.array(targets),
        replace(HOW, epochs=1, frozen=6) if several else HOW,
        label="reader",
        checkpoint=Path(f"{output}.checkpoint"),
    )
    how_much = {"rank": RANK} if several else {}
    changed = trained.network if several else rounded(network, trained.network)
    save_tuning(output, network, changed, {"head": trained.head}, own_rank=HEAD_RANK, **how_much)
    changed, parts = load_tuning(output, network)
    reader = Reader(changed, parts["head"])
    print(measure(reader, [pair for pair, held in zip(pairs, held_out, strict=True) if held]))
