"""The files of BUCC, and plain ones: sentences with their ids, gold pairs, mined pairs.

Zweigenbaum, Sharoff and Rapp (2018), Overview of the third BUCC shared task: a line of a
corpus is ``id<TAB>sentence``, of the gold ``source-id<TAB>target-id``. Mined pairs have their
score in a third column. A plain file has one sentence per line, whose id is its line number.

A task is made from bitext: translated pairs are planted among sentences without a translation,
from files of pairs: one half of a file gives its first sides, the other half its second sides, so
that no two of them are translations of each other. The halves are cut in the order of the file,
because neighbouring lines belong to one document and often say the same. A sentence that occurs in
two pairs would break this, so such pairs are left out, also from those that are planted; case,
punctuation and spacing are ignored. Short sentences ("Yes.") have translations everywhere and are
left out too.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeVar

import numpy as np

from semaniacs.embeddings.formats.lines import STDIN, columns, lines
from semaniacs.embeddings.training.corpora import SentencePair
from semaniacs.sts.data.pair_table import finite
from semaniacs.sts.data.pairs import Scores
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.text.tokenizer import fold, words

LineFormat = Literal["bucc", "plain"]
PairIds = tuple[str, str]
Key = TypeVar("Key", str, PairIds)

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


def _check_new(line_of: dict[Key, int], key: Key, source: str, number: int, what: str) -> None:
    """Add a line to ``line_of``; a DataError if its id, or its pair of ids, is in an earlier one."""
    first = line_of.setdefault(key, number)
    if first != number:
        shown = key if isinstance(key, str) else " ".join(key)
        raise DataError(
            f"{source}:{number}: {what} {shown!r} is in line {first} already; keep one of them"
        )


def read_gold_pairs(source: str) -> dict[PairIds, int]:
    """Read the gold pairs with their lines, in order; a DataError names a line that is no new pair of ids."""
    line_of: dict[PairIds, int] = {}
    for number, (first, second) in enumerate(columns(source, "source-id target-id"), 1):
        _check_new(line_of, (first, second), source, number, "pair")
    return line_of


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


def read_mined_pairs(source: str) -> tuple[list[PairIds], Scores]:
    """Read mined pairs of ids with their scores (n,); columns after the third are ignored.

    Raises a DataError for a line without two ids and a finite score, or a pair that occurs twice.
    """
    line_of: dict[PairIds, int] = {}
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
        _check_new(line_of, (first, second), source, number, "pair")
    return [*line_of], np.array(scores)


Split = Literal["dev", "test"]

SHARE = 0.025
"""Fraction of a side's sentences that have a translation on the other, about as in BUCC."""

SHORTEST = 4  # fewest words of a sentence, on either side


class MiningTask(NamedTuple):
    """The two sides of the task, each in random order, and the places of the gold pairs, sorted."""

    first: list[str]
    second: list[str]
    gold: list[tuple[int, int]]


def make_task(
    pairs: Sequence[SentencePair],
    unrelated: Sequence[Sequence[SentencePair]],
    *,
    share: float = SHARE,
    split: Split | None = None,
    shortest: int = SHORTEST,
    seed: int = 0,
) -> MiningTask:
    """Plant as many pairs as the share allows, drawn at random; an StsError if that is none.

    Args:
        unrelated: files of pairs, to take one side of each pair from.
        share: fraction of planted sentences on a side, in (0, 1).
        split: ``dev`` and ``test`` have nothing in common, neither planted nor unrelated; None
            takes everything.
        shortest: fewest words of a sentence.
    """
    rng = np.random.default_rng(seed)
    files = pairs, *unrelated
    counts = Counter(fold(side) for file in files for pair in file for side in pair)
    planted, *others = (
        _cut([pair for pair in file if _is_usable(pair, counts, shortest)], split) for file in files
    )
    first = [a for file in others for a, _ in _cut(file, "dev")]
    second = [b for file in others for _, b in _cut(file, "test")]
    alone = min(len(first), len(second))
    count = min(len(planted), int(share * alone / (1 - share)))
    if not count:
        raise StsError(
            f"{len(planted):,} usable pairs to plant among {alone:,} usable unrelated sentences of "
            f"each side: none is a share of {share:g}; give more sentences, or another --share"
        )
    alone = min(alone, round(count * (1 - share) / share))
    drawn = [planted[i] for i in rng.permutation(len(planted))[:count]]
    first = [a for a, _ in drawn] + [first[i] for i in rng.permutation(len(first))[:alone]]
    second = [b for _, b in drawn] + [second[i] for i in rng.permutation(len(second))[:alone]]
    orders = rng.permutation(len(first)), rng.permutation(len(second))
    places = [np.argsort(order)[:count].tolist() for order in orders]
    return MiningTask(
        [first[i] for i in orders[0]],
        [second[i] for i in orders[1]],
        sorted(zip(*places, strict=True)),
    )


def _is_usable(pair: SentencePair, counts: Counter[str], shortest: int) -> bool:
    return all(counts[fold(side)] == 1 and len(words(side)) >= shortest for side in pair)


def _cut(pairs: list[SentencePair], split: Split | None) -> list[SentencePair]:
    middle = len(pairs) // 2
    return pairs if split is None else pairs[:middle] if split == "dev" else pairs[middle:]
