"""Margin, scale and hard negatives of the additive margin scale loss (Fedorova and Musatow).

    python -m runs.studies hard-negatives --data DIR                     some minutes on two cores
    python -m runs.studies hard-negatives --data DIR --learned 300 --seeds 2 --work TRIAL

The last layer of all-MiniLM-L6-v2 learns from the paraphrases among pairs of PAWS-Wiki's
development set. The first row is the loss at scale 20 without margin, with one given hard negative
of an anchor where a pair of label 0 has one; every other row changes one thing of it, but for the
last, which is as the paper prints it. Thresholds are chosen on other pairs than those that are
measured. A seed draws the split of the pairs, their order and dropout; ± is the standard deviation
over that, and the difference from the first row is taken seed by seed. Alignment and uniformity
(Wang and Isola, 2020): low is close, low is spread.

Finished trainings are kept in WORK/trainings.jsonl and not repeated; remove the file after a change
of the code.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from embeddings.training.loop import run
from embeddings.training.losses.margin_scale import MarginScale
from embeddings.training.losses.mega_batch import HardNegatives
from embeddings.training.trainable import Trainable
from embeddings.transformer.fine_tuning.lower_layers import Places
from embeddings.transformer.fine_tuning.paraphrases.paraphrase_batches import (
    MegaBatch,
    ParaphraseBatches,
    meanings,
)
from embeddings.transformer.fine_tuning.paraphrases.paraphrase_training import ParaphraseLoss
from embeddings.transformer.fine_tuning.trained_vectors import HEAD, starting_parameters
from embeddings.transformer.poolings import Mean
from runs.studies.ledger import Ledger, Value
from runs.studies.sentence_training.labelled_material import (
    FIGURES,
    Budget,
    Material,
    differences,
    read_material,
    spread,
    study_options,
    train_each,
)
from runs.tables.format import markdown_table

CLOSEST = HardNegatives(closest=2)
CLOSE = HardNegatives(closest=8, closer_than=0.8)
"""At most eight of each anchor, so that memory is bounded."""


@dataclass(frozen=True)
class Recipe:
    """One row of the table.

    Attributes:
        objective: the loss; None leaves the network as it comes.
        mega: how hard negatives are searched.
        given: whether those of the pairs of label 0 are given.
    """

    objective: MarginScale | None = field(default_factory=MarginScale)
    mega: MegaBatch = field(default_factory=MegaBatch)
    given: bool = True


def _margin(margin: float, angular: bool) -> Recipe:
    return Recipe(MarginScale(margin=margin, angular=angular))


BASE = "scale 20, no margin, given negatives"
PAPER = MarginScale(scale=0.5, margin=0.5)
RECIPES = {
    BASE: Recipe(),
    "untrained": Recipe(None),
    "negatives of the batch alone": Recipe(given=False),
    "mega-batch 1, 2 closest": Recipe(mega=MegaBatch(1, CLOSEST)),
    "mega-batch 5, 2 closest": Recipe(mega=MegaBatch(5, CLOSEST)),
    "mega-batch 20, 2 closest": Recipe(mega=MegaBatch(20, CLOSEST)),
    f"mega-batch 20, cosine > {CLOSE.closer_than}": Recipe(mega=MegaBatch(20, CLOSE)),
    "scale .5": Recipe(MarginScale(scale=0.5)),
    "margin .25 inside the cosine": _margin(0.25, angular=True),
    "margin .5 inside the cosine": _margin(0.5, angular=True),
    "margin .25 subtracted": _margin(0.25, angular=False),
    "margin .5 subtracted": _margin(0.5, angular=False),
    "scale .5, margin .5 inside, mega-batch 20": Recipe(PAPER, MegaBatch(20, CLOSE)),
}
HEADER = ("AUC", "accuracy", "F1", "alignment", "uniformity")


@dataclass(frozen=True)
class Cell:
    """A training: a recipe and a seed."""

    recipe: Recipe
    seed: int


def given_negatives(own: Places, labels: Places) -> Places:
    """(n, 1) of each pair a sentence that a pair of label 0 puts beside its first side, or −1.

    Where there is none, one that stands beside its second side.

    Args:
        own: (n, 2) the two sentences of each pair.
        labels: (n,) 1 for a paraphrase and 0 for none.
    """
    other: dict[int, int] = {}
    for left, right in own[labels == 0].tolist():
        other.setdefault(left, right)
        other.setdefault(right, left)
    found = [other.get(left, other.get(right, -1)) for left, right in own.tolist()]
    return np.array(found, np.int64).reshape(-1, 1)


def measure_cell(material: Material, cell: Cell) -> Value:
    """The figures of a training."""
    # A mega-batch is a round of the loop, which has one learning rate: it must not change by rounds.
    how = replace(material.how(cell.seed), warm_up=0.0, final_rate=1.0)
    network, recipe = material.network, cell.recipe
    pooling = Mean()
    start = starting_parameters(network, how, pooling)
    if recipe.objective is None:
        return material.measure(start, pooling, cell.seed)
    pairs = material.split(cell.seed).learned
    own, labels = material.own[pairs], material.labels[pairs].astype(np.int64)
    given = given_negatives(own, labels)[:, : int(recipe.given)]
    alike = labels == 1
    data = ParaphraseBatches(
        material.lower,
        own[alike],
        given[alike],
        meanings(own[alike], len(material.lower.tokens.lengths)),
        how,
        pooling,
        recipe.mega,
    )
    loss = ParaphraseLoss(network.shape, how.frozen, pooling, recipe.objective, how.dropout)
    model = Trainable(start | {HEAD: {}}, loss, how.optimizer())
    run(model, data, how, label="margin scale")
    return material.measure(model.dense, pooling, cell.seed)


def study_negatives(material: Material, seeds: int, ledger: Ledger) -> dict[Cell, Value]:
    """The figures of every recipe."""
    cells = [Cell(recipe, seed) for recipe in RECIPES.values() for seed in range(seeds)]
    return train_each(partial(measure_cell, material), cells, material, ledger)


def negatives_table(found: Mapping[Cell, Value], seeds: int) -> str:
    """A row a recipe in Markdown; AUC, accuracy and F1 × 100."""

    def values(recipe: Recipe, figure: str) -> list[float]:
        times = 1 if figure in ("alignment", "uniformity") else 100
        return [times * found[Cell(recipe, seed)][figure] for seed in range(seeds)]

    rows = []
    for name, recipe in RECIPES.items():
        change = differences(values(recipe, "auc"), values(RECIPES[BASE], "auc"), 1)
        digits = (1, 1, 1, 3, 2)
        cells = (
            spread(values(recipe, figure), places)
            for figure, places in zip(FIGURES, digits, strict=True)
        )
        rows.append((name, *cells, "" if name == BASE else change))
    return markdown_table(("", *HEADER, "AUC, difference"), rows)


def main() -> None:
    """Train what the ledger does not hold; print."""
    budget = Budget()
    options = study_options("hard-negatives", __doc__, budget)
    material = read_material(options, budget)
    found = study_negatives(material, options.seeds, Ledger(options.work / "trainings.jsonl"))
    print(negatives_table(found, options.seeds))
