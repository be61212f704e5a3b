"""Export to and import from .tmx and .tsv files, without any loss."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from types import ModuleType

from sts.errors import DataError, StsError
from sts.files import write_text
from sts.progress import note
from sts.translation.memory import tmx, tsv
from sts.translation.memory.store import Entry, read_memory

IMPORTED = "imported"
"""The version of entries from a file that names none."""

_FORMATS: dict[str, ModuleType] = {".tmx": tmx, ".tsv": tsv}


def export_file(own: Path, output: Path) -> None:
    """Write the memory ``own`` as .tmx or .tsv."""
    memory = read_memory(own)
    write_entries(output, memory.entries())
    note(f"{len(memory):,} translations written to {output}")


def import_file(own: Path, source: Path, provider: str | None) -> None:
    """Add the translations of a .tmx or .tsv file that the memory ``own`` does not hold."""
    entries = read_entries(source, provider)
    memory = read_memory(own)
    new: dict[tuple[object, ...], Entry] = {}
    for entry in entries:
        if memory.get(*entry.key, entry.version) is None:
            new.setdefault(entry[:5], entry)  # all but the translation: the first is used
    memory.add_entries(new.values())
    served = ((memory.get(*entry.key), entry) for entry in new.values())
    beside = sum(first is not None and first.version != entry.version for first, entry in served)
    note(
        f"{len(entries):,} translations read: {len(new):,} added ({beside:,} beside one of "
        f"another version, which is served first), {len(entries) - len(new):,} held already"
    )


def write_entries(path: Path, entries: Iterable[Entry]) -> None:
    """Write ``entries`` in the format that the name of ``path`` ends in, .tmx or .tsv."""
    write_text(path, "".join(_format_of(path).lines(entries)))


def read_entries(path: Path, provider: str | None = None) -> list[Entry]:
    """The entries of a .tmx or .tsv file, in order; ``provider`` is of those that name none.

    Raises:
        DataError: the file is not what its name says (with the line), declares entities,
            or names no provider and neither does ``provider``.
        StsError: another ending.
    """
    entries: list[Entry] = []
    for where, entry in _format_of(path).read(path, IMPORTED):
        if not (entry.provider or provider):
            raise DataError(
                f"{where}: an entry names no provider; say whose it is with --provider NAME"
            )
        entries.append(entry._replace(provider=entry.provider or provider))
    return entries


def _format_of(path: Path) -> ModuleType:
    ending = path.suffix.lower()
    if ending not in _FORMATS:
        raise StsError(f"{path}: the format is taken from the ending; name a .tmx or a .tsv file")
    return _FORMATS[ending]
