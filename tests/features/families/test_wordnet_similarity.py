"""Similarity of two sentences by WordNet, in one of a dozen synsets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import semaniacs.features.families.wordnet_similarity  # noqa: F401  (importing a family registers it)
from semaniacs.embeddings.tokenizers.row_numbers import Ragged
from semaniacs.features.batch import f1
from semaniacs.features.lexicon import WordNet
from semaniacs.features.registry import get_feature
from semaniacs.features.resources import Resources
from semaniacs.sts.tensors import write_words
from semaniacs.sts.text.analysis import information
from tests.features.support import make_batch

LEMMAS = {
    "big": [11], "cat": [3], "cold": [7], "dog": [2], "fall": [9], "hot": [6], "hound": [2],
    "little": [12], "rise": [8], "set": [9, 10], "ship": [5], "small": [12],
}  # fmt: skip
"""The numbers of the synsets of each lemma."""
# entity 0, animal 1, dog 2, cat 3, vehicle 4, ship 5; nothing above the others
HYPERNYMS = [[], [0], [1], [1], [0], [4], *([] for _ in range(7))]
HEIGHTS = [1, 2, 3, 3, 2, 3, *[1] * 7]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    """Resources with a WordNet of our own."""
    path, lemmas = tmp_path_factory.mktemp("wordnet") / "small.safetensors", list(LEMMAS)
    relations = {
        "synsets": Ragged.of([*LEMMAS.values(), []]),
        "hypernyms": Ragged.of(HYPERNYMS),
    }
    columns: dict[str, NDArray[Any]] = {"heights": np.array(HEIGHTS, np.float32)}
    for name, (flat, offsets) in relations.items():
        columns |= {f"{name}_flat": flat, f"{name}_offsets": offsets.astype(np.int32)}
    write_words(path, lemmas, columns)
    resources = Resources()
    resources.wordnet = WordNet(path)
    return resources


def compute(
    name: str, left: Sequence[str], right: Sequence[str], resources: Resources
) -> list[float]:
    batch = make_batch(left, right, resources)
    column = get_feature(name).compute(batch)
    assert column.dtype == np.float64
    return column.tolist()


CAT, DOG, SHIP = map(information, ("cat", "dog", "ship"))

BY_HAND = [
    # cat animal dog: 2 steps
    ("wn_sim_match", "the cat", "a dog", 1 / 3),
    # cat 2 steps, ship vehicle entity animal dog 4: mean 4/15; dog 1/3
    ("wn_sim_match", "cat ship", "dog", f1(4 / 15, 1 / 3)),
    # cat 1, cat 1, dog 1/3: mean 7/9; cat 1
    ("wn_sim_match", "cat cat dog", "cat", f1(7 / 9, 1)),
    ("wn_sim_match", "dog", "hound", 1.0),
    # over the root: hot 1 step, cat 3
    ("wn_sim_match", "hot", "cat", 1 / 5),
    # a word that is not listed is like itself alone
    ("wn_sim_match", "qqzzxy", "qqzzxy", 1.0),
    ("wn_sim_match", "qqzzxy cat", "qqzzxy dog", 2 / 3),
    ("wn_sim_match", "", "", 1.0),
    ("wn_weighted_match", "cat ship", "dog", f1((CAT / 3 + SHIP / 5) / (CAT + SHIP), 1 / 3)),
    ("wn_weighted_match", "cat cat dog", "cat", f1((2 * CAT + DOG / 3) / (2 * CAT + DOG), 1)),
    ("wn_synonyms", "dog ship", "hound", f1(1 / 2, 1)),
    ("wn_synonyms", "qqzzxy cat", "qqzzxy dog", 1 / 2),
    ("wn_synonyms", "set", "fall", 1.0),
]


@pytest.mark.parametrize(("name", "left", "right", "expected"), BY_HAND)
def test_by_hand(small: Resources, name: str, left: str, right: str, expected: float) -> None:
    both = compute(name, [left, right], [right, left], small)
    assert both == pytest.approx([expected] * 2, abs=1e-5)  # information is rounded to 2⁻¹⁶ nats
