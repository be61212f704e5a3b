"""Data folders a few lines long: corpora of pairs, and headlines in three translations."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from embeddings.pretraining.paraphrases import SYSTEMS
from embeddings.training.pairs.corpora import SentencePair

NAMES_OF_COLUMNS = ("id", "text_1", "text_2")


def write_rows(path: Path, rows: Iterable[Iterable[str]]) -> None:
    """A gzipped file of tab-separated columns; its folder is made."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join("\t".join(row) + "\n" for row in rows)
    path.write_bytes(gzip.compress(text.encode()))


def headline_file(system: str) -> str:
    """Its path in the data folder."""
    return f"paraphraser/train.en.{system}.tsv.gz"


def write_headlines(data: Path, translations: Mapping[str, list[SentencePair]]) -> None:
    """The file of every system, below the names of its columns."""
    for system in SYSTEMS:
        rows = [(str(i), *pair) for i, pair in enumerate(translations[system], 1)]
        write_rows(data / headline_file(system), [NAMES_OF_COLUMNS, *rows])


def _second_line(raw: bytes, line: bytes) -> bytes:
    """The file with nothing but this line after the first."""
    return gzip.compress(gzip.decompress(raw).partition(b"\n")[0] + b"\n" + line)


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "cut short": (lambda raw: raw[:-9], "cannot be read .*; fetch it again"),
    "not compressed": (lambda raw: b"a\tb\n", "cannot be read .*; fetch it again"),
    "nothing": (lambda raw: gzip.compress(b""), "empty; expected at least one line"),
    "one column": (
        lambda raw: _second_line(raw, b"c\n"),
        "2: 1 columns?; expected [23], separated",
    ),
    "not utf-8": (lambda raw: _second_line(raw, b"\xff\n"), "2: byte 0xff is not UTF-8; convert"),
}
"""What may happen to a file, and what is said of it."""
