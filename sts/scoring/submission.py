"""The official output: one score a line, one file a data set, and their validation."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

from sts.data.pairs import HIGHEST, LOWEST, Scores
from sts.errors import DataError
from sts.files import read_lines, write_lines


def file_name(year: int, run: str, dataset: str) -> str:
    """The organisers' naming scheme: ``STS2016.OUTPUT.fusion.headlines.txt``."""
    return f"STS{year}.OUTPUT.{run}.{dataset}.txt"


def clip(scores: Scores) -> Scores:
    """Scores brought into [0, 5]."""
    return np.clip(scores, LOWEST, HIGHEST)


def format_scores(scores: Scores) -> list[str]:
    """Shortest text from which each score reads back exactly.

    What is correlated and what is written are then the same numbers; rounding
    would make ties that the model did not make.

    Raises:
        ValueError: a score outside [0, 5] or not a number, which is a fault of the model.
    """
    if not np.all((scores >= LOWEST) & (scores <= HIGHEST)):
        raise ValueError("a prediction is not a number from 0 to 5")
    return [repr(float(score)) for score in scores]


def write(path: Path, scores: Scores) -> None:
    """Write (n,) scores whole or not at all."""
    write_lines(path, format_scores(scores))


def read(path: Path, rows: int) -> Scores:
    """The (rows,) scores of a submission file; a confidence column, if any, is dropped.

    Raises:
        DataError: a line without a finite number, or another number of lines than ``rows``.
    """
    lines = read_lines(path)
    scores = np.empty(len(lines))
    for index, line in enumerate(lines):
        value = line.split("\t")[0].strip()
        try:
            scores[index] = float(value)
        except ValueError:
            scores[index] = math.nan
        if not math.isfinite(scores[index]):
            raise DataError(f"{path}:{index + 1}: {value!r}, expected a number")
    if len(scores) != rows:
        raise DataError(
            f"{path}:{len(scores)}: {len(scores)} scores for {rows} pairs; "
            "a submission holds one for every input line, scored or not"
        )
    return scores
