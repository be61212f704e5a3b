"""Statistics, export and import of translation memories."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from sts.progress import note
from sts.translation.memory.exchange import read_entries, write_entries
from sts.translation.memory.store import Entry, Stored, TranslationMemory


def statistics(own: Path, bundled: Path) -> None:
    """Print how many translations two memories hold, by provider, version and languages."""
    rows: list[tuple[str, ...]] = [
        ("memory", "provider", "version", "pair", "entries", "characters")
    ]
    for name, path in (("own", own), ("bundled", bundled)):
        rows += [(name, *row) for row in _counted(path)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if place >= 4 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells))
    note(f"own is {own}, bundled is {bundled}")


def _counted(path: Path) -> list[tuple[str, ...]]:
    """Provider, version, pair, entries and characters of text and translation, sorted."""
    memory = _opened(path)
    entries: Counter[tuple[str, ...]] = Counter()
    characters: Counter[tuple[str, ...]] = Counter()
    for entry in memory.entries():
        key = (entry.provider, entry.version, f"{entry.source}->{entry.target}")
        entries[key] += 1
        characters[key] += len(entry.text) + len(entry.translation.text)
    return [(*key, f"{entries[key]:,}", f"{characters[key]:,}") for key in sorted(entries)]


def export_file(own: Path, output: Path) -> None:
    """Write the memory ``own`` as .tmx or .tsv."""
    memory = _opened(own)
    write_entries(output, memory.entries())
    note(f"{len(memory):,} translations written to {output}")


def import_file(own: Path, source: Path, provider: str | None) -> None:
    """Add the translations of a .tmx or .tsv file that the memory ``own`` does not hold."""
    entries = read_entries(source, provider)
    memory = _opened(own)
    new: dict[tuple[object, ...], Entry] = {}
    for entry in entries:
        if _held(memory, entry, entry.version) is None:
            new.setdefault(entry[:5], entry)  # all but the translation: the first is used
    memory.add_entries(new.values())
    served = (_held(memory, entry) for entry in new.values())
    beside = sum(
        first is not None and first.version != entry.version
        for first, entry in zip(served, new.values(), strict=True)
    )
    note(
        f"{len(entries):,} translations read: {len(new):,} added ({beside:,} beside one of "
        f"another version, which is served first), {len(entries) - len(new):,} held already"
    )


def _held(memory: TranslationMemory, entry: Entry, version: str | None = None) -> Stored | None:
    return memory.get(entry.provider, entry.source, entry.target, entry.text, version)


def _opened(path: Path) -> TranslationMemory:
    memory = TranslationMemory(path)
    memory.refresh()
    return memory
