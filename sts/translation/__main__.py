"""The command line of the translators: ``python -m sts.translation``."""

from __future__ import annotations

import argparse
import sys
import warnings
from pathlib import Path

from sts.command_line import command_line, positive, run_tool
from sts.data.fetch import memory_folder
from sts.errors import StsError
from sts.text.language import SPANISH_ENGLISH
from sts.translation import BUNDLED, DEFAULT, MEMORY_FILE, TRANSLATORS, line_by_line, round_trips
from sts.translation.memory import exchange, statistics

EXAMPLES = {
    "": """\
examples:
  python -m sts.translation translate spanish.txt --from es --to en -o english.txt
  python -m sts.translation roundtrip sentences.txt --pivot es,ca -o paraphrases.tsv
  python -m sts.translation identify sentences.txt
  python -m sts.translation memory

FILE has one sentence per line, - is stdin. Every translation is stored in a memory, and no
text is sent twice, whatever happens to the command.
""",
    "translate": """\
examples:
  python -m sts.translation translate spanish.txt --from es --to en -o english.txt
  echo 'El zorglub duerme.' | python -m sts.translation translate - --from es --to en --marks
  python -m sts.translation translate - --from en --to ca --each

One line out for each line in, in the same order; a blank line stays blank. With --marks each
line is translation<TAB>untranslated words, as far as the translator reports them.
""",
    "roundtrip": """\
examples:
  python -m sts.translation roundtrip sentences.txt --pivot es -o paraphrases.tsv
  python -m sts.translation roundtrip sentences.txt --pivot es,ca,gl -o paraphrases.tsv

Each line out is sentence<TAB>paraphrase. Left out, and counted on stderr: what came back
the same but for case and punctuation, what holds a word of the other language, what came
back at less than half or more than twice the number of words, and what came before.
Whether the meaning was kept can be measured by vectors:

  python -m embeddings similar paraphrases.tsv
""",
    "identify": """\
examples:
  python -m sts.translation identify sentences.txt
  python -m sts.translation identify sentences.txt --languages pt,en

Each line out is language<TAB>confidence: the more probable of the two languages, or other,
and its probability, from 1/3 to 1; und and 0.5 where there are no letters.
""",
    "memory": """\
examples:
  python -m sts.translation memory
  python -m sts.translation memory --export translations.tmx
  python -m sts.translation memory --import theirs.tmx --provider deepl

.tmx is TMX 1.4b, which other translation tools read; .tsv has a header. What is imported
is added and replaces nothing: the first translation stored is used.
A TMX file that declares entities is refused.
""",
}


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser, command = command_line(
        "python -m sts.translation",
        "Translate, make paraphrases by round trips, tell languages apart.",
        EXAMPLES,
    )
    _add_translate(command("translate", "translate a file, line by line"))
    _add_roundtrip(command("roundtrip", "write paraphrases: there and back"))
    _add_identify(
        command("identify", "tell the language of each line, Spanish or English by default")
    )
    _add_memory(command("memory", "show, export or import the stored translations"))
    return parser.parse_args(arguments)


def _add_translate(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    add = parser.add_argument
    add("--from", dest="source", required=True, metavar="LANG", help="as in es")
    add("--to", dest="target", required=True, metavar="LANG", help="as in en")
    _add_translator(parser)
    named = "translate the lines in --from alone: others stay as they are, and are counted"
    add("--only", action="store_true", help=named)
    add("--marks", action="store_true", help="add the words left untranslated")
    add("--each", action="store_true", help="answer each line of stdin before reading the next")
    again = "translate again what another version of the translator gave"
    add("--renew", action="store_true", help=again)


def _add_roundtrip(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    add = parser.add_argument
    add("--pivot", required=True, type=_languages, metavar="LANG[,LANG...]", help="to go through")
    add("--from", dest="source", default="en", metavar="LANG", help="of the file (default: en)")
    _add_translator(parser)
    for name, default in (("--shortest", round_trips.SHORTEST), ("--longest", round_trips.LONGEST)):
        about = f"words of a paraphrase to a word of its sentence (default: {default})"
        add(name, type=positive, default=default, metavar="RATIO", help=about)


def _add_identify(parser: argparse.ArgumentParser) -> None:
    _add_files(parser)
    parser.add_argument(
        "--languages",
        type=_several_languages,
        default=SPANISH_ENGLISH,
        metavar="LANG,LANG",
        help="those to tell apart, two or more (default: es,en)",
    )


def _add_memory(parser: argparse.ArgumentParser) -> None:
    add = parser.add_mutually_exclusive_group().add_argument
    add("--stats", action="store_true", help="translations and characters (the default)")
    add("--export", type=Path, metavar="FILE", help="write your own to a .tmx or .tsv file")
    add("--import", dest="source", type=Path, metavar="FILE", help="add those of such a file")
    parser.add_argument("--provider", metavar="NAME", help="of an import that names none")
    _add_memory_folder(parser)


def _add_files(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", help="one sentence a line; - is stdin")
    parser.add_argument("-o", "--output", type=Path, help="file (default: stdout)")


def _add_translator(parser: argparse.ArgumentParser) -> None:
    names = f"one of {', '.join(TRANSLATORS)}, or several with commas (default: {DEFAULT})"
    parser.add_argument("--translator", metavar="NAME", help=names)
    _add_memory_folder(parser)


def _add_memory_folder(parser: argparse.ArgumentParser) -> None:
    where = "where translations are stored (default: STS_MEMORY, or translations in ~/.cache/sts)"
    parser.add_argument("--memory", type=Path, metavar="FOLDER", help=where)


def _several_languages(text: str) -> list[str]:
    codes = _languages(text)
    if len(codes) < 2:
        raise argparse.ArgumentTypeError(f"{text!r}; expected two languages or more, like es,en")
    return codes


def _languages(text: str) -> list[str]:
    codes = [code.strip() for code in text.split(",")]
    if not all(codes) or len(set(codes)) < len(codes):
        raise argparse.ArgumentTypeError(f"{text!r}; expected languages like es,ca, each once")
    return codes


def main() -> None:
    """Parse, then hand over to the command."""
    warnings.showwarning = _show_warning
    options = parse()
    if "memory" in options and options.memory is None:
        options.memory = memory_folder()
    match options.command:
        case "translate" if options.each:
            line_by_line.translate_each(options)
        case "translate":
            line_by_line.translate(options)
        case "roundtrip":
            line_by_line.roundtrip(options)
        case "identify":
            line_by_line.identify(options)
        case "memory":
            memory(options)


def memory(options: argparse.Namespace) -> None:
    """Statistics, export or import."""
    if options.provider and not options.source:
        raise StsError("--provider has no meaning without --import; leave it out")
    own = options.memory / MEMORY_FILE
    if options.export:
        exchange.export_file(own, options.export)
    elif options.source:
        exchange.import_file(own, options.source, options.provider)
    else:
        statistics.show({"own": own, "bundled": BUNDLED})


# Without the place in the program where the warning arose.
def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    print(f"note: {message}", file=sys.stderr)


if __name__ == "__main__":
    run_tool(main)
