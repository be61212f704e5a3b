"""Mined pairs: ranked, cut off at a threshold, and as rows to write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semaniacs.embeddings.mining.bucc import PairIds, SentenceFile
from semaniacs.embeddings.mining.candidates import ScoredPairs, mine_paraphrases
from semaniacs.embeddings.mining.corpus_vectors import CorpusVectors
from semaniacs.embeddings.mining.neighbours import DIGITS, Rows
from semaniacs.sts.data.table_kinds import TABLES
from semaniacs.sts.data.table_writers import write_table
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import format_of
from semaniacs.sts.progress import counted, note
from semaniacs.sts.scoring.mined_pairs import MiningScore, best_threshold

_PARAPHRASES = ("left", "right", "score", "left_id", "right_id")
BITEXT = ("source_id", "target_id", "score", "source", "target")  # columns of mined translations


class RankedPair(NamedTuple):
    """A pair: its rounded score, negated so that sorting puts the best first, ids and places."""

    negated: float
    ids: PairIds
    places: tuple[int, int]


def rank_pairs(
    mined: ScoredPairs, sides: Sequence[CorpusVectors], corpora: Sequence[SentenceFile]
) -> list[RankedPair]:
    """Return the pairs with their ids, the best first, equal scores by their ids."""
    source = sides[0].places[mined.source].tolist()
    target = sides[1].places[mined.target].tolist()
    scores = np.round(mined.scores, DIGITS).tolist()
    return sorted(
        RankedPair(-score, (corpora[0].ids[x], corpora[1].ids[y]), (x, y))
        for score, x, y in zip(scores, source, target, strict=True)
    )


def threshold_on_gold(found: Sequence[RankedPair], gold: dict[PairIds, int], name: str) -> float:
    """Return the threshold with the best F1 on the gold, and print it on stderr."""
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
    note(
        f"--threshold {threshold} is best on {name}: F1 {score.f1:.4f}, "
        f"precision {score.precision:.4f}, recall {score.recall:.4f}"
    )
    return threshold


def rounded(threshold: float) -> float:
    """Round a threshold to one digit more than scores have, because it is between two scores."""
    return round(threshold, DIGITS + 1)


def write_bitext(
    path: Path | None, found: Sequence[RankedPair], corpora: Sequence[SentenceFile], *, texts: bool
) -> None:
    """Write one row per pair: its ids, its score and, with ``texts``, the sentences and a header."""
    first, second = _texts_of([pair.places for pair in found] if texts else [], corpora)
    rows = (
        [*ids, -negated, *([first[x], second[y]] if texts else [])]
        for negated, ids, (x, y) in found
    )
    _write(path, BITEXT[: 5 if texts else 3], rows, named=texts)


def _write(
    path: Path | None, names: Sequence[str], rows: Iterable[Sequence[Any]], *, named: bool
) -> None:
    kind = format_of(path, TABLES)
    count = write_table(path, kind, names, rows, digits=DIGITS, named=named)
    if path:
        note(f"{counted(count, 'pair')} written to {path}")


def _texts_of(
    places: Sequence[tuple[int, int]], corpora: Sequence[SentenceFile]
) -> tuple[dict[int, str], dict[int, str]]:
    if not places:
        return {}, {}
    first, second = ({pair[i] for pair in places} for i in range(2))
    return corpora[0].texts(first), corpora[-1].texts(second)


def paraphrases_of(rows: Sequence[Rows], how: dict[str, Any]) -> ScoredPairs:
    """Mine one list of vectors or two; ``how["k"]`` is lowered to the neighbours there are."""
    there = min(map(len, rows)) - (len(rows) == 1)
    if there < how["k"]:
        note(f"--top-k {how['k']}: there are {max(there, 0)} neighbours; all are compared")
        how["k"] = there
    if there < 1:
        none = np.empty(0, np.int64)
        return ScoredPairs(none, none, np.empty(0))
    return mine_paraphrases(rows[0], rows[1] if len(rows) > 1 else None, **how)


def take_best(mined: ScoredPairs, threshold: float | None, top: int | None, k: int) -> ScoredPairs:
    """Return the pairs from a threshold on, at most ``top``; pairs that are left out are noted."""
    if threshold is not None:
        mined = mined.take(mined.scores >= threshold)
        full = sum(int((np.bincount(side) >= k).sum()) for side in (mined.source, mined.target))
        if full:
            note(
                f"{full:,} sentences have {k} pairs or more above {threshold:g}: a larger --top-k "
                "may find more, and mine duplicates --pairs finds all"
            )
    if top is not None and top < len(mined.scores):
        note(
            f"{top:,} of {len(mined.scores):,} pairs are written; --top N or --threshold gives more"
        )
        mined = mined.take(slice(top))
    return mined


def write_paraphrases(
    path: Path | None,
    scored: list[tuple[int, int, float]],
    corpora: Sequence[SentenceFile],
    *,
    ids: bool,
) -> None:
    """Write one row per pair of places: both sentences, the score and, with ``ids``, the ids."""
    first, second = _texts_of([(i, j) for i, j, _ in scored], corpora)
    rows = (
        [first[i], second[j], score, *([corpora[0].ids[i], corpora[-1].ids[j]] if ids else [])]
        for i, j, score in scored
    )
    _write(path, _PARAPHRASES[: 5 if ids else 3], rows, named=False)
