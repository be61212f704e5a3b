"""``semaniacs explain``: which features moved a score."""

from __future__ import annotations

from typing import Any

import click

from semaniacs.verbs.shared_options import check_sentences, note_thresholds, sides_option
from sts.command_line import examples, format_option, model_option
from sts.data.tables.pair_options import pair_options


@click.command(
    short_help="Show which features moved a score.",
    epilog=examples(
        'semaniacs explain "A dog runs." "Stocks fell on Friday."',
        "semaniacs explain pairs.tsv --format jsonl",
    ),
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@model_option()
@pair_options
@sides_option
@format_option(
    "write_as",
    old=(),
    old_flags={"--json": "jsonl"},
    default="table",
    type=click.Choice(["table", "jsonl"]),
    help="Format of the output; jsonl is one line per pair with all features.",
)
def explain(texts: tuple[str, ...], model: str, write_as: str, **options: Any) -> None:
    """Show which features moved the score of two sentences, or of every pair of a FILE.

    The base and the contributions add up to the score.
    """
    from runs.report.explanation import as_json, as_table
    from runs.scorer import load
    from sts.data.tables.pair_table import PairColumns, pair_blocks

    check_sentences(texts, advice="Nothing is to be explained without it")
    scorer = load(model)
    note_thresholds(scorer)
    languages = options.pop("languages") or None
    show = as_json if write_as == "jsonl" else as_table
    seen = scorer.watch()
    if len(texts) == 2:
        left, right = ([text] for text in texts)
        click.echo("\n".join(show(scorer.explain_counting(left, right, seen, languages=languages))))
        seen.note(scorer.name, "--languages")
        return
    for number, block in enumerate(pair_blocks(texts[0], PairColumns(**options), size=256)):
        if number and write_as == "table":
            click.echo()
        explained = scorer.explain_counting(block.left, block.right, seen, languages=languages)
        click.echo("\n".join(show(explained)))
    seen.note(scorer.name, "--languages")
