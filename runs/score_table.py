"""Scores a table of pairs block by block, whatever its format; other columns are kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import numpy as np

from runs.partial_scores import PartialScores
from runs.pipeline.score_columns import ScoreColumns
from runs.scorer import Languages, Scorer
from sts.data.pairs import Scores
from sts.data.tables.pair_table import PairColumns, pair_blocks
from sts.data.tables.table_kinds import kind_of
from sts.data.tables.table_reader import Block, count_rows
from sts.data.tables.table_writer import writer
from sts.data.texts import Empty
from sts.errors import StsError
from sts.files import check_distinct
from sts.progress import Bar, note, quiet
from sts.text.noticed import Seen, count_languages

BLOCK = 8192
"""Rows that are scored, and kept, at once."""

_WITHOUT = "Go on without it with --empty nan or --empty zero"


@dataclass(frozen=True)
class TableOptions(PairColumns):
    """How a table is read and written.

    Attributes:
        id: name of a column that alone is kept beside the score; None keeps every column.
        write_as: format; None goes by the name of the file.
        name: of the new column.
        digits: after the point.
        empty: the score of a pair with a blank sentence: ``error``, ``nan`` or ``zero``.
        languages: of the left and of the right sentences.
        beside: what is written beside the score.
    """

    id: str | None = None
    write_as: str | None = None
    name: str = "score"
    digits: int = 4
    empty: Empty = "error"
    languages: Languages | None = None
    beside: ScoreColumns = field(default_factory=ScoreColumns)


def score_table(
    scorer: Scorer,
    source: str,
    target: str | None,
    options: TableOptions,
    *,
    progress: bool = False,
    stdout: TextIO | None = None,
) -> int:
    """Score every pair of a table; the number of pairs.

    A table without a header and with no column but the sentences gives a score a line; any other
    gives its columns and the score.

    While a file is being made, ``TARGET.partial`` holds the scores of what is done; the same
    call after an end by force goes on from there, to the same bytes.

    Args:
        scorer: what scores.
        source: a file, or ``-`` for stdin.
        target: a file that appears when all is scored; None is stdout.
        options: how to read and write.
        progress: show a progress bar on stderr.
        stdout: for None as target; by default the real one.

    Raises:
        DataError: the table is damaged, or a sentence is missing; the line is named.
        StsError: a column or a format that is not there, or the target cannot be written.
    """
    read_as = options.read_as or kind_of(source)
    write_as = options.write_as or (kind_of(target, option="--to") if target else read_as)
    if target is None and write_as == "parquet":
        write_as = "tsv"
    check_distinct(source, target)
    advice = _WITHOUT if options.empty == "error" else None
    done = 0
    seen = scorer.watch()
    partial = None
    if target not in (None, "-"):
        rests_on = {"languages": options.languages, "empty": options.empty}
        partial = PartialScores(Path(str(target)), scorer, rests_on)
    try:
        with (
            quiet(not progress),
            writer(target, write_as, stdout or sys.stdout) as out,
            Bar(f"scores of {source}", "pairs", count_rows(source, read_as)) as bar,
        ):
            for block, left, right in pair_blocks(
                source, options, advice=advice, size=BLOCK, also=options.id
            ):
                alone = block.columns == ("1", "2") and write_as == "tsv"
                kept = _kept_columns(source, block.columns, options, alone)
                scores = _score(scorer, (left, right), options, seen, partial)
                found = options.beside.named(options.name, scores)
                rounded = [np.round(column, options.digits).tolist() for column in found.values()]
                beside = zip(*rounded, strict=True)
                rows = [[*c, *s] for c, s in zip(_cells(block, kept), beside, strict=True)]
                out.write([*kept, *found] if not alone else [], rows)
                done += len(rows)
                bar.update(len(rows))
    except KeyboardInterrupt:
        if partial and done:
            note(f"{partial.path} keeps {done:,} scores; the same command goes on from there")
        raise
    if partial:
        partial.remove()
    seen.note(scorer.name, "--languages")
    return done


def _kept_columns(
    source: str, columns: Sequence[str], options: TableOptions, alone: bool
) -> list[str]:
    """The columns that are written beside the score: none where scores stand ``alone``."""
    if options.id and options.id not in columns:
        raise StsError(f"{source}: no column {options.id!r} for --id")
    kept = [options.id] if options.id else [] if alone else list(columns)
    for name in options.beside.named(options.name, np.empty(0)):
        if name in kept:
            raise StsError(f"{source}: it has a column {name!r}; pass --name OTHER")
    return kept


def _score(
    scorer: Scorer,
    sides: tuple[list[str], list[str]],
    options: TableOptions,
    seen: Seen,
    partial: PartialScores | None,
) -> Scores:
    """The scores of a block; those of a large one are kept until the whole table is scored."""
    found = partial.find([*sides[0], *sides[1]]) if partial else None
    if found is not None:
        count_languages(seen, *sides, options.languages)
        return found
    scores = scorer.score_counting(
        *sides, seen, languages=options.languages, empty=options.empty, progress=True
    )
    if partial and len(scores) == BLOCK:
        partial.add([*sides[0], *sides[1]], scores)
    return scores


def _cells(block: Block, kept: list[str]) -> Iterator[list[object]]:
    places = [block.columns.index(name) for name in kept]
    return ([row[place] for place in places] for row in block.rows)
