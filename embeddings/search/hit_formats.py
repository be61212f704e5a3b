"""Output formats of hits: aligned columns, TSV and lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from io import StringIO
from typing import Any, NamedTuple

from embeddings.search.search_index import Hit
from sts.data.tables.table_writer import TextWriter

_COLUMNS = ("score", "id", "copies", "text")


class Answer(NamedTuple):
    """One query with its hits."""

    query: str
    hits: Sequence[Hit]


def table(answers: Iterable[Answer], digits: int) -> Iterator[str]:
    """Return aligned columns under each query; ``copies`` counts the other entries with the text."""
    for number, answer in enumerate(answers):
        if number:
            yield ""
        yield _on_one_line(answer.query)
        rows = [_cells(hit, digits) for hit in answer.hits]
        yield from _written("table", _COLUMNS, rows) if rows else ["(nothing found)"]


def tsv(answers: Iterable[Answer], digits: int) -> Iterator[str]:
    """Return a header and one line per hit."""
    yield "\t".join(("query", "rank", *_COLUMNS))
    for answer in answers:
        query = _on_one_line(answer.query)
        rows = [[query, rank, *_cells(hit, digits)] for rank, hit in enumerate(answer.hits, 1)]
        yield from _written("tsv", (), rows)


def jsonl(answers: Iterable[Answer], digits: int) -> Iterator[str]:
    """Return one JSON object per hit, with the ids of all copies."""
    for answer in answers:
        for rank, hit in enumerate(answer.hits, 1):
            record = {"query": answer.query, "rank": rank, "score": round(hit.score, digits)}
            record |= {"id": hit.id, "copies": list(hit.copies), "text": hit.text}
            yield json.dumps(record, ensure_ascii=False)


FORMATS: dict[str, Callable[[Iterable[Answer], int], Iterator[str]]] = {
    "table": table,
    "tsv": tsv,
    "jsonl": jsonl,
}


def _cells(hit: Hit, digits: int) -> list[Any]:
    score = f"{hit.score:z.{digits}f}"
    return [score, hit.id, len(hit.copies), _on_one_line(hit.text or "")]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _written(kind: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[str]:
    out = StringIO()
    TextWriter(out, kind).write(columns, rows)
    return out.getvalue().split("\n")[:-1]
