"""How a table of text is written: the delimiter, the decimal mark, and whether it has a header."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Collection, Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO, NamedTuple

from semaniacs.sts.data.pairs import is_missing, is_number
from semaniacs.sts.encodings import HEAD
from semaniacs.sts.errors import DataError

_NUMBERED = (
    "sentence sent sen s satz text t string str phrase question query q title headline input doc"
)
_OTHERS = (
    "a/b premise/hypothesis source/target src/tgt src/trg first/second question/answer query/answer "
    "anchor/positive original/paraphrase"
)

NAMES = [
    ["left", "right"],
    *([name + end for end in ends] for name in _NUMBERED.split() for ends in ("12", "ab", "01")),
    *(pair.split("/") for pair in _OTHERS.split()),
]
"""Usual names of the two columns of sentences, as :func:`plain` writes them."""

_CODES = frozenset("en es de fr ru it pt nl pl cs".split())
_BESIDE_CODES = frozenset("id key note notes comment".split())
"""Languages, which may be the names of the two columns, and what may be beside them."""

ANSWER = re.compile(
    "answer|response|reply|predict|output|completion|hypothes|candidate|generat|actual|antwort"
    "|respuesta|r[ée]ponse",
    re.I,
)
REFERENCE = re.compile(
    "r[ée]f[ée]ren|expected|gold|truth|ideal|correct|corrig|solution|muster|lösung|answer.?key"
    "|mark(ing)?.?scheme|erwart|attendu|esperad",
    re.I,
)
MODEL_ANSWER = re.compile(r"(model|sample|teacher'?s?)[ _-]?(answer|response)", re.I)
STUDENT = re.compile("student|pupil|learner|schüler|élève|étudiant|alumn", re.I)
NO_TEXT = re.compile(
    r"(?:^|[\W_])(?:ids?|sku|is|scores?|time|count|label|grade|correct(?![ _-]?(answer|response))|tokens"
    r"|latency|source|date|by|par|name)(?:$|[\W_])",
    re.I,
)
"""Names of columns of answers, of references to compare them with, of what is a reference if no other
is, of what students wrote, and of what is no text."""


def sides_of(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names of columns of answers, and those of references."""
    names = [*names]
    answers, models = (list(filter(kind.search, names)) for kind in (ANSWER, MODEL_ANSWER))
    students = [name for name in names if STUDENT.search(name)]
    if len(models) == len({*students} & {*answers}) == 1:
        return [name for name in students if name in answers], models
    references = list(filter(REFERENCE.search, names))
    references = references or (models if students or len(answers) > 1 else [])
    if not {*answers} - {*references}:
        return students, references or [name for name in names if name.lower() == "key"]
    return [name for name in answers if name not in references], references


SEPARATOR = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
"""First line of some CSV, which names the delimiter for Excel."""

_CHARACTERS = {",": "','", ";": "';'", "\t": r"'\t'", "|": "'|'"}
"""Delimiters that are looked for, as one types them."""


class Notation(NamedTuple):
    """Delimiter, decimal mark of numbers, encoding of CSV and TSV, and name of the sheet of XLSX."""

    delimiter: str
    decimal: str
    encoding: str = "utf-8"
    sheet: str = "scores"

    def number(self, cell: object, place: str) -> object:
        """Return a cell of numbers with a decimal point; ``place`` names the cell in an error.

        A point where the file has decimal commas is a DataError.
        """
        if not isinstance(cell, str) or self.decimal != ",":
            return cell
        if "." in cell:
            raise DataError(f"{place} {cell!r:.80}; expected a decimal comma; if not: --decimal .")
        return cell.replace(",", ".")

    def shown(self, cell: Any) -> Any:
        """Return a cell as text has it: nothing for NaN, and the decimal mark of the table."""
        if is_missing(cell):
            return ""
        if isinstance(cell, dict | list):
            return json.dumps(cell, ensure_ascii=False, default=str)
        return str(cell).replace(".", self.decimal) if isinstance(cell, float) else cell


NOTATION = Notation(",", ".")

Cells = Iterable[Sequence[Any]]
"""Rows that are written."""


def notation_of(
    file: BinaryIO,
    path: str,
    delimiter: str | None = None,
    decimal: str | None = None,
    named: Collection[str] = (),
) -> Notation:
    """Return how a file of CSV is written, by its first lines.

    Args:
        file: at its beginning, where it stays.
        path: its name, for errors.
        delimiter, decimal: as given. None: the character that cuts most lines into as many cells
            as the first; a comma if the delimiter is a semicolon and a number has one, or
                none has a point.
        named: columns that the caller asks for.

    Raises:
        DataError: two delimiters are as likely.
    """
    text: str = file.peek(HEAD)[:HEAD].decode("utf-8-sig", "ignore")  # type: ignore[attr-defined]
    lines = list(islice(io.StringIO(text, newline=""), 200))
    if len(lines) > 20 and not lines[-1].endswith("\n"):
        lines.pop()  # it may be cut
    if first := SEPARATOR.fullmatch(lines[0]) if lines else None:
        delimiter, lines = delimiter or first[1], lines[1:]
    delimiter = delimiter or _find_delimiter(lines, path, named)
    if decimal is None:
        cells = {cell.strip() for row in _cut(lines, delimiter) for cell in row}
        pointed, with_comma = (
            any(re.fullmatch(rf"[-+]?\d*{mark}\d+", cell) for cell in cells)
            for mark in (r"\.", ",")
        )
        decimal = "," if delimiter == ";" and (with_comma or not pointed) else "."
    return Notation(delimiter, decimal)


def _cut(lines: Sequence[str], delimiter: str) -> list[list[str]]:
    """Return the cells of lines that are not blank; none of lines that are no CSV."""
    try:
        return [row for row in csv.reader(lines, delimiter=delimiter) if row]
    except csv.Error:
        return []


def _find_delimiter(lines: Sequence[str], path: str, named: Collection[str]) -> str:
    shares, headers = {}, set()
    for character in _CHARACTERS:
        rows = _cut(lines, character)
        if rows and len(rows[0]) > 1:
            shares[character] = sum(len(row) == len(rows[0]) for row in rows) / len(rows)
            headers |= {character} if is_header(rows[0], named) else set()
    best = {one for one, share in shares.items() if share == max(shares.values())} or {","}
    if best == {",", ";"} and not any("," in re.sub(r"\d,\d", "", line) for line in lines):
        best = {";"}  # all commas are decimal marks
    first, *others = sorted(best & headers or best)
    if others:
        typed = [_CHARACTERS[one] for one in (first, *others)]
        raise DataError(
            f"{path}: {' and '.join(typed)} cut the lines into cells as well; say which one "
            f"separates them, such as --delimiter {typed[0]}"
        )
    return first


def plain(name: str) -> str:
    """Return the name of a column without case, spaces, underscores, a language and the like."""
    return re.sub(r"\(\w\w\)$|[\s_()#-]", "", name.strip().lower())


def usual_sides(columns: Sequence[str]) -> tuple[str, str] | None:
    """Return the two columns of sentences by their usual names, or by those of two languages."""
    known = {plain(name): name for name in columns}
    coded = [known[name] for name in known if name in _CODES]
    if len(coded) == 2 and known.keys() <= _CODES | _BESIDE_CODES:
        return coded[0], coded[1]
    pairs = ((known[a], known[b]) for a, b in NAMES if a in known and b in known)
    return next(pairs, None)


def is_header(cells: Sequence[str], named: Collection[str] = ()) -> bool:
    """Return whether cells are the names of columns: one of ``named``, or usual ones of sentences."""
    if any(name.isdigit() for name in named):  # columns are counted
        return False
    if not {*map(plain, named)}.isdisjoint(map(plain, cells)):
        return True
    short = {
        cell for cell in map(str.strip, cells) if re.fullmatch(r"[\w'’/()-]+( [\w'’/()-]+)?", cell)
    }
    return bool(usual_sides(cells) or all(sides_of(short))) and not any(map(is_number, cells))
