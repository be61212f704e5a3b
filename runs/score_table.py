"""Scoring of a table of pairs, block by block; its other columns are kept."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from semaniacs.runs.pipeline.run import VERSION
from semaniacs.runs.recipes import RUNS
from semaniacs.runs.scorer import Languages, Scorer
from semaniacs.sts.data.pair_table import (
    PairBlock,
    PairColumns,
    find_columns,
    pair_blocks,
    sentences_in,
)
from semaniacs.sts.data.pairs import Empty, Scores
from semaniacs.sts.data.table_blocks import Block, count_rows
from semaniacs.sts.data.table_kinds import READ_ONLY, TABLES, kind_of, listed
from semaniacs.sts.data.table_writers import SheetCopy, writer
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import BINARY, check_distinct, format_of, sha256_of
from semaniacs.sts.progress import Bar, counted, note, quiet
from semaniacs.sts.tensors import digest
from semaniacs.sts.text.languages_found import Seen, count_languages
from semaniacs.sts.text.normalisation import VERSION as NORMALISATION

if TYPE_CHECKING:
    from semaniacs.runs.pipeline.model import Model
    from semaniacs.runs.pipeline.score_columns import ScoreColumns

BLOCK = 8192
"""Rows that are scored, and saved, at once."""

RIGHT_TEXT = "--right-text"
"""Name of the column that one sentence for all rows is compared as."""

WITHOUT = "Go on without it with --missing skip, --empty nan or --empty zero"


@dataclass(frozen=True)
class TableOptions(PairColumns):
    """Options for reading and writing a table.

    Attributes:
        id: name of the only column that is kept beside the score; None keeps every column.
        write_as: format of the output; None takes it from the name of the file.
        name: name of the new column.
        digits: digits after the point.
        empty: score of a pair with a blank sentence: ``error``, ``nan`` or ``zero``.
        languages: of the left and of the right sentences.
        right_text: right sentences of every row, in place of a column; the best score counts.
        question: column of what the sentences of a row answer, or one question for all rows.
        references: further columns of right sentences; the best score of a row counts, also of
            the items of a list in one cell.
        beside: intervals, or a calibration; None writes the score alone.
        differences: whether to say in a column what contradicts.
        pass_from: lowest score that gets 1 in the column ``pass``; None adds none.
        strict: whether a pair that contradicts gets 0 there.
    """

    id: str | None = None
    write_as: str | None = None
    name: str = "score"
    digits: int = 4
    empty: Empty = "error"
    languages: Languages | None = None
    right_text: tuple[str, ...] = ()
    question: str | None = None
    references: tuple[str, ...] = ()
    beside: ScoreColumns | None = None
    differences: bool = False
    pass_from: float | None = None
    strict: bool = False

    def names(self, path: str, columns: Sequence[str]) -> tuple[str, str]:
        """Return the names of both columns; one sentence for all rows is a column of its own."""
        columns = [name for name in columns if name != self.question]
        if not self.right_text:
            return super().names(path, columns)
        return find_columns(path, [*columns, RIGHT_TEXT], self.left, RIGHT_TEXT)

    def pairs_in(
        self, path: str, block: Block, columns: Sequence[str], advice: str | None
    ) -> tuple[list[str], list[str], list[bool]]:
        """Return as :meth:`.PairColumns.pairs_in`; the right sentence is the first of a list."""
        right = self.names(path, columns)[1]
        if right == RIGHT_TEXT:
            rows = [[*row, self.right_text[0]] for row in block.rows]
            block = block._replace(columns=(*block.columns, right), rows=rows)
        return super().pairs_in(path, block.split_lists(right)[0], columns, advice)

    def columns(
        self,
        scores: Scores,
        model: Model,
        left: Sequence[str] = (),
        right: Sequence[str] = (),
        best: Sequence[str] | None = None,
    ) -> dict[str, list[Any]]:
        """Return the n cells of each new column, by name; ``best`` are names of the best references."""
        found = self.beside.named(self.name, scores) if self.beside else {self.name: scores}
        cells: dict[str, list[Any]] = {}
        for name, column in found.items():
            cells[name] = [round(n, self.digits) for n in column.tolist()]
        told: list[tuple[str, ...]] = [()] * len(left)
        if (self.strict or self.differences) and left:
            from semaniacs.runs.pipeline.contradictions import contradictions_of, or_words_apart

            told = contradictions_of(model, left, right, self.languages)
        if self.pass_from is not None:  # by the score as it is written, which a person can check
            marks = zip(cells[self.name], told if self.strict else [()] * len(scores), strict=True)
            cells["pass"] = [
                n if math.isnan(n) else int(n >= self.pass_from and not said) for n, said in marks
            ]
        if self.differences and best is not None:
            told_apart = zip(best, np.isnan(scores), strict=True)
            cells["best reference"] = [None if missing else name for name, missing in told_apart]
        if self.differences:
            told = or_words_apart(told, model, left, right) if left else told
            cells["what differs"] = ["; ".join(one).replace(".; ", ". ") for one in told]
        return cells


def score_table(
    scorer: Scorer,
    source: str,
    target: str | None,
    options: TableOptions,
    *,
    progress: bool = False,
) -> tuple[int, list[int]]:
    """Score every pair of a table; return the number of pairs, and the lines that do not pass.

    A table without a header and with no column but the sentences gives one score per line; any
    other gives its columns and the score. While a file is being made, ``TARGET.partial`` contains
    the scores of the finished rows. If the process was killed, the same call resumes after them,
    and writes the same bytes.

    Args:
        scorer, options: scores the pairs; how to read and write.
        source: a file, or ``-`` for stdin.
        target: a file that appears when all rows are scored; None is stdout.
        progress: show a progress bar on stderr.
    """
    read_as = options.read_as or kind_of(source, "--input-format")
    shown = target in (None, "-") and read_as not in (*BINARY, *READ_ONLY)
    usual = read_as if shown else None
    write_as = format_of(target, f"{TABLES} table", options.write_as or usual)
    check_distinct(source, target)
    advice = WITHOUT if options.empty == "error" else None
    copied = source if read_as == write_as == "xlsx" and not options.id else None
    done = blank = several = 0
    failed: list[int] = []
    seen = scorer.watch()
    finished = None
    if target not in (None, "-"):
        finished = FinishedRows(Path(f"{target}.partial"), partial(_key_of, scorer, options))
    try:
        with (
            quiet(not progress),
            writer(target, write_as, sys.stdout, copied) as out,
            Bar(f"scores of {source}", "pairs", count_rows(source, read_as)) as bar,
        ):
            for pairs in pair_blocks(source, options, advice=advice, size=BLOCK, also=options.id):
                block = pairs.rows
                alone = (
                    block.columns == ("1", "2")[: 1 if options.right_text else 2]
                    and write_as == "tsv"
                )
                kept = [options.id] if options.id else [] if alone else [*block.columns]
                _check_columns(source, block, options, first=not done)
                references = _references(source, pairs, options, typed=read_as == "xlsx")
                several = several if done else len(references) > 1
                new = options.columns(np.empty(0), scorer.model, best=[] if several else None)
                _check_new(source, {*kept} & {*new}, options)
                read = reader_of(source, block, options.question)
                score = partial(_score, scorer, read, pairs.left, seen=seen, finished=finished)
                scores, best, right = _best(references, score, options)
                named = best if several else None
                found = options.columns(scores, scorer.model, pairs.left, right, named)
                done += len(scores)
                marks = zip(block.lines, found.get("pass", ()), strict=False)
                failed += [line for line, mark in marks if mark != 1]
                blank += int(np.isnan(scores).sum())
                bar.update(len(scores))
                if isinstance(out, SheetCopy):
                    out.add(block, found)
                    continue
                columns = [*map(block.column, kept), *found.values()]
                rows = [[*row] for row in zip(*columns, strict=True)]
                notation = options.notation(source, block)
                out.write([*kept, *found] if not alone else [], rows, notation)
    except KeyboardInterrupt:
        if finished and done:
            note(f"{finished.path} keeps {done:,} scores; the same command goes on from there")
        raise
    if finished:
        finished.path.unlink(missing_ok=True)
    seen.note(scorer.name, "--languages")
    if blank and options.missing == "skip":
        note(f"{source}: {blank:,} of {counted(done, 'pair')} without a sentence: no score")
    return done, failed


def _check_columns(source: str, block: Block, options: TableOptions, *, first: bool) -> None:
    others = {*block.columns} - {*options.names(source, block.columns)}
    if first and options.question is None and "question" in others:
        note(f"{source}: to mark answers to what it asks: --question question")
    asked = [("--id", options.id), *(("--reference", name) for name in options.references)]
    for option, name in asked:
        if name and name == options.left and option != "--id":
            raise StsError(f"{source}: --left and {option} are both {name}; name two columns")
        _check_name(source, block, option, name)


def _check_name(source: str, block: Block, option: str, name: str | None) -> None:
    if name and name not in block.columns:
        known = listed(block.columns)
        raise StsError(f"{source}: no column {name!r} for {option}; it has {known}")


def _check_new(source: str, taken: set[str], options: TableOptions) -> None:
    if taken:
        other = "pass --name OTHER" if min(taken).startswith(options.name) else "rename it"
        raise StsError(f"{source}: it has a column {min(taken)!r}; {other}")


def _references(
    source: str, pairs: PairBlock, options: TableOptions, *, typed: bool
) -> list[tuple[str, list[str]]]:
    """Return the right sentences and those of further references, "" where one is missing, by name."""
    right = options.names(source, pairs.rows.columns)[1]
    found: list[tuple[str, list[str]]] = []
    for name in (right, *options.references):
        if name == RIGHT_TEXT:
            typed_in = options.right_text
            found += [
                (f"{name} {n}", [text] * len(pairs.left)) for n, text in enumerate(typed_in, 1)
            ]
            continue
        items = pairs.rows.split_lists(name)
        for place, block in enumerate(items, start=1):
            texts = pairs.right
            if found:
                (texts,) = sentences_in(source, block, [name], advice=None, typed=typed)
            found.append((f"{name} {place}" if len(items) > 1 else name, texts))
    return found


def reader_of(
    source: str, block: Block | None, question: str | None
) -> Callable[[list[str], list[str]], tuple[list[str], list[str]]]:
    """Return a function of both sides: as they are read beside a question, a column or one for all."""
    if question is None:
        return lambda left, right: (left, right)
    from semaniacs.features.contradictions.answers import beside_questions

    if block is None or (question not in block.columns and " " in question):
        return partial(beside_questions, repeat(question))
    _check_name(source, block, "--question", question)
    return partial(beside_questions, *sentences_in(source, block, [question], advice=None))


def _best(
    references: Sequence[tuple[str, list[str]]],
    score: Callable[[list[str], TableOptions], Scores],
    options: TableOptions,
) -> tuple[Scores, list[str], list[str]]:
    """Return the best score of each row, the name of the reference that gave it, and its sentence."""
    (first, right), *others = references
    scores, names, texts = score(right, options), [first] * len(right), [*right]
    for name, more in others:
        best = np.fmax(scores, score(more, replace(options, empty="nan")))
        for row in np.flatnonzero(best != scores):
            names[row], texts[row] = name, more[row]
        scores = best
    return scores, names, texts


def _score(
    scorer: Scorer,
    read: Callable[[list[str], list[str]], tuple[list[str], list[str]]],
    left: list[str],
    right: list[str],
    options: TableOptions,
    seen: Seen,
    finished: FinishedRows | None,
) -> Scores:
    """Return the scores of a block; those of a whole block are saved until the table is done."""
    sides = left, right = read(left, right)
    texts = digest([*left, *right]) if finished else ""
    if finished and (found := finished.find(texts)) is not None:
        count_languages(seen, *sides, options.languages)
        return found
    scores = scorer.score_counting(
        *sides, seen, languages=options.languages, empty=options.empty, progress=True
    )
    if finished and len(scores) == BLOCK:
        finished.add(texts, scores)
    return scores


class FinishedRows:
    """Scores of the finished blocks of a long table, in a file until the whole table is scored.

    Each block is found by the hash of its texts. The first entry of the file is a key, the hash of
    everything else that the scores depend on.
    """

    def __init__(self, path: Path, key: Callable[[], str]) -> None:
        from semaniacs.runs.contribution.ledger import Ledger

        self.path, self._key, self._blocks = path, key, Ledger(path)
        if not len(self._blocks):
            return
        if key() in self._blocks:
            rows = BLOCK * (len(self._blocks) - 1)
            note(f"{path}: going on; {counted(rows, 'pair')} scored before")
        else:
            note(f"{path}: scored with another model or other options; it is not used")
            path.unlink()
            self._blocks = Ledger(path)

    def find(self, texts: str) -> Scores | None:
        """Return the scores (n,) of a block whose texts have this hash; None if it is not there."""
        return np.array(self._blocks[texts]["scores"]) if texts in self._blocks else None

    def add(self, texts: str, scores: Scores) -> None:
        """Save the scores (n,) of a block whose texts have this hash."""
        if not len(self._blocks):
            self._blocks[self._key()] = {}
        self._blocks[texts] = {"scores": scores.tolist()}


def _key_of(scorer: Scorer, options: TableOptions) -> str:
    """Return the hash of everything that scores depend on besides the texts."""
    model = scorer.model
    folder = [] if scorer.source in RUNS else sorted(Path(scorer.source or "").iterdir())
    return digest(
        {
            "texts": NORMALISATION,
            "model": [model.run.digest, VERSION, model.head.hashes(), [*model.head.missing()]],
            "files": [sha256_of(path) for path in folder if path.is_file()],
            "options": [options.languages, options.empty],
        }
    )
