"""Tools that several tests of features need."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from semaniacs.embeddings.encoder import Encoder
from semaniacs.embeddings.tokenizers.row_numbers import WordTokenizer
from semaniacs.features.batch import Batch
from semaniacs.features.lexicon import WordNet
from semaniacs.features.resources import Resources
from semaniacs.sts.data.catalog import get_task
from semaniacs.sts.data.fetch import load
from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.text.analysis import Sentence, analyse

Value = Callable[[str, str, str], float]
"""One feature, by name, of one pair in the tiny world."""

MakeBatch = Callable[[Sequence[str], Sequence[str]], Batch]


def make_encoder(rows: Any, *words: str) -> Encoder:
    """An encoder of these words, in this order; the last row is that of all others."""
    return Encoder(WordTokenizer(words, 1), np.array(rows, np.float32))


def make_batch(left: Sequence[str], right: Sequence[str], resources: Resources) -> Batch:
    analysed = analyse([*left, *right])
    return Batch([analysed[s] for s in left], [analysed[s] for s in right], resources)


def real_pairs(name: str, n: int, folder: Path) -> Pairs:
    """The first pairs of a data set of 2015, without gold."""
    (dataset,) = (d for d in get_task("sts2015").datasets if d.name == name)
    pairs = load(dataset, folder, with_gold=False)
    return pairs.select(np.arange(len(pairs)) < n)


def sentence_of(text: str) -> Sentence:
    return analyse([text])[text]


def path_similarity(wordnet: WordNet, a: str, b: str) -> float:
    """1 / (1 + shortest path) between any two senses; 1 for equal words, 0 if unlisted.

    A shortest path runs through a common ancestor, so the steps to the ancestors are enough.
    """
    if a == b:
        return 1.0
    nodes, steps, (_, middle, _) = wordnet.ancestors(wordnet.rows([a, b]))
    _, here, there = np.intersect1d(nodes[:middle], nodes[middle:], return_indices=True)
    paths = steps[here] + steps[middle + there]
    return float(1 / (1 + paths.min(initial=np.inf).astype(np.float64)))


def wrong_so_far(*values: Any) -> Any:
    """A case that the rules of a family do not get right."""
    return pytest.param(
        *values, marks=pytest.mark.xfail(reason="the rules do not know it", strict=True)
    )


def cases(test: str) -> list[Any]:
    """Rows of ``cases.tsv`` for a test: arguments as Python literals."""
    found = []
    lines = Path(__file__).with_name("cases.tsv").read_text("utf-8").splitlines()[1:]
    for name, verdict, *arguments in (line.split("\t") for line in lines):
        if name == test:
            values = [set() if text == "set()" else literal_eval(text) for text in arguments]
            found.append(values if verdict == "right" else wrong_so_far(*values))
    assert found, f"cases.tsv has no row of {test}"
    return found
