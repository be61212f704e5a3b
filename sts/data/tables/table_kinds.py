"""Formats of tables, by the names of files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sts.errors import StsError
from sts.progress import visible

KINDS = ("tsv", "csv", "jsonl", "parquet")
"""Formats that are read; written is ``table`` too."""

_ENDINGS = {kind: kind for kind in KINDS} | {
    "ndjson": "jsonl", "json": "jsonl", "pq": "parquet",
}  # fmt: skip
"""The format that the name of a file ends in."""


def ending_of(path: str) -> str:
    """Return the ending of a name without ``.gz``, in small letters: ``csv`` for ``pairs.CSV.gz``."""
    return Path(path.removesuffix(".gz")).suffix.removeprefix(".").lower()


def is_table(path: str) -> bool:
    """Whether a file is a table by its name; others hold lines of text."""
    return ending_of(path) in _ENDINGS


def kind_of(path: str, option: str | None = "--from") -> str:
    """The format of a file by its name: ``pairs.csv.gz`` is ``csv``; ``-`` and ``.txt`` are TSV.

    Args:
        path: the file.
        option: that names a format, for the error; None takes any other ending for TSV.

    Raises:
        StsError: no known ending.
    """
    ending = "" if path == "-" else ending_of(path)
    kind = "tsv" if ending in ("", "txt") else _ENDINGS.get(ending)
    if kind is None and option is not None:
        raise StsError(
            f"{path}: a table of unknown format; name it with {option}: {', '.join(KINDS)}"
        )
    return kind or "tsv"


def listed(columns: Sequence[str]) -> str:
    """The names of columns for an error: twenty of them, and what one can read of each."""
    more = ["…"] if len(columns) > 20 else []
    return ", ".join([*(visible(repr(name)[1:-1][:40]) for name in columns[:20]), *more])
