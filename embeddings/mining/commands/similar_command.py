"""``similar``: the cosines of pairs, or the nearest lines of a list."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator
from pathlib import Path

from embeddings.bitext.identifying import note_languages
from embeddings.encoder import SentenceEncoder
from embeddings.formats.lines import columns, write_out
from embeddings.loading import BUNDLED, DEFAULT, ENGLISH, load_languages
from embeddings.mining.commands.mining_options import Options, Parser
from embeddings.transformer.fine_tuning.cross_encoders.folders import load_pair_scorer, scores_pairs
from sts.command_line import count
from sts.data.tables.pair_options import TABLES, add_pair_columns, pair_columns
from sts.data.tables.pair_table import LEAVE_OUT, pair_blocks
from sts.data.tables.table_kinds import is_table
from sts.data.tables.table_writer import on_a_line
from sts.data.tables.text_rows import Reading, read_texts
from sts.errors import StsError
from sts.files import check_distinct
from sts.progress import counted, note
from sts.text.not_english import watching

EXAMPLES = """\
examples:
  python -m embeddings similar pairs.tsv -o cosines.txt
  python -m embeddings similar pairs.csv --left question --right answer
  python -m embeddings similar questions.txt --against answers.txt -k 3
  python -m embeddings similar es-en.tsv --model bitext-teacher --languages es en

A line of the output is a row of FILE. The cosine of a blank sentence is 0. With a cross-encoder (see
tune) as MODEL, the score of both orders of a pair, from 0 to 1.
With --against, each line written is: line of FILE, cosine, line of LIST, separated by tabs, the
most similar first; equal lines are found once. semaniacs search has ids and indexes to keep.
"""


def add_model(parser: Parser, bundled: Iterable[str], flag: str = "--model") -> None:
    """Add the option of a model, of which these are bundled."""
    names = ", ".join(bundled)
    about = f"bundled name ({names}), file or folder (default: {DEFAULT})"
    parser.add_argument(flag, dest="model", default=DEFAULT, metavar="MODEL", help=about)


def add_pairs(parser: Parser) -> None:
    """Add the options of a command that reads pairs and writes lines."""
    about = f"left<TAB>right a line, or a table: {TABLES}; - is stdin"
    parser.add_argument("file", metavar="FILE", help=about)
    parser.add_argument("-o", "--output", type=Path, help="file (default: stdout)")
    add_pair_columns(parser, gold=False, read_as=True)


def add_similar(parser: Parser) -> None:
    """Add the options of the command."""
    add_pairs(parser)
    parser.add_argument("--digits", type=_digits, default=4, help="of a cosine (default: 4)")
    parser.add_argument("--against", metavar="LIST", help="file to find similar lines in")
    parser.add_argument("--text", metavar="COL", help="with --against: column of FILE")
    about = "column of LIST (default: as --text)"
    parser.add_argument("--against-text", metavar="COL", help=about)
    parser.add_argument("-k", type=count, help="how many similar lines to find (default: 5)")
    parser.add_argument(
        "--languages",
        nargs=2,
        default=(None, None),
        metavar=("LEFT", "RIGHT"),
        help="codes of the two sides, for a model of several languages; auto identifies them",
    )
    add_model(parser, BUNDLED)
    parser.set_defaults(run=similar)


def _digits(text: str) -> int:
    if not 0 <= int(text) <= 17:
        raise argparse.ArgumentTypeError(f"{text}; expected 0 to 17")
    return int(text)


def similar(options: Options) -> None:
    """Write the cosine of the sides of each pair, or the nearest lines of a list to each line."""
    if options.against is None and options.k is not None:
        raise StsError("-k has no meaning without --against; leave it out")
    if options.against is None and (options.text or options.against_text):
        raise StsError("--text belongs to --against; pairs have --left and --right")
    if options.against is not None and (options.left or options.right):
        raise StsError("--left and --right name columns of pairs; with --against, give --text")
    lists = [one for one in (options.file, options.against) if one is not None]
    if options.text and options.read_as is None and not any(map(is_table, lists)):
        raise StsError("--text names a column, and neither file is a table; give --from, or none")
    if options.against == options.file == "-":
        raise StsError("FILE and --against cannot both be stdin; put one in a file")
    check_distinct(options.file, options.output)
    check_distinct(options.against, options.output)
    if scores_pairs(Path(options.model)):
        write_out(pair_scores(options), options.output)
        return
    encoders = load_languages(options.model, options.languages, "--languages")
    found = cosines if options.against is None else neighbours
    write_out(found(options, *encoders), options.output)
    note_languages(encoders, options.model, "--languages", options.languages)


def cosines(options: Options, one: SentenceEncoder, other: SentenceEncoder) -> Iterator[str]:
    """The cosine of both sentences of each pair."""
    blank = 0
    with watching(options.model, ENGLISH, "--languages") as seen:
        for left, right in sides_of(options):
            blank += sum(not (a.strip() and b.strip()) for a, b in zip(left, right, strict=True))
            texts, others = (list(seen(side)) for side in (left, right))
            for cosine in one.similarity_pairwise(texts, others, other):
                yield f"{cosine:z.{options.digits}f}"
    if blank:
        note(f"{options.file}: {counted(blank, 'pair')} without one of its sentences: cosine 0")


def sides_of(options: Options, advice: str | None = None) -> Iterator[tuple[list[str], list[str]]]:
    """Both sides of some pairs at a time; a missing sentence is "" unless there is advice."""
    for block in pair_blocks(options.file, pair_columns(options), advice=advice, option=None):
        yield block.left, block.right


def pair_scores(options: Options) -> Iterator[str]:
    """What a network that reads both sides says of each line, from 0 to 1."""
    if options.against is not None or any(options.languages):
        raise StsError(
            f"{options.model}: a cross-encoder, which scores pairs alone; "
            "leave out --against and --languages"
        )
    model = load_pair_scorer(Path(options.model))
    for left, right in sides_of(options, advice=LEAVE_OUT):
        for score in model.predict(left, right):
            yield f"{score:.{options.digits}f}"


def neighbours(options: Options, one: SentenceEncoder, other: SentenceEncoder) -> Iterator[str]:
    """For each line the most similar lines of a list: query, cosine, sentence."""
    from embeddings.mining.similar_sentences import most_similar

    with watching(options.model, ENGLISH, "--languages") as seen:
        sentences = list(seen(_texts(options.against, options, "--against-text")))
        queries = seen(_texts(options.file, options, "--text"))
        for near in most_similar(one, queries, sentences, options.k or 5, other):
            yield "\t".join((near.query, f"{near.cosine:z.{options.digits}f}", near.sentence))


def _texts(source: str, options: Options, option: str) -> Iterator[str]:
    """The sentences of a file, on one line each."""
    other = options.against_text if option == "--against-text" else None
    how = reading(options, other or (options.text if is_table(source) else None))
    if how.is_plain(source):
        return (text for (text,) in columns(source, "sentence"))
    return (on_a_line(text) for text in read_texts(source, how, option))


def reading(options: Options, text: str | None) -> Reading:
    """How the options say that a table is read, with this column of texts."""
    return Reading(text, None, options.header, options.read_as, options.delimiter)
