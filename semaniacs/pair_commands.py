"""The commands that score pairs: score, explain, fit and calibrate."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from semaniacs.sts.command_line import (
    FINITE,
    Finite,
    Number,
    examples,
    format_option,
    jobs_option,
    model_option,
    output_option,
    seed_option,
)
from semaniacs.sts.data.segments import without_regions
from semaniacs.sts.data.table_kinds import TABLES, listed, names_table, pair_options
from semaniacs.sts.errors import DataError, StsError, require

if TYPE_CHECKING:
    from semaniacs.runs.scorer import Scorer

sides_option = click.option(
    "--languages",
    nargs=2,
    callback=without_regions,
    metavar="LEFT RIGHT",
    help="Languages of the left and right sentences, for a model of several languages: de en. "
    "auto identifies the language of each sentence (default).",
)

question_option = click.option(
    "--question",
    metavar="COLUMN|TEXT",
    help="Question that both sides answer, so that short answers count: a column, or typed for all.",
)


def check_sentences(texts: tuple[str, ...], *, advice: str | None) -> None:
    """Check that two sentences, or one file, were typed; ``advice`` None allows a blank one."""
    if len(texts) > 2:
        raise click.UsageError("give two sentences, or one FILE")
    there = [*map(os.path.exists, texts)]  # unlike Path.exists it takes a long sentence
    if len(texts) < 2:
        if not there[0] and texts[0] != "-":
            raise DataError(f"{texts[0]}: no such file; to compare two sentences, give both")
        return
    if all(map(os.path.isfile, texts)):
        raise StsError(
            f"{texts[0]} and {texts[1]} are files; expected two sentences, or one FILE of pairs. "
            f"To make one: paste {texts[0]} {texts[1]} > pairs.tsv"
        )
    names = [n for n in sorted(range(2), key=there.__getitem__) if names_table(texts[n])]
    for found in names[:1]:
        raise DataError(
            f"{texts[found]}: {'a file' if there[found] else 'no such file'}; expected two sentences, "
            "or one FILE of pairs. To score such a name as a sentence, pipe in a line of two "
            "columns: semaniacs score -"
        )
    from semaniacs.sts.data.pairs import is_blank

    for side, text in zip(("left", "right"), texts, strict=True):
        if advice is not None and is_blank(text):
            raise StsError(f"the {side} sentence is blank; a pair needs two. {advice}")


def note_thresholds(scorer: Scorer) -> None:
    """Print the score from which a pair is a paraphrase, if the model knows it."""
    if scorer.model.thresholds:
        from semaniacs.sts.progress import note
        from semaniacs.sts.scoring.classification import describe_thresholds

        if line := describe_thresholds(scorer.name, scorer.model.thresholds):
            note(line)


@click.command(
    epilog=examples(
        'semaniacs score "A dog runs." "A dog is running."',
        "semaniacs score pairs.tsv                        two columns: one score per line",
        "semaniacs score big.jsonl.gz -o scored.parquet --missing skip --jobs 2",
        "semaniacs score pairs.tsv --model fusion         about ten times faster, less accurate",
        "cat pairs.tsv | semaniacs score -                from another command",
        "semaniacs score answers.csv --left answer --right ref1 --reference ref2",
        "semaniacs score answers.csv --question question --pass-from 2.5 --strict --differences",
    )
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@model_option()
@pair_options
@click.option(
    "--right-text",
    multiple=True,
    metavar="TEXT",
    help="Right sentence of every row, in place of --right: a reference for all answers. May be repeated.",
)
@click.option(
    "--reference",
    "references",
    multiple=True,
    metavar="COLUMN",
    help="Another column of right sentences, or of lists of them: the best score counts. May be repeated.",
)
@question_option
@click.option("--id", "id_", metavar="COLUMN", help="The only column to keep beside the score.")
@format_option(
    "write_as",
    type=click.Choice(["table", *TABLES.split()[:-1]]),
    help="Format of the output (default: from its name, or as the input).",
)
@output_option(type=str, writes=TABLES, help="Output file, written at the end (default: stdout).")
@click.option("--name", default="score", help="Name of the new column.")
@click.option("--digits", default=4, type=click.IntRange(0, 17), help="Digits after the point.")
@click.option(
    "--empty",
    type=click.Choice(["error", "nan", "zero"]),
    default="error",
    help="Score of a pair with a blank sentence.",
)
@click.option(
    "--interval",
    is_flag=False,
    flag_value=0.9,
    type=Finite("number; type --interval last, or --interval 0.9"),
    metavar="[LEVEL]",
    help="Add low and high columns: an interval that contains the human score with this "
    "probability (0.5–0.98, default 0.9).",
)
@click.option(
    "--calibration",
    type=Path,
    metavar="FILE",
    help="File that semaniacs calibrate wrote: maps the scores, and adds its decision as a column.",
)
@click.option(
    "--pass-from",
    type=Number(0, 5),
    metavar="SCORE",
    help="Add the column pass: 1 from this score on, 0 below. The exit code is 1 if a row does not "
    "pass or has no score.",
)
@click.option(
    "--strict", is_flag=True, help="With --pass-from: a pair that contradicts is not to pass."
)
@click.option("--differences", is_flag=True, help="Add the column: what differs, in sentences.")
@jobs_option(help="Number of processes for a large FILE, at most one per core.")
@sides_option
def score(
    texts: tuple[str, ...],
    model: str,
    id_: str | None,
    output: str | None,
    interval: float | None,
    calibration: Path | None,
    jobs: int,
    **options: Any,
) -> None:
    """Score two sentences, or every pair of a FILE (TSV, CSV, JSON, XLSX, Parquet, TMX; - is stdin).

    0 is unrelated, 5 the same meaning. Rows, order and other columns stay as they are.
    """
    from semaniacs.runs.score_table import WITHOUT, TableOptions, reader_of, score_table
    from semaniacs.runs.scorer import load
    from semaniacs.sts.data.table_writers import write_table
    from semaniacs.sts.files import format_of
    from semaniacs.sts.progress import note

    typed = options["right_text"]
    if typed and (options["right"] or len(texts) == 2 or not all(map(str.strip, typed))):
        raise click.UsageError("give --right-text a sentence, with a FILE, and without --right")
    if options["missing"] == "skip" and options["empty"] == "error":
        options["empty"] = "nan"
    if options["strict"] and options["pass_from"] is None:
        raise StsError("--strict goes with --pass-from SCORE")
    check_sentences(texts, advice=WITHOUT if options["empty"] == "error" else None)
    note_thresholds(scorer := load(model))
    languages = options["languages"] or None
    beside = None
    if interval is not None or calibration is not None:
        from semaniacs.runs.pipeline.score_columns import Calibration, ScoreColumns

        own = Calibration.of(calibration, scorer.model, scorer.source)
        beside = ScoreColumns.of(scorer.model, interval, own)
    wanted = TableOptions(**(options | {"id": id_, "languages": languages, "beside": beside}))
    if len(texts) == 2:
        read, seen = reader_of("", None, options["question"]), scorer.watch()
        left, right = [texts[0]], [texts[1]]
        how = {"languages": languages, "empty": options["empty"]}
        scores = scorer.score_counting(*read(left, right), seen, **how)
        found = wanted.columns(scores, scorer.model, left, right)
        row, path = [cells[0] for cells in found.values()], None if output is None else Path(output)
        kind = format_of(output, f"{TABLES} table", options["write_as"])
        write_table(path, kind, [*found], [row], digits=options["digits"], named=False)
        seen.note(scorer.name, "--languages")
        count, failed = 1, [] if found.get("pass", [1]) == [1] else [1]
    else:
        with scorer.parallel(jobs) as several:
            count, failed = score_table(several, texts[0], output, wanted, progress=True)
    if wanted.pass_from is not None:
        more = f"; not lines {listed([*map(str, failed)])}" if failed and len(texts) == 1 else ""
        more += "; scores go from 0 to 5" if wanted.pass_from <= 1 else ""
        note(f"{count - len(failed):,} of {count:,} pass{more}")
        if failed:
            sys.exit(1)


@click.command(
    epilog=examples(
        'semaniacs explain "A dog runs." "Stocks fell on Friday."',
        "semaniacs explain pairs.tsv --format jsonl",
    )
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@model_option()
@pair_options
@question_option
@sides_option
@format_option(
    "write_as",
    old=(),
    old_flags={"--json": "jsonl"},
    default="table",
    type=click.Choice(["table", "jsonl"]),
    help="Format of the output; jsonl is one line per pair with all features.",
)
def explain(
    texts: tuple[str, ...], model: str, write_as: str, question: str | None, **options: Any
) -> None:
    """Show which features moved the score of two sentences, or of every pair of a FILE.

    The base and the contributions add up to the score. A model without features, or vectors alone
    such as paragram, compares word by word.
    """
    from semaniacs.runs.report.explanation import as_json, as_table
    from semaniacs.runs.score_table import reader_of
    from semaniacs.sts.data.pair_table import PairColumns, pair_blocks

    check_sentences(texts, advice="Nothing is to be explained without it")
    scorer = _load_any(model)
    note_thresholds(scorer)
    languages = options.pop("languages") or None
    show = as_json if write_as == "jsonl" else as_table
    seen = scorer.watch()
    if len(texts) == 2:
        sides = iter([reader_of("", None, question)([texts[0]], [texts[1]])])
    else:
        blocks = pair_blocks(texts[0], PairColumns(**options), size=256)
        sides = (reader_of(texts[0], some.rows, question)(some.left, some.right) for some in blocks)
    for number, (left, right) in enumerate(sides):
        if number and write_as == "table":
            click.echo()
        explained = scorer.explain_counting(left, right, seen, languages=languages)
        click.echo("\n".join(show(explained)))
    seen.note(scorer.name, "--languages")


def _load_any(model: str) -> Scorer:
    """Load a scorer, or an encoder to compare by."""
    from semaniacs.runs.pipeline.model import of_encoder
    from semaniacs.runs.recipes import RUNS
    from semaniacs.runs.scorer import Scorer, load

    try:
        return load(model)
    except StsError:
        if model not in RUNS:
            with suppress(StsError):
                return Scorer(of_encoder(model))
        raise


@click.command(
    epilog=examples(
        "semaniacs fit labelled.csv --left a --right b --gold similarity -o my-scorer",
        "semaniacs score pairs.csv --model my-scorer",
    )
)
@click.argument("file")
@click.option(
    "--gold", required=True, metavar="COLUMN", help="Column of the similarity, from 0 to 5."
)
@output_option(required=True, writes="", help="Folder to write the fitted scorer to.")
@click.option("--overwrite", is_flag=True, help="Replace the scorer in that folder.")
@model_option()
@pair_options
@click.option("--folds", default=5, type=click.IntRange(2), help="Folds of the cross-validation.")
@seed_option(help="Random seed of the folds and of the fit.")
def fit(
    file: str,
    gold: str,
    output: Path,
    overwrite: bool,
    model: str,
    folds: int,
    seed: int,
    **options: Any,
) -> None:
    """Fit the regressors of a model to your own labelled pairs, and report how well they fit.

    The correlations are out-of-fold: each pair is scored by a model that was not fitted to it.
    """
    from semaniacs.runs.scorer import load
    from semaniacs.sts.data.pair_table import PairColumns, read_graded
    from semaniacs.sts.files import check_writable

    check_writable(output)
    scorer = load(model)
    if scorer.model.run.columns:
        require("sklearn", "lightgbm")
    _check_free(output, scorer.name, overwrite=overwrite)
    pairs = read_graded(file, PairColumns(**options), gold, of_task=True)
    fitted = scorer.fit(pairs.left, pairs.right, pairs.gold, folds=folds, seed=seed)
    fitted.save(output)
    click.echo(fitted.report)


def _check_free(folder: Path, run: str, *, overwrite: bool) -> None:
    """Refuse to replace anything but a scorer of the same run, and that only with --overwrite."""
    from semaniacs.runs.recipes import run_in

    if not folder.is_dir() or not any(folder.iterdir()):
        return
    try:
        there = run_in(folder)
    except StsError:
        raise StsError(f"{folder}: exists and is no scorer; name another folder") from None
    if there != run:
        raise StsError(f"{folder}: contains a scorer by {there}; name another folder")
    if not overwrite:
        raise StsError(f"{folder}: contains a scorer; name another folder, or type --overwrite")


@click.command(
    epilog=examples(
        "semaniacs calibrate labelled.csv --gold similarity -o calibration.json",
        "semaniacs calibrate labelled.csv --gold same --precision 0.95 -o calibration.json",
        "semaniacs score pairs.csv --calibration calibration.json --interval",
    )
)
@click.argument("file")
@click.option(
    "--gold",
    required=True,
    metavar="COLUMN",
    help="Column of the similarity from 0 to 5, or of labels: 0 and 1, or no and yes.",
)
@output_option(required=True, writes="json", help="JSON file to write.")
@click.option("--precision", type=FINITE, help="Precision of the pairs above the threshold.")
@click.option("--confidence", default=0.9, type=FINITE, help="Probability of this precision.")
@click.option("--right-from", type=FINITE, metavar="SCORE", help="Lowest gold of a right pair.")
@model_option()
@pair_options
def calibrate(
    file: str,
    gold: str,
    output: Path,
    precision: float | None,
    confidence: float,
    right_from: float | None,
    model: str,
    **options: Any,
) -> None:
    """Calibrate the scores of a model on your own labelled pairs.

    Gold from 0 to 5 gives a map from scores to your scale, and intervals for score --interval.
    Labels of 0 and 1 give a threshold; the pairs above it are right with the requested precision.
    Too few labels are an error.
    """
    from semaniacs.runs.scorer import load
    from semaniacs.sts.data.pair_table import PairColumns, label, read_graded
    from semaniacs.sts.files import check_distinct
    from semaniacs.sts.progress import note

    check_distinct(file, output)
    scorer = load(model)
    if scorer.source != scorer.name:
        note(f"{model}: give pairs that it was not fitted to; on those it errs less")
    pairs = read_graded(file, PairColumns(**options), gold, of_task=True, read=label)
    found = scorer.calibrate(
        pairs.left,
        pairs.right,
        pairs.gold,
        precision=precision,
        confidence=confidence,
        right_from=right_from,
        progress=True,
    )
    found.save(output)
    click.echo(found.report)
