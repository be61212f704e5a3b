"""Groups as they are written: for a person, as TSV, or as lines of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from embeddings.mining.duplicates.groups import DuplicateGroup
from embeddings.mining.ranked_pairs import DIGITS

Groups = Sequence[DuplicateGroup]
Texts = Mapping[int, str]


def as_blocks(groups: Groups, ids: Sequence[Any], texts: Texts) -> Iterator[str]:
    """A block of lines for each group, the kept row first, the others with their cosines."""
    for number, group in enumerate(groups):
        if number:
            yield ""
        width = max(len(str(ids[row])) for row in group.rows)
        for place, (row, cosine) in enumerate(zip(*group, strict=True)):
            mark = f"{cosine:.4f}" if place else "keep"
            yield f"{mark:>6}  {ids[row]!s:>{width}}  {texts[row]}"


def as_tsv(groups: Groups, ids: Sequence[Any], texts: Texts) -> Iterator[str]:
    """A line for each member: the number of its group, the id of the kept row, its own, …"""
    yield "group\tkept\tid\tcosine\ttext"
    for number, group in enumerate(groups, 1):
        for row, cosine in zip(*group, strict=True):
            cells = number, ids[group.rows[0]], ids[row], f"{cosine:.{DIGITS}f}", texts[row]
            yield "\t".join(map(str, cells))


def as_jsonl(groups: Groups, ids: Sequence[Any], texts: Texts) -> Iterator[str]:
    """An object for each group: the id of the kept row, the size, and the members."""
    for group in groups:
        members = [
            {"id": ids[row], "cosine": cosine, "text": texts[row]}
            for row, cosine in zip(*group, strict=True)
        ]
        record = {"kept": members[0]["id"], "size": len(members), "members": members}
        yield json.dumps(record, ensure_ascii=False)


FORMATS: dict[str, Callable[[Groups, Sequence[Any], Texts], Iterator[str]]] = {
    "table": as_blocks,
    "tsv": as_tsv,
    "jsonl": as_jsonl,
}
