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
    from sts.data.table_cells import find_columns, sentences_in
    from sts.data.tables import kind_of, read_blocks

    check_sentences(texts, advice="Nothing is to be explained without it")
    scorer = load(model)
    note_thresholds(scorer.model)
    languages = options["languages"] or None
    show = as_json if as_lines else as_table
    seen = scorer.watch()
    if len(texts) == 2:
        left, right = ([text] for text in texts)
        click.echo("\n".join(show(scorer.explain_counting(left, right, seen, languages=languages))))
        seen.note(scorer.name, "--languages")
        return
    kind = options["read_as"] or kind_of(texts[0])
    blocks = read_blocks(
        texts[0], kind, header=options["header"], size=256, delimiter=options["delimiter"]
    )
    for number, block in enumerate(blocks):
        names = find_columns(texts[0], block.columns, options["left"], options["right"])
        if number and not as_lines:
            click.echo()
        left, right = sentences_in(texts[0], block, names, advice="Leave its row out")
        click.echo("\n".join(show(scorer.explain_counting(left, right, seen, languages=languages))))
    seen.note(scorer.name, "--languages")
