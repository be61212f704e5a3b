"""``semaniacs cache``: list, check and clear cached values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from semaniacs.sts.cache import Entry, cache_folder, entries_in, memory_folder, read_entry
from semaniacs.sts.command_line import examples
from semaniacs.sts.errors import StsError, UnknownNameError
from semaniacs.sts.progress import counted

MEMORY = "translations"  # kind of the translation memory, which is deleted only if it is named

MADE_BY = {
    MEMORY: "translators; an online one may not give the same answer again",
    "data": "downloaded from the organisers; checked whenever it is read",
}
"""Origin of the kinds without records, because nothing in them was computed."""

kind_option = click.option("--kind", help="Kind of the entries (default: all).")


@click.group(
    epilog=examples(
        "semaniacs cache list", "semaniacs cache check", "semaniacs cache clear --damaged"
    )
)
def cache() -> None:
    """List, check and clear what is cached: computed values, downloads and translations."""


@cache.command("list", epilog=examples("semaniacs cache list --kind tuned"))
@kind_option
def show(kind: str | None) -> None:
    """Show the cached entries.

    One entry per line: kind, bytes, date, name, and the code that wrote it.
    """
    entries = all_entries(kind)
    for entry in entries:
        made_by = entry.made_by or "unknown; clear --damaged deletes it"
        about = f"{entry.about}, by {made_by}" if entry.about else made_by
        size, date = 0, "missing   "
        if entry.path.is_file():
            size, date = entry.size, f"{entry.date:%Y-%m-%d}"
        click.echo(f"{entry.kind:12} {size:12,} {date}  {entry.name}  {about}")
    total = sum(entry.size for entry in entries if entry.path.is_file())
    click.echo(f"{_counted(entries)}, {total:,} bytes, in {cache_folder()}")


@cache.command(epilog=examples("semaniacs cache check"))
@kind_option
def check(kind: str | None) -> None:
    """Compare every value with the hash that it was written with.

    The exit code is 2 if a value has changed; it will be computed again.
    """
    entries = all_entries(kind)
    faults = [f"{entry.path} {fault}" for entry in entries if (fault := fault_of(entry))]
    for fault in faults:
        click.echo(fault)
    if faults:
        raise StsError(
            f"{len(faults)} of {len(entries)} entries are damaged; to delete them: "
            "semaniacs cache clear --damaged"
        )
    click.echo(f"{_counted(entries)}, all as they were written")


@cache.command(
    epilog=examples(
        "semaniacs cache clear                        all that can be computed or fetched again",
        "semaniacs cache clear --kind tuned           only tuned encoders",
        "semaniacs cache clear --damaged              only entries that check reports",
        "semaniacs cache clear --kind translations    the translation memory",
    ),
)
@kind_option
@click.option("--damaged", is_flag=True, help="Delete only damaged entries.")
def clear(kind: str | None, damaged: bool) -> None:
    """Delete cached entries; the translation memory only with --kind translations."""
    chosen = [
        entry
        for entry in all_entries(kind)
        if (kind == MEMORY or entry.kind != MEMORY) and (not damaged or fault_of(entry))
    ]
    for entry in chosen:
        entry.remove()
    click.echo(f"{_counted(chosen)} deleted")


def all_entries(kind: str | None = None) -> list[Entry]:
    """Return every entry of the cache folder, or those of one kind; unknown kinds are refused."""
    kinds = {folder.name: folder for folder in sorted(cache_folder().glob("*")) if folder.is_dir()}
    if memory_folder().is_dir():
        kinds[MEMORY] = memory_folder()
    if kind is not None and kind not in kinds:
        raise UnknownNameError("kind", kind, list(kinds))
    found: list[Entry] = []
    for name, folder in kinds.items():
        if kind in (None, name):
            found += _files(name, folder) if name in MADE_BY else entries_in(folder)
    if kind is None:
        found += [read_entry(path) for path in cache_folder().glob("[!.]*") if path.is_file()]
    return found


def _counted(entries: list[Entry]) -> str:
    return counted(len(entries), "entry", "entries")


def _files(kind: str, folder: Path) -> Iterator[Entry]:
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield Entry(kind, path.relative_to(folder).as_posix(), path, MADE_BY[kind])


def fault_of(entry: Entry) -> str | None:
    """Return what is wrong with an entry; None if nothing is, or if it has no record."""
    return None if entry.kind in MADE_BY else entry.fault()
