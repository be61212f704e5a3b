"""The command line of the translators: ``python -m sts.translation``."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from sts.command_line import command_line, positive, run_tool
from sts.data.fetch import memory_folder
from sts.errors import StsError
from sts.translation import DEFAULT, TRANSLATORS, round_trips, translate_files

EXAMPLES = {
    "": """\
examples:
  python -m sts.translation translate spanish.txt --from es --to en -o english.txt
  python -m sts.translation roundtrip sentences.txt --pivot es,ca -o paraphrases.tsv
  python -m sts.translation identify sentences.txt
  python -m sts.translation memory

FILE is a sentence a line, - is stdin. Every translation is kept in a memory and is never
asked for twice, whatever happens to the command.
""",
    "translate": """\
examples:
  python -m sts.translation translate spanish.txt --from es --to en -o english.txt
  echo 'El zorglub duerme.' | python -m sts.translation translate - --from es --to en --marks
  python -m sts.translation translate - --from en --to ca --each

A line out for each line in, in the same order; a blank line stays blank. With --marks each
line is translation<TAB>the words left untranslated, as far as the translator tells.
""",
    "roundtrip": """\
examples:
  python -m sts.translation roundtrip sentences.txt --pivot es -o paraphrases.tsv
  python -m sts.translation roundtrip sentences.txt --pivot es,ca,gl -o paraphrases.tsv

Each line out is sentence<TAB>paraphrase. Left out, and counted on stderr: what came back
the same but for case and punctuation, what holds a word of the other language, what came
back at less than half or more than twice the number of words, and what was there before.
Whether the meaning was kept is for vectors to say:

  python -m embeddings similar paraphrases.tsv
""",
    "identify": """\
examples:
  python -m sts.translation identify sentences.txt

Each line out is language<TAB>confidence: es or en and how probable it is, from 0.5 to 1,
if it is one of the two; und where there are no letters.
""",
    "memory": """\
examples:
  python -m sts.translation memory
  python -m sts.translation memory --export translations.tmx
  python -m sts.translation memory --import theirs.tmx --provider deepl

.tmx is TMX 1.4b, which other translation tools read; .tsv has a header. What is imported
is added to what is held and replaces nothing: the first translation stored is served.
A TMX file that declares entities is refused.
""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m sts.translation",
        "Translate, make paraphrases by round trips, tell Spanish from English.",
        EXAMPLES,
    )
    _add_translate(command("translate", "translate a file, line by line"))
    _add_roundtrip(command("roundtrip", "write paraphrases: there and back"))
    _add_identify(command("identify", "tell which lines are Spanish and which English"))
    _add_memory(command("memory", "show, export or import the stored translations"))
    return parser.parse_args(arguments)


def _add_translate(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    parser.add_argument("--from", dest="source", required=True, metavar="LANG", help="as in es")
    parser.add_argument("--to", dest="target", required=True, metavar="LANG", help="as in en")
    _add_translator(parser)
    parser.add_argument("--marks", action="store_true", help="add the words left untranslated")
    parser.add_argument(
        "--each", action="store_true", help="answer each line of stdin before reading the next"
    )
    parser.add_argument(
        "--renew",
        action="store_true",
        help="ask anew for what another version of the translator gave",
    )


def _add_roundtrip(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    parser.add_argument(
        "--pivot", required=True, type=_languages, metavar="LANG[,LANG...]", help="to go through"
    )
    parser.add_argument(
        "--from", dest="source", default="en", metavar="LANG", help="of the file (default: en)"
    )
    _add_translator(parser)
    for name, default in (("shortest", round_trips.SHORTEST), ("longest", round_trips.LONGEST)):
        parser.add_argument(
            f"--{name}",
            type=positive,
            default=default,
            metavar="RATIO",
            help=f"words of a paraphrase to a word of its sentence (default: {default})",
        )


def _add_identify(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)


def _add_memory(parser: argparse.ArgumentParser) -> None:
    what = parser.add_mutually_exclusive_group()
    what.add_argument(
        "--stats", action="store_true", help="translations and characters (the default)"
    )
    what.add_argument(
        "--export", type=Path, metavar="FILE", help="write your own to a .tmx or .tsv file"
    )
    what.add_argument(
        "--import", dest="source", type=Path, metavar="FILE", help="add those of such a file"
    )
    parser.add_argument("--provider", metavar="NAME", help="of an import that names none")
    _add_memory_folder(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="one sentence a line; - is stdin")
    parser.add_argument("-o", "--output", type=Path, help="file (default: stdout)")


def _add_translator(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--translator",
        metavar="NAME",
        help=f"one of {', '.join(TRANSLATORS)}, or several with commas (default: {DEFAULT})",
    )
    _add_memory_folder(parser)


def _add_memory_folder(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--memory",
        type=Path,
        metavar="FOLDER",
        help="where translations are kept (default: STS_MEMORY, or translations in ~/.cache/sts)",
    )


def _languages(text: str) -> list[str]:
    codes = [code.strip() for code in text.split(",")]
    if not all(codes) or len(set(codes)) < len(codes):
        raise argparse.ArgumentTypeError(f"{text!r}; expected languages like es,ca, each once")
    return codes


def main() -> None:
    """Parse, then hand over to the command."""
    warnings.showwarning = _show_warning
    options = parse()
    match options.command:
        case "translate":
            translate(options)
        case "roundtrip":
            roundtrip(options)
        case "identify":
            translate_files.identify(options.file, options.output)
        case "memory":
            memory(options)


def translate(options: argparse.Namespace) -> None:
    """A file, or stdin line by line."""
    if options.each:
        if options.file != translate_files.STDIN or options.output:
            raise StsError("--each answers stdin on stdout; give - and no --output")
        translate_files.translate_each(
            options.source,
            options.target,
            translator=options.translator,
            folder=_folder(options),
            marks=options.marks,
            renew=options.renew,
        )
    else:
        translate_files.translate(
            options.file,
            options.output,
            options.source,
            options.target,
            translator=options.translator,
            folder=_folder(options),
            marks=options.marks,
            renew=options.renew,
        )


def roundtrip(options: argparse.Namespace) -> None:
    """The pivots out of the options, then the trips."""
    if options.source in options.pivot:
        raise StsError(f"--pivot {options.source} is the language of the file; name another")
    translate_files.roundtrip(
        options.file,
        options.output,
        options.source,
        options.pivot,
        translator=options.translator,
        folder=_folder(options),
        shortest=options.shortest,
        longest=options.longest,
    )


def memory(options: argparse.Namespace) -> None:
    """Statistics, export or import."""
    if options.provider and not options.source:
        raise StsError("--provider has no meaning without --import; leave it out")
    if options.export:
        translate_files.export(_folder(options), options.export)
    elif options.source:
        translate_files.take_in(_folder(options), options.source, options.provider)
    else:
        translate_files.statistics(_folder(options))


def _folder(options: argparse.Namespace) -> Path:
    folder: Path = options.memory or memory_folder()
    return folder


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """A warning is a note to the person here; where in the program it arose tells them nothing."""
    print(f"note: {message}", file=sys.stderr)


if __name__ == "__main__":
    run_tool(main)
