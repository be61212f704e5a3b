"""Train the last layer of all-MiniLM-L6-v2 on labelled pairs, with five poolings and three losses.

Vatolin et al. (2021, Russian news similarity) claim that multi-head attention beats the mean by .5
to 1 F1. Weighted layers weigh the last two.

The pairs are those of PAWS-Wiki's development set whose sentences are not too long, split for each
seed so that no sentence is in two parts: some to learn from, some to choose thresholds on, some to
test. A seed draws the split, the order and dropout; ± is the standard deviation over seeds, and a
difference is taken seed by seed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import numpy as np
from numpy.typing import NDArray

from research.peers import minilm_folder
from research.study import run_study, study
from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.training.loop import run
from semaniacs.embeddings.training.losses import PAIR_LOSSES
from semaniacs.embeddings.training.trainable import Trainable
from semaniacs.embeddings.transformer.bert_folder import load_bert
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import BiEncoderLoss
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Places, Tokens
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import (
    PairBatches,
    groups_of,
    numbered,
)
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    starting_parameters,
    unit_vectors,
)
from semaniacs.embeddings.transformer.poolings import POOLINGS, Pooling
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.runs.tables.format import markdown_table
from semaniacs.sts.command_line import COUNT, data_option, option
from semaniacs.sts.data.catalog import PAWS_WIKI_DEV
from semaniacs.sts.data.fetch import load as load_pairs
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import StsError
from semaniacs.sts.scoring.classification import (
    best_f1_threshold,
    best_threshold,
    labels_of,
    score_classification,
)

NAMES = ("mean", "cls", "max", "weighted-layers", "multi-head")
UNTRAINED = "untrained"
LOSSES = (UNTRAINED, "contrastive", "online-contrastive", "classification")
FIGURES = {"f1": "F1", "auc": "AUC", "accuracy": "accuracy"}

LONGEST = 32
"""Tokens of the longest sentence."""

CHOSEN, TESTED = 400, 1000
"""Pairs to choose thresholds on, and to test."""


@dataclass(frozen=True, eq=False)
class Material:
    """Labelled pairs and a network.

    Attributes:
        network: start of each training.
        lower: the distinct sentences.
        own: (n, 2) the two sentences of each pair.
        labels: (n,) whether it is a paraphrase.
        learned: number of pairs to learn from.
    """

    network: Transformer
    lower: LowerLayers
    own: Places
    labels: NDArray[np.bool_]
    learned: int

    def split(self, seed: int) -> tuple[Places, Places, Places]:
        """Return the places of the pairs to learn from, to choose on and to test."""
        groups = groups_of(self.own)
        rank = np.random.default_rng(seed).permutation(groups.max() + 1)[groups]
        order = np.argsort(rank, kind="stable")
        before = np.cumsum(np.bincount(rank))[rank[order]]  # pairs up to the end of the group
        part = np.searchsorted(np.cumsum([TESTED, CHOSEN, self.learned]), before)
        tested, chosen, learned = (np.sort(order[part == place]) for place in range(3))
        return learned, chosen, tested

    def measure(
        self, parameters: Mapping[str, Any], pooling: Pooling, seed: int
    ) -> dict[str, float]:
        """Return :data:`FIGURES` on unseen pairs; thresholds are chosen on others."""
        _, chosen, tested = self.split(seed)
        rows = np.unique(self.own[np.concatenate([chosen, tested])])
        vectors = unit_vectors(parameters, self.lower, pooling, rows)
        sides = np.searchsorted(rows, self.own)

        def cosines(pairs: Places) -> NDArray[np.float64]:
            left, right = vectors[sides[pairs].T].astype(np.float64)
            return np.asarray((left * right).sum(axis=1))

        truth, labels = self.labels[chosen], self.labels[tested]
        ours, theirs = cosines(chosen), cosines(tested)
        found = score_classification(labels, theirs, best_threshold(truth, ours))
        f1 = score_classification(labels, theirs, best_f1_threshold(truth, ours)).f1
        return {"auc": found.auc, "accuracy": found.accuracy, "f1": f1}

    def train(self, name: str, loss_name: str, seed: int, epochs: int) -> dict[str, float]:
        """Return the figures after a training with a pooling and a loss; "untrained" has none."""
        network, frozen = self.network, self.network.shape.layers - 1
        how = FineTuning(epochs=epochs, learning_rate=3e-4, batch=32, frozen=frozen, seed=seed)
        pooling = POOLINGS[name]()
        start = starting_parameters(network, how, pooling)
        if loss_name == UNTRAINED:
            return self.measure(start, pooling, seed)
        objective = PAIR_LOSSES[loss_name]()
        dim = network.width * getattr(pooling, "heads", 1)
        head = objective.initial(dim) if hasattr(objective, "initial") else {}
        loss = BiEncoderLoss(network.shape, frozen, pooling, objective, how.dropout)
        model = Trainable(start | {HEAD: head}, loss, how.optimizer())
        pairs, _, _ = self.split(seed)
        own, gold = self.own[pairs], self.labels[pairs].astype(np.float32)
        data = PairBatches(self.lower, own, groups_of(own), gold, how)
        run(model, data, how, label=f"{name}, {loss_name}")
        return self.measure(model.dense, pooling, seed)


def material_of(network: Transformer, pairs: Pairs, learned: int) -> Material:
    """Return the material of the pairs that are not too long.

    Raises:
        StsError: there are too few pairs.
    """
    sides = [Tokens.of(network, side).lengths for side in (pairs.left, pairs.right)]
    pairs = pairs.select(np.maximum(*sides) <= LONGEST)
    wanted = TESTED + CHOSEN + learned
    if len(pairs) < wanted:
        raise StsError(f"{pairs.name}: {len(pairs):,} pairs; {wanted:,} are needed, take fewer")
    texts, own = numbered(pairs.left, pairs.right)
    lower = LowerLayers(network, Tokens.of(network, texts), network.shape.layers - 1)
    return Material(network, lower, own, labels_of(pairs.gold), learned)


def spread(values: Sequence[float], sign: str = "") -> str:
    """Format the mean and the standard deviation over seeds, × 100; one value has no deviation."""
    percent = 100 * np.array(values)
    mean = f"{percent.mean():{sign}.1f}"
    return mean + (f" ± {percent.std(ddof=1):.1f}" if len(values) > 1 else "")


def pooling_tables(found: Mapping[tuple[str, str], Sequence[Mapping[str, float]]]) -> str:
    """Return one table per figure in Markdown, with multi-head attention beside the mean.

    Args:
        found: figures of each seed, by pooling and loss.
    """
    tables = []
    for figure, title in FIGURES.items():
        values = {cell: [one[figure] for one in seeds] for cell, seeds in found.items()}
        rows = [(name, *(spread(values[name, loss]) for loss in LOSSES)) for name in NAMES]
        claim = (
            np.subtract(values["multi-head", loss], values["mean", loss]).tolist()
            for loss in LOSSES
        )
        rows.append(("multi-head − mean", *(spread(change, "+") for change in claim)))
        tables.append(markdown_table((f"{title} × 100", *LOSSES), rows))
    return "\n\n".join(tables)


@study(__doc__, "--data DIR", "--learned 300 --seeds 2")
@data_option()
@option("--seeds", type=COUNT, default=3, show_default=True, help="Trainings of each kind.")
@option("--learned", type=COUNT, default=600, show_default=True, help="Pairs to learn from.")
@option("--epochs", type=COUNT, default=3, show_default=True, help="Passes over them.")
def sentence_training(data: Path | None, seeds: int, learned: int, epochs: int) -> None:
    """Train and print tables."""
    network = load_bert(minilm_folder())
    material = material_of(network, load_pairs(PAWS_WIKI_DEV, data), learned)
    found = {
        (name, loss): [material.train(name, loss, seed, epochs) for seed in range(seeds)]
        for loss in LOSSES
        for name in NAMES
    }
    click.echo(pooling_tables(found))


if __name__ == "__main__":
    run_study(sentence_training)
