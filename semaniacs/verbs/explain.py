"""``semaniacs explain``: which features moved a score."""

from __future__ import annotations

from typing import Any

import click

from semaniacs.verbs.shared_options import languages_option, model_option, table_options
from semaniacs.verbs.two_sentences import check_sentences


@click.command(
    short_help="Say which features moved a score.",
    epilog="""\b
Examples:
  semaniacs explain "A dog runs." "Stocks fell on Friday."
  semaniacs explain pairs.tsv --json""",
)
@click.argument("texts", nargs=-1, required=True, metavar="LEFT RIGHT | FILE")
@model_option
@table_options
@languages_option
@click.option("--json", "as_lines", is_flag=True, help="A line of JSON a pair, all features.")
def explain(texts: tuple[str, ...], model: str, as_lines: bool, **options: Any) -> None:
    """Say which features moved the score of two sentences, or of every pair of a FILE.

    The base and the contributions add up to the score.
    """
    from runs.pipeline.own_pairs import note_thresholds
    from runs.report.explanation import as_json, as_table
    from runs.scorer import load
    from sts.data.tables.pair_table import PairColumns, pair_blocks

    check_sentences(texts, advice="Nothing is to be explained without it")
    scorer = load(model)
    note_thresholds(scorer.model)
    languages = options.pop("languages") or None
    show = as_json if as_lines else as_table
    seen = scorer.watch()
    if len(texts) == 2:
        left, right = ([text] for text in texts)
        click.echo("\n".join(show(scorer.explain_counting(left, right, seen, languages=languages))))
        seen.note(scorer.name, "--languages")
        return
    for number, block in enumerate(pair_blocks(texts[0], PairColumns(**options), size=256)):
        if number and not as_lines:
            click.echo()
        explained = scorer.explain_counting(block.left, block.right, seen, languages=languages)
        click.echo("\n".join(show(explained)))
    seen.note(scorer.name, "--languages")
