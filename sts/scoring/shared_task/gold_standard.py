"""Gold scores that submissions are compared with: of a known task, or an organiser's own."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from semaniacs.sts.data.catalog import Task, get_task
from semaniacs.sts.data.fetch import load_gold
from semaniacs.sts.data.notation import Notation
from semaniacs.sts.data.pairs import HIGHEST, LOWEST, Scores, has_no_text, is_number
from semaniacs.sts.data.readers import parse_gold
from semaniacs.sts.data.table_blocks import Block, read_blocks
from semaniacs.sts.data.table_kinds import is_table, kind_of, listed
from semaniacs.sts.encodings import named_encoding
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.files import lines_in, read_bytes
from semaniacs.sts.progress import note
from semaniacs.sts.scoring.classification import Labels


@dataclass(frozen=True)
class GoldStandard:
    """Gold of a task.

    Attributes:
        name: of the task, or the file or folder.
        scores: (n,) by data set, NaN where a pair is unscored.
        labelled: the gold has two classes; the higher number is that of paraphrases.
        others: the n cells of each other column of a table.
        ids: the n names of the pairs of a table, by which a submission gives its scores; None
            if both are in the same order.
        table: submissions are tables too.
        score_column, id_column: columns of a submission, see :func:`read_column`.
    """

    name: str
    scores: Mapping[str, Scores]
    ids: tuple[str, ...] | None = None
    table: bool = False
    score_column: str | None = None
    id_column: str | None = None
    labelled: bool = False
    others: Mapping[str, list[str]] = field(default_factory=dict)

    @property
    def labels(self) -> dict[str, Labels]:
        """Return (n,) by data set, whether a pair is a paraphrase; of labelled gold."""
        return {name: gold == gold.max() for name, gold in self.scores.items()}

    @property
    def on_scale(self) -> bool:
        """Whether all are grades from 0 to 5, so that a submission's scores should be too."""
        gold = np.concatenate([*self.scores.values()])
        inside = np.isnan(gold) | ((gold >= LOWEST) & (gold <= HIGHEST))
        return not self.labelled and bool(inside.all())


def open_gold(
    task: str | None,
    data: Path | None,
    path: Path | None,
    gold_column: str | None = None,
    score_column: str | None = None,
    id_column: str | None = None,
    *,
    labels: bool = False,
) -> GoldStandard:
    """Return the gold of a task by its name, or of a file or folder of an organiser's own.

    Arguments are the options ``--task``, ``--data``, ``--gold`` and those of tables; with
    ``labels`` a file or folder holds two classes.

    Raises:
        StsError: neither or both are named, or a column is named for what is no table.
        DataError: a file is malformed, or a data set of labels has not two classes.
    """
    if (task is None) == (path is None):
        raise StsError("say what to score against: either --task NAME or --gold FILE")
    table = path is not None and (gold_column or is_table(path.name))
    if not table and (gold_column or score_column or id_column):
        raise StsError("--gold-column, --score-column and --id are for --gold with a table")
    if path is None:
        found = gold_of_task(get_task(str(task)), data)
        if labels and not found.labelled:
            raise StsError(f"task {task!r} has grades, no labels; leave --labels out")
    elif not table:
        found = gold_of_files(path)
    elif gold_column is None:
        raise StsError(f"{path}: a table; name the column of its gold with --gold-column")
    else:
        found = gold_of_table(path, gold_column, score_column, id_column)
    found = replace(found, labelled=found.labelled or labels)
    if found.labelled:
        check_labels(found)
    return found


def by_column(
    gold: GoldStandard, systems: Sequence[Mapping[str, Scores]], column: str
) -> tuple[GoldStandard, list[dict[str, Scores]]]:
    """Return the gold of a table and the systems' scores with a data set for each value of a column.

    A value without two different gold scores is left out. A StsError is raised if there is no such
    column, or no value is left.
    """
    if column not in gold.others:
        names = listed(tuple(gold.others)) or "none: --by is for --gold with a table"
        raise StsError(f"{gold.name}: no column {column!r} for --by; it has {names}")
    cells = np.array(gold.others[column])
    (values,) = gold.scores.values()
    rows = {name: cells == name for name in dict.fromkeys(cells.tolist())}
    known = ~np.isnan(values)
    few = [name for name, mask in rows.items() if len(np.unique(values[mask & known])) < 2]
    if few:
        note(f"{gold.name}: fewer than two different gold scores, left out: {column} {listed(few)}")
        rows = {name: mask for name, mask in rows.items() if name not in few}
    if not rows:
        raise StsError(f"{gold.name}: no value of {column} has two different gold scores")
    parts = [{n: one[mask] for n, mask in rows.items()} for s in systems for one in s.values()]
    found = replace(gold, scores={name: values[mask] for name, mask in rows.items()})
    if found.labelled:
        check_labels(found)
    return found, parts


def check_labels(gold: GoldStandard) -> None:
    """Raise a :class:`DataError` if a pair has no label, or a data set has not two classes."""
    for name, values in gold.scores.items():
        classes = np.unique(values).tolist()
        if len(classes) != 2 or np.isnan(values).any():
            shown = ", ".join(f"{value:g}" for value in classes[:5])
            raise DataError(
                f"{gold.name}: {name} has the labels {shown}{', …' * (len(classes) > 5)}; "
                "expected two classes, such as 0 and 1, and a label for each pair"
            )


def gold_of_task(task: Task, data: Path | None) -> GoldStandard:
    """Return the gold of a task of the catalogue; errors as :func:`semaniacs.sts.data.fetch.load_gold`."""
    scores = {d.name: load_gold(d, data, d.input.rows) for d in task.datasets}
    return GoldStandard(task.name, scores, labelled=task.labelled)


def gold_of_files(path: Path) -> GoldStandard:
    """Return the gold of an official file, or of a folder of files named ``*.gs.NAME.txt``.

    A DataError is raised if there is none, two are of one data set, or one is malformed.
    """
    if not path.is_dir():
        return GoldStandard(path.name, {_data_set(path): _read_official(path)})
    found: dict[str, Path] = {}
    for file in sorted(path.glob("*.gs.*.txt")):
        other = found.setdefault(_data_set(file), file)
        if other != file:
            raise DataError(f"{other} and {file} are gold of one data set; keep one of them")
    if not found:
        raise DataError(f"{path}: no file is called *.gs.NAME.txt; name a file of gold scores")
    return GoldStandard(path.name, {name: _read_official(file) for name, file in found.items()})


def _data_set(path: Path) -> str:
    """Return ``headlines`` of ``STS.2016.gs.headlines.txt``; of another name, all but the ending."""
    return path.name.rpartition(".gs.")[2].removesuffix(".gz").removesuffix(".txt")


def _read_official(path: Path) -> Scores:
    lines = lines_in(read_bytes(path), path, named_encoding())
    return _varied(parse_gold(lines, path), path)


def gold_of_table(
    path: Path, column: str, score_column: str | None, id_: str | None
) -> GoldStandard:
    """Return one data set from the column of a table; an empty cell is an unscored pair.

    Gold may be on any scale. A DataError is raised if a column is missing, a cell is no number, or
    an id is there twice.
    """
    found = read_column(str(path), column, id_, blank=True)
    scores = {path.name.partition(".")[0]: _varied(found.values, path)}
    others = found.others
    return GoldStandard(path.name, scores, found.ids, True, score_column, id_, others=others)


def _varied(gold: Scores, path: Path) -> Scores:
    if len(np.unique(gold[~np.isnan(gold)])) < 2:
        raise DataError(f"{path}: fewer than two different gold scores; nothing correlates with it")
    return gold


# A column of scores in a table, with the ids of its rows


class ScoreColumn(NamedTuple):
    """Column of a table.

    Attributes:
        values: (n,) scores, NaN where a cell is blank.
        ids: the n ids of the rows, each once; None if none were asked for.
        lines: the n line numbers of the rows, from 1.
        others: the n cells of each other column, by name.
    """

    values: Scores
    ids: tuple[str, ...] | None
    lines: tuple[int, ...]
    others: Mapping[str, list[str]]

    def order_of(self, others: Mapping[str, list[str]]) -> str | None:
        """Return a column that has the same cells in ``others`` in another order; None if none has.

        A column that hardly tells rows apart says nothing; nor does any if a text is in order.
        """
        both = [name for name, cells in self.others.items() if 2 * len({*cells}) > len(cells)]
        both = [n for n in both if sorted(self.others[n]) == sorted(others.get(n, ()))]
        moved = [name for name in both if self.others[name] != others[name]]
        texts = [name for name in both if not all(map(is_number, others[name]))]
        moved = moved if {*texts} <= {*moved} else []
        return max(moved, key=lambda name: len({*others[name]}), default=None)


def read_column(
    path: str, name: str | None, id_: str | None = None, *, blank: bool = False
) -> ScoreColumn:
    """Return the scores in a table of any format.

    Args:
        path: the file.
        name: column of the scores; None is ``score``, or the only column.
        id_: column of the ids.
        blank: whether a cell may be blank.

    Raises:
        DataError: the file is malformed, a column is missing, a cell is no number, or an id is
            there twice; the message names the line.
    """
    table = _read(path, {name or "score", id_})
    if name is None:
        name = table.columns[0] if len(table.columns) == 1 else "score"
    scores = [
        _number(f"{path}:{line}: {name} is", cell, table.notation, blank)
        for line, cell in zip(table.lines, _column(path, table, name), strict=True)
    ]
    others = {one: [*map(str, table.column(one))] for one in table.columns if one != name}
    if id_ is None:
        return ScoreColumn(np.array(scores), None, tuple(table.lines), others)
    ids = [str(cell) for cell in _column(path, table, id_)]
    first: dict[str, int] = {}
    for line, one in zip(table.lines, ids, strict=True):
        if first.setdefault(one, line) != line:
            raise DataError(f"{path}:{line}: {id_} {one!r} is in line {first[one]} too")
    return ScoreColumn(np.array(scores), tuple(ids), tuple(table.lines), others)


def _read(path: str, wanted: set[str | None]) -> Block:
    """Return all rows; text has a header if line 1 holds a wanted name."""
    kind = kind_of(path)
    text, named = kind in ("csv", "tsv", "xlsx"), [name for name in wanted if name]
    blocks = list(read_blocks(path, kind, header=False if text else None, named=named))
    rows = [row for block in blocks for row in block.rows]
    if not rows:
        raise DataError(f"{path}: the table has no row; expected one for each pair")
    lines = [line for block in blocks for line in block.lines]
    if text and wanted & {*rows[0]}:
        return Block(lines[1:], tuple(rows[0]), rows[1:], blocks[0].notation)
    return Block(lines, blocks[0].columns, rows, blocks[0].notation)


def _column(path: str, table: Block, name: str) -> list[Any]:
    columns = table.columns
    if name not in columns:
        if table.has_no_names and not any(map(is_number, table.rows[0])):
            columns = tuple(table.rows[0])
        raise DataError(
            f"{path}: no column {name!r}; it has {listed(columns)}: see --gold-column, "
            "--score-column and --id"
        )
    return table.column(name)


def _number(place: str, cell: Any, notation: Notation, blank: bool) -> float:
    given: Any = notation.number(cell, place)
    if blank and has_no_text(given):
        return math.nan
    try:
        number = float(given)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(f"{place} {str(given)[:80]!r}, expected a number")
    return number
