"""The official output format: one file per data set, one score per line."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from semaniacs.sts.data.pairs import HIGHEST, LOWEST, Scores, finite_or_nan
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import read_lines, whole, write_lines


def file_name(year: int, run: str, dataset: str) -> str:
    """Return the official file name, for example ``STS2016.OUTPUT.fusion.headlines.txt``."""
    return f"STS{year}.OUTPUT.{run}.{dataset}.txt"


def format_scores(scores: Scores) -> list[str]:
    """Format each score as the shortest text that reads back the same; a ValueError off [0, 5].

    A submission is not rounded: ties would change its correlation.
    """
    if not np.all((scores >= LOWEST) & (scores <= HIGHEST)):
        raise ValueError("a prediction is not a number from 0 to 5")
    return [repr(score) for score in scores.tolist()]


def write(path: Path, scores: Scores) -> None:
    """Write (n,) scores to ``path``, whole or not at all; see :func:`format_scores`."""
    write_lines(path, format_scores(scores))


def write_zip(path: Path, files: Mapping[str, Scores]) -> None:
    """Write a zip of files of scores by name: the same bytes for the same scores."""
    with whole(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, scores in files.items():
            text = "".join(f"{line}\n" for line in format_scores(scores))
            member = zipfile.ZipInfo(name)  # dated 1980, so that the bytes do not change
            member.compress_type = zipfile.ZIP_DEFLATED
            member.create_system, member.external_attr = 3, 0o644 << 16  # anybody may read it
            packed.writestr(member, text)


def submission_name(team: str | None, run: str) -> str:
    """Return ``TEAM.RUN``, or the run alone, for file names.

    A StsError is raised if a name has a character that is unsafe in file names, or a dot.
    """
    for option, name in (("--team", team), ("--run-name", run)):
        if name is not None and not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_-]*", name):
            raise StsError(f"{option} {name!r}: expected letters without accents, digits, - and _")
    return run if team is None else f"{team}.{run}"


def read(path: Path, rows: int) -> Scores:
    """Return the (rows,) scores of a submission file, see :func:`parse`."""
    return parse(read_lines(path), path, rows)


def parse(lines: Sequence[str], origin: Path | str, rows: int) -> Scores:
    """Return the (rows,) scores of the lines of a file; a second column is ignored.

    A score may be off the scale: see :func:`off_scale`. A line without a finite number, or another
    number of lines, is a DataError.
    """
    values = [line.removeprefix("\ufeff").split("\t")[0].strip() for line in lines]
    scores = np.array([finite_or_nan(value) for value in values], np.float64)
    for row in np.flatnonzero(np.isnan(scores))[:1]:
        raise DataError(f"{origin}:{row + 1}: {values[row]!r}, expected a number")
    if len(scores) != rows:
        raise DataError(
            f"{origin}:{len(scores)}: {len(scores)} scores for {rows} pairs; "
            "a submission holds one for every input line, scored or not"
        )
    return scores


def off_scale(scores: Scores, origin: Path | str) -> str | None:
    """Return a warning that counts the scores below 0 or above 5; None if there are none.

    They are no error: Pearson's r is the same on any scale.
    """
    rows = np.flatnonzero((scores < LOWEST) | (scores > HIGHEST))
    if not len(rows):
        return None
    first = int(rows[0])
    return (
        f"{origin}:{first + 1}: {scores[first]:g} is not from 0 to 5, the scale of the task, like "
        f"{len(rows):,} of {len(scores):,} scores in this file; they are used as they are"
    )
