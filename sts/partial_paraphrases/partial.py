"""Groups of four pairs that share less and less meaning, made of a pair that shares all of it.

Peng, Weir and Weeds, Testing Paraphrase Models on Recognising Sentence Pairs at Different Degrees
of Semantic Overlap, sections 3.3 and 4. Degrees are numbers of exchanges, or of words added, by
construction: nobody judged the sentences.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Literal, NamedTuple, TextIO

from semaniacs.sts.data.group_list import GroupList
from semaniacs.sts.data.pair_table import sentences_in
from semaniacs.sts.data.table_blocks import read_blocks
from semaniacs.sts.data.table_writers import writer
from semaniacs.sts.errors import DataError
from semaniacs.sts.partial_paraphrases.like_words import Unit, coordinations, like_groups, units_of
from semaniacs.sts.scoring.ranking import DEGREES, Groups, find_groups
from semaniacs.sts.text.tokenizer import is_word, normalise, tokenize

EXCHANGES = 3  # exchanges of a group, each on top of the last

COORDINATION = "coordination"
"""The flag of an exchange inside a coordination, which may leave the meaning as it was."""

Against = Literal["a", "b"]
"""The sentence that the changed ones are compared with."""


class GradedPair(NamedTuple):
    """A pair of degree 4 (a paraphrase) to 1; its flags are "" or :data:`COORDINATION`."""

    degree: int
    left: str
    right: str
    flags: str = ""


class Group(NamedTuple):
    """Four pairs, by falling degree."""

    name: str
    pairs: tuple[GradedPair, ...]

    @property
    def flagged(self) -> bool:
        """Whether any of its pairs has a flag."""
        return any(pair.flags for pair in self.pairs)


class PartialGroups(GroupList[Group]):
    """Groups of partial paraphrases."""

    columns = ("group", "degree", "left", "right", "flags")

    def records(self) -> list[tuple[str, int, str, str, str]]:
        """Return the rows of the table."""
        return [(group.name, *pair) for group in self for pair in group.pairs]


class Exchange(NamedTuple):
    """Two units of a sentence that trade places."""

    kind: str
    first: int
    second: int


def tidy(text: str) -> str:
    """Return a sentence with one kind of quotes and dashes, and single spaces."""
    return " ".join(normalise(text).split())


def draw_exchanges(text: str, units: Sequence[Unit], *, seed: int = 0) -> list[Exchange] | None:
    """Draw three kinds of like words and two words of each; None if there are too few.

    The draw depends on the seed and the sentence alone.
    """

    def drawn(*what: object) -> str:
        return hashlib.sha256("|".join(map(str, (seed, text, *what))).encode()).hexdigest()

    groups = like_groups(units)
    if len(groups) < EXCHANGES:
        return None
    kinds = sorted(groups, key=drawn)[:EXCHANGES]
    chosen = [sorted(groups[kind], key=drawn)[:2] for kind in kinds]
    return [Exchange(kind, *sorted(two)) for kind, two in zip(kinds, chosen, strict=True)]


def exchanged(text: str, units: Sequence[Unit], exchanges: Iterable[Exchange]) -> str:
    """Return the sentence with the two units of each exchange in each other's places."""
    now = [unit.text for unit in units]
    for _, first, second in exchanges:
        now[first], now[second] = now[second], now[first]
    parts, end = [], 0
    for unit, other in zip(units, now, strict=True):
        parts += [text[end : unit.start], other]
        end = unit.end
    return "".join(parts) + text[end:]


def multi_swap(name: str, a: str, b: str, *, seed: int = 0, against: Against = "b") -> Group | None:
    """Make a group of a paraphrase by exchanges in its right side; None if it has too few like words.

    The pair of degree 4 is (a, b). The pair of degree 4 - k has b after k exchanges on its left,
    and b on its right; all are tidied, see :func:`tidy`.

    ``against`` is ``b``, as in the paper; or ``a``, a control: a is then the right side of all four
    pairs, so that every exchange costs words in common order with it.
    """
    a, b = tidy(a), tidy(b)
    units = units_of(b)
    exchanges = draw_exchanges(b, units, seed=seed)
    if exchanges is None:
        return None
    joined = coordinations(b, units)
    left, right = (a, b) if against == "b" else (b, a)
    pairs = [GradedPair(EXCHANGES + 1, left, right)]
    for count, (_, first, second) in enumerate(exchanges, 1):
        flagged = any(first in run and second in run for run in joined)
        changed = exchanged(b, units, exchanges[:count])
        degree = EXCHANGES + 1 - count
        pairs.append(GradedPair(degree, changed, right, COORDINATION if flagged else ""))
    return Group(name, tuple(pairs))


# Continuations, in place of those by GPT-2 in section 3.3. They say little of the sentence before
# them and are the same few for all, so they are easier to see than a language model's.

STEP = 5  # words that each pair has more than the one before

CONTINUATIONS = (
    "the news of it soon reached the coast where the ships waited for better weather",
    "many people who lived nearby remembered it long after the last witnesses had moved away",
    "the rest of the story was told years later in letters kept by a cousin",
    "a second plan was drawn up that winter but the money never arrived in time",
    "the cost was higher than anyone had expected when the first papers had been signed",
    "nobody could say for certain whether the same thing would happen again the following year",
    "the road to the north stayed closed until the snow had melted in the spring",
    "a small crowd gathered outside to hear the results before the shops opened that morning",
    "the teacher asked her pupils to write down what they had seen from the window",
    "several reports about it were lost when the cellar of the archive filled with water",
    "the family kept a photograph of that day on the wall above the kitchen table",
    "a neighbour offered to repair the roof in exchange for two baskets of ripe pears",
)
"""Each of 15 words."""

_LAST_MARK = re.compile(r"(\s*)([.!?]*)\s*$")


def continued(name: str, a: str, b: str, *, seed: int = 0) -> Group:
    """Make a group of a paraphrase: a, and a with ", and" and 5, 10 and 15 words more, beside b.

    The continuation depends on the seed and ``a`` alone. The mark that ends the sentence comes
    last, after a space where there was one.
    """
    a, b = tidy(a), tidy(b)
    digest = hashlib.sha256(f"{seed}|{a}".encode()).digest()
    words = CONTINUATIONS[int.from_bytes(digest, "big") % len(CONTINUATIONS)].split()
    ending = _LAST_MARK.search(a)
    assert ending is not None  # it may be empty
    begin, space = a[: ending.start()], " " if ending[1] else ""
    pairs = [GradedPair(EXCHANGES + 1, a, b)]
    for count in range(1, EXCHANGES + 1):
        more = " ".join(words[: STEP * count])
        left = f"{begin}{space}, and {more}{ending[1]}{ending[2]}"
        pairs.append(GradedPair(EXCHANGES + 1 - count, left, b))
    return Group(name, tuple(pairs))


def make_groups(
    paraphrases: Iterable[tuple[str, str, str]],
    make: Callable[[str, str, str], Group | None],
    origin: str = "paraphrases",
) -> tuple[PartialGroups, dict[str, int]]:
    """Make the groups of many paraphrases and count them.

    Args:
        paraphrases: the name, such as a line, and both sides of each; names are distinct.
        make: :func:`multi_swap`, :func:`continued`, or either with its options.
        origin: the file, for errors.

    Returns:
        The groups in order; and the counts ``paraphrases``, ``groups``, ``skipped`` (too few like
        words) and ``flagged``.

    Raises:
        DataError: a side has no word.
    """
    groups = PartialGroups()
    counts = Counter(dict.fromkeys(("paraphrases", "groups", "skipped", "flagged"), 0))
    for name, a, b in paraphrases:
        for side, text in (("left", a), ("right", b)):
            if not any(map(is_word, tokenize(text))):
                raise DataError(
                    f"{origin}:{name}: the {side} side {text!r:.80} has no words; expected a "
                    "sentence: leave the line out"
                )
        group = make(name, a, b)
        counts["paraphrases"] += 1
        counts["groups" if group else "skipped"] += 1
        if group:
            groups.append(group)
            counts["flagged"] += group.flagged
    return groups, dict(counts)


# Files of groups: TSV with the columns group, degree, left, right and flags


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
