"""``semaniacs encode``, ``similar`` and ``keep``: use an encoder."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import click

from semaniacs.embeddings.bitext.multilingual import note_languages
from semaniacs.embeddings.cli.shared_options import (
    both_languages_option,
    digits_option,
    encoder_option,
    pair_columns,
    reading,
)
from semaniacs.embeddings.encoder import SentenceEncoder
from semaniacs.embeddings.formats.lines import columns as cells_of
from semaniacs.embeddings.formats.lines import utf8_batches
from semaniacs.embeddings.formats.numpy_file import write_rows
from semaniacs.embeddings.loading import ENGLISH, load, load_languages, load_static
from semaniacs.embeddings.mining.similar_sentences import most_similar
from semaniacs.embeddings.table import Vectors
from semaniacs.embeddings.training.corpora import keep_useful_round_trips
from semaniacs.embeddings.transformer.fine_tuning.transformer_folder import (
    load_pair_scorer,
    scores_pairs,
)
from semaniacs.sts.command_line import (
    COUNT,
    Number,
    examples,
    languages_option,
    option,
    output_option,
    text_option,
    top_k_option,
)
from semaniacs.sts.data.pair_table import LEAVE_OUT, pair_blocks
from semaniacs.sts.data.table_kinds import TABLES, is_table, pair_options, table_options
from semaniacs.sts.data.table_writers import on_a_line, write_table
from semaniacs.sts.data.text_rows import Reading, read_texts
from semaniacs.sts.errors import StsError
from semaniacs.sts.files import check_distinct, format_of
from semaniacs.sts.progress import Bar, counted, note
from semaniacs.sts.text.languages_found import NotEnglish, watching

Pairs = Iterator[tuple[list[str], list[str]]]  # left and right sentences, some pairs at a time


@click.command(
    short_help="Write the vectors of sentences.",
    epilog=examples(
        "semaniacs encode sentences.txt -o vectors.npy",
        "zcat many.txt.gz | semaniacs encode - -o vectors.npy --model tuned.safetensors",
        "semaniacs encode questions.csv --text question -o vectors.npy",
        "semaniacs encode spanish.txt -o vectors.npy --model multilingual",
    ),
)
@click.argument("file")
@text_option()
@table_options
@output_option(required=True, writes="npy", metavar="OUT.npy", help="File of (n, dim) float32.")
@option("--batch", type=COUNT, default=65536, help="Number of lines to encode at once.")
@languages_option("language")
@encoder_option
def encode(
    file: str,
    text: str | None,
    output: Path,
    batch: int,
    language: str | None,
    model: str,
    **table: Any,
) -> None:
    """Write the vectors of the sentences in FILE, one row per line.

    FILE has one sentence per line, or is CSV, TSV, JSONL or Parquet; gzip too; - is stdin. A blank
    sentence is a row of zeros. In Python: numpy.load("vectors.npy", mmap_mode="r").
    """
    check_distinct(file, output)
    encoder = load(model, language, "--languages")
    seen = NotEnglish()
    with Bar("vectors", "sentences") as bar:

        def batches() -> Iterator[Vectors]:
            for sentences, beyond_ascii in _batches(file, reading(text, table), batch):
                if model in ENGLISH:
                    seen.count_few(sentences, beyond_ascii)
                yield encoder.encode(sentences)
                bar.update(len(sentences))

        written = write_rows(output, encoder.dim, batches())
    seen.note(model, "--language")
    note_languages([encoder], model, "--language")
    note(f"{written:,} vectors of {encoder.dim} numbers written to {output}")


def _batches(file: str, how: Reading, batch: int) -> Iterator[tuple[Sequence[str], Iterable[int]]]:
    if how.is_plain(file):
        for some in utf8_batches(file, batch):
            yield some, some.beyond_ascii()
        return
    texts = read_texts(file, how)
    while rows := list(islice(texts, batch)):
        yield rows, (i for i, text in enumerate(rows) if not text.isascii())


@click.command(
    short_help="Write cosines of pairs, or the nearest lines of a list.",
    epilog=examples(
        "semaniacs similar pairs.tsv -o cosines.txt",
        "semaniacs similar pairs.csv --left question --right answer",
        "semaniacs similar questions.txt --against answers.txt --top-k 3",
        "semaniacs similar es-en.tsv --model multilingual",
    ),
)
@click.argument("file")
@output_option(writes=TABLES)
@pair_options
@digits_option
@option("--against", metavar="LIST", help="File to find similar lines in.")
@text_option(help="Column of FILE, with --against.")
@option("--against-text", metavar="COLUMN", help="Column of LIST (default: as --text).")
@top_k_option(help="Number of similar lines (default: 5), with --against.")
@both_languages_option
@encoder_option
def similar(file: str, output: Path | None, model: str, **options: Any) -> None:
    """Write the cosine of each pair in FILE, or the nearest lines of a list.

    One line per pair, empty if --missing skip left the pair out. If MODEL is a cross-encoder (see:
    semaniacs tune), the mean score of both orders of the pair, from 0 to 1. With --against, each
    line is: line of FILE, cosine, line of LIST, separated by tabs. For ids and kept indexes:
    semaniacs search.
    """
    against, languages = options["against"], options["languages"]
    _check_similar(file, options)
    check_distinct(file, output)
    check_distinct(against, output)
    kind, how = format_of(output, TABLES), {"digits": options["digits"], "named": False}
    if scores_pairs(Path(model)):
        if against is not None or languages:
            raise StsError(
                f"{model}: a cross-encoder, which scores pairs alone; "
                "leave out --against and --languages"
            )
        write_table(output, kind, ("score",), _pair_scores(file, options, model), **how)
        return
    codes = languages or (None, None)
    encoders = load_languages(model, codes, "--languages")
    rows = (_cosines if against is None else _nearest)(file, options, encoders, model)
    names = ("cosine",) if against is None else ("query", "cosine", "sentence")
    write_table(output, kind, names, rows, **how)
    note_languages(encoders, model, "--languages", codes)


def _check_similar(file: str, options: dict[str, Any]) -> None:
    against = options["against"]
    if against is None and options["top_k"] is not None:
        raise StsError("--top-k has no meaning without --against; leave it out")
    if against is None and (options["text"] or options["against_text"]):
        raise StsError("--text belongs to --against; pairs have --left and --right")
    if against is not None and (options["left"] or options["right"]):
        raise StsError("--left and --right name columns of pairs; with --against, give --text")
    if against == file == "-":
        raise StsError("FILE and --against cannot both be stdin; put one in a file")


def _sides(file: str, options: dict[str, Any], *, whole: bool = True) -> Pairs:
    """Yield both sides of some pairs at a time; of the ``whole`` file, a skipped sentence is ""."""
    advice = None if whole and options["missing"] == "skip" else LEAVE_OUT
    for block in pair_blocks(file, pair_columns(options), advice=advice):
        yield block.left, block.right


def _cosines(
    file: str, options: dict[str, Any], encoders: list[SentenceEncoder], model: str
) -> Iterator[tuple[float | None]]:
    blank = 0
    with watching(model, ENGLISH, "--languages") as seen:
        for left, right in _sides(file, options):
            texts, others = (list(seen(side)) for side in (left, right))
            cosines = encoders[0].similarity_pairwise(texts, others, encoders[1])
            for a, b, cosine in zip(left, right, cosines, strict=True):
                blank += not (a and b)
                yield (float(cosine) if a and b else None,)
    if blank:
        note(f"{file}: {counted(blank, 'pair')} without one of its sentences: an empty line each")


def _pair_scores(file: str, options: dict[str, Any], model: str) -> Iterator[tuple[float | None]]:
    scorer = load_pair_scorer(Path(model))
    for one, other in _sides(file, options):
        for a, b, score in zip(one, other, scorer.predict(one, other), strict=True):
            yield (float(score) if a and b else None,)


def _nearest(
    file: str, options: dict[str, Any], encoders: list[SentenceEncoder], model: str
) -> Iterator[tuple[str, float, str]]:
    against, column = options["against"], options["text"]
    if column and options["read_as"] is None and not (is_table(file) or is_table(against)):
        raise StsError(
            "--text names a column, and neither file is a table; give --input-format, or no --text"
        )

    def texts(source: str, own: str | None, option_: str) -> Iterator[str]:
        shared = own == column and not is_table(source)
        how = reading(None if shared else own, options)
        if how.is_plain(source):
            return (text for (text,) in cells_of(source, "sentence"))
        return (on_a_line(text) for text in read_texts(source, how, option_))

    with watching(model, ENGLISH, "--languages") as seen:
        others = texts(against, options["against_text"] or column, "--against-text")
        sentences = list(seen(others))
        queries = seen(texts(file, column, "--text"))
        k = options["top_k"] or 5
        yield from most_similar(encoders[0], queries, sentences, k, encoders[1])


@click.command(
    short_help="Filter pairs by their cosine.",
    epilog=examples(
        "semaniacs translate roundtrip FILE --pivot es | semaniacs keep - -o OUT.tsv",
        "semaniacs keep pairs.tsv --lowest 0.6 --highest 0.95",
    ),
)
@click.argument("file")
@output_option(writes=TABLES)
@pair_options
@option("--lowest", type=Number(-1, 1), default=0.5, help="Lowest cosine.")
@option("--highest", type=Number(-1, 1), default=1.0, help="Highest cosine.")
@encoder_option
def keep(
    file: str, output: Path | None, lowest: float, highest: float, model: str, **columns: Any
) -> None:
    """Keep the pairs of FILE whose cosine is in a range, as training data of paraphrases.

    Pairs of the same words are left out too. Counts are printed on stderr.
    """
    if lowest > highest:
        raise StsError(f"--lowest {lowest:g} is above --highest {highest:g}; give a lower one")
    check_distinct(file, output)
    pairs = [
        (on_a_line(one), on_a_line(other))
        for block in _sides(file, columns, whole=False)
        for one, other in zip(*block, strict=True)
    ]
    encoder = load_static(model)
    kept, counts = keep_useful_round_trips(pairs, encoder, lowest=lowest, highest=highest)
    write_table(output, format_of(output, TABLES), ("left", "right"), kept, named=False)
    summary = ", ".join(f"{count:,} {reason}" for reason, count in counts.items())
    note(f"{len(pairs):,} pairs: {summary}")
