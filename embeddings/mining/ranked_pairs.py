"""Mined pairs on their way to a file: ranked, cut off at a threshold, and written as lines."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from embeddings.mining.bucc import PairIds, SentenceFile
from embeddings.mining.candidates import ScoredPairs
from embeddings.mining.corpus_vectors import CorpusVectors
from sts.errors import StsError
from sts.scoring.mined_pairs import MiningScore, best_threshold

DIGITS = 6
"""Digits of a score in a file. Thresholds are compared with the rounded scores."""


class RankedPair(NamedTuple):
    """A pair: its rounded score, negated so that sorting puts the best first, ids and places."""

    negated: float
    ids: PairIds
    places: tuple[int, int]


def rank_pairs(
    mined: ScoredPairs, sides: Sequence[CorpusVectors], corpora: Sequence[SentenceFile]
) -> list[RankedPair]:
    """The pairs with their ids, the best first, those of one score by their ids."""
    source, target = (
        side.places[rows].tolist() for side, rows in zip(sides, mined[:2], strict=True)
    )
    scores = np.round(mined.scores, DIGITS).tolist()
    return sorted(
        RankedPair(-score, (corpora[0].ids[x], corpora[1].ids[y]), (x, y))
        for score, x, y in zip(scores, source, target, strict=True)
    )


def threshold_on_gold(found: Sequence[RankedPair], gold: dict[PairIds, int], name: str) -> float:
    """The threshold with the best F1 on the gold; it is printed on stderr."""
    correct = np.array([pair.ids in gold for pair in found], bool)
    if not correct.any():
        raise StsError(
            f"{name}: none of its {len(gold):,} pairs is among the {len(found):,} mined, so no "
            "threshold can be chosen; is it the gold of these files, and does the model know "
            "both languages?"
        )
    scores = np.array([-pair.negated for pair in found])
    threshold = rounded(best_threshold(scores, correct, len(gold)))
    passed = scores >= threshold
    score = MiningScore(int(passed.sum()), len(gold), int(correct[passed].sum()))
    print(
        f"--threshold {threshold} is best on {name}: F1 {score.f1:.4f}, "
        f"precision {score.precision:.4f}, recall {score.recall:.4f}",
        file=sys.stderr,
    )
    return threshold


def rounded(threshold: float) -> float:
    """Rounded to one digit more than a score has, because it lies between two scores."""
    return round(threshold, DIGITS + 1)


def bitext_lines(
    found: Sequence[RankedPair], corpora: Sequence[SentenceFile], *, texts: bool
) -> Iterator[str]:
    """A line for each pair: its ids, its score and, with ``texts``, the sentences."""
    sentences = texts_of([pair.places for pair in found], corpora) if texts else None
    for pair in found:
        cells = [*pair.ids, f"{-pair.negated:z.{DIGITS}f}"]
        if sentences:
            cells += [sentences[0][pair.places[0]], sentences[1][pair.places[1]]]
        yield "\t".join(cells)


def texts_of(
    places: Sequence[tuple[int, int]], corpora: Sequence[SentenceFile]
) -> tuple[dict[int, str], dict[int, str]]:
    """The sentences of both sides by their places."""
    first, second = ({pair[i] for pair in places} for i in range(2))
    return corpora[0].texts(first), corpora[1].texts(second)
