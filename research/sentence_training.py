"""Train the last layer of all-MiniLM-L6-v2 on labelled pairs, and compare losses.

``poolings`` (Vatolin et al., 2021, Russian news similarity): five poolings with three losses. The
paper claims that multi-head attention beats the mean by .5 to 1 F1. Weighted layers weigh the last
two.

``negatives`` (Fedorova and Musatow): margin, scale and hard negatives of the additive margin scale
loss. The first row is the loss at scale 20 without margin, with one given hard negative per anchor
where a pair of label 0 has one; every other row changes one thing, but for the last, which is as
the paper prints it.

The pairs are those of PAWS-Wiki's development set whose sentences are not too long, split for each
seed so that no sentence is in two parts: some to learn from, some to choose thresholds on, some to
test. A seed draws the split, the order and dropout; ± is the standard deviation over seeds, and a
difference is taken seed by seed. Alignment and uniformity (Wang and Isola, 2020): low is better.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray

from research.study import run_study, study
from semaniacs.embeddings.configuration import FineTuning
from semaniacs.embeddings.training.loop import run
from semaniacs.embeddings.training.losses import PAIR_LOSSES, MarginScale
from semaniacs.embeddings.training.negatives import HardNegatives
from semaniacs.embeddings.training.trainable import Trainable
from semaniacs.embeddings.transformer.bert_folder import read_transformer
from semaniacs.embeddings.transformer.fine_tuning.bi_encoder import BiEncoderLoss
from semaniacs.embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Places, Tokens
from semaniacs.embeddings.transformer.fine_tuning.pair_batches import (
    MegaBatch,
    PairBatches,
    ParaphraseBatches,
    groups_of,
    meanings,
    numbered,
)
from semaniacs.embeddings.transformer.fine_tuning.upper_layers import (
    HEAD,
    starting_parameters,
    unit_vectors,
)
from semaniacs.embeddings.transformer.poolings import POOLINGS, Mean, Pooling
from semaniacs.embeddings.transformer.transformer_encoder import Transformer
from semaniacs.embeddings.transformer.weights import installed_transformer
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

FIGURES = ("auc", "accuracy", "f1", "alignment", "uniformity")
Figures = dict[str, float]
LONGEST = 32
"""Tokens of the longest sentence."""

UNTRAINED = "untrained"


@dataclass(frozen=True)
class Budget:
    """Numbers of pairs to learn from, to choose thresholds on and to test; and the schedule."""

    learned: int = 600
    chosen: int = 400
    tested: int = 1000
    epochs: int = 3
    rate: float = 3e-4
    batch: int = 32


class Pooled(NamedTuple):
    """A training of the first study: a pooling, a loss or "untrained", and a seed."""

    pooling: str
    loss: str
    seed: int


@dataclass(frozen=True)
class Recipe:
    """A row of the second study: a loss (None leaves the network untrained), the search for hard
    negatives, and whether those of the pairs with label 0 are given.
    """

    objective: MarginScale | None
    mega: MegaBatch = field(default_factory=MegaBatch)
    given: bool = True


class Negatives(NamedTuple):
    """A training of the second study: a recipe and a seed."""

    recipe: Recipe
    seed: int


@dataclass(frozen=True, eq=False)
class Material:
    """Labelled pairs and a network.

    Attributes:
        network: start of each training.
        lower: the distinct sentences.
        own: (n, 2) the two sentences of each pair.
        labels: (n,) whether it is a paraphrase.
        budget: of every training.
    """

    network: Transformer
    lower: LowerLayers
    own: Places
    labels: NDArray[np.bool_]
    budget: Budget

    def split(self, seed: int) -> tuple[Places, Places, Places]:
        """Return the places of the pairs to learn from, to choose on and to test."""
        groups = groups_of(self.own)
        rank = np.random.default_rng(seed).permutation(groups.max() + 1)[groups]
        order = np.argsort(rank, kind="stable")
        before = np.cumsum(np.bincount(rank))[rank[order]]  # pairs up to the end of the group
        sizes = [self.budget.tested, self.budget.chosen, self.budget.learned]
        part = np.searchsorted(np.cumsum(sizes), before)
        tested, chosen, learned = (np.sort(order[part == place]) for place in range(3))
        return learned, chosen, tested

    def how(self, seed: int) -> FineTuning:
        """Return the training of the last layer with a seed."""
        budget = self.budget
        return FineTuning(
            epochs=budget.epochs,
            learning_rate=budget.rate,
            batch=budget.batch,
            frozen=self.network.shape.layers - 1,
            seed=seed,
        )

    def measure(self, parameters: Mapping[str, Any], pooling: Pooling, seed: int) -> Figures:
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
        same = sides[tested[labels]].T
        return {
            "auc": found.auc,
            "accuracy": found.accuracy,
            "f1": score_classification(labels, theirs, best_f1_threshold(truth, ours)).f1,
            "alignment": alignment(vectors[same[0]], vectors[same[1]]),
            "uniformity": uniformity(vectors[np.unique(sides[tested])]),
        }


def material_of(network: Transformer, pairs: Pairs, budget: Budget) -> Material:
    """Return the material of the pairs that are not too long.

    Raises:
        StsError: there are too few pairs for the budget.
    """
    sides = [Tokens.of(network, side).lengths for side in (pairs.left, pairs.right)]
    pairs = pairs.select(np.maximum(*sides) <= LONGEST)
    wanted = budget.tested + budget.chosen + budget.learned
    if len(pairs) < wanted:
        raise StsError(f"{pairs.name}: {len(pairs):,} pairs; {wanted:,} are needed, take fewer")
    texts, own = numbered(pairs.left, pairs.right)
    tokens = Tokens.of(network, texts)
    frozen = network.shape.layers - 1
    lower = LowerLayers(network, tokens, frozen)
    return Material(network, lower, own, labels_of(pairs.gold), budget)


# Poolings

NAMES = ("mean", "cls", "max", "weighted-layers", "multi-head")
LOSSES = ("contrastive", "online-contrastive", "classification")


def train_pooling(material: Material, cell: Pooled) -> Figures:
    """Return the figures of a training of the first study."""
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
    pairs, _, _ = material.split(cell.seed)
    own, gold = material.own[pairs], material.labels[pairs].astype(np.float32)
    data = PairBatches(material.lower, own, groups_of(own), gold, how)
    run(model, data, how, label=f"{cell.pooling}, {cell.loss}")
    return material.measure(model.dense, pooling, cell.seed)


def study_poolings(material: Material, seeds: int) -> str:
    """Return one table per figure in Markdown, with multi-head attention beside the mean."""
    header = (UNTRAINED, *LOSSES)
    cells = [Pooled(p, loss, s) for loss in header for p in NAMES for s in range(seeds)]
    found = {cell: train_pooling(material, cell) for cell in cells}

    def values(figure: str, pooling: str, loss: str) -> list[float]:
        return [100 * found[Pooled(pooling, loss, seed)][figure] for seed in range(seeds)]

    tables = []
    for figure, title in {"f1": "F1", "auc": "AUC", "accuracy": "accuracy"}.items():
        rows = [
            (name, *(spread(values(figure, name, loss), 1) for loss in header)) for name in NAMES
        ]
        claim = (
            differences(values(figure, "multi-head", loss), values(figure, "mean", loss))
            for loss in header
        )
        rows.append(("multi-head − mean", *claim))
        tables.append(markdown_table((f"{title} × 100", *header), rows))
    return "\n\n".join(tables)


# Negatives

CLOSEST = HardNegatives(closest=2)
CLOSE = HardNegatives(closest=8, closer_than=0.8)  # at most eight per anchor bound the memory
BASE = "scale 20, no margin, given negatives"
PLAIN = MarginScale()
PAPER = MarginScale(scale=0.5, margin=0.5)
RECIPES = {
    BASE: Recipe(PLAIN),
    UNTRAINED: Recipe(None),
    "negatives of the batch alone": Recipe(PLAIN, given=False),
    "mega-batch 1, 2 closest": Recipe(PLAIN, MegaBatch(1, CLOSEST)),
    "mega-batch 5, 2 closest": Recipe(PLAIN, MegaBatch(5, CLOSEST)),
    "mega-batch 20, 2 closest": Recipe(PLAIN, MegaBatch(20, CLOSEST)),
    f"mega-batch 20, cosine > {CLOSE.closer_than}": Recipe(PLAIN, MegaBatch(20, CLOSE)),
    "scale .5": Recipe(MarginScale(scale=0.5)),
    "margin .25 inside the cosine": Recipe(MarginScale(margin=0.25, angular=True)),
    "margin .5 inside the cosine": Recipe(MarginScale(margin=0.5, angular=True)),
    "margin .25 subtracted": Recipe(MarginScale(margin=0.25, angular=False)),
    "margin .5 subtracted": Recipe(MarginScale(margin=0.5, angular=False)),
    "scale .5, margin .5 inside, mega-batch 20": Recipe(PAPER, MegaBatch(20, CLOSE)),
}


def given_negatives(own: Places, labels: Places) -> Places:
    """Return (n, 1) for each pair (n, 2) a sentence that label 0 puts beside its first side.

    Where there is none, one that is beside its second side, or −1.
    """
    other: dict[int, int] = {}
    for left, right in own[labels == 0].tolist():
        other.setdefault(left, right)
        other.setdefault(right, left)
    found = [other.get(left, other.get(right, -1)) for left, right in own.tolist()]
    return np.array(found, np.int64).reshape(-1, 1)


def train_negatives(material: Material, cell: Negatives) -> Figures:
    """Return the figures of a training of the second study."""
    # A mega-batch is a round of the loop, which must have the same learning rate in each round.
    how = replace(material.how(cell.seed), warm_up=0.0, final_rate=1.0)
    network, recipe, pooling = material.network, cell.recipe, Mean()
    start = starting_parameters(network, how, pooling)
    if recipe.objective is None:
        return material.measure(start, pooling, cell.seed)
    pairs, _, _ = material.split(cell.seed)
    own, labels = material.own[pairs], material.labels[pairs].astype(np.int64)
    given = given_negatives(own, labels)[:, : int(recipe.given)]
    alike = labels == 1
    texts = meanings(own[alike], len(material.lower.tokens.lengths))
    data = ParaphraseBatches(
        material.lower, own[alike], given[alike], texts, how, pooling, recipe.mega
    )
    loss = BiEncoderLoss(network.shape, how.frozen, pooling, recipe.objective, how.dropout)
    model = Trainable(start | {HEAD: {}}, loss, how.optimizer())
    run(model, data, how, label="margin scale")
    return material.measure(model.dense, pooling, cell.seed)


def study_negatives(material: Material, seeds: int) -> str:
    """Return one row per recipe in Markdown; AUC, accuracy and F1 are × 100."""
    cells = [Negatives(recipe, seed) for recipe in RECIPES.values() for seed in range(seeds)]
    found = {cell: train_negatives(material, cell) for cell in cells}

    def values(recipe: Recipe, figure: str) -> list[float]:
        times = 1 if figure in ("alignment", "uniformity") else 100
        return [times * found[Negatives(recipe, seed)][figure] for seed in range(seeds)]

    rows = []
    for name, recipe in RECIPES.items():
        change = differences(values(recipe, "auc"), values(RECIPES[BASE], "auc"))
        cells_of = (
            spread(values(recipe, figure), places)
            for figure, places in zip(FIGURES, (1, 1, 1, 3, 2), strict=True)
        )
        rows.append((name, *cells_of, "" if name == BASE else change))
    header = ("", "AUC", "accuracy", "F1", "alignment", "uniformity", "AUC, difference")
    return markdown_table(header, rows)


def alignment(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """Mean of ‖u − v‖² over paraphrases, from unit vectors (n, dim)."""
    return float(((left.astype(np.float64) - right) ** 2).sum(axis=1).mean())


def uniformity(vectors: NDArray[np.float32]) -> float:
    """Logarithm of the mean of exp(−2 ‖u − v‖²) over all pairs of n unit vectors (n, dim)."""
    exact, n = vectors.astype(np.float64), len(vectors)
    kernel = np.exp(-2 * np.maximum(2 - 2 * exact @ exact.T, 0))
    return float(np.log((kernel.sum() - n) / (n * (n - 1))))


def spread(values: Sequence[float], digits: int, signed: bool = False) -> str:
    """Format the mean and the standard deviation over seeds; one value has no deviation."""
    mean = f"{np.mean(values):{'+' if signed else ''}.{digits}f}"
    return mean + (f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else "")


def differences(values: Sequence[float], others: Sequence[float]) -> str:
    """Format the mean difference from another training, seed by seed."""
    return spread([a - b for a, b in zip(values, others, strict=True)], 1, signed=True)


@study(__doc__, "poolings --data DIR", "negatives --learned 300 --seeds 2")
@click.argument("what", type=click.Choice(["poolings", "negatives"]))
@data_option()
@option("--seeds", type=COUNT, default=3, show_default=True, help="Trainings of each kind.")
@option("--learned", type=COUNT, default=600, show_default=True, help="Pairs to learn from.")
@option("--epochs", type=COUNT, default=3, show_default=True, help="Passes over them.")
def sentence_training(what: str, data: Path | None, seeds: int, learned: int, epochs: int) -> None:
    """Train and print tables."""
    budget = Budget(learned=learned, epochs=epochs)
    material = material_of(
        read_transformer(installed_transformer()), load_pairs(PAWS_WIKI_DEV, data), budget
    )
    tables = study_poolings if what == "poolings" else study_negatives
    click.echo(tables(material, seeds))


if __name__ == "__main__":
    run_study(sentence_training)
