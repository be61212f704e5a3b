"""The pairs that the studies train on and measure with, and the network that they train.

All layers but the last stay as they are; their states are computed once and kept in the cache. The
pairs are those of the development set of PAWS-Wiki whose sentences are not too long, split for each seed so that no sentence stands
on two sides: some are learned from, on some the thresholds are chosen, the others are tested.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load, save

from embeddings.training.losses.uniformity import alignment, uniformity
from embeddings.transformer.bert_folder import read_transformer
from embeddings.transformer.fine_tuning.lower_layers import LowerLayers, Places, Tokens
from embeddings.transformer.fine_tuning.pair_batches import groups_of, numbered
from embeddings.transformer.fine_tuning.trained_vectors import unit_vectors
from embeddings.transformer.fine_tuning.tuning_configuration import FineTuning
from embeddings.transformer.poolings import Pooling
from embeddings.transformer.transformer_encoder import Transformer
from embeddings.transformer.weights import INSTALL, find_transformer
from runs.options import new_parser
from runs.studies.ledger import Ledger, Value, each_once
from sts.cache import Cache, digest, key
from sts.command_line import count
from sts.data.catalog import PAWS_WIKI_DEV
from sts.data.fetch import load as load_pairs
from sts.data.pairs import Pairs
from sts.errors import MissingResourceError, StsError
from sts.files import check_writable, write_bytes
from sts.scoring.classification import (
    best_f1_threshold,
    best_threshold,
    labels_of,
    score_classification,
)

FIGURES = ("auc", "accuracy", "f1", "alignment", "uniformity")
"""What is measured of a training."""

LONGEST = 32
"""Tokens of the longest sentence."""

CODE = "embeddings.transformer.compiled_forward:states_after"


@dataclass(frozen=True)
class Budget:
    """What every training of a study is given.

    Attributes:
        learned: pairs to learn from, at most.
        chosen: pairs to choose thresholds on.
        tested: pairs to measure with.
        epochs, rate, batch: of the training.
    """

    learned: int = 600
    chosen: int = 400
    tested: int = 1000
    epochs: int = 3
    rate: float = 3e-4
    batch: int = 32

    def how(self, layers: int, seed: int) -> FineTuning:
        """The training of the last of so many layers."""
        return FineTuning(
            epochs=self.epochs,
            learning_rate=self.rate,
            batch=self.batch,
            frozen=layers - 1,
            seed=seed,
        )


@dataclass(frozen=True)
class KeptLayers(LowerLayers):
    """Frozen layers whose states are at hand.

    Attributes:
        kept: (tokens, dim) of all texts, end to end.
    """

    kept: NDArray[np.float16]

    def _tokens(self, chosen: Places, source: Places) -> NDArray[Any]:
        return self.kept[source]


@dataclass(frozen=True)
class Split:
    """Pairs by their places: no sentence stands in two of the three."""

    learned: Places
    chosen: Places
    tested: Places


@dataclass(frozen=True, eq=False)
class Material:
    """Labelled pairs and a network.

    Attributes:
        network: what training starts from.
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

    def split(self, seed: int) -> Split:
        """Groups of pairs that share a sentence, in an order that is drawn."""
        return _split(self, seed)

    def how(self, seed: int) -> FineTuning:
        """The training with a seed."""
        return self.budget.how(self.network.shape.layers, seed)

    def key(self, cell: object) -> str:
        """sha256 of everything that a cell, a record, depends on, apart from the code."""
        tokens = self.lower.tokens
        pairs = (tokens.ids, tokens.starts, self.own, self.labels)
        return digest((cell, asdict(self.budget), self.network.digest, pairs))

    def measure(self, parameters: Mapping[str, Any], pooling: Pooling, seed: int) -> Value:
        """:data:`FIGURES` of the pairs that a training has not seen; thresholds chosen on others.

        Args:
            parameters: after training, as :func:`unit_vectors` takes them.
            pooling: of the vectors.
            seed: of the split.
        """
        split = self.split(seed)
        rows = np.unique(self.own[np.concatenate([split.chosen, split.tested])])
        vectors = unit_vectors(parameters, self.lower, pooling, rows)
        sides = np.searchsorted(rows, self.own)
        cosines = {}
        for name, pairs in (("chosen", split.chosen), ("tested", split.tested)):
            left, right = vectors[sides[pairs].T].astype(np.float64)
            cosines[name] = (left * right).sum(axis=1)
        truth, labels = self.labels[split.chosen], self.labels[split.tested]
        accurate = best_threshold(truth, cosines["chosen"])
        found = score_classification(labels, cosines["tested"], accurate)
        high = best_f1_threshold(truth, cosines["chosen"])
        same = sides[split.tested[labels]].T
        return {
            "auc": found.auc,
            "accuracy": found.accuracy,
            "f1": score_classification(labels, cosines["tested"], high).f1,
            "alignment": alignment(vectors[same[0]], vectors[same[1]]),
            "uniformity": uniformity(vectors[np.unique(sides[split.tested])]),
        }


@lru_cache(maxsize=8)
def _split(material: Material, seed: int) -> Split:
    groups = groups_of(material.own)
    rank = np.random.default_rng(seed).permutation(groups.max() + 1)[groups]
    order = np.argsort(rank, kind="stable")
    before = np.cumsum(np.bincount(rank))[rank[order]]  # pairs up to the end of the group
    budget = material.budget
    ends = np.cumsum([budget.tested, budget.chosen, budget.learned])
    part = np.searchsorted(ends, before)
    tested, chosen, learned = (np.sort(order[part == place]) for place in range(3))
    return Split(learned, chosen, tested)


def material_of(network: Transformer, pairs: Pairs, budget: Budget) -> Material:
    """Material of the pairs that are not too long; the frozen states are taken from the cache.

    Raises:
        StsError: there are too few pairs for the budget.
    """
    sides = [Tokens.of(network, side).lengths for side in (pairs.left, pairs.right)]
    pairs = pairs.select(np.maximum(*sides) <= LONGEST)
    wanted = budget.tested + budget.chosen + budget.learned
    if len(pairs) < wanted:
        raise StsError(f"{pairs.name}: {len(pairs):,} pairs; {wanted:,} are needed, take fewer")
    texts, own = numbered(pairs.left, pairs.right)
    frozen = network.shape.layers - 1
    tokens = Tokens.of(network, texts)
    name = key(CODE, inputs=[network.digest, texts], configuration=frozen)

    def write(path: Path) -> None:
        _, (states,) = network.layers(texts, [frozen])
        write_bytes(path, save({"states": np.concatenate(states).astype(np.float16)}))

    def read(path: Path) -> NDArray[np.float16]:
        return np.asarray(load(path.read_bytes())["states"])

    about = f"layer {frozen}, {pairs.name}"
    states = Cache("states", CODE).get(name, read, write, about)
    lower = KeptLayers(network.weights, network.shape, tokens, frozen, states)
    return Material(network, lower, own, labels_of(pairs.gold), budget)


CellT = TypeVar("CellT")


def study_options(name: str, about: str | None, budget: Budget) -> argparse.Namespace:
    """The command line of a study.

    Args:
        name, about: of the study.
        budget: what its options change.
    """
    parser = new_parser(f"runs.studies {name}", about)
    parser.add_argument("--seeds", type=count, default=3, help="trainings of each (default: 3)")
    for option, told in (("learned", "pairs to learn from"), ("epochs", "passes over them")):
        default = getattr(budget, option)
        parser.add_argument(
            f"--{option}", type=count, default=default, help=f"{told} (default: {default:,})"
        )
    work = Path("output") / name
    parser.add_argument("--work", type=Path, default=work, help="folder for finished trainings")
    return parser.parse_args()


def read_material(options: argparse.Namespace, budget: Budget) -> Material:
    """PAWS-Wiki's development set and all-MiniLM-L6-v2.

    Raises:
        MissingResourceError: the weights or the pairs are not here.
    """
    check_writable(options.work)
    found = find_transformer()
    if found is None:
        raise MissingResourceError(f"the weights of all-MiniLM-L6-v2 are needed: {INSTALL}")
    changed = {"learned": options.learned, "epochs": options.epochs}
    budget = Budget(**asdict(budget) | changed)
    return material_of(read_transformer(found), load_pairs(PAWS_WIKI_DEV, options.data), budget)


def train_each(
    measure: Callable[[CellT], Value], cells: Sequence[CellT], material: Material, ledger: Ledger
) -> dict[CellT, Value]:
    """:data:`FIGURES` of every cell, from the ledger or trained now."""
    return each_once(
        measure, cells, ledger, material.key, jobs=1, label="trainings", unit="trainings"
    )


def spread(values: Sequence[float], digits: int = 3, signed: bool = False) -> str:
    """The mean and the standard deviation over seeds; one value has no deviation."""
    mean = f"{np.mean(values):{'+' if signed else ''}.{digits}f}"
    return mean + (f" ± {np.std(values, ddof=1):.{digits}f}" if len(values) > 1 else "")


def differences(values: Sequence[float], others: Sequence[float], digits: int = 3) -> str:
    """The same of the differences from another training, seed by seed."""
    return spread([a - b for a, b in zip(values, others, strict=True)], digits, signed=True)
