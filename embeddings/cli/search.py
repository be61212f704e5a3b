"""``semaniacs search``: build an index of sentences, add to it and query it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any

import click

from semaniacs.embeddings.bitext.multilingual import note_languages
from semaniacs.embeddings.cli.shared_options import (
    FILE,
    digits_option,
    encoder_option,
    flag,
    reading,
    together,
)
from semaniacs.embeddings.formats.lines import lines, write_out
from semaniacs.embeddings.formats.numpy_file import RowsOnDisk, open_rows
from semaniacs.embeddings.loading import ENGLISH
from semaniacs.embeddings.mining.neighbours import Ivf
from semaniacs.embeddings.search import Hit, SearchIndex
from semaniacs.embeddings.search.index_store import check_free
from semaniacs.sts.command_line import (
    examples,
    format_option,
    languages_option,
    model_option,
    option,
    output_option,
    query_option,
    text_option,
    top_k_option,
)
from semaniacs.sts.data.table_kinds import TABLES, encoding_option, table_options
from semaniacs.sts.data.table_writers import TextWriter, write_table
from semaniacs.sts.data.text_rows import Reading, TextRows
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import format_of
from semaniacs.sts.progress import counted, note
from semaniacs.sts.text.languages_found import watching

Answers = Iterator[tuple[str, list[Hit]]]

_AT_ONCE = 4096
"""Number of queries that are read and answered at once."""

_COLUMNS = ("score", "id", "copies", "text")
FORMATS = f"table {TABLES}"


@click.group(
    epilog=examples(
        "semaniacs search build questions.txt -o questions.index",
        'semaniacs search query questions.index "How do I learn Python?"',
        "semaniacs search add questions.index more.txt",
        'semaniacs search once questions.txt "How do I learn Python?"',
    )
)
def search() -> None:
    """Find the sentences nearest to a query, in an index or in a file.

    An index is a folder. If the program is stopped, an addition is either complete or absent.
    """


corpus_options = together(
    text_option(),
    option("--id", "id_", metavar="COLUMN", help="Column of ids (default: row numbers from 1)."),
    table_options,
)
hit_options = together(
    option("--queries", metavar="FILE", help="File of queries, one per line, or a table."),
    query_option("query_text", help="Column of the queries, if --queries is a table."),
    top_k_option(default=5, help="Number of hits per query."),
    flag("--copies", "List equal texts as separate hits."),
    format_option(
        "write_as",
        old=(),
        type=click.Choice(FORMATS.split()[:-1]),
        help="Format of the output, a row per hit (default: from its name, or a table).",
    ),
    digits_option,
    output_option(writes=FORMATS),
)
moved_model_option = model_option(
    default=None, help="File or folder of the index's model, if it was moved."
)


@search.command(
    short_help="Index the sentences of a file.",
    epilog=examples(
        "semaniacs search build questions.txt -o questions.index",
        "semaniacs search build questions.csv --text question --id qid -o questions.index",
        "semaniacs search build --vectors vectors.npy -o vectors.index",
        "semaniacs search build lines.txt --vectors vectors.npy -o lines.index",
    ),
)
@click.argument("file", required=False)
@output_option(required=True, writes="", metavar="INDEX", help="Folder to write.")
@corpus_options
@option(
    "--vectors", type=FILE, metavar="X.npy", help="Vectors of the sentences, as encode writes them."
)
@encoder_option
@languages_option("language")
@flag("--overwrite", "Replace an index in that folder.")
def build(file: str | None, vectors: Path | None, model: str, output: Path, **options: Any) -> None:
    """Index the sentences of FILE: lines of text, CSV, TSV, JSON lines or Parquet; gzip too.

    Equal sentences are one hit with a count. Blank sentences are never found.
    """
    wanted = {name: options[name] for name in ("language", "overwrite")}
    check_free(output, overwrite=wanted["overwrite"])
    rows = None if file is None else _rows(file, options)
    wanted |= {"ids": _ids(rows), "folder": output, "progress": True}
    if vectors is not None:
        texts = None if rows is None else rows.texts()
        index = SearchIndex.from_vectors(open_rows(vectors), texts, model, **wanted)
    elif rows is not None:
        with watching(model, ENGLISH, "--language") as seen:
            index = SearchIndex.build(seen(rows.texts()), model, **wanted)
        note_languages(index.encoders, model, "--language")
    else:
        raise StsError("nothing to index; name a FILE, or vectors with --vectors")
    click.echo(f"{_counts(index)} in {output}", err=True)


@search.command(
    short_help="Add sentences to an index.",
    epilog=examples(
        "semaniacs search add questions.index more.txt",
        "semaniacs search add questions.index more.csv --text question --id qid",
    ),
)
@click.argument("index", type=Path)
@click.argument("file", required=False)
@corpus_options
@option("--vectors", type=FILE, metavar="X.npy", help="Vectors of the sentences.")
@moved_model_option
def add(
    index: Path, file: str | None, vectors: Path | None, model: str | None, **options: Any
) -> None:
    """Add the sentences of FILE to INDEX.

    Row numbers continue those of the index; an index with ids needs ids here too.
    """
    there = SearchIndex.load(index, model)
    rows = None if file is None else _rows(file, options)
    texts = None if rows is None else rows.texts()
    columns = None if vectors is None else open_rows(vectors)
    there.add(texts, _ids(rows), vectors=columns, progress=True)
    click.echo(f"{_counts(there)} in {index}", err=True)


@search.command(
    short_help="Print the sentences nearest to a query.",
    epilog=examples(
        'semaniacs search query questions.index "How do I learn Python?" --top-k 3',
        "semaniacs search query questions.index --queries asked.txt --format tsv -o hits.tsv",
        "cat asked.txt | semaniacs search query questions.index - --format jsonl",
        'semaniacs search query spanish.index "A dog runs." --languages en',
    ),
)
@click.argument("index", type=Path)
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@hit_options
@option("--vectors", type=FILE, metavar="X.npy", help="Vectors to query, one per row.")
@flag(
    "--approximate", "Search only the nearest clusters: faster for many queries in a large index."
)
@moved_model_option
@languages_option("language", help="Language of the queries, if not that of the index.")
@encoding_option
def query(
    index: Path, texts: tuple[str, ...], vectors: Path | None, model: str | None, **options: Any
) -> None:
    """Print the sentences of INDEX nearest to each TEXT, best first (- reads stdin)."""
    options["write_as"] = format_of(options["output"], FORMATS, options["write_as"])
    if vectors is not None and (texts or options["queries"]):
        raise StsError("--vectors are the queries; leave out TEXT and --queries")
    if not index.is_dir() and any(map(os.path.isdir, texts)):
        raise StsError(f"{index}: no index; the INDEX comes first, and then each TEXT")
    there = SearchIndex.load(index, model)
    clusters = Ivf() if options["approximate"] else None
    wanted = {"language": options["language"], "approximate": clusters}
    if vectors is not None:
        _write(there, open_rows(vectors), options, wanted)
        return
    name = str(there.settings["model"])
    with watching(name, ENGLISH, "--language") as seen:
        _write(there, seen(_queries(texts, options)), options, wanted)
    note_languages(there.encoders, name, "--language")


@search.command(
    short_help="Search a file without writing an index.",
    epilog=examples(
        'semaniacs search once questions.txt "How do I learn Python?" --top-k 3',
        'semaniacs search once faq.csv --text question --id qid "How do I pay?"',
    ),
)
@click.argument("file")
@click.argument("texts", nargs=-1, metavar="[TEXT]...")
@corpus_options
@encoder_option
@languages_option("language")
@hit_options
def once(
    file: str,
    texts: tuple[str, ...],
    model: str,
    language: str | None,
    **options: Any,
) -> None:
    """Search FILE without writing an index."""
    options["write_as"] = format_of(options["output"], FORMATS, options["write_as"])
    asked = _queries(texts, options)
    rows = _rows(file, options)
    with watching(model, ENGLISH, "--language") as seen:
        index = SearchIndex.build(
            seen(rows.texts()), model, ids=_ids(rows), language=language, progress=True
        )
        _write(index, seen(asked), options, {})
    note_languages(index.encoders, model, "--language")


@search.command(
    short_help="Show the contents of an index.",
    epilog=examples("semaniacs search info questions.index"),
)
@click.argument("index", type=Path)
def info(index: Path) -> None:
    """Show the contents of INDEX, and check them."""
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


def _rows(file: str, options: dict[str, Any]) -> TextRows:
    """Return the rows of the corpus."""
    return TextRows(file, reading(options["text"], options, options["id_"]))


def _ids(rows: TextRows | None) -> Iterable[Any] | None:
    """Return the ids of the corpus; None if its rows are numbered."""
    return None if rows is None or rows.how.id is None else rows.ids(0)


def _queries(texts: tuple[str, ...], options: dict[str, Any]) -> Iterator[str]:
    """Yield the queries in order."""
    queries, column = options["queries"], options["query_text"]
    if column is not None and queries is None:
        raise click.UsageError("--query names a column of --queries FILE")
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
    rows = TextRows(queries, Reading(column), option="--query")
    return rows.texts()


def _blocks(queries: Iterator[str] | RowsOnDisk) -> Iterator[tuple[list[str], Any]]:
    """Yield blocks of queries: the texts, or the numbers of rows, to show, and what to look up."""
    if isinstance(queries, Iterator):
        while some := list(islice(queries, _AT_ONCE)):
            yield some, some
        return
    for start in range(0, len(queries), _AT_ONCE):
        block = queries[start : start + _AT_ONCE]
        yield [f"row {row}" for row in range(start + 1, start + 1 + len(block))], block


def _write(
    index: SearchIndex,
    queries: Iterator[str] | RowsOnDisk,
    options: dict[str, Any],
    wanted: dict[str, Any],
) -> None:
    """Write the hits of all queries: texts, or vectors."""

    def answers() -> Iterator[tuple[str, list[Hit]]]:
        for shown, asked in _blocks(queries):
            found = index.query(asked, options["top_k"], copies=options["copies"], **wanted)
            yield from zip(shown, found, strict=True)

    kind, output, digits = (options[name] for name in ("write_as", "output", "digits"))
    if kind == "table":
        write_out(_as_table(answers(), digits), output)
    else:
        rows = _as_rows(answers(), listed=kind in ("json", "jsonl"))
        write_table(output, kind, ("query", "rank", *_COLUMNS), rows, digits=digits)


def _as_table(answers: Answers, digits: int) -> Iterator[str]:
    """Yield aligned columns under each query; ``copies`` counts the other entries with the text."""
    for number, (query, hits) in enumerate(answers):
        rows = [
            (f"{hit.score:z.{digits}f}", hit.id, len(hit.copies), _on_one_line(hit.text or ""))
            for hit in hits
        ]
        out = StringIO()
        TextWriter(out, "table").write(_COLUMNS, rows)
        yield from ["", _on_one_line(query)] if number else [_on_one_line(query)]
        yield from out.getvalue().split("\n")[:-1] if rows else ["(nothing found)"]


def _as_rows(answers: Answers, *, listed: bool) -> Iterator[list[Any]]:
    """Yield one row per hit: with the ids of all copies if ``listed``, otherwise their number."""
    for query, hits in answers:
        for rank, hit in enumerate(hits, 1):
            copies = list(hit.copies) if listed else len(hit.copies)
            yield [query, rank, hit.score, hit.id, copies, hit.text if listed else hit.text or ""]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _counts(index: SearchIndex) -> str:
    return f"{counted(len(index), 'entry', 'entries')}, {index.distinct:,} distinct,"
