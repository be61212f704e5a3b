"""Translations that come with a data set: the official ``*.translation.txt`` files."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from pathlib import Path

from semaniacs.sts.data.pairs import Pairs
from semaniacs.sts.errors import DataError
from semaniacs.sts.files import read_lines
from semaniacs.sts.translation.translator import Translation, Translator, UnknownPairError


class Recorded(Translator):
    """A translator from Spanish to English for the sentences of ``mapping`` only."""

    version = "recorded"

    def __init__(self, mapping: Mapping[str, str]) -> None:
        super().__init__(
            "recorded", "the recording has no other sentence; choose another translator"
        )
        self._mapping = mapping

    def known(self, texts: Sequence[str], source: str, target: str) -> list[str]:
        """Return those of ``texts`` that were recorded."""
        if (source, target) != ("es", "en"):
            return []
        return [text for text in texts if text in self._mapping]

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
    """Return the recorded English of each Spanish sentence of ``pairs``.

    Line i of ``path`` belongs to pair i. Its first column is the translation, with HTML entities;
    its second column repeats the English side of the pair, so that the other side is Spanish. A
    file that does not belong to these pairs is a DataError.
    """
    lines = read_lines(path)
    if len(lines) != len(pairs):
        raise DataError(
            f"{path}:{min(len(lines), len(pairs)) + 1}: {len(lines)} lines for the {len(pairs)} "
            f"pairs of {pairs.name}; expected one line per pair, fetch the file again"
        )
    recorded: dict[str, str] = {}
    rows = zip(lines, pairs.left, pairs.right, strict=True)
    for number, (line, left, right) in enumerate(rows, start=1):
        cells = line.split("\t")
        if len(cells) != 2:
            raise DataError(
                f"{path}:{number}: {len(cells)} columns, expected translation<TAB>English "
                "sentence; fetch the file again"
            )
        english = cells[1].strip()
        others = [side for side in (left, right) if side.strip() != english]
        if len(others) != 1:
            raise DataError(
                f"{path}:{number}: the second column {english[:80]!r} is "
                f"{'neither' if others else 'each'} side of the pair, expected exactly one; "
                "give the recording of this very input file"
            )
        recorded.setdefault(others[0], html.unescape(cells[0]).strip())
    return recorded
