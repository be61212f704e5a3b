"""uSIF: word vectors weighted by how rare the words are, without their common directions.

``features/word_spaces/common_directions.py`` fits what is loaded here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch, Column
from features.families.soft_alignment import unit_vectors
from features.measures.information import information
from features.measures.sums import pair_cosines, sums
from features.registry import columnwise
from features.resources import PRETRAINED
from sts.tensors import read_tensors

PATH = PRETRAINED / "usif.safetensors"
SOURCE = "Ethayarajh (2018), 4"


@dataclass(frozen=True)
class Usif:
    """What is fitted once.

    Attributes:
        a: the smoothing of the weights a / (a/2 + p(word)).
        directions: (m, dim) unit vectors; shares: (m,) how much of each is taken away.
    """

    a: float
    directions: NDArray[np.float32]
    shares: NDArray[np.float32]

    def weight(self, word: str) -> float:
        """The weight of a word, from its frequency."""
        return self.a / (self.a / 2 + math.exp(-information(word)))

    def without_common(self, means: Column) -> Column:
        """Sentence vectors (s, dim) without the common directions."""
        # Not by products of matrices: those are added up by how many sentences there are.
        along = np.einsum("sd,md->sm", means, self.directions) * self.shares
        left: Column = means - np.einsum("sm,md->sd", along, self.directions)
        return left


@cache
def fitted() -> Usif:
    """The transform that ships."""
    tensors, _ = read_tensors(PATH, ("a", "directions", "shares"))
    return Usif(float(tensors["a"][0]), tensors["directions"], tensors["shares"])


def means(batch: Batch, usif: Usif) -> Column:
    """(s, dim) the weighted sums of the unit word vectors of each distinct sentence."""
    weights = batch.view("words").weigh(usif.weight)
    return sums(batch, "words", unit_vectors(batch, "words"), weights, once=False)


@columnwise("usif", "paragram", SOURCE, low=-1.0)
def usif(batch: Batch) -> Column:
    """Cosine of the uSIF vectors over the bundled word vectors; 0 if a side has no words."""
    transform = fitted()
    return pair_cosines(batch, transform.without_common(means(batch, transform)))
