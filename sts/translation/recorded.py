"""Translations that come with a data set: the official ``*.translation.txt`` files."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from sts.data.pairs import Pairs
from sts.errors import DataError
from sts.files import read_lines
from sts.translation.online.faults import UnknownPairError
from sts.translation.translator import Translation, Translator


class Recorded(Translator):
    """A translator from Spanish to English for the sentences of ``mapping`` only."""

    name = "recorded"
    version = "recorded"
    install_hint = "the recording has no other sentence; choose another translator"

    def __init__(self, mapping: Mapping[str, str]) -> None:
        super().__init__()
        self._mapping = mapping

    def available(self) -> bool:
        """Whether anything was recorded."""
        return bool(self._mapping)

    def known(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Return the recorded translations, in the order of ``texts``."""
        return [
            text for text in texts if (source, target) == ("es", "en") and text in self._mapping
        ]

    def _find(self, texts: Sequence[str], source: str, target: str) -> dict[str, Translation]:
        if (source, target) != ("es", "en"):
            raise UnknownPairError(
                f"recorded translations go es->en, not {source}->{target}; "
                "choose another translator"
            )
        missing = [text for text in texts if text not in self._mapping]
        if missing:
            raise self._no_translation(missing, len(texts), source, target)
        return {text: Translation(self._mapping[text]) for text in texts}


def read_recorded(pairs: Pairs, path: Path) -> dict[str, str]:
    """The recorded English of each Spanish sentence of ``pairs``.

    Line i of ``path`` belongs to pair i. Its first column is the translation,
    with HTML entities; its second repeats the side that was English already, so that the other
    side is the Spanish one.

    Raises:
        DataError: the file has another number of lines than ``pairs``, a line has not
            two columns, or its second column is not exactly one side of the pair.
    """
    lines = read_lines(path)
    if len(lines) != len(pairs):
        raise DataError(
            f"{path}:{min(len(lines), len(pairs)) + 1}: {len(lines)} lines for the {len(pairs)} "
            f"pairs of {pairs.name}; expected one line a pair, fetch the file again"
        )
    recorded: dict[str, str] = {}
    rows = zip(lines, pairs.left, pairs.right, strict=True)
    for number, (line, left, right) in enumerate(rows, start=1):
        spanish, english = _parse(line, left, right, f"{path}:{number}")
        recorded.setdefault(spanish, english)
    return recorded


def _parse(line: str, left: str, right: str, where: str) -> tuple[str, str]:
    cells = line.split("\t")
    if len(cells) != 2:
        raise DataError(
            f"{where}: {len(cells)} columns, expected translation<TAB>English sentence; "
            "fetch the file again"
        )
    original = cells[1].strip()
    others = [side for side in (left, right) if side.strip() != original]
    if len(others) != 1:
        raise DataError(
            f"{where}: the second column {original[:80]!r} is {'neither' if others else 'each'} "
            "side of the pair, expected exactly one; give the recording of this very input file"
        )
    return others[0], html.unescape(cells[0]).strip()
