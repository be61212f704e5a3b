"""The recorded results, the pages that show them, and how a page is given a fresh table."""

from __future__ import annotations

from pathlib import Path

from sts.errors import StsError
from sts.files import read_text, write_text

RESULTS = Path(__file__).parents[1] / "results"
README = Path(__file__).parents[2] / "README.md"
PEERS = RESULTS / "peers.json"
STUDIES = RESULTS / "studies"
"""Figures that are no task's results."""

BITEXT = README.parent / "docs" / "bitext.md"


def show(document: Path, name: str, text: str) -> None:
    """Write ``text`` between the markers of that name in a document.

    Raises:
        StsError: the document or the markers are not there.
    """
    write_text(document, between(read_text(document), name, text, document))


def between(document: str, name: str, text: str, path: Path = README) -> str:
    """A document with ``text`` between its markers of that name.

    Raises:
        StsError: the markers are not there.
    """
    begin, end = f"<!-- {name}: begin -->", f"<!-- {name}: end -->"
    before, found, rest = document.partition(begin)
    _, found_too, after = rest.partition(end)
    if not found or not found_too:
        raise StsError(f"{path}: no lines {begin} and {end} to write between")
    return f"{before}{begin}\n\n{text}\n\n{end}{after}"
