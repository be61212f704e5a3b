"""What ``python -m sts.translation`` does, command by command."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sts.command_line import stdin
from sts.errors import StsError
from sts.files import check_writable, decode, read_lines, split_lines, write_lines
from sts.text.language import identify as identified
from sts.translation import (
    BUNDLED,
    DEFAULT,
    MEMORY_FILE,
    Remembered,
    TranslationMemory,
    Translator,
    get_translator,
    round_trips,
)
from sts.translation.memory.store import Entry, Stored

STDIN = "-"


def translate(
    source_file: str,
    output: Path | None,
    source: str,
    target: str,
    *,
    translator: str | None,
    folder: Path,
    marks: bool,
    renew: bool,
) -> None:
    """Write the translation of each line, and with ``marks`` a column of what was left."""
    _check_output(output)
    texts = _read(source_file)
    chosen = get_translator(translator, memory_folder=folder, renew=renew)
    _put(_translated(chosen, texts, source, target, marks), output)
    _note(f"{len(texts):,} lines {source}->{target} by {chosen.name}, version {chosen.version}")


def translate_each(
    source: str,
    target: str,
    *,
    translator: str | None,
    folder: Path,
    marks: bool,
    renew: bool,
) -> None:
    """Answer every line of stdin before the next is read; Apertium stays open meanwhile."""
    from sts.translation.apertium.open_pipe import ApertiumKeptOpen

    if translator not in (None, DEFAULT):
        raise StsError(f"--each keeps {DEFAULT} open and has no meaning with {translator!r}")
    memories = (TranslationMemory(BUNDLED), TranslationMemory(folder / MEMORY_FILE))
    with ApertiumKeptOpen() as provider:
        chosen = Remembered(provider, *memories, renew=renew)
        for number, raw in enumerate(stdin(), start=1):
            (text,) = split_lines(decode(raw, f"stdin, line {number}"))
            (line,) = _translated(chosen, [text], source, target, marks)
            print(line, flush=True)


def _translated(
    translator: Translator, texts: Sequence[str], source: str, target: str, marks: bool
) -> Iterator[str]:
    """A line for each text: blank if it is blank, and never two."""
    lines = [_one_line(text) for text in translator.translate(texts, source, target)]
    if not marks:
        yield from lines
        return
    left = translator.untranslated(texts, source, target)
    for line, words in zip(lines, left, strict=True):
        yield f"{_cell(line)}\t{' '.join(map(_cell, words))}"


def roundtrip(
    source_file: str,
    output: Path | None,
    source: str,
    pivots: Sequence[str],
    *,
    translator: str | None,
    folder: Path,
    shortest: float,
    longest: float,
) -> None:
    """Write sentence<TAB>paraphrase for each round trip that came back as something else."""
    _check_output(output)
    sentences = _read(source_file)
    chosen = get_translator(translator, memory_folder=folder)
    taken = round_trips.take_trips(chosen, sentences, pivots, source)
    kept, counts = round_trips.paraphrases(taken, shortest=shortest, longest=longest)
    _put((f"{_cell(trip.sentence)}\t{_cell(trip.returned)}" for trip in kept), output)
    told = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    _note(f"{len(taken):,} round trips by {chosen.name}, version {chosen.version}: {told}")


def identify(source_file: str, output: Path | None) -> None:
    """Write language<TAB>confidence for each line."""
    _check_output(output)
    found = identified(_read(source_file))
    _put((f"{language}\t{confidence:.4f}" for language, confidence in found), output)


def statistics(folder: Path) -> None:
    """Print how much each memory holds, by provider, version and languages."""
    rows: list[tuple[str, ...]] = [
        ("memory", "provider", "version", "pair", "entries", "characters")
    ]
    for name, path in (("own", folder / MEMORY_FILE), ("bundled", BUNDLED)):
        rows += [(name, *row) for row in _counted(path)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [
            cell.rjust(width) if place >= 4 else cell.ljust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells))
    _note(f"own is {folder / MEMORY_FILE}, bundled is {BUNDLED}")


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


def export(folder: Path, output: Path) -> None:
    """Write the person's own memory as .tmx or .tsv."""
    from sts.translation.memory.exchange import write_entries

    memory = _opened(folder / MEMORY_FILE)
    write_entries(output, memory.entries())
    _note(f"{len(memory):,} translations written to {output}")


def take_in(folder: Path, source: Path, provider: str | None) -> None:
    """Add the translations of a .tmx or .tsv file that the memory does not hold yet."""
    from sts.translation.memory.exchange import read_entries

    entries = read_entries(source, provider)
    memory = _opened(folder / MEMORY_FILE)
    new: dict[tuple[object, ...], Entry] = {}
    for entry in entries:
        if _held(memory, entry, entry.version) is None:
            new.setdefault(entry[:5], entry)  # all but the translation: the first holds
    memory.add_entries(new.values())
    served = (_held(memory, entry) for entry in new.values())
    beside = sum(
        first is not None and first.version != entry.version
        for first, entry in zip(served, new.values(), strict=True)
    )
    _note(
        f"{len(entries):,} translations read: {len(new):,} added ({beside:,} beside one of "
        f"another version, which is served first), {len(entries) - len(new):,} held already"
    )


def _held(memory: TranslationMemory, entry: Entry, version: str | None = None) -> Stored | None:
    return memory.get(entry.provider, entry.source, entry.target, entry.text, version)


def _opened(path: Path) -> TranslationMemory:
    memory = TranslationMemory(path)
    memory.refresh()
    return memory


def _read(source: str) -> list[str]:
    """The lines of a UTF-8 file, or of stdin."""
    if source == STDIN:
        return split_lines(decode(stdin().read(), "stdin"))
    return read_lines(Path(source))


def _one_line(text: str) -> str:
    """An engine may answer in two lines, or keep the carriage return inside one."""
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")


def _cell(text: str) -> str:
    return _one_line(text).replace("\t", " ")


def _check_output(output: Path | None) -> None:
    """Fail now, not after the work."""
    if output:
        check_writable(output.absolute().parent)


def _put(out: Iterable[str], output: Path | None) -> None:
    """Lines to a file, whole or not at all, or to stdout."""
    if output:
        write_lines(output, out)
    else:
        for line in out:
            print(line)


def _note(text: str) -> None:
    print(text, file=sys.stderr)
