"""``semaniacs translate``: translate files, write paraphrases by round trips, identify languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import click

from semaniacs.sts.command_line import examples, output_option
from semaniacs.sts.data.segments import without_regions
from semaniacs.sts.data.table_kinds import TABLES, encoding_option
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import format_of

Command = Callable[..., Any]


@click.group(
    epilog=examples(
        "semaniacs translate translate spanish.txt --from es --to en -o english.txt",
        "semaniacs translate roundtrip sentences.txt --pivot es,ca -o paraphrases.tsv",
        "semaniacs translate identify sentences.txt",
        "semaniacs translate memory",
    )
)
def translation() -> None:
    """Translate files, write paraphrases by round trips, and identify languages.

    FILE has one sentence per line; - is stdin. Every translation is stored in a memory, so no text
    is sent twice, even if the command is stopped.
    """


def _codes(_: click.Context, __: click.Parameter, text: str) -> list[str]:
    codes = [code.strip() for code in text.split(",")]
    if not all(codes) or len(set(codes)) < len(codes):
        raise click.BadParameter(f"{text!r}; expected languages like es,ca, each once")
    return codes


_language = partial(click.option, required=True, callback=without_regions, metavar="LANG")
memory_option = click.option(
    "--memory",
    type=Path,
    metavar="FOLDER",
    help="Folder of stored translations (default: STS_MEMORY, or translations in ~/.cache/sts).",
)


def translator_options(command: Command) -> Command:
    """Add the options of the translator and of its memory."""
    add = click.option(
        "--translator",
        metavar="NAME",
        help="Translator: memory, apertium or an online engine. Several, separated by commas, are "
        "asked in that order (default: apertium).",
    )
    return add(encoding_option(memory_option(command)))


@translation.command(
    short_help="Translate a file, line by line.",
    epilog=examples(
        "semaniacs translate translate spanish.txt --from es --to en -o english.txt",
        "echo 'El zorglub duerme.' | semaniacs translate translate - --from es --to en --marks",
    ),
)
@click.argument("file")
@output_option(writes="txt tsv")
@_language("--from", "source", help="Source language, such as es.")
@_language("--to", "target", help="Target language, such as en.")
@translator_options
@click.option("--marks", is_flag=True, help="Add the words left untranslated, after a tab.")
def translate(
    file: str,
    output: Path | None,
    source: str,
    target: str,
    translator: str | None,
    memory: Path | None,
    marks: bool,
) -> None:
    """Translate FILE: one line out for each line in, in the same order.

    A blank line stays blank. With --marks each line is translation<TAB>untranslated words, as far
    as the translator reports them.
    """
    from semaniacs.sts.data.table_writers import write_table
    from semaniacs.sts.progress import counted, note
    from semaniacs.sts.translation import get_translator
    from semaniacs.sts.translation.memory import IMPORTED

    format_of(output, "tsv txt" if marks else "txt")
    texts = _read(file)
    chosen = get_translator(translator, memory_folder=_folder(memory))
    found = chosen.translate(texts, source, target)
    rows = ((one.text, " ".join(one.untranslated))[: 1 + marks] for one in found)
    write_table(output, "tsv", ("translation", "untranslated"), rows, named=False)
    by = f"{'memory' if chosen.version == IMPORTED else chosen.name}, version {chosen.version}"
    note(f"{counted(len(texts), 'line')} {source}->{target} by {by}")


@translation.command(
    short_help="Write paraphrases by translating there and back.",
    epilog=examples(
        "semaniacs translate roundtrip sentences.txt --pivot es -o paraphrases.tsv",
        "semaniacs translate roundtrip sentences.txt --pivot es,ca,gl -o paraphrases.tsv",
        "semaniacs similar paraphrases.tsv                measure whether the meaning was kept",
    ),
)
@click.argument("file")
@output_option(writes=TABLES)
@click.option(
    "--pivot",
    required=True,
    callback=_codes,
    metavar="LANG[,LANG...]",
    help="Languages to translate to and back from.",
)
@click.option("--from", "source", default="en", metavar="LANG", help="Language of the file.")
@translator_options
def roundtrip(
    file: str,
    output: Path | None,
    pivot: list[str],
    source: str,
    translator: str | None,
    memory: Path | None,
) -> None:
    """Write sentence<TAB>paraphrase for each round trip that changed the sentence.

    Skipped, and counted on stderr: a sentence that came back the same but for case and
    punctuation, one with a word of the other language, one with less than half or more than
    twice the words, and one that occurred before.
    """
    from semaniacs.sts.data.table_writers import write_table
    from semaniacs.sts.progress import note
    from semaniacs.sts.translation import get_translator, round_trips

    if source in pivot:
        raise StsError(f"--pivot {source} is the language of the file; name another")
    sentences = _read(file)
    chosen = get_translator(translator, memory_folder=_folder(memory))
    taken = round_trips.take_trips(chosen, sentences, pivot, source)
    kept, counts = round_trips.paraphrases(taken)
    rows = ((trip.sentence, trip.returned) for trip in kept)
    kind = format_of(output, TABLES)
    write_table(output, kind, ("sentence", "paraphrase"), rows, named=False)
    summary = ", ".join(f"{name} {count:,}" for name, count in counts.items())
    note(f"{len(taken):,} round trips by {chosen.name}, version {chosen.version}: {summary}")


@translation.command(
    short_help="Identify the language of each line.",
    epilog=examples(
        "semaniacs translate identify sentences.txt",
        "semaniacs translate identify sentences.txt --languages pt,en",
    ),
)
@click.argument("file")
@output_option(writes=TABLES)
@click.option(
    "--languages",
    default="es,en",
    callback=_codes,
    metavar="LANG,LANG",
    help="Two or more languages to tell apart.",
)
@encoding_option
def identify(file: str, output: Path | None, languages: list[str]) -> None:
    """Write language<TAB>probability for each line of FILE.

    The language is one of --languages, or "other". A line without letters is "und" with 0.5.
    """
    from semaniacs.sts.data.table_writers import write_table
    from semaniacs.sts.text import language

    if len(languages) < 2:
        raise StsError(f"--languages {languages[0]}: expected two languages or more, like es,en")
    found = language.identify(_read(file), tuple(languages))
    kind, names = format_of(output, TABLES), ("language", "probability")
    write_table(output, kind, names, found, digits=4, named=False)


@translation.command(
    short_help="Count the stored translations, or import more.",
    epilog=examples(
        "semaniacs translate memory",
        "semaniacs translate memory --import theirs.tmx",
    ),
)
@click.option(
    "--import", "source", type=Path, metavar="FILE", help="TMX file whose translations to add."
)
@click.option("--provider", metavar="NAME", help="Name to store them under (default: imported).")
@memory_option
def memory(source: Path | None, provider: str | None, memory: Path | None) -> None:
    """Count the stored translations, or import those of a TMX file.

    An import adds translations and replaces none; they are used before those of any translator.
    The memory is a file of JSON lines.
    """
    from semaniacs.sts.translation import MEMORY_FILE
    from semaniacs.sts.translation.memory import IMPORTED, import_file, read_memory

    own = _folder(memory) / MEMORY_FILE
    if provider and source is None:
        raise StsError("--provider NAME belongs to --import FILE; give both")
    if source:
        import_file(own, source, provider or IMPORTED)
    else:
        click.echo(f"{len(read_memory(own)):,} translations in {own}")


def _folder(named: Path | None) -> Path:
    from semaniacs.sts.cache import memory_folder  # it imports numpy

    return named or memory_folder()


def _read(file: str) -> list[str]:
    """Return the lines of a file, or of stdin."""
    from semaniacs.sts.encodings import decode, open_text
    from semaniacs.sts.files import split_lines

    with open_text(file) as opened:
        return split_lines(decode(opened.read(), file))
