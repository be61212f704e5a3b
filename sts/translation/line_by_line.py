"""Files of one sentence per line: translate them, paraphrase them, tell their languages.

Each function is a command of ``python -m sts.translation`` and takes its options.
"""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path

from sts.command_line import stdin
from sts.errors import StsError
from sts.files import check_writable, decode, read_lines, split_lines, write_lines
from sts.progress import counted, note
from sts.text import language
from sts.translation import (
    DEFAULT,
    ApertiumKeptOpen,
    CachedTranslator,
    Translation,
    get_translator,
    memories_in,
    round_trips,
)

STDIN = "-"


def translate(options: Namespace) -> None:
    """Write the translation of each line, with ``--marks`` also its untranslated words."""
    texts = _read(options)
    source, target = options.source, options.target
    chosen = get_translator(options.translator, memory_folder=options.memory, renew=options.renew)
    if options.only:
        codes = [one.language for one in language.identify(texts, (source, target))]
        wanted = [text for text, code in zip(texts, codes, strict=True) if code == source]
        translated = iter(chosen.translate(wanted, source, target))
        found = [
            next(translated) if code == source else Translation(text)
            for text, code in zip(texts, codes, strict=True)
        ]
        left = sum(code not in (source, language.UNDETERMINED) for code in codes)
        note(f"{left:,} lines are not in {source} and stay as they are")
    else:
        wanted, found = texts, chosen.translate(texts, source, target)
    _put((_line(one, options.marks) for one in found), options.output)
    note(
        f"{counted(len(wanted), 'line')} {source}->{target} by {chosen.name}, version {chosen.version}"
    )


def translate_each(options: Namespace) -> None:
    """Translate each line of stdin before the next is read, by an Apertium that stays open."""
    if options.only:
        raise StsError("--only reads all lines first and has no meaning with --each; leave it out")
    if options.file != STDIN or options.output:
        raise StsError("--each answers stdin on stdout; give - and no --output")
    if options.translator not in (None, DEFAULT):
        raise StsError(
            f"--each keeps {DEFAULT} open and has no meaning with {options.translator!r}"
        )
    with ApertiumKeptOpen() as provider:
        chosen = CachedTranslator(provider, *memories_in(options.memory), renew=options.renew)
        for number, raw in enumerate(stdin(), start=1):
            texts = split_lines(decode(raw, f"stdin, line {number}"))
            (found,) = chosen.translate(texts, options.source, options.target)
            print(_line(found, options.marks), flush=True)


def roundtrip(options: Namespace) -> None:
    """Write sentence<TAB>paraphrase for each round trip that came back as another sentence."""
    if options.source in options.pivot:
        raise StsError(f"--pivot {options.source} is the language of the file; name another")
    sentences = _read(options)
    chosen = get_translator(options.translator, memory_folder=options.memory)
    taken = round_trips.take_trips(chosen, sentences, options.pivot, options.source)
    kept, counts = round_trips.paraphrases(
        taken, shortest=options.shortest, longest=options.longest
    )
    _put((f"{_cell(trip.sentence)}\t{_cell(trip.returned)}" for trip in kept), options.output)
    summary = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    note(f"{len(taken):,} round trips by {chosen.name}, version {chosen.version}: {summary}")


def identify(options: Namespace) -> None:
    """Write language<TAB>confidence for each line."""
    found = language.identify(_read(options), options.languages)
    _put((f"{code}\t{confidence:.4f}" for code, confidence in found), options.output)


def _read(options: Namespace) -> list[str]:
    """The lines of a UTF-8 file, or of stdin, once the output is known to be writable."""
    if options.output:
        check_writable(options.output.absolute().parent)
    if options.file == STDIN:
        return split_lines(decode(stdin().read(), "stdin"))
    return read_lines(Path(options.file))


def _line(found: Translation, marks: bool) -> str:
    """The line of one translation, with ``marks`` its untranslated words too."""
    if marks:
        return f"{_cell(found.text)}\t{' '.join(map(_cell, found.untranslated))}"
    return _one_line(found.text)


def _one_line(text: str) -> str:
    """On one line: a provider may answer in two, or keep a carriage return."""
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")


def _cell(text: str) -> str:
    return _one_line(text).replace("\t", " ")


def _put(lines: Iterable[str], output: Path | None) -> None:
    """Lines to a file, whole or not at all, or to stdout."""
    if output:
        write_lines(output, lines)
    else:
        for line in lines:
            print(line)
