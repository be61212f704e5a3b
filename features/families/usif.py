"""uSIF: words weighted by how rare they are, without the directions that all text shares.

Ethayarajh (2018) fits the directions on the sentences that are compared; ours
are fitted once, on text of our own choosing, so that a sentence has the same
vector in every file.

    python -m features.families.usif --data DIR
"""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from features.batch import Batch, Column
from features.families.ngrams import information
from features.families.soft_alignment import unit_vectors
from features.families.vectors import pair_cosines, sums
from features.registry import columnwise
from features.resources import PRETRAINED
from features.word_spaces.lsa import SOURCES, documents, held_out_sentences
from sts.command_line import run_tool
from sts.files import write_bytes
from sts.tensors import FORMAT, read_tensors, to_bytes

PATH = PRETRAINED / "usif.safetensors"
SOURCE = "Ethayarajh (2018), 4"
LENGTH = 11
"""Average sentence length n of the paper's random walk."""
DIRECTIONS = 5
"""m, the common directions that are taken away."""


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


def smoothing(frequencies: Sequence[float]) -> float:
    """a, from the frequencies of all v words (ibid., 4: a = (1 − α) / (α Z), Z = v / 2)."""
    size = len(frequencies)
    threshold = 1 - (1 - 1 / size) ** LENGTH
    alpha = sum(p > threshold for p in frequencies) / size
    return (1 - alpha) / (alpha * size / 2)


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


def fit(vectors: Column, a: float) -> Usif:
    """The common directions of weighted sentence vectors (s, dim)."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    unit = (vectors / np.where(lengths > 0, lengths, 1)).astype(np.float32)
    values, directions = np.linalg.eigh((unit.T @ unit).astype(np.float64))
    strongest = np.argsort(-values)[:DIRECTIONS]
    shares = values[strongest] / values[strongest].sum()
    signed = directions[:, strongest].T
    signed *= np.sign(signed.sum(axis=1, keepdims=True))
    return Usif(a, signed.astype(np.float32), shares.astype(np.float32))


def main() -> None:
    """Fit the transform to the text of both LSA spaces and write it."""
    parser = argparse.ArgumentParser(prog="python -m features.families.usif", description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder with bitext/ and so on")
    options = parser.parse_args()
    from features.families.ngrams import frequencies
    from features.resources import Resources
    from sts.text.analysis import Sentence

    held_out = held_out_sentences(options.data)
    texts = [t for p in SOURCES.values() for t in documents(options.data, p, held_out, every=8)]
    a = smoothing(list(frequencies().values()))
    sentences = [Sentence(" ".join(t), tuple(t), ("",) * len(t)) for t in texts if t]
    blank = Usif(a, np.zeros((1, 1), np.float32), np.zeros(1, np.float32))
    model = fit(means(Batch(sentences, sentences, Resources()), blank), a)
    tensors = {"a": np.array([a]), "directions": model.directions, "shares": model.shares}
    write_bytes(PATH, to_bytes(tensors, {"format": FORMAT, "sentences": str(len(sentences))}))
    print(f"{PATH.name}: {DIRECTIONS} directions of {len(sentences)} sentences, a = {a:.2e}")


if __name__ == "__main__":
    run_tool(main)
