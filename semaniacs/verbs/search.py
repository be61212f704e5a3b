"""``semaniacs search``: an index of sentences that is built, added to and asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from semaniacs.verbs.shared_options import delimiter_option
from sts.data.tables.table_kinds import KINDS
from sts.errors import StsError
from sts.extras import require
from sts.progress import counted, note

if TYPE_CHECKING:
    from embeddings.search import SearchIndex
    from embeddings.search.hit_formats import Answer
    from sts.data.tables.text_rows import TextRows

Command = Callable[..., None]

_AT_ONCE = 4096
"""Queries that are read and answered at once."""


@click.group(
    epilog="""\b
Examples:
  semaniacs search build questions.txt -o questions.index
  semaniacs search query questions.index "How do I learn Python?"
  semaniacs search add questions.index more.txt
  semaniacs search once questions.txt "How do I learn Python?\""""
)
def search() -> None:
    """Find the sentences nearest to a query, in an index or in a file.

    An index is a folder. What is added to it is there wholly or, if the program is stopped, not at
    all.
    """


def corpus_options(command: Command) -> Command:
    """The options of what is searched."""
    for option in (
        click.option("--from", "read_as", type=click.Choice(KINDS),
                     help="Format of FILE (default: by its name; .txt has a sentence a line)."),
        click.option("--header/--no-header", default=None,
                     help="Whether CSV or TSV begins with names (default: look)."),
        delimiter_option,
        click.option("--id", "id_", metavar="COL",
                     help="Column of ids (default: rows are numbered from 1)."),
        click.option("--text", metavar="COL", help="Column of the sentences."),
    ):  # fmt: skip
        command = option(command)
    return command


def model_options(command: Command) -> Command:
    """The options of the model that makes the vectors."""
    for option in (
        click.option("--language", help="Of the sentences, for a model of several: es."),
        click.option("-m", "--model", default="paragram", show_default=True,
                     help="Bundled name, file or folder of an encoder."),
    ):  # fmt: skip
        command = option(command)
    return command


def hit_options(command: Command) -> Command:
    """The options of queries and of what is written."""
    for option in (
        click.option("-o", "--output", type=Path, help="File (default: stdout)."),
        click.option("--digits", default=4, show_default=True, type=click.IntRange(0, 17),
                     help="Digits after the point."),
        click.option("--format", "write_as", type=click.Choice(["table", "tsv", "jsonl"]),
                     default="table", show_default=True,
                     help="For people, or a line a hit for programs."),
        click.option("--copies", is_flag=True, help="Give equal texts a hit each."),
        click.option("-k", default=5, show_default=True, type=click.IntRange(1),
                     help="Hits a query."),
        click.option("--query-text", metavar="COL", help="Column of the queries in a table."),
        click.option("--queries", metavar="FILE", help="A query a line, or a table with a column "
                     "of texts; - is stdin."),
    ):  # fmt: skip
        command = option(command)
    return command


@search.command(
    short_help="Index the sentences of a file.",
    epilog="""\b
Examples:
  semaniacs search build questions.txt -o questions.index
  semaniacs search build questions.csv --text question --id qid -o questions.index
  semaniacs search build --vectors vectors.npy -o vectors.index
  semaniacs search build lines.txt --vectors vectors.npy -o lines.index""",
)
@click.argument("file", required=False)
@click.option("-o", "--output", required=True, type=Path, metavar="INDEX", help="Folder to write.")
@corpus_options
@click.option("--vectors", type=Path, metavar="X.npy",
              help="Vectors of the sentences, as encode writes them; without FILE, they alone.")  # fmt: skip
@model_options
@click.option("--overwrite", is_flag=True, help="Replace the index that stands there.")
def build(
    file: str | None, output: Path, vectors: Path | None, model: str, language: str | None,
    overwrite: bool, **options: Any,
) -> None:  # fmt: skip
    """Index the sentences of FILE: lines of text, CSV, TSV, lines of JSON or Parquet; gzip too.

    Equal sentences are one hit, which counts the others; blank ones are never found.
    """
    require("faiss")
    from embeddings.bitext.identifying import note_languages
    from embeddings.formats.numpy_file import open_rows
    from embeddings.loading import ENGLISH
    from embeddings.search import SearchIndex
    from embeddings.search.column_store import check_free
    from sts.text.not_english import watching

    check_free(output, overwrite=overwrite)
    rows = _rows(file, **options)
    if rows is None and vectors is None:
        raise StsError("nothing to index; name a FILE, or vectors with --vectors")
    wanted: dict[str, Any] = {
        "ids": _ids(rows), "language": language, "folder": output, "overwrite": overwrite,
        "progress": sys.stderr.isatty(),
    }  # fmt: skip
    if vectors is not None:
        texts = None if rows is None else rows.texts()
        index = SearchIndex.from_vectors(open_rows(vectors), texts, model, **wanted)
    else:
        assert rows is not None
        with watching(model, ENGLISH, "--language") as seen:
            index = SearchIndex.build(seen(rows.texts()), model, **wanted)
        note_languages(index.encoders, model, "--language")
    click.echo(f"{_counts(index)} in {output}", err=True)


@search.command(
    short_help="Add sentences to an index.",
    epilog="""\b
Examples:
  semaniacs search add questions.index more.txt
  semaniacs search add questions.index more.csv --text question --id qid""",
)
@click.argument("index", type=Path)
@click.argument("file", required=False)
@corpus_options
@click.option("--vectors", type=Path, metavar="X.npy", help="As for build.")
@click.option("-m", "--model", help="Where the model of the index lies, if it was moved.")
def add(
    index: Path, file: str | None, vectors: Path | None, model: str | None, **options: Any
) -> None:
    """Add the sentences of FILE to INDEX.

    Rows are numbered on from those that are there, or have ids as these do.
    """
    from embeddings.formats.numpy_file import open_rows
    from embeddings.search import SearchIndex

    there = SearchIndex.load(index, model)
    rows = _rows(file, **options)
    there.add(
        None if rows is None else rows.texts(),
        _ids(rows),
        vectors=None if vectors is None else open_rows(vectors),
        progress=True,
    )
    click.echo(f"{_counts(there)} in {index}", err=True)


@search.command(
    short_help="Write the sentences nearest to a query.",
    epilog="""\b
Examples:
  semaniacs search query questions.index "How do I learn Python?" -k 3
  semaniacs search query questions.index --queries asked.txt --format tsv -o hits.tsv
  cat asked.txt | semaniacs search query questions.index - --format jsonl
  semaniacs search query spanish.index "A dog runs." --language en""",
)
@click.argument("index", type=Path)
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@hit_options
@click.option("--vectors", type=Path, metavar="X.npy", help="Vectors as queries, a row each.")
@click.option("--approximate", is_flag=True,
              help="Look into the nearest clusters only: faster for many queries in a large index.")  # fmt: skip
@click.option("-m", "--model", help="Where the model of the index lies, if it was moved.")
@click.option("--language", help="Of the queries, if it is not that of the index.")
def query(
    index: Path, texts: tuple[str, ...], queries: str | None, query_text: str | None,
    vectors: Path | None,
    approximate: bool, model: str | None, language: str | None, **options: Any,
) -> None:  # fmt: skip
    """Write the sentences of INDEX nearest to each TEXT, the best first (- reads stdin)."""
    require("faiss")
    from embeddings.bitext.identifying import note_languages
    from embeddings.formats.numpy_file import open_rows
    from embeddings.loading import ENGLISH
    from embeddings.mining.indexes import Ivf
    from embeddings.search import SearchIndex
    from sts.text.not_english import watching

    if vectors is not None and (texts or queries):
        raise StsError("--vectors are the queries; leave out TEXT and --queries")
    if not index.is_dir() and any(map(os.path.isdir, texts)):
        raise StsError(f"{index}: no index; the INDEX comes first, and then each TEXT")
    there = SearchIndex.load(index, model)
    wanted = {"language": language, "approximate": Ivf() if approximate else None}
    if vectors is not None:
        _write(there, _rows_as_queries(open_rows(vectors)), options, wanted)
        return
    with watching(str(there.settings["model"]), ENGLISH, "--language") as seen:
        _write(there, _blocks(seen(_queries(texts, queries, query_text))), options, wanted)
    note_languages(there.encoders, str(there.settings["model"]), "--language")


@search.command(
    short_help="Search a file without keeping an index.",
    epilog="""\b
Examples:
  semaniacs search once questions.txt "How do I learn Python?" -k 3
  semaniacs search once faq.csv --text question --id qid "How do I pay?\"""",
)
@click.argument("file")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@corpus_options
@model_options
@hit_options
def once(
    file: str, texts: tuple[str, ...], text: str | None, id_: str | None, header: bool | None,
    read_as: str | None, delimiter: str | None, model: str, language: str | None,
    queries: str | None, query_text: str | None, **options: Any,
) -> None:  # fmt: skip
    """Search FILE without keeping an index: all of it is encoded, asked and forgotten."""
    require("faiss")
    from embeddings.bitext.identifying import note_languages
    from embeddings.loading import ENGLISH
    from embeddings.search import SearchIndex
    from sts.text.not_english import watching

    asked = _queries(texts, queries, query_text)
    rows = _rows(file, text, id_, header, read_as, delimiter)
    assert rows is not None
    with watching(model, ENGLISH, "--language") as seen:
        index = SearchIndex.build(
            seen(rows.texts()), model, ids=_ids(rows), language=language,
            progress=True,
        )  # fmt: skip
        _write(index, _blocks(seen(asked)), options, {})
    note_languages(index.encoders, model, "--language")


@search.command(
    short_help="Show what an index holds.",
    epilog="""\b
Example:
  semaniacs search info questions.index""",
)
@click.argument("index", type=Path)
def info(index: Path) -> None:
    """Show what INDEX holds, after a comparison with its checksums."""
    from embeddings.search import SearchIndex

    there = SearchIndex.load(index)
    settings = there.settings
    size = sum(path.stat().st_size for path in index.iterdir())
    facts = {
        "entries": f"{len(there):,}, {there.distinct:,} distinct",
        "ids": {"numbers": "numbers from 1", "int": "whole numbers", "str": "strings"}[
            settings["ids"]
        ],
        "texts": "kept" if settings["texts"] else "none, vectors alone",
        "model": settings["model"] or "not known",
        "language": settings["language"] or "",
        "fingerprint": settings["fingerprint"] or "",
        "dim": settings["dim"],
        "bytes": f"{size:,} on disk",
    }
    for name, fact in facts.items():
        if fact:
            click.echo(f"{name:13}{fact}")


def _rows(
    file: str | None, text: str | None, id_: str | None, header: bool | None,
    read_as: str | None, delimiter: str | None,
) -> TextRows | None:  # fmt: skip
    """The rows of the corpus."""
    from sts.data.tables.text_rows import Reading, TextRows

    return None if file is None else TextRows(file, Reading(text, id_, header, read_as, delimiter))


def _ids(rows: TextRows | None) -> Iterable[Any] | None:
    """The ids of the corpus; None where its rows are numbered."""
    return None if rows is None or rows.how.id is None else rows.ids(0)


def _queries(texts: tuple[str, ...], queries: str | None, column: str | None) -> Iterator[str]:
    """The queries as they come."""
    from embeddings.formats.lines import lines
    from sts.data.tables.text_rows import Reading, TextRows

    if column is not None and queries is None:
        raise click.UsageError("--query-text names a column of --queries FILE")
    if texts == ("-",):
        texts, queries = (), queries or "-"
    if bool(texts) == (queries is not None):
        raise click.UsageError("give TEXT as queries, or --queries FILE")
    if queries is None:
        for text in filter(os.path.isfile, texts):
            note(f"{text}: searched for as a text; --queries {text} searches for each of its lines")
        return iter(texts)
    if queries == "-" and column is None:
        return lines(queries)
    rows = TextRows(queries, Reading(column), option="--query-text")
    return rows.texts()


def _blocks(queries: Iterator[str]) -> Iterator[tuple[list[str], Any]]:
    """Queries as they are shown and as the index takes them."""
    while some := list(islice(queries, _AT_ONCE)):
        yield some, some


def _rows_as_queries(rows: Any) -> Iterator[tuple[list[str], Any]]:
    for start in range(0, len(rows), _AT_ONCE):
        block = rows[start : start + _AT_ONCE]
        yield [f"row {row}" for row in range(start + 1, start + 1 + len(block))], block


def _write(
    index: SearchIndex,
    blocks: Iterator[tuple[list[str], Any]],
    options: dict[str, Any],
    wanted: dict[str, Any],
) -> None:
    """Write the hits of all queries."""
    from embeddings.formats.lines import write_out
    from embeddings.search.hit_formats import FORMATS, Answer

    def answers() -> Iterator[Answer]:
        for shown, asked in blocks:
            found = index.query(asked, options["k"], copies=options["copies"], **wanted)
            yield from map(Answer, shown, found)

    write_out(FORMATS[options["write_as"]](answers(), options["digits"]), options["output"])


def _counts(index: SearchIndex) -> str:
    return f"{counted(len(index), 'entry', 'entries')}, {index.distinct:,} distinct,"
