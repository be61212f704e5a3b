"""Files and pairs that tests make for themselves."""

from __future__ import annotations

import gzip
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from semaniacs.sts.data.pairs import Pairs


def write_corpus(path: Path, pairs: Iterable[tuple[str, str]]) -> Path:
    """A gzipped file of two columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(f"{left}\t{right}\n" for left, right in pairs)
    path.write_bytes(gzip.compress(text.encode()))
    return path


def pairs_of(*rows: tuple[str, str], name: str = "mine") -> Pairs:
    """Pairs that nobody scored."""
    left, right = zip(*rows, strict=True) if rows else ((), ())
    return Pairs(name, left, right, np.full(len(rows), np.nan))
