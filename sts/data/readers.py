"""Readers of files of pairs: graded ones, with gold in a file of its own, and labelled ones.

A labelled pair may be two addresses of articles: a part of each path is the headline."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from urllib.parse import unquote, urlsplit

import numpy as np

from semaniacs.sts.data.catalog import LabelledTable
from semaniacs.sts.data.pairs import HIGHEST, LOWEST, Pairs, Scores, finite_or_nan, has_no_text
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import read_lines, split_lines
from semaniacs.sts.progress import counted
from semaniacs.sts.text.transliteration import to_cyrillic


def parse_pairs(
    lines: Sequence[str], origin: Path | str, columns: tuple[int, ...] = (2, 4), first: int = 1
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the two sides of tab-separated lines; the source notes in columns 3 and 4 are ignored.

    Quotes are ordinary characters: the official files are not CSV. ``columns`` are the accepted
    numbers of columns; errors name ``origin`` and count lines from ``first``.

    Raises:
        DataError: no line at all, a wrong number of columns, or an empty sentence.
    """
    if not lines:
        raise DataError(f"{origin}: the file is empty; expected sentence<TAB>sentence on each line")
    left, right = [], []
    for number, line in enumerate(lines, start=first):
        cells = line.split("\t")
        if len(cells) not in columns:
            raise wrong_count(f"{origin}:{number}", line, " or ".join(map(str, columns)))
        for side, cell in (("left", cells[0]), ("right", cells[1])):
            if not cell.strip():
                raise DataError(
                    f"{origin}:{number}: the {side} sentence is empty; a pair needs two sentences"
                )
        left.append(cells[0])
        right.append(cells[1])
    return tuple(left), tuple(right)


def wrong_count(place: str, line: str, expected: object) -> DataError:
    """Return the error about a line with another number of columns than expected."""
    found = counted(line.count("\t") + 1, "column")
    return DataError(f"{place}: {found}, expected {expected} separated by tabs: {line[:80]!r}")


def parse_gold(lines: Sequence[str], origin: Path | str) -> Scores:
    """Return gold scores, one per line; an empty line is an unscored pair (NaN).

    A value that is not a number from 0 to 5 is a DataError.
    """
    values = [line.strip() for line in lines]
    gold = np.array([finite_or_nan(value) for value in values], np.float64)
    for number, (value, score) in enumerate(zip(values, gold, strict=True), start=1):
        if not (LOWEST <= score <= HIGHEST or has_no_text(value)):
            raise DataError(
                f"{origin}:{number}: gold {value[:40]!r}, expected a number from "
                f"{LOWEST:g} to {HIGHEST:g} or an empty line"
            )
    return gold


def read_pairs(name: str, path: Path) -> Pairs:
    """Return the sentences of a file, every gold score NaN; errors as :func:`parse_pairs`."""
    left, right = parse_pairs(read_lines(path), path)
    return Pairs(name, left, right, np.full(len(left), np.nan))


def pairs_from_text(text: str, origin: str, first: int = 1) -> Pairs:
    """Return pairs without gold scores from two tab-separated columns; see :func:`parse_pairs`."""
    left, right = parse_pairs(split_lines(text), origin, columns=(2,), first=first)
    return Pairs(Path(origin).stem, left, right, np.full(len(left), np.nan))


# Labelled pairs: a table whose sentences and labels are in one file


def read_labelled(name: str, path: Path, table: LabelledTable) -> Pairs:
    """Return the pairs of a file; the gold of a paraphrase is 5, that of any other pair 0.

    Raises:
        DataError: the file is missing, not UTF-8 or malformed, a sentence is empty or no address
            where one is expected, or a label is unknown; the line is named.
    """
    left, right, gold = [], [], []
    for place, cells, label in _rows(path, table, table.label):
        if label not in table.positive + table.negative:
            expected = " or ".join(table.negative + table.positive)
            raise DataError(f"{place}: {table.label} {label!r}, expected {expected}")
        sides = [_headline(cell, place) for cell in cells] if table.addresses else cells
        if not all(sides):
            continue
        same = label in table.positive and table.untranslated not in sides
        left.append(sides[0])
        right.append(sides[1])
        gold.append(HIGHEST if same else LOWEST)
    return Pairs(name, tuple(left), tuple(right), np.array(gold))


def read_translated(name: str, path: Path, table: LabelledTable) -> Pairs:
    """Return the pairs of a translation, without labels; errors as :func:`read_labelled`."""
    sides = [pair for _, pair, _ in _rows(path, table)]
    gold = np.full(len(sides), np.nan)
    return Pairs(name, tuple(a for a, _ in sides), tuple(b for _, b in sides), gold)


def _rows(path: Path, table: LabelledTable, *others: str) -> Iterator[tuple[str, list[str], str]]:
    """Yield the place of each line, its two sentences, and the last of the other columns."""
    header, *lines = read_lines(path) or [""]
    names = header.split("\t")
    wanted = (table.left, table.right, *others)
    for column in wanted:
        if column not in names:
            raise DataError(
                f"{path}:1: no column {column!r}; expected {', '.join(wanted[:-1])} and "
                f"{wanted[-1]}, separated by tabs: {header[:80]!r}"
            )
    left, right, last = (names.index(name) for name in (table.left, table.right, wanted[-1]))
    for number, line in enumerate(lines, start=2):
        cells = line.split("\t")
        if len(cells) != len(names):
            raise wrong_count(f"{path}:{number}", line, len(names))
        sides = [cells[left], cells[right]]
        if table.quoted:
            sides = [_unquoted(side) for side in sides]
        if not all(map(str.strip, sides)):
            raise DataError(f"{path}:{number}: a sentence is empty; a pair needs two sentences")
        yield f"{path}:{number}", sides, cells[last]


def _unquoted(cell: str) -> str:
    """Take off the quotes of CSV: one at each end, and all inside doubled."""
    inside = cell[1:-1]
    whole = len(cell) > 1 and cell[0] == cell[-1] == '"'
    if whole and '"' not in inside.replace('""', ""):
        return inside.replace('""', '"')
    return cell


def _headline(cell: str, place: str) -> str:
    """Return the headline of an address; empty if it holds none."""
    if not is_address(cell):
        raise DataError(f"{place}: {cell[:80]!r} is no address; expected https://...")
    return headline_of(cell) or ""


# Headlines in the addresses of articles: a part of the path, mostly in Latin letters, such as
# https://news.example/2020/05/27/531-na-donu-proshel-grad.html


FEWEST_WORDS = 4  # fewest words of letters that make a part of a path a headline

_ENDING = re.compile(r"\.[a-z]+$")
_BETWEEN = re.compile("[-_+ ]")
_NUMBER_OF_ARTICLE = re.compile(r"(?:.*\d){5}")
_DATE = re.compile(r"\b(?:20\d\d \d\d \d\d|\d\d \d\d 20\d\d)\b")


def is_address(text: str) -> bool:
    """Return whether a text is the address of a page."""
    try:
        return bool(urlsplit(text).netloc)
    except ValueError:
        return False


def slug_of(address: str) -> tuple[str, ...]:
    """Return the words of the part of the path that has most of them; a ValueError for no address.

    Empty if no part has :data:`FEWEST_WORDS` words of letters. Dates, and numbers of five digits
    and more, by which a site counts its articles, are left out.
    """
    parts = [_words_of(part) for part in unquote(urlsplit(address).path).split("/")]
    most = max(parts, key=_count)
    return tuple(most) if _count(most) >= FEWEST_WORDS else ()


def _words_of(part: str) -> list[str]:
    words = _BETWEEN.split(_ENDING.sub("", part))
    kept = " ".join(word for word in words if not _NUMBER_OF_ARTICLE.match(word))
    return _DATE.sub(" ", kept).split()


def _count(words: list[str]) -> int:
    return sum(map(str.isalpha, words))


@lru_cache(maxsize=2**17)  # one address is in many pairs
def headline_of(address: str) -> str | None:
    """Return the headline, lower-cased, Russian in Cyrillic letters; None if there is none."""
    words = [word.lower() for word in slug_of(address)]
    return " ".join(to_cyrillic(words) or words) or None
