"""Tables and figures in the README and in docs, written between marks from recorded results.

A block stands between ``<!-- NAME: begin -->`` and ``<!-- NAME: end -->``. A figure within a
sentence stands between ``<!-- FILE KEY -->`` and ``<!-- end -->``, where KEY is a path such as
``datasets/images/pearson`` in ``runs/results/FILE.json``. It keeps as many digits as it has.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from runs.tables.format import json_text
from sts.errors import StsError
from sts.files import parse_json, read_text, write_text

ROOT = Path(__file__).parents[2]
README = ROOT / "README.md"
BITEXT, FUSION = ROOT / "docs" / "bitext.md", ROOT / "docs" / "fusion.md"
DUPLICATES = ROOT / "docs" / "duplicates.md"
ALL_RESULTS = ROOT / "docs" / "results.md"
MEANING = ROOT / "docs" / "meaning-figures.md"

RESULTS = ROOT / "runs" / "results"
PEERS = RESULTS / "peers.json"
STUDIES = RESULTS / "studies"
"""Figures that are no task's results."""
ROUND_TRIPS = STUDIES / "round_trips.json"
"""What fitting without round trips costs."""

_FIGURE = re.compile(r"(<!-- ([\w./-]+) ([^ ]+) -->)(\d*\.\d+)(<!-- end -->)")


def read_json(path: Path) -> Any:
    """What a file of recorded figures holds."""
    return parse_json(read_text(path))


def write_json(path: Path, figures: Any) -> None:
    """Record figures."""
    write_text(path, json_text(figures))


def check_checkout() -> None:
    """Refuse to begin work on pages that an installed copy does not have.

    Raises:
        StsError: the README is not there.
    """
    if not README.is_file():
        raise StsError(
            f"{README}: not there; the README and docs are in a checkout of the project alone, "
            "type this command there"
        )


def show(document: Path, name: str, text: str) -> None:
    """Write ``text`` between the marks of that name in a document.

    Raises:
        StsError: the document or the marks are not there.
    """
    write_text(document, between(read_text(document), name, text, document))


def between(document: str, name: str, text: str, path: Path = README) -> str:
    """A document with ``text`` between its marks of that name.

    Raises:
        StsError: the marks are not there.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = document.partition(begin)
    _, found_too, after = rest.partition(end)
    if not found or not found_too:
        raise StsError(f"{path}: no lines {begin} and {end} to write between")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"


def with_figures(document: str, path: Path) -> str:
    """A document with the figures within its sentences as they were recorded last.

    Raises:
        StsError: a mark names a file or a key that is not there.
    """

    def renew(match: re.Match[str]) -> str:
        mark, file, key, shown, end = match.groups()
        value: Any
        try:
            value = read_json(RESULTS / f"{file}.json")
            for part in key.split("/"):
                value = value[int(part)] if isinstance(value, list) else value[part]
            text = f"{float(value):.{len(shown.partition('.')[2])}f}"
        except (StsError, KeyError, IndexError, TypeError, ValueError) as error:
            raise StsError(f"{path}: {mark}: no such figure ({error})") from None
        return f"{mark}{text.removeprefix('0') if shown.startswith('.') else text}{end}"

    return _FIGURE.sub(renew, document)
