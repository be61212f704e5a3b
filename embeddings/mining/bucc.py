"""The files of BUCC, and plain ones: sentences with their ids, gold pairs, mined pairs.

Zweigenbaum, Sharoff and Rapp (2018), Overview of the third BUCC shared task: a line of a
corpus is ``id<TAB>sentence``, of the gold ``source-id<TAB>target-id``. Mined pairs have their
score in a third column. A plain file has one sentence per line, whose id is its line number.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from semaniacs.embeddings.formats.lines import STDIN, columns, lines
from semaniacs.sts.data.pair_table import finite
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import DataError, StsError

LineFormat = Literal["bucc", "plain"]
PairIds = tuple[str, str]

_ID_AND_TAB = re.compile(r"\S+\t")


@dataclass(frozen=True)
class SentenceFile:
    """The sentences of the file ``source``; their ids are in memory in order, the texts are not.

    ``filled`` of them are not blank.
    """

    source: str
    format: LineFormat
    ids: list[str]
    filled: int

    def sentences(self) -> Iterator[str]:
        """Yield all sentences, read from the file again."""
        names = "id sentence" if self.format == "bucc" else "sentence"
        return (cells[-1] for cells in columns(self.source, names))

    def texts(self, places: Collection[int]) -> dict[int, str]:
        """Return the sentences of some places, which count from 0."""
        wanted = frozenset(places)
        return {i: text for i, text in enumerate(self.sentences()) if i in wanted}


class MinedPairs(NamedTuple):
    """Pairs of ids, and the score (n,) of each."""

    pairs: list[PairIds]
    scores: Scores


def open_sentences(source: str, kind: LineFormat | None = None) -> SentenceFile:
    """Read the ids of a corpus; it is in BUCC's format if ``kind`` is None and line 1 has an id.

    Raises a DataError for a file that is missing, empty or not UTF-8, a malformed line, or an id that
    occurs twice (with the lines), an StsError for stdin, which cannot be read twice.
    """
    if source == STDIN:
        raise StsError("a corpus is read more than once; put stdin into a file and name that")
    found = kind or ("bucc" if _ID_AND_TAB.match(next(lines(source))) else "plain")
    line_of: dict[str, int] = {}
    filled = 0
    names = "id sentence" if found == "bucc" else "sentence"
    for number, (*ids, sentence) in enumerate(columns(source, names), 1):
        name = ids[0] if ids else str(number)
        if not name.strip():
            raise DataError(f"{source}:{number}: no id; expected id<TAB>sentence")
        _check_new(line_of, name, source, number, "id")
        filled += bool(sentence.strip())
    return SentenceFile(source, found, list(line_of), filled)


def _check_new(line_of: dict[str, int], name: str, source: str, number: int, what: str) -> None:
    first = line_of.setdefault(name, number)
    if first != number:
        shown = name.replace("\t", " ")
        raise DataError(
            f"{source}:{number}: {what} {shown!r} is in line {first} already; keep one of them"
        )


def read_gold_pairs(source: str) -> dict[PairIds, int]:
    """Read the gold pairs with their lines, in order; a DataError names a line that is no new pair of ids."""
    line_of: dict[str, int] = {}
    for number, cells in enumerate(columns(source, "source-id target-id"), 1):
        _check_new(line_of, "\t".join(cells), source, number, "pair")
    return {_two(name): number for name, number in line_of.items()}


def check_gold_pairs(
    gold: dict[PairIds, int], name: str, source: SentenceFile, target: SentenceFile
) -> None:
    """Check that every gold pair names sentences of the two files; a DataError names the line."""
    sides = source, target
    known = [frozenset(corpus.ids) for corpus in sides]
    for pair, line in gold.items():
        if pair[0] in known[1] and pair[1] in known[0] and pair[0] not in known[0]:
            raise DataError(
                f"{name}:{line}: {pair[0]!r} is of {target.source} and {pair[1]!r} of "
                f"{source.source}; name SOURCE and TARGET the other way round"
            )
        for one, ids, corpus in zip(pair, known, sides, strict=True):
            if one not in ids:
                raise DataError(
                    f"{name}:{line}: {one!r} is no id of {corpus.source} "
                    f"(its first is {corpus.ids[0]!r}); give the gold of these two files"
                )


def read_mined_pairs(source: str) -> MinedPairs:
    """Read mined pairs with their scores; columns after the third are ignored.

    Raises a DataError for a line without two ids and a finite score, or a pair that occurs twice.
    """
    line_of: dict[str, int] = {}
    scores = []
    for number, line in enumerate(lines(source), 1):
        if number == 1 and line.startswith("source_id\ttarget_id\tscore"):
            continue  # names of columns, as mine bitext writes them
        first, second, score, *_ = *line.split("\t"), "", "", ""
        if not (first and second and score):
            raise DataError(
                f"{source}:{number}: {line[:80]!r}; expected source-id, target-id and score, "
                "separated by tabs"
            )
        scores.append(finite(score, f"{source}:{number}: score"))
        _check_new(line_of, f"{first}\t{second}", source, number, "pair")
    return MinedPairs([_two(name) for name in line_of], np.array(scores))


def _two(name: str) -> PairIds:
    first, second = name.split("\t")
    return first, second
