"""A table of what translation memories hold."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from sts.progress import note
from sts.translation.memory.store import read_memory


def show(memories: Mapping[str, Path]) -> None:
    """Print translations and characters of memories by provider, version and languages."""
    rows = [("memory", "provider", "version", "pair", "entries", "characters")]
    for name, path in memories.items():
        entries: Counter[tuple[str, str, str]] = Counter()
        characters: Counter[tuple[str, str, str]] = Counter()
        for entry in read_memory(path).entries():
            key = entry.provider, entry.version, f"{entry.source}->{entry.target}"
            entries[key] += 1
            characters[key] += len(entry.text) + len(entry.translation.text)
        rows += [
            (name, *key, f"{entries[key]:,}", f"{characters[key]:,}") for key in sorted(entries)
        ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        aligned = zip("<<<<>>", widths, row, strict=True)
        print("  ".join(f"{cell:{side}{width}}" for side, width, cell in aligned))
    note(", ".join(f"{name} is {path}" for name, path in memories.items()))
