"""The command line of the cache: ``python -m sts.cache``."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

from sts.cache.entries import Entry, cache_folder, entries_in, read_entry
from sts.command_line import command_line, positive, run_tool
from sts.data.fetch import memory_folder
from sts.errors import StsError, UnknownNameError

_AGES = 100_000
"""Days that nothing here is older than; dates do not go back as far as numbers do."""

MEMORY, DOWNLOADS = "translations", "data"
"""Kinds that hold no computed values, and have no records."""

MADE_BY = {
    MEMORY: "translators; what an online one answered may not come back the same",
    DOWNLOADS: "downloaded from the organisers; checked whenever it is read",
}

EXAMPLES = {
    "": """\
examples:
  python -m sts.cache list
  python -m sts.cache check
  python -m sts.cache clear --older 30
""",
    "list": """\
An entry a line: kind, bytes, date, name, and what made it.

example:
  python -m sts.cache list --kind tuned
""",
    "check": """\
Exit code 2 if a value is not as it was written; it will be computed again.

example:
  python -m sts.cache check
""",
    "clear": """\
examples:
  python -m sts.cache clear                     all that can be computed or fetched again
  python -m sts.cache clear --kind tuned        tuned encoders alone
  python -m sts.cache clear --older 30          what was written more than 30 days ago
  python -m sts.cache clear --damaged           what check complains of
  python -m sts.cache clear --kind translations the translation memory, never cleared unasked
""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m sts.cache", "What was computed, fetched or translated, and is kept.", EXAMPLES
    )
    listing = command("list", "show what is kept")
    checking = command("check", "compare every value with the hash that it was written with")
    clearing = command("clear", "delete what is kept")
    for one in (listing, checking, clearing):
        one.add_argument("--kind", metavar="KIND", help="of the entries (default: all)")
    clearing.add_argument("--older", type=positive, metavar="DAYS", help="only older ones")
    clearing.add_argument("--damaged", action="store_true", help="only damaged ones")
    return parser.parse_args(arguments)


def all_entries(kind: str | None = None) -> list[Entry]:
    """Every entry of the cache folder, or those of one kind.

    Raises:
        UnknownNameError: there is no entry of that kind.
    """
    kinds = {folder.name: folder for folder in sorted(cache_folder().glob("*")) if folder.is_dir()}
    if memory_folder().is_dir():
        kinds[MEMORY] = memory_folder()
    if kind is not None and kind not in kinds:
        raise UnknownNameError("kind", kind, list(kinds))
    return [
        entry
        for name, folder in kinds.items()
        if kind in (None, name)
        for entry in (_files(name, folder) if name in MADE_BY else entries_in(folder))
    ] + [read_entry(path) for path in cache_folder().glob("[!.]*") if path.is_file() and not kind]


def _files(kind: str, folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            name = path.relative_to(folder).as_posix()
            yield Entry(kind, name, path, MADE_BY[kind])


def fault_of(entry: Entry) -> str | None:
    """What is wrong with an entry, or None; what has no record is looked at where it is used."""
    return None if entry.kind in MADE_BY else entry.fault()


def line_of(entry: Entry) -> str:
    """An entry as ``list`` shows it."""
    made_by = entry.made_by or "unknown; clear --damaged deletes it"
    about = f"{entry.about}, by {made_by}" if entry.about else made_by
    here = entry.path.is_file()
    size, date = (entry.size, f"{entry.date:%Y-%m-%d}") if here else (0, "missing   ")
    return f"{entry.kind:12} {size:12,} {date}  {entry.name}  {about}"


def clear(kind: str | None, older: float | None, damaged: bool) -> list[Entry]:
    """Delete entries; the translation memory only if it is named."""
    chosen = [entry for entry in all_entries(kind) if kind == MEMORY or entry.kind != MEMORY]
    if damaged:
        chosen = [entry for entry in chosen if fault_of(entry)]
    if older is not None:
        limit = datetime.now(UTC) - timedelta(days=min(older, _AGES))
        chosen = [entry for entry in chosen if entry.path.is_file() and entry.date < limit]
    for entry in chosen:
        entry.remove()
    return chosen


def main() -> None:
    """List, check or clear."""
    options = parse()
    if options.command == "clear":
        gone = clear(options.kind, options.older, options.damaged)
        print(f"{len(gone)} entries deleted")
        return
    entries = all_entries(options.kind)
    if options.command == "list":
        for entry in entries:
            print(line_of(entry))
        total = sum(entry.size for entry in entries if entry.path.is_file())
        print(f"{len(entries)} entries, {total:,} bytes, in {cache_folder()}")
        return
    faults = [f"{entry.path} {fault}" for entry in entries if (fault := fault_of(entry))]
    for fault in faults:
        print(fault)
    if faults:
        raise StsError(
            f"{len(faults)} of {len(entries)} entries are damaged; to delete them: "
            "python -m sts.cache clear --damaged"
        )
    print(f"{len(entries)} entries, all as they were written")


if __name__ == "__main__":
    run_tool(main)
