"""Which pooling, with which loss? (Vatolin et al., 2021, Russian news similarity)

    python -m runs.studies poolings --data DIR                           some minutes on two cores
    python -m runs.studies poolings --data DIR --learned 300 --seeds 2 --work TRIAL

Five poolings are trained with three losses, contrastive, online contrastive and softmax
classification: the last layer of all-MiniLM-L6-v2, on as many pairs of PAWS-Wiki's development
set, for as many steps. The claim of
the paper is that multi-head attention beats the mean by .5 to 1 F1. Weighted layers weigh the last
two. A seed draws the split of the pairs, their order, dropout and what a pooling starts from, so
that ± is the standard deviation over all of that; a difference is taken seed by seed.

Finished trainings are kept in WORK/trainings.jsonl and not repeated; remove the file after a change
of the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

import numpy as np

from embeddings.training.loop import run
from embeddings.training.losses.labelled_pairs import PAIR_LOSSES
from embeddings.training.trainable import Trainable
from embeddings.transformer.fine_tuning.bi_encoder import BiEncoderLoss
from embeddings.transformer.fine_tuning.pair_batches import PairBatches, groups_of
from embeddings.transformer.fine_tuning.trained_vectors import HEAD, starting_parameters
from embeddings.transformer.poolings import POOLINGS
from runs.studies.ledger import Ledger, Value
from runs.studies.sentence_training.labelled_material import (
    Budget,
    Material,
    differences,
    read_material,
    spread,
    study_options,
    train_each,
)
from runs.tables.format import markdown_table

NAMES = ("mean", "cls", "max", "weighted-layers", "multi-head")
LOSSES = ("contrastive", "online-contrastive", "classification")
UNTRAINED = "untrained"
SHOWN = {"f1": "F1", "auc": "AUC", "accuracy": "accuracy"}


@dataclass(frozen=True)
class Cell:
    """A training: a key of ``POOLINGS``, one of ``PAIR_LOSSES`` or "untrained", a seed."""

    pooling: str
    loss: str
    seed: int


def measure_cell(material: Material, cell: Cell) -> Value:
    """The figures of a training."""
    how, network = material.how(cell.seed), material.network
    pooling = POOLINGS[cell.pooling]()
    start = starting_parameters(network, how, pooling)
    if cell.loss == UNTRAINED:
        return material.measure(start, pooling, cell.seed)
    objective = PAIR_LOSSES[cell.loss]()
    dim = network.width * getattr(pooling, "heads", 1)
    head = objective.initial(dim) if hasattr(objective, "initial") else {}
    loss = BiEncoderLoss(network.shape, how.frozen, pooling, objective, how.dropout)
    model = Trainable(start | {HEAD: head}, loss, how.optimizer())
    pairs = material.split(cell.seed).learned
    own, gold = material.own[pairs], material.labels[pairs].astype(np.float32)
    data = PairBatches(material.lower, own, groups_of(own), gold, how)
    run(model, data, how, label=f"{cell.pooling}, {cell.loss}")
    return material.measure(model.dense, pooling, cell.seed)


def study_poolings(material: Material, seeds: int, ledger: Ledger) -> dict[Cell, Value]:
    """The figures of every pooling and loss."""
    cells = [
        Cell(pooling, loss, seed)
        for loss in (UNTRAINED, *LOSSES)
        for pooling in NAMES
        for seed in range(seeds)
    ]
    return train_each(partial(measure_cell, material), cells, material, ledger)


def poolings_tables(found: Mapping[Cell, Value], seeds: int) -> str:
    """A table a figure in Markdown, and multi-head attention beside the mean."""
    header = (UNTRAINED, *LOSSES)

    def values(figure: str, pooling: str, loss: str) -> list[float]:
        return [100 * found[Cell(pooling, loss, seed)][figure] for seed in range(seeds)]

    tables = []
    for figure, title in SHOWN.items():
        rows = [
            (name, *(spread(values(figure, name, loss), 1) for loss in header)) for name in NAMES
        ]
        claim = (
            differences(values(figure, "multi-head", loss), values(figure, "mean", loss), 1)
            for loss in header
        )
        rows.append(("multi-head − mean", *claim))
        tables.append(markdown_table((f"{title} × 100", *header), rows))
    return "\n\n".join(tables)


def main() -> None:
    """Train what the ledger does not hold; print."""
    budget = Budget()
    options = study_options("poolings", __doc__, budget)
    material = read_material(options, budget)
    found = study_poolings(material, options.seeds, Ledger(options.work / "trainings.jsonl"))
    print(poolings_tables(found, options.seeds))
