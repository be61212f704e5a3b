"""``semaniacs mine``: find translations, paraphrases and duplicates among many lines."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import numpy as np

from semaniacs.embeddings.bitext.multilingual import note_languages
from semaniacs.embeddings.cli.mining_task import check_output, plant, score
from semaniacs.embeddings.cli.shared_options import (
    FILE,
    both_languages_option,
    choice,
    encoder_option,
    flag,
    reading,
    together,
)
from semaniacs.embeddings.loading import ENGLISH
from semaniacs.embeddings.mining.bucc import (
    SentenceFile,
    check_gold_pairs,
    open_sentences,
    read_gold_pairs,
)
from semaniacs.embeddings.mining.candidates import mine as mine_rows
from semaniacs.embeddings.mining.corpus_vectors import encode_corpus, mining_encoder, parts_of
from semaniacs.embeddings.mining.duplicates import (
    check_threshold,
    reads_names,
    summary,
    vectors_on_disk,
    write_groups,
    write_pairs,
)
from semaniacs.embeddings.mining.groups import Copies, find_groups
from semaniacs.embeddings.mining.neighbours import BLOCK, Ivf, close_pairs
from semaniacs.embeddings.mining.ranked_pairs import (
    paraphrases_of,
    rank_pairs,
    take_best,
    threshold_on_gold,
    write_bitext,
    write_paraphrases,
)
from semaniacs.sts.command_line import (
    COUNT,
    FINITE,
    Decorator,
    examples,
    given,
    input_format_option,
    languages_option,
    model_option,
    option,
    output_option,
    text_option,
    threshold_option,
    top_k_option,
)
from semaniacs.sts.data.table_kinds import TABLES, encoding_option, table_options
from semaniacs.sts.data.text_rows import TextRows
from semaniacs.sts.errors import DataError, StsError, require
from semaniacs.sts.files import check_distinct, format_of, temporary_folder
from semaniacs.sts.progress import counted, note, track
from semaniacs.sts.text.languages_found import watching

MARGIN = "Score: the cosine (absolute), or compared with those of the neighbours."
GROUPS = f"table {TABLES}"
USUAL_TOP = 1000
"""Pairs that are written if neither a number nor a threshold is given."""


@click.group(
    epilog=examples(
        "semaniacs mine bitext news.es news.en -o pairs.tsv --model multilingual",
        "semaniacs mine paraphrases questions.txt --top 100",
        "semaniacs mine duplicates questions.txt --kept distinct.txt",
    )
)
def mine() -> None:
    """Find sentences that mean the same, by their vectors."""


mine.add_command(score)
mine.add_command(plant)


def mining_options(margin: str) -> Decorator:
    """Return a decorator that adds the options of a search of neighbours."""
    return together(
        output_option(writes=TABLES),
        input_format_option(
            old=("--format",),
            type=click.Choice(["bucc", "plain"]),
            help="bucc: id<TAB>sentence (default: if the first line has an id).",
        ),
        threshold_option(),
        choice("--margin", "ratio distance absolute", MARGIN, default=margin),
        top_k_option(default=4, help="Number of neighbours of a sentence."),
        choice("--search", "exact ivf", "Exact, or faster in the nearest clusters (needs faiss)."),
        option("--clusters", type=COUNT, help="Number of clusters (default: 2 √sentences)."),
        option("--probe", type=COUNT, help="Clusters to search per sentence (default: 32)."),
        option("--block", type=COUNT, default=BLOCK, help="Vectors of each side in memory."),
        encoding_option,
    )


@mine.command(
    epilog=examples(
        "semaniacs mine bitext es.txt en.txt --model MODEL --threshold 1.1",
        "semaniacs mine bitext news.es news.en -o pairs.tsv --model multilingual+bitext-sp",
        "semaniacs mine bitext dev.zh dev.en -o pairs.tsv --model MODEL --gold dev.gold",
    )
)
@click.argument("source")
@click.argument("target")
@model_option(
    default=None, required=True, callback=given, help="Encoder of both languages; A+B joins two."
)
@both_languages_option
@choice(
    "--candidates",
    "max intersection forward backward",
    "max: the best of both directions, each sentence once; intersection: pairs found in both; "
    "forward, backward: the best of each sentence of one side.",
)
@option("--gold", metavar="FILE", help="Choose the threshold with the best F1 on these pairs.")
@flag("--distinct", "Skip sentences that repeat an earlier line, but for case and punctuation.")
@option("--texts/--no-texts", default=True, help="Write the sentences and the names of columns.")
@mining_options("ratio")
def bitext(
    source: str,
    target: str,
    model: str,
    languages: tuple[str, str] | None,
    gold: str | None,
    threshold: float | None,
    output: Path | None,
    input_format: Any,
    **search: Any,
) -> None:
    """Find translations of each other in two files.

    A file has lines id<TAB>sentence as in BUCC, or plain sentences, whose ids are the line numbers.
    The columns are source_id, target_id, score and both sentences, the best first; with --no-texts
    the first three without their names, as in BUCC. A score on the gold that chose the threshold
    is optimistic: measure on other files, with --threshold.
    """
    if gold and threshold is not None:
        raise click.UsageError("--gold chooses the threshold; leave out --threshold")
    codes = languages or (None, None)
    how = _how_to_mine(search, output, source, target, gold)
    wanted = read_gold_pairs(gold) if gold else {}
    corpora = [open_sentences(file, input_format) for file in (source, target)]
    for corpus in corpora:
        _check_enough(corpus, how["k"], how["k"])
    if gold:
        check_gold_pairs(wanted, gold, *corpora)
    encoders = [mining_encoder(model, code) for code in dict.fromkeys(codes)]
    with temporary_folder("mining") as folder, watching(model, ENGLISH, "--languages") as seen:
        sides = [
            encode_corpus(corpus, encoder, folder / name, distinct=search["distinct"], seen=seen)
            for corpus, encoder, name in zip(
                corpora, (encoders[0], encoders[-1]), ("source.npy", "target.npy"), strict=True
            )
        ]
        parts = [part for encoder in encoders for part in parts_of(encoder)]
        note_languages(parts, model, "--languages", codes)
        mined = mine_rows(sides[0].rows, sides[1].rows, candidates=search["candidates"], **how)
    found = rank_pairs(mined, sides, corpora)
    if gold:
        threshold = threshold_on_gold(found, wanted, gold)
    if threshold is not None:
        found = [pair for pair in found if -pair.negated >= threshold]
    write_bitext(output, found, corpora, texts=search["texts"])


@mine.command(
    epilog=examples(
        "semaniacs mine paraphrases questions.txt --top 100",
        "semaniacs mine paraphrases new.txt --against old.txt -o pairs.tsv --threshold 0.8",
        "semaniacs mine paraphrases questions.txt --margin ratio --top-k 8",
    )
)
@click.argument("file")
@option("--against", metavar="OTHER", help="Second file, to pair with the first.")
@encoder_option
@languages_option("language")
@option(
    "--top", type=COUNT, help=f"Number of pairs (default: all with --threshold, else {USUAL_TOP})."
)
@flag("--copies", "Write lines that repeat an earlier one too, with score 1.")
@flag("--no-ids", "Leave out the ids.")
@mining_options("absolute")
def paraphrases(
    file: str,
    against: str | None,
    model: str,
    language: str | None,
    top: int | None,
    copies: bool,
    threshold: float | None,
    output: Path | None,
    input_format: Any,
    **search: Any,
) -> None:
    """Find paraphrases in one file, or between two.

    The output has lines sentence<TAB>sentence<TAB>score<TAB>id<TAB>id, the best first. Columns 1
    and 2 are input for: semaniacs train. Each sentence is paired with its nearest ones (--top-k).
    To find all pairs above a cosine: semaniacs mine duplicates --pairs.
    """
    if copies and (against or search["margin"] != "absolute"):
        raise StsError("--copies is for one file and the cosine; leave out --against and --margin")
    how = _how_to_mine(search, output, file, against)
    corpora = [open_sentences(name, input_format) for name in (file, against) if name]
    for corpus in corpora:
        _check_enough(corpus, 3 - len(corpora), how["k"])
    encoder = mining_encoder(model, language)
    with temporary_folder("mining") as folder, watching(model, ENGLISH, "--language") as seen:
        sides = [
            encode_corpus(corpus, encoder, folder / f"{i}.npy", distinct=True, seen=seen)
            for i, corpus in enumerate(corpora)
        ]
        note_languages(parts_of(encoder), model, "--language")
        mined = paraphrases_of([side.rows for side in sides], how)
    usual = USUAL_TOP if threshold is None else None
    mined = take_best(mined, threshold, top or usual, how["k"])
    x, y = (sides[i].places[rows].tolist() for i, rows in ((0, mined.source), (-1, mined.target)))
    scored = list(zip(x, y, mined.scores.tolist(), strict=True))
    repeated = sum(len(side.copies) for side in sides)
    if copies:
        scored[:0] = [(first, place, 1.0) for place, first in sides[0].copies.items()]
    elif repeated:
        repeats = (
            "repeats an earlier one and is" if repeated == 1 else "repeat an earlier one and are"
        )
        note(f"{counted(repeated, 'line')} {repeats} skipped; see --copies")
    write_paraphrases(output, scored, corpora, ids=not search["no_ids"])


@mine.command(
    epilog=examples(
        "semaniacs mine duplicates questions.txt",
        "semaniacs mine duplicates questions.csv --text question --id qid \\",
        "    -o groups.tsv --kept distinct.csv --pairs pairs.tsv",
    )
)
@click.argument("file")
@text_option()
@option("--id", "id_", metavar="COLUMN", help="Column of ids (default: number of the row).")
@table_options
@threshold_option(default=0.9, help="Lowest cosine of duplicates.")
@choice(
    "--keep",
    "first longest shortest central",
    "Line to keep of a group; central: the one close to most lines.",
)
@choice(
    "--groups",
    "star components",
    "star: every member is close to the kept line; components: all that pairs connect.",
)
@output_option(writes=GROUPS, help="File of groups (default: stdout).")
@choice(
    "--format",
    GROUPS.removesuffix(" txt"),
    "Format of the groups (default: from the name of the output).",
    default=None,
)
@option("--kept", type=FILE, metavar="FILE", help="Write the rows that stay, unchanged.")
@option("--pairs", type=FILE, metavar="FILE", help="Write all pairs of ids and cosines.")
@option(
    "--lowest", type=FINITE, help="Lowest cosine of --pairs (default: 0.8, or a lower --threshold)."
)
@encoder_option
@languages_option("language")
def duplicates(
    file: str,
    threshold: float,
    keep: Any,
    groups: Any,
    output: Path | None,
    format: str | None,
    kept: Path | None,
    pairs: Path | None,
    lowest: float | None,
    model: str,
    language: str | None,
    **table: Any,
) -> None:
    """Find groups of lines that mean the same.

    FILE has one sentence per line, or is a table. The search is exact: every pair above the
    threshold is found. Copies are always duplicates, and blank rows never.
    """
    check_threshold(threshold, "--threshold")
    if lowest is not None and pairs is None:
        raise StsError("--lowest has no meaning without --pairs; leave it out")
    if pairs is None:
        lowest = threshold
    elif lowest is None:
        lowest = min(threshold, 0.8)
    check_threshold(lowest, "--lowest")
    if lowest > threshold:
        raise StsError(f"--lowest {lowest:g} is above --threshold {threshold:g}; give a lower one")
    outputs = [path for path in (output, kept, pairs) if path is not None]
    for path in outputs:
        check_output(path)
    check_distinct(file, *outputs)
    write_as = format_of(output, GROUPS, format)
    format_of(pairs, TABLES)
    require("scipy")
    rows = TextRows(file, reading(table["text"], table, table["id_"]))
    if kept:
        rows.format_of_kept(kept)
    copies = Copies(track(rows.texts(), f"reading {rows.source}", "lines"))
    ids = rows.ids(len(copies.text_of))
    distinct = copies.distinct(rows.texts())
    with vectors_on_disk(distinct, len(copies.first), model, language) as vectors:
        near = close_pairs(vectors, lowest)
        if pairs:
            written = write_pairs(pairs, copies, near, rows, ids)
            note(f"{counted(written, 'pair')} from {lowest:g} on written to {pairs}")
        names = reads_names(model, language)
        near = near.at_least(threshold)
        found = find_groups(copies, vectors, near, keep, groups, rows.some_texts, names=names)
    texts = rows.some_texts({row for group in found for row in group.rows})
    write_groups(output, write_as, found, ids, texts)
    if kept:
        stays = np.ones(len(copies.text_of), bool)
        stays[[row for group in found for row in group.rows[1:]]] = False
        rows.write_kept(stays, kept)
    note(summary(copies, found))


def _how_to_mine(search: dict[str, Any], output: Path | None, *files: str | None) -> dict[str, Any]:
    """Check the output, and return the settings of a search of neighbours."""
    ivf = search["search"] == "ivf"
    if not ivf and (search["clusters"] or search["probe"]):
        raise StsError(
            "--clusters and --probe have no meaning without --search ivf; leave them out"
        )
    for file in files:
        check_distinct(file, output)
    return {
        "k": search["top_k"],
        "margin": search["margin"],
        "search": Ivf(search["clusters"], search["probe"]) if ivf else None,
        "block": search["block"],
    }


def _check_enough(corpus: SentenceFile, fewest: int, k: int) -> None:
    if corpus.filled < fewest:
        raise DataError(
            f"{corpus.source}: {corpus.filled} sentences that are not blank are too few for {k} "
            "neighbours; give a smaller --top-k"
        )
