"""Files of groups: TSV with the columns group, degree, left, right and flags."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TextIO

from semaniacs.sts.data.pair_table import sentences_in
from semaniacs.sts.data.table_blocks import read_blocks
from semaniacs.sts.data.table_writers import writer
from semaniacs.sts.errors import DataError
from semaniacs.sts.partial_paraphrases.partial import Group, PartialGroups
from semaniacs.sts.scoring.ranking import DEGREES, Groups, find_groups

COLUMNS = PartialGroups.columns

Row = tuple[str, int, str, str, str]


class GradedPairs(NamedTuple):
    """The n pairs of g groups.

    Attributes:
        left, right: (n,) sentences.
        flags: (n,) flag of each pair, usually "".
        groups: (g, 4) the rows of each group's pairs, the pair of degree 4 first.
    """

    left: list[str]
    right: list[str]
    flags: list[str]
    groups: Groups

    @property
    def unflagged(self) -> Groups:
        """The groups none of whose pairs has a flag."""
        return self.groups[[not any(self.flags[row] for row in rows) for rows in self.groups]]


def graded_pairs(groups: Iterable[Group]) -> GradedPairs:
    """Return the pairs of some groups in columns; a DataError if there is no group."""
    return _in_columns(PartialGroups(groups).records())


def _in_columns(
    rows: Sequence[Row], origin: str = "groups", lines: Sequence[int] | None = None
) -> GradedPairs:
    names, degrees, left, right, flags = map(list, zip(*rows, strict=True)) if rows else [[]] * 5
    return GradedPairs(left, right, flags, find_groups(names, degrees, origin, lines))


def write_groups(path: str | None, groups: Iterable[Group], stdout: TextIO) -> None:
    """Write groups as TSV to a file, or to stdout where ``path`` is None or ``-``."""
    with writer(path, "tsv", stdout) as out:
        out.write(COLUMNS, PartialGroups(groups).records())


def read_groups(path: str) -> GradedPairs:
    """Read the groups of a file, ``-`` for stdin; the column of flags may be missing.

    Raises:
        DataError: the file is missing or damaged, a column is missing, a degree is unknown, a
            sentence is empty, or a group has other than four pairs; the line is named.
    """
    known = {str(degree): degree for degree in DEGREES}
    rows: list[Row] = []
    lines: list[int] = []
    for block in read_blocks(path, "tsv", header=True):
        for name in COLUMNS[:-1]:
            if name not in block.columns:
                raise DataError(
                    f"{path}:1: no column {name!r}; expected {', '.join(COLUMNS)}, as "
                    "semaniacs partial generate writes them"
                )
        for line, cell in zip(block.lines, block.column("degree"), strict=True):
            if cell not in known:
                raise DataError(f"{path}:{line}: degree {cell!r:.40}; expected 4, 3, 2 or 1")
        degrees = map(known.__getitem__, block.column("degree"))
        sides = sentences_in(path, block, ("left", "right"), advice="Leave its group out")
        flags = block.column("flags") if "flags" in block.columns else [""] * len(block.lines)
        rows += zip(block.column("group"), degrees, *sides, flags, strict=True)
        lines += block.lines
    return _in_columns(rows, path, lines)
