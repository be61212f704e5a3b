"""Files of one sentence per line: translate them, paraphrase them, tell their languages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sts.command_line import stdin
from sts.errors import StsError
from sts.files import check_writable, decode, read_lines, split_lines, write_lines
from sts.progress import note
from sts.text.language import Languages
from sts.text.language import identify as identified
from sts.translation import (
    BUNDLED,
    DEFAULT,
    MEMORY_FILE,
    ApertiumKeptOpen,
    CachedTranslator,
    TranslationMemory,
    Translator,
    get_translator,
    round_trips,
)

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
    """Write the translation of each line, with ``marks`` also its untranslated words."""
    _check_output(output)
    texts = _read(source_file)
    chosen = get_translator(translator, memory_folder=folder, renew=renew)
    _put(_translated(chosen, texts, source, target, marks), output)
    note(f"{len(texts):,} lines {source}->{target} by {chosen.name}, version {chosen.version}")


def translate_each(
    source: str,
    target: str,
    *,
    translator: str | None,
    folder: Path,
    marks: bool,
    renew: bool,
) -> None:
    """Translate each line of stdin before the next is read, by an Apertium that stays open."""
    if translator not in (None, DEFAULT):
        raise StsError(f"--each keeps {DEFAULT} open and has no meaning with {translator!r}")
    memories = (TranslationMemory(BUNDLED), TranslationMemory(folder / MEMORY_FILE))
    with ApertiumKeptOpen() as provider:
        chosen = CachedTranslator(provider, *memories, renew=renew)
        for number, raw in enumerate(stdin(), start=1):
            (text,) = split_lines(decode(raw, f"stdin, line {number}"))
            (line,) = _translated(chosen, [text], source, target, marks)
            print(line, flush=True)


def _translated(
    translator: Translator, texts: Sequence[str], source: str, target: str, marks: bool
) -> Iterator[str]:
    """One line per text, blank if the text is; with ``marks`` its untranslated words too."""
    for found in translator.translate(texts, source, target):
        if marks:
            yield f"{_cell(found.text)}\t{' '.join(map(_cell, found.untranslated))}"
        else:
            yield _one_line(found.text)


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
    """Write sentence<TAB>paraphrase for each round trip that came back as another sentence."""
    _check_output(output)
    sentences = _read(source_file)
    chosen = get_translator(translator, memory_folder=folder)
    taken = round_trips.take_trips(chosen, sentences, pivots, source)
    kept, counts = round_trips.paraphrases(taken, shortest=shortest, longest=longest)
    _put((f"{_cell(trip.sentence)}\t{_cell(trip.returned)}" for trip in kept), output)
    summary = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    note(f"{len(taken):,} round trips by {chosen.name}, version {chosen.version}: {summary}")


def identify(source_file: str, output: Path | None, languages: Languages) -> None:
    """Write language<TAB>confidence for each line."""
    _check_output(output)
    found = identified(_read(source_file), languages)
    _put((f"{language}\t{confidence:.4f}" for language, confidence in found), output)


def _read(source: str) -> list[str]:
    """The lines of a UTF-8 file, or of stdin."""
    if source == STDIN:
        return split_lines(decode(stdin().read(), "stdin"))
    return read_lines(Path(source))


def _one_line(text: str) -> str:
    """On one line: a provider may answer in two, or keep a carriage return."""
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")


def _cell(text: str) -> str:
    return _one_line(text).replace("\t", " ")


def _check_output(output: Path | None) -> None:
    """Fail before the work if the output cannot be written."""
    if output:
        check_writable(output.absolute().parent)


def _put(out: Iterable[str], output: Path | None) -> None:
    """Lines to a file, whole or not at all, or to stdout."""
    if output:
        write_lines(output, out)
    else:
        for line in out:
            print(line)
