"""Fit the transform of the feature ``usif``: the smoothing of its weights and the common directions.

    python -m features.word_spaces.common_directions --data DIR

Ethayarajh (2018) fits the directions on the sentences that are compared. Ours are fitted once,
on the text of the LSA spaces, so that a sentence has the same vector in every file.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

import click
import numpy as np

from features.batch import Batch, Column
from features.families.vectors import PATH, Usif, means
from features.resources import Resources
from features.word_spaces.text import read_texts, texts_option
from sts.command_line import examples, run_tool
from sts.files import write_bytes
from sts.tensors import FORMAT, to_bytes
from sts.text.analysis import Sentence
from sts.text.lexicon.english import frequencies

LENGTH = 11
"""Average sentence length n of the paper's random walk."""
DIRECTIONS = 5
"""m, the common directions that are taken away."""


def smoothing(frequencies: Sequence[float]) -> float:
    """a, from the frequencies of all v words (ibid., 4: a = (1 − α) / (α Z), Z = v / 2)."""
    size = len(frequencies)
    threshold = 1 - (1 - 1 / size) ** LENGTH
    alpha = sum(p > threshold for p in frequencies) / size
    return (1 - alpha) / (alpha * size / 2)


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


@click.command(epilog=examples("python -m features.word_spaces.common_directions --data DIR"))
@texts_option
def main(data: Path) -> None:
    """Fit the transform to the text of both LSA spaces and write it."""
    texts = chain.from_iterable(read_texts(data, every=8).values())
    a = smoothing(list(frequencies()))
    sentences = [Sentence(" ".join(t), tuple(t), ("",) * len(t)) for t in texts if t]
    blank = Usif(a, np.zeros((1, 1), np.float32), np.zeros(1, np.float32))
    model = fit(means(Batch(sentences, sentences, Resources()), blank), a)
    tensors = {"a": np.array([a]), "directions": model.directions, "shares": model.shares}
    write_bytes(PATH, to_bytes(tensors, {"format": FORMAT, "sentences": str(len(sentences))}))
    print(f"{PATH.name}: {DIRECTIONS} directions of {len(sentences)} sentences, a = {a:.2e}")


if __name__ == "__main__":
    run_tool(main)
