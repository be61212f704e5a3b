"""Groups from a table of paraphrases, and how well scores rank them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.sts.data.pair_table import PairColumns, pair_blocks
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.data.table_blocks import Block
from semaniacs.sts.errors import DataError
from semaniacs.sts.partial_paraphrases.partial import Group, PartialGroups, tidy
from semaniacs.sts.scoring.bootstrap import resample_clusters
from semaniacs.sts.scoring.ranking import Groups, r_precisions, spearmans
from semaniacs.sts.text.tokenizer import fold
from semaniacs.sts.translation.round_trips import take_trips
from semaniacs.sts.translation.translator import Translator

LOWEST = 0.8
"""Lowest cosine of a sentence and its back-translation for a group to be kept."""

PIVOT = "es"

Named = tuple[str, str, str]


def read_paraphrases(
    path: str, *, left: str | None = None, right: str | None = None, label: str | None = None
) -> list[Named]:
    """Return the line, the left and the right sentence of each paraphrase of a table.

    The sentences are in the named columns, by default in well-known ones or the only two. Where
    there is a column ``label``, or one of that name, a paraphrase has 1 in it, and others 0.

    Raises:
        DataError: the file is missing or damaged, a sentence is missing, or a label is neither.
        StsError: a column is missing.
    """
    found: list[Named] = []
    for block in pair_blocks(path, PairColumns(left, right), also=label):
        taken = _positives(path, block.rows, label)
        rows = zip(block.rows.lines, block.left, block.right, taken, strict=True)
        found += [(str(line), a, b) for line, a, b, positive in rows if positive]
    if not found:
        raise DataError(f"{path}: no pair is a paraphrase; expected label 1 of some")
    return found


def _positives(path: str, block: Block, label: str | None) -> list[bool]:
    name = label or "label"
    if label is None and name not in block.columns:
        return [True] * len(block.lines)
    if name not in block.columns:
        raise DataError(
            f"{path}: no column {name!r} for --label; it has {', '.join(block.columns)}"
        )
    cells = [str(cell).strip() for cell in block.column(name)]
    for line, cell in zip(block.lines, cells, strict=True):
        if cell not in ("0", "1"):
            raise DataError(
                f"{path}:{line}: column {name} is {cell!r:.40}; expected 1 for a paraphrase or 0"
            )
    return [cell == "1" for cell in cells]


def back_translated(
    groups: Sequence[Group],
    translator: Translator,
    encoder: SentenceEncoder,
    *,
    lowest: float = LOWEST,
) -> tuple[PartialGroups, dict[str, int]]:
    """Translate the left side of degree 4 into Spanish and back (section 5.2).

    This lowers the lexical overlap of the paraphrase; the three other pairs stay. A rule-based
    translator sometimes changes the meaning, so a group is dropped if the cosine of its sentence
    and the back-translation is below ``lowest``. Do not use an encoder that the groups are to
    judge.

    Returns:
        The remaining groups, in order, and the counts ``kept``, ``dropped`` and ``unchanged``: kept
        ones whose back-translation differs only in case, punctuation or spacing.
    """
    sentences = [group.pairs[0].left for group in groups]
    returned = [tidy(trip.returned) for trip in take_trips(translator, sentences, [PIVOT])]
    cosines = encoder.similarity_pairwise(sentences, returned)
    kept, unchanged = PartialGroups(), 0
    for group, sentence, other, cosine in zip(groups, sentences, returned, cosines, strict=True):
        if other and cosine >= lowest:
            first = group.pairs[0]._replace(left=other)
            kept.append(group._replace(pairs=(first, *group.pairs[1:])))
            unchanged += fold(sentence) == fold(other)
    counts = {"kept": len(kept), "dropped": len(groups) - len(kept), "unchanged": unchanged}
    return kept, counts


Interval = tuple[float, float]


@dataclass(frozen=True)
class RankingFigures:
    """How well scores rank the pairs of some groups, with 95 % bootstrap intervals.

    R-Precision is the share of the groups whose highest score is that of degree 4, 1/k where k
    pairs tie on top. Spearman's correlation of scores and degrees is averaged over the groups.
    """

    groups: int
    r_precision: float
    spearman: float
    r_precision_interval: Interval
    spearman_interval: Interval


def ranking_figures(scores: Scores, groups: Groups, *, resamples: int = 1000) -> RankingFigures:
    """Return the figures of (n,) scores without NaN on (g, 4) rows by falling degree."""
    table = np.asarray(scores, np.float64)[groups]
    by_group = np.array([r_precisions(table), spearmans(table)])

    def measure(rows: NDArray[np.intp]) -> NDArray[np.float64]:
        means: NDArray[np.float64] = by_group[:, rows].mean(axis=1)[None]
        return means

    precision, correlation = resample_clusters(measure, np.arange(len(groups)), resamples=resamples)
    return RankingFigures(
        len(groups),
        float(precision.observed[0]),
        float(correlation.observed[0]),
        precision.interval(0),
        correlation.interval(0),
    )


def percent(value: float) -> str:
    """Format a share or a correlation × 100, as the paper prints it."""
    return f"{100 * value:.2f}"
