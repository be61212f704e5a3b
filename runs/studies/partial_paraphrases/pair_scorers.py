"""What scores the pairs of groups: words, sentence vectors, token states, and the runs that ship."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from embeddings.encoder import unit
from embeddings.loading import BUNDLED, DEFAULT, load
from embeddings.transformer.weights import INSTALL, find_transformer
from runs.pipeline.run import SHIPPED
from runs.recipes.by_name import RUNS
from runs.studies.ledger import Ledger
from sts.cache.keys import digest, key
from sts.data.pairs import Scores
from sts.files import sha256_of
from sts.progress import note, track
from sts.text.tokenizer import words

RUNS_SHOWN = ("raw", "fusion", "contextual", "paws", "paws-bag")
"""Runs by name; those that there are not, or that do not ship, are left out."""

BLOCK = 1024
"""Pairs whose token states are held at once."""

Texts = Sequence[str]


class PairScorer(NamedTuple):
    """One or several ways to score pairs that share their work.

    Attributes:
        names: of the ways.
        rests_on: says what their scores depend on beside the pairs.
        scores: (n,) scores of n pairs by each way.
    """

    names: tuple[str, ...]
    rests_on: str
    scores: Callable[[Texts, Texts], Mapping[str, Scores]]


def pair_scorers() -> list[PairScorer]:
    """Everything that can score here; what cannot is said on stderr."""
    found = [
        PairScorer(
            ("binary bag cosine", "bigram F1"), key(_HERE + "by_words", inputs=None), by_words
        ),
        PairScorer((f"`{DEFAULT}` cosine",), sha256_of(BUNDLED[DEFAULT].path), _by_vectors),
    ]
    path = find_transformer()
    if path is None:
        note(f"left out: MiniLM; {INSTALL}")
    else:
        found.append(_transformer(path))
    for name in RUNS_SHOWN:
        if name not in RUNS or not RUNS[name].ships():
            note(f"left out: the run {name}, which is not there or does not ship")
        else:
            found.append(_run(name))
    return found


_HERE = "runs.studies.partial_paraphrases.pair_scorers:"


def score_once(scorer: PairScorer, left: Texts, right: Texts, ledger: Ledger) -> dict[str, Scores]:
    """(n,) scores by name, from the ledger or computed now and put there."""
    place = digest([scorer.rests_on, scorer.names, [*left], [*right]])
    if place not in ledger:
        begin = time.perf_counter()
        found = scorer.scores(left, right)
        ledger[place] = {name: [float(f"{x:.7g}") for x in found[name]] for name in scorer.names}
        note(f"{', '.join(scorer.names)}: {time.perf_counter() - begin:.0f} s")
    return {name: np.array(values) for name, values in ledger[place].items()}


# Words


def by_words(left: Texts, right: Texts) -> dict[str, Scores]:
    """The cosine of the sets of words, and F1 of the sets of their bigrams; 0 without any."""
    sides = [[words(text) for text in side] for side in (left, right)]
    pairs = [*zip(*sides, strict=True)]
    bags = [(set(a), set(b)) for a, b in pairs]
    bigrams = [(set(pairwise(a)), set(pairwise(b))) for a, b in pairs]
    return {
        "binary bag cosine": np.array(
            [_overlap(a, b, math.sqrt(len(a) * len(b))) for a, b in bags]
        ),
        "bigram F1": np.array([_overlap(a, b, (len(a) + len(b)) / 2) for a, b in bigrams]),
    }


def jaccard(left: Texts, right: Texts) -> Scores:
    """(n,) words in common of all words, which the paper calls lexical overlap."""
    bags = [[set(words(text)) for text in side] for side in (left, right)]
    pairs = zip(*bags, strict=True)
    return np.array([len(a & b) / max(1, len(a | b)) for a, b in pairs])


def _overlap(left: set[Any], right: set[Any], size: float) -> float:
    return len(left & right) / size if size else 0.0


# Vectors


def _by_vectors(left: Texts, right: Texts) -> dict[str, Scores]:
    return {f"`{DEFAULT}` cosine": load(DEFAULT).similarity_pairwise(left, right)}


_MINILM = ("MiniLM cosine", "MiniLM [CLS] cosine", "MiniLM BERTScore F1")


def _transformer(path: Path) -> PairScorer:
    def scores(left: Texts, right: Texts) -> dict[str, Scores]:
        from embeddings.transformer.bert_folder import read_transformer

        network = read_transformer(path)
        parts = []
        for start in track(range(0, len(left), BLOCK), "MiniLM", "blocks"):
            sides = [side[start : start + BLOCK] for side in (left, right)]
            distinct = [*dict.fromkeys((*sides[0], *sides[1]))]
            _, (states,) = network.layers(distinct, [network.shape.layers])
            of = dict(zip(distinct, states, strict=True))
            parts += [by_states(of[a], of[b]) for a, b in zip(*sides, strict=True)]
        return dict(zip(_MINILM, np.array(parts).T, strict=True))

    rests_on = key(
        _HERE + "by_states",
        "embeddings.transformer.transformer_encoder:Transformer",
        inputs=path.name,
    )
    return PairScorer(_MINILM, rests_on, scores)


def by_states(left: NDArray[np.float32], right: NDArray[np.float32]) -> tuple[float, float, float]:
    """Three scores of two sentences from their tokens' last states, (t, d) with [CLS] and [SEP].

    The cosine of the means, as all-MiniLM-L6-v2 is meant to be used; that of the states of [CLS];
    and F1 of BERTScore without weights (Zhang et al., 2020, section 3): the mean over the tokens of
    one sentence of the highest cosine with one of the other, [CLS] and [SEP] left out.
    """
    mean = unit(np.stack([left.mean(0), right.mean(0)]))
    first = unit(np.stack([left[0], right[0]]))
    cosines = unit(left[1:-1]) @ unit(right[1:-1]).T
    if not cosines.size:
        return float(mean[0] @ mean[1]), float(first[0] @ first[1]), 0.0
    precision, recall = cosines.max(1).mean(), cosines.max(0).mean()
    f1 = 2 * precision * recall / (precision + recall)
    return float(mean[0] @ mean[1]), float(first[0] @ first[1]), float(f1)


# Runs


def _run(name: str) -> PairScorer:
    def scores(left: Texts, right: Texts) -> dict[str, Scores]:
        from runs.scorer import load as load_scorer

        return {f"`{name}`": load_scorer(name).score(left, right, progress=True)}

    files = sorted(SHIPPED.glob(f"{name}.*"))
    rests_on = digest([RUNS[name].digest, {file.name: sha256_of(file) for file in files}])
    return PairScorer((f"`{name}`",), rests_on, scores)
