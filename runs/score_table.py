"""Scores a table of pairs block by block, whatever its format; other columns are kept."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TextIO

from tqdm import tqdm

from runs.scorer import Languages, Scorer
from sts.data.tables import Block, find_columns, kind_of, read_blocks, writer
from sts.data.texts import Empty, texts_of
from sts.errors import DataError, StsError
from sts.text.script import NotLatin


@dataclass(frozen=True)
class TableOptions:
    """How a table is read and written.

    Attributes:
        left, right: names of the columns of sentences; None finds them.
        id: name of a column that alone is kept beside the score; None keeps every column.
        header: whether CSV or TSV begins with names; None looks at the first line.
        read_as, write_as: formats; None goes by the names of the files.
        name: of the new column.
        digits: after the point.
        empty: the score of a pair with a blank sentence: ``error``, ``nan`` or ``zero``.
        languages: of the left and of the right sentences.
    """

    left: str | None = None
    right: str | None = None
    id: str | None = None
    header: bool | None = None
    read_as: str | None = None
    write_as: str | None = None
    name: str = "score"
    digits: int = 4
    empty: Empty = "error"
    languages: Languages | None = None


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
    write_as = options.write_as or (kind_of(target) if target else read_as)
    if target is None and write_as == "parquet":
        write_as = "tsv"
    done = 0
    scripts = NotLatin()
    with (
        writer(target, write_as, stdout or sys.stdout) as out,
        tqdm(unit=" pairs", disable=None if progress else True) as bar,
    ):
        for block in read_blocks(source, read_as, header=options.header):
            names = find_columns(source, block.columns, options.left, options.right)
            scores = _score(scorer, source, block, names, options, scripts)
            alone = block.columns == ("1", "2") and write_as == "tsv"
            kept = [options.id] if options.id else [] if alone else list(block.columns)
            if options.name in kept:
                raise StsError(f"{source}: it has a column {options.name!r}; pass --name OTHER")
            if options.id and options.id not in block.columns:
                raise StsError(f"{source}: no column {options.id!r} for --id")
            rows = [
                [*cells, round(score, options.digits)]
                for cells, score in zip(_cells(block, kept), scores, strict=True)
            ]
            out.write([*kept, options.name] if not alone else [], rows)
            done += len(rows)
            bar.update(len(rows))
    scripts.note(scorer.name, "--languages")
    return done


def _score(
    scorer: Scorer,
    source: str,
    block: Block,
    names: tuple[str, str],
    options: TableOptions,
    scripts: NotLatin,
) -> list[float]:
    sides = left, right = [block.column(name) for name in names]
    if options.empty == "error":
        for name, cells in zip(names, sides, strict=True):
            here = texts_of(cells, name)[1]
            if not here.all():
                row = block.first + int(here.argmin())
                raise DataError(
                    f"{source}:{row}: the cell in column {name} is empty; a pair needs two "
                    "sentences. Go on without it with --empty nan or --empty zero"
                )
    scores = scorer.score_counting(
        left, right, scripts, languages=options.languages, empty=options.empty
    )
    return [float(score) for score in scores]


def _cells(block: Block, kept: list[str]) -> Iterator[list[object]]:
    places = [block.columns.index(name) for name in kept]
    return ([row[place] for place in places] for row in block.rows)
