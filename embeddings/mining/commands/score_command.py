"""``mine score``: precision, recall and F1 of mined pairs."""

from __future__ import annotations

from typing import Literal

import numpy as np

from embeddings.mining.bucc import read_gold_pairs, read_mined_pairs
from embeddings.mining.commands.mining_options import Options, Parser, finite_number
from embeddings.mining.ranked_pairs import rounded
from sts.errors import DataError, StsError
from sts.scoring.mined_pairs import best_threshold, score_mined

EXAMPLES = """\
examples:
  python -m embeddings.mining score pairs.tsv --gold test.gold
  python -m embeddings.mining score pairs.tsv --gold test.gold --threshold 1.1
  python -m embeddings.mining score pairs.tsv --gold dev.gold --threshold best

A pair is correct if it is in the gold; all others are wrong. best is the threshold with the
highest F1 on this very gold: use it to choose, not to judge.
"""


def add_options(parser: Parser) -> None:
    """The options of the command."""
    add = parser.add_argument
    add("file", metavar="PAIRS", help="source-id<TAB>target-id<TAB>score a line")
    add("--gold", required=True, metavar="GOLD", help="source-id<TAB>target-id")
    lowest = "lowest score to count, or best"
    add("--threshold", type=_threshold, metavar="SCORE", help=lowest)
    parser.set_defaults(run=score)


def score(options: Options) -> None:
    """Print precision, recall and F1 of a mined file."""
    file, gold, threshold = options.file, options.gold, options.threshold
    pairs, scores = read_mined_pairs(file)
    wanted = read_gold_pairs(gold)
    correct = np.array([pair in wanted for pair in pairs], bool)
    if not correct.any() and any((target, source) in wanted for source, target in pairs):
        raise DataError(f"{gold}: source and target are the other way round than in {file}")
    if threshold == "best":
        if not correct.any():
            raise StsError(f"{file}: no pair of {gold} is in it, so no threshold is the best")
        threshold = rounded(best_threshold(scores, correct, len(wanted)))
    if threshold is not None:
        pairs = [pair for pair, passed in zip(pairs, scores >= threshold, strict=True) if passed]
    result = score_mined(pairs, wanted)
    figures = {
        "pairs": f"{result.mined:,}",
        "gold": f"{result.gold:,}",
        "correct": f"{result.correct:,}",
        "precision": f"{result.precision:.4f}",
        "recall": f"{result.recall:.4f}",
        "F1": f"{result.f1:.4f}",
        **({} if threshold is None else {"threshold": str(threshold)}),
    }
    for name, figure in figures.items():
        print(f"{name:9}  {figure:>9}")


def _threshold(text: str) -> float | Literal["best"]:
    return "best" if text == "best" else finite_number(text)
