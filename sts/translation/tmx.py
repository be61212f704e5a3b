"""Import translations from TMX 1.4b, which most translation tools write, or from XLIFF."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from semaniacs.sts.data.segments import read_units
from semaniacs.sts.errors import DataError
from semaniacs.sts.progress import note
from semaniacs.sts.translation.memory import IMPORTED, Entry, read_memory
from semaniacs.sts.translation.translator import Translation


def import_file(own: Path, source: Path, provider: str) -> None:
    """Add the translations of a TMX file that the memory ``own`` does not contain.

    Args:
        own: file of the memory.
        source: TMX or XLIFF file. A unit with text in one language only is skipped, with a warning.
        provider: name of the translator that the entries are stored under.

    Raises:
        DataError: another format, or languages are not named.
    """
    memory = read_memory(own)
    entries = list(read(source, provider))
    new: dict[tuple[str, ...], Entry] = {}
    others = 0
    for entry in entries:
        stored = memory.get(*entry.key) or new.setdefault(entry.key, entry)
        others += stored.translation.text != entry.translation.text
    memory.add_entries(new.values())
    added, present = len(new), len(entries) - len(new) - others
    ignored = f", {others:,} ignored: another translation is stored" if others else ""
    note(
        f"{len(entries):,} translations read: {added:,} added, {present:,} already stored{ignored}"
    )


def read(path: Path, provider: str) -> Iterator[Entry]:
    """Yield an entry per unit and target language; see :func:`import_file`.

    The source is the first language of a unit if none is named.
    """
    alone = 0
    for unit in read_units(path):
        texts = [text for text in unit.texts if text[1].strip()]
        alone += len(texts) < 2
        if not all(language for language, _ in texts):
            raise DataError(
                f"{path}: it does not name both languages; expected xml:lang or the like"
            )
        for (language, text), (target, translation) in combinations(texts, 2):
            yield Entry(provider, IMPORTED, language, target, text, Translation(translation))
    if alone:
        warnings.warn(f"{path}: {alone} units have no translation and are left out", stacklevel=2)
