"""The commands ``semaniacs partial generate`` and ``semaniacs partial rank``."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from semaniacs.sts.command_line import (
    COUNT,
    POSITIVE,
    examples,
    left_option,
    model_option,
    option,
    output_option,
    right_option,
    seed_option,
    threshold_option,
)
from semaniacs.sts.data.table_kinds import encoding_option
from semaniacs.sts.errors import DataError, StsError
from semaniacs.sts.progress import counted, note

if TYPE_CHECKING:
    from semaniacs.sts.partial_paraphrases.partial import Against, Group

VARIANTS = ("swap", "back-translation", "continuation")

without_flagged_option = option(
    "--without-flagged", is_flag=True, help="Skip groups with an exchange inside a coordination."
)


@click.group(
    epilog=examples(
        "semaniacs partial generate pairs.tsv -o groups.tsv",
        "semaniacs partial rank groups.tsv --model contextual",
    )
)
def partial() -> None:
    """Build groups of partial paraphrases, and rank them.

    A group is four pairs: a paraphrase (degree 4), and its right side beside itself after one, two
    and three exchanges of similar words (degrees 3, 2, 1). A good scorer gives every higher degree
    a higher score. Degrees are numbers of exchanges: nobody judged the sentences.
    """


@partial.command(
    short_help="Build groups from the paraphrases of a table.",
    epilog=examples(
        "semaniacs partial generate pairs.tsv -o groups.tsv",
        "semaniacs partial generate paws.tsv --label label --seed 1 -o groups.tsv",
    ),
)
@click.argument("file")
@output_option(writes="tsv txt", type=str, metavar="FILE")
@left_option()
@right_option()
@encoding_option
@option("--label", metavar="COLUMN", help="Column of labels, 1 or 0 (default: label, if there).")
@option(
    "--variant",
    type=click.Choice(VARIANTS),
    default="swap",
    help="Exchange words; also back-translate the left side of degree 4 by Apertium; or "
    "continue the left side with 5, 10 and 15 unrelated words.",
)
@option(
    "--against",
    type=click.Choice(["a", "b"]),
    default="b",
    help="Side that exchanges are compared with: the right one, or as a control the left.",
)
@seed_option()
@option("--limit", type=COUNT, metavar="N", help="Write only the first N groups.")
@option(
    "--lowest",
    type=POSITIVE,
    default=0.8,
    metavar="COSINE",
    help="Lowest cosine of a sentence and its back-translation.",
)
@without_flagged_option
def generate(
    file: str,
    output: str | None,
    left: str | None,
    right: str | None,
    label: str | None,
    variant: str,
    against: Against,
    seed: int,
    limit: int | None,
    lowest: float,
    without_flagged: bool,
) -> None:
    """Build groups from the paraphrases in FILE: TSV, CSV, JSONL, Parquet; - is stdin.

    Of a table with labels the pairs with label 1 are used. The output is TSV with the columns group
    (the line), degree, left, right and flags; coordination is the flag of an exchange as in "x and
    y", which may leave the meaning unchanged. A sentence with fewer than three kinds of words that
    have two different members is skipped.
    """
    from semaniacs.runs.partial.partial_groups import back_translated, read_paraphrases
    from semaniacs.sts.partial_paraphrases.partial import (
        continued,
        make_groups,
        multi_swap,
        write_groups,
    )

    if against == "a" and variant != "swap":
        raise StsError("--against a is for --variant swap; leave one of them out")
    pairs = read_paraphrases(file, left=left, right=right, label=label)
    make: Callable[[str, str, str], Group | None] = functools.partial(continued, seed=seed)
    if variant != "continuation":
        make = functools.partial(multi_swap, seed=seed, against=against)
    groups, counts = make_groups(pairs, make, file)
    if without_flagged:
        groups = type(groups)(group for group in groups if not group.flagged)
    groups = groups[:limit]
    said = ", ".join(f"{name} {number:,}" for name, number in counts.items())
    if variant == "back-translation":
        from semaniacs.embeddings.loading import DEFAULT, load
        from semaniacs.sts.cache import memory_folder
        from semaniacs.sts.translation import get_translator

        translator = get_translator("apertium", memory_folder=memory_folder())
        groups, more = back_translated(groups, translator, load(DEFAULT), lowest=lowest)
        said += "; back-translation: " + ", ".join(f"{n} {number:,}" for n, number in more.items())
    if not groups:
        raise StsError(f"{file}: no group is left of {counted(len(pairs), 'paraphrase')} ({said})")
    note(said)
    write_groups(output, groups, sys.stdout)


@partial.command(
    short_help="Measure how well a model ranks groups.",
    epilog=examples(
        "semaniacs partial rank groups.tsv",
        "semaniacs partial rank groups.tsv --model paws --threshold 4",
        "semaniacs partial rank groups.tsv --scores mine.txt --without-flagged",
    ),
)
@click.argument("file")
@model_option()
@option("--scores", metavar="FILE", help="Scores of the pairs instead, one per line, in order.")
@threshold_option(help="Also print the share of pairs on the right side of it, by degree.")
@option("--resamples", type=COUNT, default=1000, help="Number of resamples of the groups.")
@encoding_option
@without_flagged_option
def rank(
    file: str,
    model: str,
    scores: str | None,
    threshold: float | None,
    resamples: int,
    without_flagged: bool,
) -> None:
    """Measure how well a model ranks the groups in FILE, as generate writes them.

    R-Precision is the share of groups whose highest score is that of degree 4 (1/k where k tie on
    top). ρ is Spearman's, of scores and degrees in each group, averaged. Both are × 100, with a
    95 % confidence interval over resampled groups. Degree 4 should be at or above --threshold, the
    others below.
    """
    from semaniacs.runs.partial.partial_groups import percent, ranking_figures
    from semaniacs.runs.scorer import load
    from semaniacs.runs.tables.format import text_table
    from semaniacs.sts.partial_paraphrases.partial import read_groups
    from semaniacs.sts.scoring.ranking import accuracy_by_degree
    from semaniacs.sts.scoring.shared_task.gold_standard import read_column

    pairs = read_groups(file)
    if scores:
        values = read_column(scores, None).values
        if len(values) != len(pairs.left):
            found = f"{counted(len(values), 'score')} for {counted(len(pairs.left), 'pair')}"
            raise DataError(f"{scores}: {found}; expected one per pair, in the order of the groups")
    else:
        values = load(model).score(pairs.left, pairs.right, progress=True)
    groups = pairs.unflagged if without_flagged else pairs.groups
    if not len(groups):
        raise StsError(f"{file}: every group is flagged; leave out --without-flagged")
    figures = ranking_figures(values, groups, resamples=resamples)
    rows = [("groups", f"{figures.groups:,}", "")]
    for name, value, interval in (
        ("R-Precision", figures.r_precision, figures.r_precision_interval),
        ("ρ", figures.spearman, figures.spearman_interval),
    ):
        rows.append((name, percent(value), " to ".join(map(percent, interval))))
    if threshold is not None:
        shares = accuracy_by_degree(values, groups, threshold)
        rows += [(f"accuracy of degree {degree}", percent(s), "") for degree, s in shares.items()]
    click.echo(text_table(("", "× 100", "95 %"), rows))
