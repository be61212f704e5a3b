"""Formats of tables by the names of files, and the options of commands that read tables."""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from typing import Any

import click

from semaniacs.sts.command_line import input_format_option, left_option, option, right_option
from semaniacs.sts.encodings import ENCODING
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import BINARY, ending_of
from semaniacs.sts.progress import visible

TABLES = "tsv csv jsonl json parquet xlsx txt"
"""Formats of rows that are written, see :func:`.files.format_of`."""

RAW = ("tsv", "csv", "jsonl")  # formats whose rows are lines of text
READ_ONLY = ("tmx", "xliff")  # formats of translators, which are not written
WRITTEN = (*RAW, "json", *BINARY)  # formats that are written; some commands write ``table`` too
KINDS = (*WRITTEN, *READ_ONLY)  # formats that are read

_ENDINGS = {kind: kind for kind in KINDS} | {"ndjson": "jsonl", "pq": "parquet"}
_ENDINGS |= dict.fromkeys(("xlf", "sdlxliff", "mqxliff"), "xliff")
_SPREADSHEETS = ("xls", "ods")

Command = Callable[..., Any]


def is_table(path: str) -> bool:
    """Return whether a file is a table by its name; others hold lines of text."""
    return ending_of(path) in _ENDINGS


def names_table(text: str) -> bool:
    """Return whether a text is the name of a table, and no sentence; its ending may be misspelt."""
    is_path = not re.search(r"\s", text) or re.match(r"~?\.{0,2}[/\\]|[A-Za-z]:[/\\]", text)
    ending = sorted(ending_of(text.lower()))
    return bool(is_path) and ending in map(sorted, ("txt", *_ENDINGS, *_SPREADSHEETS))


def kind_of(path: str, option: str | None = None) -> str:
    """Return the format of a file to read by its name; ``-``, ``.txt`` and no ending are TSV.

    With ``option``, which names the format, other endings are refused; without it they are TSV. An
    unknown ending, or that of a spreadsheet other than XLSX, is a StsError.
    """
    ending = "" if path == "-" else ending_of(path)
    if ending in _SPREADSHEETS:
        raise StsError(f"{path}: a spreadsheet that is not read; save it as .xlsx or .csv")
    if ending == "xml":
        raise StsError(f"{path}: XML; name its format: --input-format tmx or xliff")
    if option and ending not in ("", "txt", *_ENDINGS):
        raise StsError(
            f"{path}: a table of unknown format; name it with {option}: {', '.join(KINDS)}"
        )
    return _ENDINGS.get(ending, "tsv")


def listed(columns: Sequence[str]) -> str:
    """Return the names of columns for an error: twenty, what one can read of each, blanks at an end quoted."""
    names = [visible(repr(n)[1:-1][:40] if n == n.strip() else repr(n)[:42]) for n in columns[:20]]
    return ", ".join([*names, "…"] if len(columns) > 20 else names)


def _one_character(_: click.Context, __: click.Parameter, value: str | None) -> str | None:
    """Parse one character that is no quote and no end of a line; a tab may be typed as ``\\t``."""
    text = "\t" if value == r"\t" else value
    if text is not None and (len(text) != 1 or text in '"\r\n'):
        raise click.BadParameter(f"{text!r}; expected one character, as --delimiter ';'")
    return text


def table_options(command: Command, **format_settings: Any) -> Command:
    """Add the options for reading a table: ``read_as``, ``delimiter``, ``header``, ``missing``."""
    header = option(
        "--header/--no-header",
        default=None,
        help="Whether CSV or TSV begins with a header (default: detected).",
    )
    read_as = input_format_option("read_as", type=click.Choice(KINDS), **format_settings)
    missing = option(
        "--missing",
        default="error",
        callback=_check_missing,
        metavar="error|skip|text|TEXT",
        help="Empty cells, NULL, n/a, …: refuse, leave out, read as texts, or read as TEXT.",
    )
    delimiter = option(
        "--delimiter",
        callback=_one_character,
        metavar="CHARACTER",
        help="Character between the cells of CSV (default: detected among , ; | and tab).",
    )
    sheet = option(
        "--sheet",
        callback=lambda ctx, _, value: ctx.meta.update(sheet=value),
        expose_value=False,
        metavar="NAME",
        help="Sheet of XLSX (default: the first).",
    )
    return header(delimiter(sheet(encoding_option(missing(read_as(command))))))


def _check_missing(_: click.Context, __: click.Parameter, value: str) -> str:
    from semaniacs.sts.data.pairs import has_no_text  # it imports numpy

    near = get_close_matches(value.lower(), ("error", "skip"), cutoff=0.7)
    if has_no_text(value) or (near and value not in near):
        raise click.BadParameter(f"{value!r}; expected error, skip, text, or what to read instead")
    return value


def _check_encoding(ctx: click.Context, _: click.Parameter, value: str | None) -> None:
    try:
        ctx.meta[ENCODING] = value and codecs.lookup(value).name
        with suppress(UnicodeError):
            b"a".decode(value or "utf-8")  # some codecs are no encodings
    except LookupError:
        raise click.BadParameter(f"{value!r} is no encoding; such are cp1252, utf-16") from None


encoding_option = option(
    "--encoding",
    callback=_check_encoding,
    expose_value=False,
    metavar="NAME",
    help="Encoding of text files, such as cp1252 (default: UTF-8, or by the byte order mark).",
)


def pair_options(command: Command, **format_settings: Any) -> Command:
    """Add the options for reading pairs: ``left``, ``right`` and those of a table.

    ``format_settings`` are settings of ``--input-format`` that differ from the usual ones.
    """
    decimal = option(
        "--decimal",
        type=click.Choice([".", ","]),
        help="Decimal mark of CSV and TSV (default: a comma if semicolons separate the cells and "
        "a number has one, or none has a point).",
    )
    return left_option()(right_option()(table_options(decimal(command), **format_settings)))
